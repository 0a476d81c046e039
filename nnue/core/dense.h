/* SPDX-License-Identifier: MIT */
/*
 * Dense layers of integer nets: made at load, in the form that the chosen kernels want.
 */
#ifndef PLYNNUE_DENSE_H
#define PLYNNUE_DENSE_H

#include "nnue/core/kernels.h"
#include "nnue/core/memory.h"

/*
 * bias [outputs], weights row-major [outputs][stride], of which the first inputs of each row count;
 * both are copied. 0 or PLYNNUE_ENOMEM.
 */
int dense_new(struct dense *layer, const struct kernels *kernels, uint32_t inputs, uint32_t outputs,
              size_t stride, const int32_t *bias, const int8_t *weights);
/* A layer of zeros only is allowed. */
void dense_free(struct dense *layer);

/* Bytes that the activations in front of a layer and the sums behind it take, aligned. */
static inline size_t dense_input_size(uint32_t inputs)
{
    return memory_align(inputs);
}

static inline size_t dense_output_size(uint32_t outputs)
{
    return memory_align(outputs * sizeof(int32_t));
}

#endif
