/* SPDX-License-Identifier: MIT */
/*
 * Threads that share units of work: every unit is done once and all are done when the call returns,
 * in thousands of short jobs, with pauses that let the others fall asleep, with more threads than
 * cores.
 */
#include <stdatomic.h>
#include <time.h>

#include "nnue/tools/workers.h"
#include "tests/unit/nnue/synthetic.h"

enum { UNITS = 40, JOBS = 3000 };

struct tally {
    unsigned done[UNITS]; /* each its unit's own */
    atomic_uint all;
    bool slow;
};

static void nap(long nanoseconds)
{
    const struct timespec time = {0, nanoseconds};
    nanosleep(&time, NULL);
}

static void count_unit(void *context, size_t i)
{
    struct tally *tally = context;
    tally->done[i]++;
    atomic_fetch_add(&tally->all, 1);
    if (tally->slow && i == 0)
        nap(500000);
}

static void check_jobs(unsigned threads, unsigned jobs, bool slow, bool pauses)
{
    struct workers *workers;
    assert_int_equal(workers_new(threads, &workers, NULL), 0);
    assert_int_equal(workers_threads(workers), threads);
    for (unsigned job = 0; job < jobs; job++) {
        const size_t count = job % (UNITS + 1);
        struct tally tally = {.slow = slow};
        workers_run(workers, count, count_unit, &tally);
        assert_int_equal(atomic_load(&tally.all), count);
        for (size_t i = 0; i < UNITS; i++)
            assert_int_equal(tally.done[i], i < count);
        if (pauses)
            nap(500000);
    }
    workers_free(workers);
}

static void test_short_jobs(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 5; threads++)
        check_jobs(threads, JOBS, false, false);
}

static void test_sleepers(void **state)
{
    (void)state;
    for (unsigned threads = 2; threads <= 4; threads++) {
        check_jobs(threads, 100, true, false);
        check_jobs(threads, 100, false, true);
    }
}

static void test_no_jobs(void **state)
{
    struct workers *workers;
    (void)state;
    workers_free(NULL);
    for (unsigned i = 0; i < 50; i++) {
        assert_int_equal(workers_new(3, &workers, NULL), 0);
        workers_free(workers);
    }
    assert_int_equal(workers_new(0, &workers, NULL), 0);
    assert_in_range(workers_threads(workers), 1, WORKERS_MAX);
    workers_free(workers);
    assert_int_equal(workers_new(WORKERS_MAX + 1, &workers, NULL), 0);
    assert_int_equal(workers_threads(workers), WORKERS_MAX);
    workers_free(workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_jobs),
        cmocka_unit_test(test_sleepers),
        cmocka_unit_test(test_no_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
