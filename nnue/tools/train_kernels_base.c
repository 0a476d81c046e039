/* SPDX-License-Identifier: MIT */
/*
 * The kernels of training in vectors of 4 floats, see train_kernels.h; the Makefile gives this file
 * the flags of its instruction set.
 */
#define NATIVE_LANES 4
#define KERNELS      train_kernels_base
#define KERNELS_NAME "baseline"
#include "nnue/tools/train_kernels_body.h"
