/* SPDX-License-Identifier: MIT */
/*
 * The kernels for NEON with dot products (ARMv8.2). Built with the compiler's flags for it
 * (Makefile) and chosen at run time; without these flags, as on other processors, this file is
 * empty.
 */
#include "nnue/core/kernels.h"

#if defined(__aarch64__) && defined(__ARM_FEATURE_DOTPROD)

#include "nnue/core/simd_neon.h"
/* The words before what is said in them. */
#include "nnue/core/kernels_body.h"

const struct kernels kernels_neon_dot = {.isa = PLYNNUE_ISA_NEON, KERNELS_BODY(rows_i16)};

#endif
