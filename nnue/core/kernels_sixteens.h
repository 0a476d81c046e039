/* SPDX-License-Identifier: MIT */
/*
 * Dense layers in blocks of sixteen inputs, for kernels_dense.h at 512 bits: a vector has sixteen
 * inputs of four outputs,
 *
 *   [inputs / 16][outputs / 16][4][4][16]   outputs o + 0, 4, 8, 12; o + 1, 5, 9, 13; ...
 *
 * so that a load of activations serves four vectors of weights or more; with groups of four inputs
 * it serves one or two, and loads are what a layer waits for. At the end the four parts of each
 * output are added, which puts outputs in order. Until three quarters of the groups of four are
 * zero, this is quicker than a list of the others.
 */
#ifndef PLYNNUE_KERNELS_SIXTEENS_H
#define PLYNNUE_KERNELS_SIXTEENS_H

enum { DENSE_INPUTS = 16 };

SIMD_INLINE size_t dense_place(size_t outputs, size_t output, size_t input)
{
    size_t vector = output / 16 * 4 + output % 4, lane = output % 16 / 4;
    return (input / DENSE_INPUTS * outputs / 4 + vector) * VEC + lane * DENSE_INPUTS +
           input % DENSE_INPUTS;
}

static void dense_measure(struct dense *layer)
{
    (void)layer;
}

SIMD_INLINE vec dense_dot(vec sum, vec u, vec i)
{
    return vec_dot(sum, u, i);
}

/*
 * 16 * n outputs from number `first` on, of many positions: n 1 or 2 of one position, n 1 of
 * DENSE_BLOCK. A vector of parts waits for the one before it, so eight or more are under way.
 */
SIMD_INLINE void dense_sums(vec *sum, const struct dense *layer, const uint8_t *const *in,
                            size_t first, const unsigned many, const unsigned n)
{
    const unsigned own = 4 * n, all = own * many, chains = all < 8 ? 8 / all : 1;
    const size_t end = round_up(layer->inputs, DENSE_INPUTS), step = chains * DENSE_INPUTS;
    const size_t stride = round_up(layer->outputs, 16) * DENSE_INPUTS; /* a block of inputs */
    const int8_t *weights = layer->weights + first * DENSE_INPUTS;
    const int32_t *bias = layer->bias + first;
    vec part[4 * DENSE_BLOCK];
    size_t at = 0;
    SIMD_UNROLL for (unsigned i = 0; i < chains * all; i++) part[i] = vec_zero();
    for (; at + step <= end; at += step, weights += chains * stride)
        SIMD_UNROLL for (unsigned c = 0; c < chains * many; c++)
        {
            vec x = vec_repeat16(in[c % many] + at + c / many * DENSE_INPUTS);
            SIMD_UNROLL for (unsigned i = 0; i < own; i++) part[c * own + i] =
                vec_dot(part[c * own + i], x, vec_load(weights + c / many * stride + i * VEC));
        }
    SIMD_UNROLL for (unsigned i = 0; i < chains * all; i++) vec_hold(&part[i]);
    for (; at < end; at += DENSE_INPUTS, weights += stride)
        SIMD_UNROLL for (unsigned i = 0; i < all; i++) part[i] =
            vec_dot(part[i], vec_repeat16(in[i / own] + at), vec_load(weights + i % own * VEC));
    SIMD_UNROLL for (unsigned i = all; i < chains * all; i++) part[i % all] =
        vec_add32(part[i % all], part[i]);
    SIMD_UNROLL for (unsigned i = 0; i < many * n; i++) sum[i] =
        vec_add32(vec_sum_parts(part + 4 * i), vec_load(bias + i % n * LANES32));
}

SIMD_INLINE void dense_tile(const struct dense *layer, int32_t *const *out,
                            const uint8_t *const *in, size_t at, const unsigned many,
                            const unsigned n)
{
    vec sum[DENSE_BLOCK];
    dense_sums(sum, layer, in, at, many, n);
    SIMD_UNROLL for (unsigned i = 0; i < many * n; i++)
        vec_store(out[i / n] + at + i % n * LANES32, sum[i]);
}

/* A layer of many outputs, 32 and 16 at a time. */
static void dense_lanes(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    size_t outputs = round_up(layer->outputs, 16), at = 0;
    for (; at + 32 <= outputs; at += 32)
        dense_tile(layer, &out, &in, at, 1, 2);
    if (at < outputs)
        dense_tile(layer, &out, &in, at, 1, 1);
}

#endif
