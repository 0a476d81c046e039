/* SPDX-License-Identifier: MIT */
/*
 * The kernels for NEON. On other processors this file is empty.
 */
#include "nnue/core/kernels.h"

#ifdef __aarch64__

#include "nnue/core/simd_neon.h"
/* The words before what is said in them. */
#include "nnue/core/kernels_body.h"

const struct kernels kernels_neon = {.isa = PLYNNUE_ISA_NEON, KERNELS_BODY(rows_i16)};

#endif
