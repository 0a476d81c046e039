/* SPDX-License-Identifier: MIT */
/* Days and ranges of days: by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/recipe/dates.h"

static void test_ranges(void **state)
{
    static const struct {
        const char *text, *inside, *outside;
    } cases[] = {
        {"2013", "2013.12.31", "2014.01.01"},
        {"2013", "2013.??.??", "2012.12.31"},
        {"2013-01", "2013.01.31", "2013.02.01"},
        {"2013-01", "2013.01.??", "2013.??.??"},
        {"2013-01-31", "2013.01.31", "2013.01.30"},
        {"2013-01..2013-12-31", "2013.12.31", "2014.01.01"},
        {"2013-01..2013-12-30", "2013.01.01", "2013.12.31"},
        {"2013-01-31..2013-02", "2013.02.29", "2013.01.30"},
        {"2012..2013", "2013.12.31", "2014.??.??"},
        {"2013-01-02..2013-01-02", "2013.01.02", "2013.01.??"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dates range, day;
        assert_true(dates_parse(cases[i].text, &range));
        assert_true(dates_parse_tag(cases[i].inside, &day));
        if (!dates_within(&day, &range))
            fail_msg("%s is not in %s", cases[i].inside, cases[i].text);
        assert_true(dates_parse_tag(cases[i].outside, &day));
        if (dates_within(&day, &range))
            fail_msg("%s is in %s", cases[i].outside, cases[i].text);
    }
}

static void test_what_is_no_range(void **state)
{
    static const char *const texts[] = {
        "",        "13",         "2013-",       "2013-1",           "2013-00",
        "2013-13", "2013-01-00", "2013-01-32",  "2013-01-1",        "2013.01.01",
        "0000",    "2013..",     "..2013",      "2013..2012",       "2013-02..2013-01-31",
        "2013 ",   "2013...",    "2013-01-01-", "2013..2014..2015", "20130101",
    };
    struct dates range;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (dates_parse(texts[i], &range))
            fail_msg("\"%s\" is taken for a range", texts[i]);
}

static void test_what_is_no_day(void **state)
{
    static const char *const texts[] = {
        "",           "????.??.??",  "?",          "2013",       "2013.01",
        "2013.1.1",   "2013-01-01",  "2013.13.01", "2013.01.32", "2013.00.01",
        "0000.01.01", "2013.01.01 ", "2013.?.?",
    };
    struct dates day;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (dates_parse_tag(texts[i], &day))
            fail_msg("\"%s\" is taken for a day", texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_what_is_no_range),
        cmocka_unit_test(test_what_is_no_day),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
