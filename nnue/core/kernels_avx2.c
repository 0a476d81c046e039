/* SPDX-License-Identifier: MIT */
/*
 * The kernels for AVX2. Built with the compiler's flags for it (Makefile) and chosen
 * at run time; without these flags, as on other processors, this file is empty.
 */
#include "nnue/core/kernels.h"

#ifdef __AVX2__

#include "nnue/core/simd_avx2.h"
/* The words before what is said in them. */
#include "nnue/core/kernels_body.h"

const struct kernels kernels_avx2 = {.isa = PLYNNUE_ISA_AVX2, KERNELS_BODY(rows_i16)};

#endif
