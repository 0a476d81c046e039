/* SPDX-License-Identifier: MIT */
/*
 * Dense layers of integer nets, see dense.h.
 */
#include "nnue/core/dense.h"

#include <string.h>

_Static_assert(DENSE_INPUTS_STEP == MEMORY_ALIGNMENT &&
                   DENSE_OUTPUTS_STEP * sizeof(int32_t) == MEMORY_ALIGNMENT,
               "aligned sizes cover what kernels may touch");

int dense_new(struct dense *layer, const struct kernels *kernels, uint32_t inputs, uint32_t outputs,
              size_t stride, const int32_t *bias, const int8_t *weights)
{
    *layer = (struct dense){.inputs = inputs, .outputs = outputs};
    layer->bias = memory_new(dense_output_size(outputs));
    layer->weights = memory_new(kernels->dense_size(inputs, outputs));
    if (!layer->bias || !layer->weights) {
        dense_free(layer);
        return PLYNNUE_ENOMEM;
    }
    memcpy(layer->bias, bias, outputs * sizeof *bias);
    kernels->dense_pack(layer, weights, stride);
    return PLYNNUE_OK;
}

void dense_free(struct dense *layer)
{
    memory_free(layer->bias);
    memory_free(layer->weights);
    memset(layer, 0, sizeof *layer);
}
