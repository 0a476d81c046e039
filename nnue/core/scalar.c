/* SPDX-License-Identifier: MIT */
/*
 * The scalar kernels: the reference that every faster one is compared with. Plain loops, no tricks.
 */
#include "nnue/core/kernels.h"

static void rows_i8(int32_t *to, const int32_t *from, const int8_t *weights, size_t width,
                    const struct row_list *rows)
{
    for (size_t i = 0; i < width; i++)
        to[i] = from[i];
    for (unsigned k = 0; k < rows->removed_count; k++) {
        const int8_t *row = weights + rows->removed[k] * width;
        for (size_t i = 0; i < width; i++)
            to[i] -= row[i];
    }
    for (unsigned k = 0; k < rows->added_count; k++) {
        const int8_t *row = weights + rows->added[k] * width;
        for (size_t i = 0; i < width; i++)
            to[i] += row[i];
    }
}

static void requantise_u8(uint8_t *out, const int32_t *in, size_t count, int32_t multiplier,
                          unsigned shift)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value = requantise(in[i], multiplier, shift);
        out[i] = (uint8_t)(value < 0 ? 0 : value > 127 ? 127 : value);
    }
}

static void dense_i8(int32_t *out, const int8_t *weights, const int32_t *bias, const uint8_t *in,
                     size_t inputs, size_t outputs)
{
    for (size_t o = 0; o < outputs; o++) {
        const int8_t *row = weights + o * inputs;
        int32_t sum = bias[o];
        for (size_t i = 0; i < inputs; i++)
            sum += row[i] * in[i];
        out[o] = sum;
    }
}

const struct kernels kernels_scalar = {
    .isa = PLYNNUE_ISA_SCALAR,
    .rows_i8 = rows_i8,
    .requantise_u8 = requantise_u8,
    .dense_i8 = dense_i8,
};
