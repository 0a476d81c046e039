/* SPDX-License-Identifier: MIT */
/*
 * Processors: what the system calls say of them, before and after one is left only.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/io/cores.h"

static void never_more_than_are_online(void **state)
{
    (void)state;
    assert_in_range(cores_available(), 1, sysconf(_SC_NPROCESSORS_ONLN));
}

static void one_when_one_is_left(void **state)
{
    cpu_set_t all, one;
    unsigned first = 0;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(cores_available(), CPU_COUNT(&all));
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(cores_available(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(cores_available(), CPU_COUNT(&all));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_more_than_are_online),
        cmocka_unit_test(one_when_one_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
