/* SPDX-License-Identifier: MIT */
/*
 * Which kernels of training a CPU gets, see train_kernels.h.
 */
#include "nnue/tools/train_kernels.h"

#include "nnue/core/kernels.h"

const struct train_kernels *train_kernels_find(enum plynnue_isa isa)
{
    const struct kernels *found = kernels_find(isa);
    if (!found)
        return NULL;
    switch (found->isa) {
#if defined(__x86_64__)
    case PLYNNUE_ISA_AVX512VNNI:
        return &train_kernels_avx512;
    case PLYNNUE_ISA_AVXVNNI:
    case PLYNNUE_ISA_AVX2:
        return &train_kernels_avx2;
#endif
    default:
        return &train_kernels_base;
    }
}
