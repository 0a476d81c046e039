/* SPDX-License-Identifier: MIT */
/* Numbers as terminals show them: thousands apart, the sign in ASCII, at the ends of their range.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/report/terminal.h"

static void test_numbers(void **state)
{
    static const struct {
        int64_t number;
        const char *text;
    } cases[] = {
        {0, "0"},
        {7, "7"},
        {999, "999"},
        {1000, "1,000"},
        {-1, "-1"},
        {-999, "-999"},
        {-1000, "-1,000"},
        {123456, "123,456"},
        {1234567, "1,234,567"},
        {INT64_MAX, "9,223,372,036,854,775,807"},
        {INT64_MIN, "-9,223,372,036,854,775,808"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(TERMINAL_NUMBER(cases[i].number), cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
