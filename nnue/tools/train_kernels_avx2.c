/* SPDX-License-Identifier: MIT */
/*
 * The kernels of training in vectors of 8 floats, see train_kernels.h; the Makefile gives this file
 * the flags of its instruction set.
 */
#if defined(__x86_64__)
#define NATIVE_LANES 8
#define KERNELS      train_kernels_avx2
#define KERNELS_NAME "avx2"
#include "nnue/tools/train_kernels_body.h"
#else
typedef int train_kernels_avx2_needs_x86;
#endif
