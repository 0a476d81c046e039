/* SPDX-License-Identifier: MIT */
/*
 * Dense layers of int8 weights, the part of kernels_body.h that has them. Layers with few outputs
 * keep rows, padded with zeros to whole cache lines. How the others lie depends on the width of a
 * vector.
 */
#ifndef PLYNNUE_KERNELS_DENSE_H
#define PLYNNUE_KERNELS_DENSE_H

#if VEC == 64
#include "nnue/core/kernels_sixteens.h"
#else
#include "nnue/core/kernels_groups.h"
#endif

enum { ROWS_OUTPUTS_MAX = 4 };

static bool keeps_rows(uint32_t outputs)
{
    return outputs <= ROWS_OUTPUTS_MAX;
}

static size_t dense_size(uint32_t inputs, uint32_t outputs)
{
    if (keeps_rows(outputs))
        return round_up(inputs, 64) * outputs;
    return round_up(inputs, DENSE_INPUTS) * round_up(outputs, 16);
}

static void dense_pack(struct dense *layer, const int8_t *weights, size_t stride)
{
    size_t inputs = layer->inputs, outputs = layer->outputs;
    size_t row = round_up(inputs, 64), lanes = round_up(outputs, 16);
    bool rows = keeps_rows(layer->outputs);
    for (size_t o = 0; o < outputs; o++)
        for (size_t i = 0; i < inputs; i++)
            layer->weights[rows ? o * row + i : dense_place(lanes, o, i)] = weights[o * stride + i];
    if (!rows)
        dense_measure(layer);
}

static void dense_rows(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    size_t row = round_up(layer->inputs, 64);
    for (size_t o = 0; o < layer->outputs; o++) {
        const int8_t *weights = layer->weights + o * row;
        vec sum = vec_zero();
        for (size_t i = 0; i < row; i += VEC)
            sum = dense_dot(sum, vec_load(in + i), vec_load(weights + i));
        out[o] = (int32_t)((uint32_t)vec_sum32(sum) + (uint32_t)layer->bias[o]);
    }
}

static void dense_i8(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    if (keeps_rows(layer->outputs))
        dense_rows(layer, out, in);
    else
        dense_lanes(layer, out, in);
}

#if VEC == 64

static void dense_block(const struct dense *layer, int32_t *const out[DENSE_BLOCK],
                        const uint8_t *const in[DENSE_BLOCK])
{
    if (keeps_rows(layer->outputs))
        for (unsigned i = 0; i < DENSE_BLOCK; i++)
            dense_rows(layer, out[i], in[i]);
    else
        for (size_t at = 0; at < layer->outputs; at += 16)
            dense_tile(layer, out, in, at, DENSE_BLOCK, 1);
}

#define DENSE_BLOCK_KERNEL dense_block

#else

/* Narrower vectors gain more by leaving zeros out. */
#define DENSE_BLOCK_KERNEL NULL

#endif

#endif
