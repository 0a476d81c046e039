/* SPDX-License-Identifier: MIT */
/* What a build leaves out, in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/report/report_filters.h"

/* keys: pairs of a key and its text, NULL at the end. */
static void expect_text(const char *const *keys, const char *want)
{
    struct settings *settings = settings_new();
    struct buffer text;
    buffer_init(&text, 4096);
    for (; *keys; keys += 2)
        assert_int_equal(settings_set(settings, keys[0], keys[1], "test", NULL), 0);
    assert_int_equal(report_filters_text(settings, &text, NULL), 0);
    assert_string_equal(text.data, want);
    buffer_free(&text);
    settings_free(settings);
}

#define KEEP_ALL "filter.mate", "keep", "filter.capture", "keep", "filter.promotion", "keep"

static void test_words(void **state)
{
    (void)state;
    expect_text((const char *const[]){NULL},
                "positions where the score is a mate, or the best move captures, or the best move "
                "promotes");
    expect_text((const char *const[]){KEEP_ALL, NULL}, "no position for its score, move or pieces");
    expect_text((const char *const[]){KEEP_ALL, "filter.max_abs_score", "1000", NULL},
                "positions where the score is beyond \u00b11000 cp");
    expect_text((const char *const[]){KEEP_ALL, "filter.bounds", "drop", "filter.pieces", "6,32",
                                      "filter.wdl_consistency", "250", NULL},
                "positions where the score is a bound, or there are fewer than 6 or more than 32 "
                "pieces, or a side that did not win is ahead by more than 250 cp");
    expect_text((const char *const[]){KEEP_ALL, "filter.piece_weights", "2-10:1,11-32:3",
                                      "filter.per_opening", "50", NULL},
                "no position for its score, move or pieces; the rest is thinned out to pieces as "
                "2-10:1, 11-32:3; of games with the same board at ply 8 at most 50 positions are "
                "kept");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
