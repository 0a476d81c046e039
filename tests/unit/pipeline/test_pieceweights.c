/* SPDX-License-Identifier: MIT */
/* Wanted distributions over numbers of pieces: what is read, and chances computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/recipe/pieceweights.h"

static struct pieceweights weights_of(const char *const *texts)
{
    struct pieceweights weights = {0};
    for (; *texts; texts++)
        assert_true(pieceweights_add(&weights, *texts));
    return weights;
}

static void test_classes(void **state)
{
    (void)state;
    struct pieceweights weights =
        weights_of((const char *const[]){"2:1000000", "3-31:0", "32-32:7", NULL});
    assert_int_equal(weights.classes, 3);
    assert_int_equal(weights.weight[0], 1000000);
    assert_int_equal(weights.weight[1], 0);
    assert_int_equal(weights.weight[2], 7);
    assert_int_equal(weights.class_of[2], 1);
    assert_int_equal(weights.class_of[3], 2);
    assert_int_equal(weights.class_of[31], 2);
    assert_int_equal(weights.class_of[32], 3);
    assert_int_equal(weights.class_of[1], 0);
}

static void test_what_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "5",
                                        "5:",
                                        "5:1x",
                                        ":1",
                                        "1:1",
                                        "33:1",
                                        "2-33:1",
                                        "5-4:1",
                                        "5-:1",
                                        "-5:1",
                                        "5:-1",
                                        "5 :1",
                                        "5: 1",
                                        "05:1",
                                        "5:01",
                                        "5:1000001",
                                        "5:99999999999999999999",
                                        "99999999999999999999:1",
                                        "5:1.5",
                                        "5-6-7:1",
                                        "10:1",
                                        "9-11:1",
                                        "2-32:1"};
    struct pieceweights weights = weights_of((const char *const[]){"10:3", NULL}), before;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        before = weights;
        if (pieceweights_add(&weights, texts[i]))
            fail_msg("taken: \"%s\"", texts[i]);
        assert_memory_equal(&before, &weights, sizeof weights);
    }
    for (unsigned pieces = 2; pieces <= 32; pieces++) { /* each alone: as many as there can be */
        char text[16];
        (void)snprintf(text, sizeof text, "%u:1", pieces);
        assert_int_equal(pieceweights_add(&weights, text), pieces != 10);
    }
    assert_int_equal(weights.classes, PIECEWEIGHTS_CLASSES);
}

#define HALF UINT64_C(0x8000000000000000)

/* 40 : 30 : 30 wanted equal: k = 30, so the first stays with 30/40, the others whole. */
static void test_the_smallest_class_decides(void **state)
{
    (void)state;
    struct pieceweights weights =
        weights_of((const char *const[]){"2-10:1", "11-20:1", "21-32:1", NULL});
    int64_t counts[PIECEWEIGHTS_HIGH + 1] = {[2] = 15, [10] = 25, [11] = 30, [32] = 30};
    struct piecekeep keep;
    pieceweights_keep(&weights, counts, &keep);
    for (unsigned pieces = 2; pieces <= 10; pieces++) {
        assert_false(keep.all[pieces]);
        assert_true(keep.below[pieces] == UINT64_C(0xC000000000000000)); /* 3/4 */
    }
    assert_true(keep.all[11] && keep.all[20] && keep.all[21] && keep.all[32]);
}

/* Weights 1 : 2 and 300 : 300 positions: k = min(300, 150), 150/300 and 300/300. */
static void test_weights(void **state)
{
    (void)state;
    struct pieceweights weights = weights_of((const char *const[]){"2-16:1", "17-32:2", NULL});
    int64_t counts[PIECEWEIGHTS_HIGH + 1] = {[5] = 300, [20] = 300};
    struct piecekeep keep;
    pieceweights_keep(&weights, counts, &keep);
    assert_false(keep.all[5]);
    assert_true(keep.below[5] == HALF);
    assert_true(keep.all[20]);
    counts[5] = 450; /* 1/3, rounded down */
    pieceweights_keep(&weights, counts, &keep);
    assert_true(keep.below[5] == UINT64_C(0x5555555555555555));
}

/*
 * 1,000 : 10 : 500, equal: k = 10 would thin the first hundredfold, so k = 100: a tenth of the
 * first, a fifth of the third, the second whole.
 */
static void test_no_class_is_thinned_more_than_tenfold(void **state)
{
    (void)state;
    struct pieceweights weights = weights_of((const char *const[]){"2:1", "3:1", "4:1", NULL});
    int64_t counts[PIECEWEIGHTS_HIGH + 1] = {[2] = 1000, [3] = 10, [4] = 500};
    struct piecekeep keep;
    pieceweights_keep(&weights, counts, &keep);
    assert_true(keep.below[2] == UINT64_C(0x1999999999999999));
    assert_true(keep.all[3]);
    assert_true(keep.below[4] == UINT64_C(0x3333333333333333));
    counts[3] = 100; /* just tenfold: both rules say the same */
    pieceweights_keep(&weights, counts, &keep);
    assert_true(keep.below[2] == UINT64_C(0x1999999999999999) && keep.all[3]);
    counts[3] = 99; /* one past it */
    pieceweights_keep(&weights, counts, &keep);
    assert_true(keep.below[2] == UINT64_C(0x1999999999999999) && keep.all[3]);
    counts[3] = 101;
    pieceweights_keep(&weights, counts, &keep);
    assert_true(keep.below[2] > UINT64_C(0x1999999999999999)); /* 101/1000 */
}

static void test_what_has_no_weight_goes(void **state)
{
    (void)state;
    struct pieceweights weights = weights_of((const char *const[]){"2-4:0", "6-8:5", NULL});
    int64_t counts[PIECEWEIGHTS_HIGH + 1] = {[3] = 1, [5] = 1000, [7] = 400};
    struct piecekeep keep;
    pieceweights_keep(&weights, counts, &keep);
    for (unsigned pieces = 2; pieces <= 32; pieces++) {
        assert_int_equal(keep.all[pieces], pieces >= 6 && pieces <= 8);
        assert_true(keep.below[pieces] == 0);
    }
    struct pieceweights none = weights_of((const char *const[]){"2-32:0", NULL});
    pieceweights_keep(&none, counts, &keep);
    for (unsigned pieces = 2; pieces <= 32; pieces++)
        assert_true(!keep.all[pieces] && keep.below[pieces] == 0);
}

/* As large as counts and weights get: 2^40 - 1 positions, weights of a million and one. */
static void test_at_the_limits(void **state)
{
    (void)state;
    const int64_t most = (INT64_C(1) << 40) - 1;
    struct pieceweights weights = weights_of((const char *const[]){"2:1000000", "3:1", NULL});
    int64_t counts[PIECEWEIGHTS_HIGH + 1] = {[2] = most, [3] = most};
    struct piecekeep keep;
    pieceweights_keep(&weights, counts, &keep);
    assert_true(keep.all[2]);
    assert_true(keep.below[3] == UINT64_C(0x1999999999999999)); /* tenfold, not a millionfold */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_the_smallest_class_decides),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_no_class_is_thinned_more_than_tenfold),
        cmocka_unit_test(test_what_has_no_weight_goes),
        cmocka_unit_test(test_at_the_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
