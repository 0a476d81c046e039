/* SPDX-License-Identifier: MIT */
/*
 * The kernels for AVX-512 with VNNI. Built with the compiler's flags for it (Makefile) and chosen
 * at run time; without these flags, as on other processors, this file is empty.
 */
#include "nnue/core/kernels.h"

#ifdef __AVX512VNNI__

#include "nnue/core/simd_avx512.h"
/* The words before what is said in them. */
#include "nnue/core/kernels_body.h"

const struct kernels kernels_avx512vnni = {.isa = PLYNNUE_ISA_AVX512VNNI, KERNELS_BODY};

#endif
