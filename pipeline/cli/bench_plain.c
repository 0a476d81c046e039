/* SPDX-License-Identifier: MIT */
/*
 * See bench_plain.h.
 */
#include "pipeline/cli/bench_plain.h"

#if defined(__x86_64__)

/* Has the CPU what x86-64-v4 stands for? */
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

/* x86-64-v3, as far as compilers use it by themselves. */
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}

const struct plain *plain_find(enum plain_flags flags)
{
    bool native = flags == PLAIN_NATIVE;
    if (flags == PLAIN_O2 || !has_avx2())
        return &plain_o2;
    if (!has_avx512())
        return native ? &plain_native : &plain_fast;
    if (__builtin_cpu_is("amd"))
        return native ? &plain_native_zen : &plain_fast_zen;
    return native ? &plain_native_avx512 : &plain_fast_avx512;
}

#else

const struct plain *plain_find(enum plain_flags flags)
{
    return flags == PLAIN_O2 ? &plain_o2 : flags == PLAIN_NATIVE ? &plain_native : &plain_fast;
}

#endif
