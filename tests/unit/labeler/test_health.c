/* SPDX-License-Identifier: MIT */
/* Sums are exact; quantiles are those of the sorted times, within a sixteenth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "labeler/health.h"

#define TIMES 5000

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Times over nine powers of ten. */
static void draw_times(uint64_t times[TIMES])
{
    uint32_t state = 1;
    for (int i = 0; i < TIMES; i++) {
        state = state * 1664525u + 1013904223u;
        uint64_t scale = 1;
        for (uint32_t digits = state >> 16 & 7; digits > 0; digits--)
            scale *= 10;
        state = state * 1664525u + 1013904223u;
        times[i] = (state >> 8) % 100 * scale;
    }
}

static void test_quantiles(void **state)
{
    static uint64_t times[TIMES];
    static const double shares[] = {0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.999, 1};
    struct health health = {0};
    uint64_t sum = 0;
    (void)state;
    draw_times(times);
    for (int i = 0; i < TIMES; i++) {
        health_note(&health, times[i], 7);
        sum += times[i];
    }
    qsort(times, TIMES, sizeof *times, compare);
    assert_int_equal(health.labels, TIMES);
    assert_int_equal(health.nodes, 7 * TIMES);
    assert_int_equal(health.search_us, sum);
    assert_int_equal(health.slowest_us, times[TIMES - 1]);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double rank = shares[i] * TIMES;
        size_t at = rank > 1 ? (size_t)(rank + 0.999) - 1 : 0;
        uint64_t right = times[at], got = health_quantile(&health, shares[i]);
        uint64_t off = got > right ? got - right : right - got;
        assert_true(16 * off <= right);
    }
}

static void test_ends(void **state)
{
    struct health health = {0};
    (void)state;
    assert_int_equal(health_quantile(&health, 0.5), 0);
    health_note(&health, 1001, 1);
    assert_true(health_quantile(&health, 1) <= 1001);
    assert_true(health_quantile(&health, 0) > 1001 - 1001 / 16);
    health_note(&health, UINT64_MAX / 2, 1); /* longer than there are buckets for */
    assert_int_equal(health.slowest_us, UINT64_MAX / 2);
    assert_true(health_quantile(&health, 1) > UINT64_C(1) << 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
