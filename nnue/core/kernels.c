/* SPDX-License-Identifier: MIT */
/*
 * Which kernels this build has and this CPU can run. "Can run" includes the operating system: it
 * must save the wide registers, or their instructions are not there.
 */
#include "nnue/core/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)

enum { LEAF_EXTENDED = 7, SUBLEAF_VNNI = 1, BIT_AVXVNNI = 1 << 4 };

/* clang 14 has no name for AVX-VNNI. */
static bool cpu_has_avxvnni(void)
{
    unsigned a = 0, b, c, d;
    return __builtin_cpu_supports("avx2") &&
           __get_cpuid_count(LEAF_EXTENDED, SUBLEAF_VNNI, &a, &b, &c, &d) && (a & BIT_AVXVNNI);
}

static bool cpu_has_avx512vnni(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
}

/* Of AMD's processors with AVX-512, those before Zen 5 lack AVX-VNNI. */
static const struct kernels *avx512vnni_table(void)
{
    return __builtin_cpu_is("amd") && cpu_has_avxvnni() ? &kernels_avx512vnni_zen5
                                                        : &kernels_avx512vnni;
}

#endif

#if defined(__aarch64__)

static const struct kernels *neon_table(void)
{
#if defined(__linux__)
    if (getauxval(AT_HWCAP) & HWCAP_ASIMDDP)
        return &kernels_neon_dot;
#endif
    return &kernels_neon;
}

#endif

bool kernels_cpu_has(enum plynnue_isa isa)
{
    switch (isa) {
#if defined(__x86_64__)
    case PLYNNUE_ISA_AVX2:
        return __builtin_cpu_supports("avx2");
    case PLYNNUE_ISA_AVXVNNI:
        return cpu_has_avxvnni();
    case PLYNNUE_ISA_AVX512VNNI:
        return cpu_has_avx512vnni();
#elif defined(__aarch64__)
    case PLYNNUE_ISA_NEON:
        return true;
#endif
    case PLYNNUE_ISA_AUTO:
    case PLYNNUE_ISA_SCALAR:
        return true;
    default:
        return false;
    }
}

static const struct kernels *table_of(enum plynnue_isa isa)
{
    switch (isa) {
#if defined(__x86_64__)
    case PLYNNUE_ISA_AVX2:
        return &kernels_avx2;
    case PLYNNUE_ISA_AVXVNNI:
        return &kernels_avxvnni;
    case PLYNNUE_ISA_AVX512VNNI:
        return avx512vnni_table();
#elif defined(__aarch64__)
    case PLYNNUE_ISA_NEON:
        return neon_table();
#endif
    case PLYNNUE_ISA_SCALAR:
        return &kernels_scalar;
    default:
        return NULL;
    }
}

const struct kernels *kernels_find(enum plynnue_isa isa)
{
    static const enum plynnue_isa best_first[] = {PLYNNUE_ISA_AVX512VNNI, PLYNNUE_ISA_AVXVNNI,
                                                  PLYNNUE_ISA_AVX2, PLYNNUE_ISA_NEON,
                                                  PLYNNUE_ISA_SCALAR};
    for (unsigned i = 0; i < sizeof best_first / sizeof *best_first; i++)
        if ((isa == PLYNNUE_ISA_AUTO || isa == best_first[i]) && kernels_cpu_has(best_first[i]))
            return table_of(best_first[i]);
    return NULL;
}
