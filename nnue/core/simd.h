/* SPDX-License-Identifier: MIT */
/*
 * What every vocabulary of vectors asks of the compiler: functions that are always part of their
 * caller, and loops over registers that are always unrolled, which gcc and clang want to be told
 * differently. A loop that stays one keeps its vectors in memory.
 */
#ifndef PLYNNUE_SIMD_H
#define PLYNNUE_SIMD_H

#define SIMD_INLINE static inline __attribute__((always_inline))

#ifdef __clang__
#define SIMD_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SIMD_UNROLL _Pragma("GCC unroll 16")
#endif

#endif
