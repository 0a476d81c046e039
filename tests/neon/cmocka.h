/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for cmocka, found before it where the tests of nets are built for another processor,
 * for which its library is seldom installed: the few words that those tests use, output as TAP.
 */
#ifndef PLYMILL_TESTS_NEON_CMOCKA_H
#define PLYMILL_TESTS_NEON_CMOCKA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*set_up)(void **state), (*tear_down)(void **state);
    void *state;
};

enum { CMOCKA_FAILED = 1, CMOCKA_SKIPPED };

/* Where a test that fails or is skipped goes on. */
static jmp_buf cmocka_end;

static inline void cmocka_fail(const char *file, int line, const char *what)
{
    printf("# %s:%d: %s\n", file, line, what);
    longjmp(cmocka_end, CMOCKA_FAILED);
}

static inline void cmocka_assert(bool holds, const char *file, int line, const char *what)
{
    if (!holds)
        cmocka_fail(file, line, what);
}

static inline void cmocka_assert_equal(unsigned long long a, unsigned long long b, bool equal,
                                       const char *file, int line, const char *what)
{
    if ((a == b) == equal)
        return;
    printf("# %lld, %lld\n", (long long)a, (long long)b);
    cmocka_fail(file, line, what);
}

#define cmocka_unit_test(function)                                                                 \
    {                                                                                              \
#function, function, NULL, NULL, NULL                                                      \
    }
#define cmocka_unit_test_prestate(function, prestate)                                              \
    {                                                                                              \
#function, function, NULL, NULL, prestate                                                  \
    }
#define assert_true(x)     cmocka_assert(x, __FILE__, __LINE__, #x)
#define assert_false(x)    cmocka_assert(!(x), __FILE__, __LINE__, "not: " #x)
#define assert_null(x)     cmocka_assert(!(x), __FILE__, __LINE__, #x " is NULL")
#define assert_non_null(x) cmocka_assert((x), __FILE__, __LINE__, #x " is not NULL")
#define assert_ptr_equal(a, b)                                                                     \
    cmocka_assert((const void *)(a) == (const void *)(b), __FILE__, __LINE__, #a " = " #b)
#define assert_int_equal(a, b)                                                                     \
    cmocka_assert_equal((unsigned long long)(a), (unsigned long long)(b), true, __FILE__,          \
                        __LINE__, #a " = " #b)
#define assert_int_not_equal(a, b)                                                                 \
    cmocka_assert_equal((unsigned long long)(a), (unsigned long long)(b), false, __FILE__,         \
                        __LINE__, #a " != " #b)
#define assert_in_range(x, low, high)                                                              \
    cmocka_assert((x) >= (low) && (x) <= (high), __FILE__, __LINE__, #x " in range")
#define assert_string_equal(a, b) cmocka_assert(strcmp(a, b) == 0, __FILE__, __LINE__, #a " = " #b)
#define assert_memory_equal(a, b, size)                                                            \
    cmocka_assert(memcmp(a, b, size) == 0, __FILE__, __LINE__, #a " = " #b)
#define assert_memory_not_equal(a, b, size)                                                        \
    cmocka_assert(memcmp(a, b, size) != 0, __FILE__, __LINE__, #a " != " #b)
#define fail_msg(...)                                                                              \
    do {                                                                                           \
        printf("# " __VA_ARGS__);                                                                  \
        cmocka_fail(__FILE__, __LINE__, "");                                                       \
    } while (0)
#define print_message(...) ((void)printf(__VA_ARGS__))
#define skip()             longjmp(cmocka_end, CMOCKA_SKIPPED)

/* Gives how many failed. */
static inline int cmocka_run(const struct CMUnitTest *tests, size_t count, int (*set_up)(void **),
                             int (*tear_down)(void **))
{
    volatile int failed = 0;
    void *group = NULL;
    printf("1..%zu\n", count);
    if (set_up && (setjmp(cmocka_end) || set_up(&group)))
        return (int)count;
    for (volatile size_t i = 0; i < count; i++) {
        void *state = tests[i].state ? tests[i].state : group;
        int end = setjmp(cmocka_end);
        if (end == 0) {
            if (tests[i].set_up)
                assert_int_equal(tests[i].set_up(&state), 0);
            tests[i].test(&state);
        }
        if (tests[i].tear_down)
            (void)tests[i].tear_down(&state);
        failed += end == CMOCKA_FAILED;
        printf("%s %zu %s%s\n", end == CMOCKA_FAILED ? "not ok" : "ok", i + 1,
               end == CMOCKA_SKIPPED ? "# SKIP " : "- ", tests[i].name);
        fflush(stdout);
    }
    if (tear_down && !setjmp(cmocka_end))
        (void)tear_down(&group);
    return failed;
}

#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    cmocka_run(tests, sizeof(tests) / sizeof *(tests), setup, teardown)

#endif
