/* SPDX-License-Identifier: MIT */
/*
 * Which kernels this build has and this CPU can run.
 */
#include "nnue/core/kernels.h"

const struct kernels *kernels_find(enum plynnue_isa isa)
{
    return isa == PLYNNUE_ISA_AUTO || isa == PLYNNUE_ISA_SCALAR ? &kernels_scalar : NULL;
}
