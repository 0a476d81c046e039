/* SPDX-License-Identifier: MIT */
/* What a label will cost, against what Stockfish 15.1 was measured to take. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/cli/estimate.h"

/* 24 labels of 10,000 nodes at 15 ms each. */
#define SIGNATURE_SECONDS (24 * 0.015)

static bool near(double a, double b, double within)
{
    return fabs(a - b) <= within;
}

static void test_label_seconds(void **state)
{
    (void)state;
    assert_true(near(estimate_label_seconds(SIGNATURE_SECONDS, 10000), 0.015, 1e-9));
    assert_true(near(estimate_label_seconds(SIGNATURE_SECONDS, 1000), 0.0025, 1e-4));
    /* Two million games, three positions each: a day of one core. */
    assert_true(near(6e6 * estimate_label_seconds(SIGNATURE_SECONDS, 10000) / 86400, 1.04, 0.01));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_label_seconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
