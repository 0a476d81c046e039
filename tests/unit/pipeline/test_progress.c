/* SPDX-License-Identifier: MIT */
/* What is said to be left, with a clock of our own: it settles early and follows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/report/progress.h"

#define TICK 0.25 /* seconds between two looks */

/* Work that goes at a speed that depends on time: how much is done at a time. */
typedef double work_function(double time);

/* 7 seconds in which an engine starts, then 100 a second. */
static double slow_start(double time)
{
    return time < 7 ? 0 : 100 * (time - 7);
}

/* Batches: nothing for 1.5 seconds, then 150 at once. */
static double batches(double time)
{
    return 150 * floor(time / 1.5);
}

/* 100 a second for 100 seconds, then 50. */
static double slower(double time)
{
    return time < 100 ? 100 * time : 10000 + 50 * (time - 100);
}

/*
 * Largest relative error of the time that was said to be left, between two times. finish: when the
 * work is at total.
 */
static double worst(work_function *work, double total, double finish, double from, double to)
{
    struct progress_rate rate;
    double most = 0;
    progress_rate_start(&rate, 0, 0);
    for (double time = TICK; time <= to; time += TICK) {
        progress_rate_note(&rate, time, work(time));
        if (time < from)
            continue;
        double left = progress_rate_left(&rate, total);
        assert_true(left >= 0);
        most = fmax(most, fabs(left - (finish - time)) / (finish - time));
    }
    return most;
}

static void test_slow_start_is_forgotten(void **state)
{
    (void)state;
    /* 100,000 at 100 a second: 1,000 seconds and the start. By the average from the beginning on it
     * would be wrong by 70 % at 10 seconds. */
    assert_true(worst(slow_start, 100000, 1007, 9.5, 900) < 0.02);
}

static void test_nothing_is_said_before_it_is_known(void **state)
{
    struct progress_rate rate;
    (void)state;
    progress_rate_start(&rate, 0, 500);
    for (double time = TICK; time < 8.5; time += TICK) {
        progress_rate_note(&rate, time, 500 + slow_start(time));
        assert_true(progress_rate_left(&rate, 10000) < 0);
        assert_true(progress_rate_get(&rate) <= 0);
    }
}

static void test_batches_do_not_shake_it(void **state)
{
    (void)state;
    assert_true(worst(batches, 150000, 1500, 8, 20) < 0.35);
    assert_true(worst(batches, 150000, 1500, 20, 1000) < 0.12);
}

static void test_it_follows(void **state)
{
    (void)state;
    /* 20,000: 100 seconds at 100 a second, 200 at 50. At 200 it has
     * forgotten the fast half. */
    assert_true(worst(slower, 20000, 300, 160, 290) < 0.3);
    assert_true(worst(slower, 20000, 300, 205, 290) < 0.05);
}

/* The work of an earlier run counts for nothing. */
static void test_resumed_work(void **state)
{
    struct progress_rate rate;
    (void)state;
    progress_rate_start(&rate, 50, 9000);
    for (double time = 50 + TICK; time <= 60; time += TICK)
        progress_rate_note(&rate, time, 9000 + 10 * (time - 50));
    assert_true(fabs(progress_rate_get(&rate) - 10) < 1e-6);
    assert_true(fabs(progress_rate_left(&rate, 10000) - 90) < 1e-3);
}

static void test_line(void **state)
{
    struct progress progress = {.label = "labels", .total = 67890, .cpu_share = 0};
    char line[PROGRESS_LINE_MAX];
    (void)state;
    progress_rate_start(&progress.rate, 0, 0);
    progress_format(&progress, 12, -1, line);
    assert_string_equal(line, "labels 12/67,890 (0 %)");
    progress_rate_note(&progress.rate, 1, 1000);
    progress_rate_note(&progress.rate, 11, 12345);
    progress_format(&progress, 12345, -1, line);
    assert_string_equal(line, "labels 12,345/67,890 (18 %), 1,135/s, 49 s left");
    progress_format(&progress, 67890, 678.9, line);
    assert_string_equal(line, "labels 67,890/67,890 (100 %), 100/s, 11 min");
    progress.total = 0;
    progress_format(&progress, 12345, -1, line);
    assert_string_equal(line, "labels 12,345, 1,135/s");
    progress.part_total = 1000;
    progress.part = 500;
    progress_rate_start(&progress.part_rate, 0, 0);
    progress_rate_note(&progress.part_rate, 1, 1);
    progress_rate_note(&progress.part_rate, 501, 500);
    progress_format(&progress, 12345, -1, line);
    assert_string_equal(line, "labels 12,345 (50 %), 1,135/s, 8 min left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_start_is_forgotten),
        cmocka_unit_test(test_nothing_is_said_before_it_is_known),
        cmocka_unit_test(test_batches_do_not_shake_it),
        cmocka_unit_test(test_it_follows),
        cmocka_unit_test(test_resumed_work),
        cmocka_unit_test(test_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
