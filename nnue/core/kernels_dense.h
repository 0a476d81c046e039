/* SPDX-License-Identifier: MIT */
/*
 * Dense layers of int8 weights, the part of kernels_body.h that has them.
 *
 * Layers with more than a few outputs keep their weights in groups of four inputs,
 *
 *   [inputs / 4][outputs rounded up to 16][4]
 *
 * so that a lane is an output and no lanes are ever added up. Four activations are repeated in all
 * lanes and multiplied with a group of every output. Where many groups of activations are zero,
 * as behind products of clipped numbers, a list of the others is made first. Layers with few
 * outputs keep rows, padded with zeros to whole cache lines.
 *
 * Without an instruction that adds four products up (SIMD_PAIRS), one adds two in 16 bits and a
 * second one makes 32 of them. The second one is spared where the sums of several groups still fit
 * 16 bits. Weights say where they do, whatever the activations: those of trained nets are far from
 * their ends, but for a few.
 */
#ifndef PLYNNUE_KERNELS_DENSE_H
#define PLYNNUE_KERNELS_DENSE_H

enum {
    GROUP = 4, /* inputs */
    ROWS_OUTPUTS_MAX = 4,
    SPARSE_INPUTS_MIN = VEC == 64 ? 1024 : 256, /* below that a list costs more than it saves */
    SPARSE_INPUTS_MAX = 16384,
    DENSE_STEP = 4 /* groups in a round */
};

/* Activations of one position or of several, and which of them count: the first count groups, or
 * those of list. */
struct dense_input {
    const uint8_t *in[DENSE_BLOCK];
    const uint32_t *list;
    size_t count, stride; /* bytes of a group's weights */
};

static bool keeps_rows(uint32_t outputs)
{
    return outputs <= ROWS_OUTPUTS_MAX;
}

static size_t dense_size(uint32_t inputs, uint32_t outputs)
{
    if (keeps_rows(outputs))
        return round_up(inputs, 64) * outputs;
    return round_up(inputs, GROUP) * round_up(outputs, 16);
}

SIMD_INLINE size_t group_at(const struct dense_input *input, size_t k)
{
    return input->list ? input->list[k] : k;
}

#ifdef SIMD_PAIRS

enum { DENSE_DEPTH_MAX = DENSE_STEP, DENSE_LANES_MAX = 127 };

/* The largest that two weights of a lane come to, of one sign. */
struct dense_ends {
    int32_t largest[DENSE_DEPTH_MAX]; /* falling */
};

static void note_end(struct dense_ends *ends, int32_t end)
{
    for (unsigned i = 0; i < DENSE_DEPTH_MAX; i++)
        if (end > ends->largest[i]) {
            int32_t held = ends->largest[i];
            ends->largest[i] = end;
            end = held;
        }
}

static bool ends_fit(const struct dense_ends *ends, uint32_t depth)
{
    int32_t sum = 0;
    for (uint32_t i = 0; i < depth; i++)
        sum += ends->largest[i];
    return DENSE_LANES_MAX * sum <= INT16_MAX;
}

/* Do `depth` groups fit 16 bits in the lane of the two weights at `at`, neighbours or any ones? */
static bool lane_fits(const int8_t *at, size_t groups, size_t stride, uint32_t depth, bool any)
{
    struct dense_ends low = {{0}}, high = {{0}};
    for (size_t group = 0; group < groups; group++) {
        int32_t a = at[group * stride], b = at[group * stride + 1];
        note_end(&low, -(a < 0 ? a : 0) - (b < 0 ? b : 0));
        note_end(&high, (a > 0 ? a : 0) + (b > 0 ? b : 0));
        if (!any && group % depth != depth - 1)
            continue;
        if (!ends_fit(&low, depth) || !ends_fit(&high, depth))
            return false;
        if (!any)
            low = high = (struct dense_ends){{0}};
    }
    return true;
}

/* How many groups of weights in groups may be added in 16 bits. */
static uint32_t dense_depth(const int8_t *weights, size_t groups, size_t outputs, bool any)
{
    size_t stride = round_up(outputs, 16) * GROUP;
    uint32_t depth = DENSE_DEPTH_MAX;
    for (size_t lane = 0; lane < stride; lane += 2)
        while (depth > 1 && !lane_fits(weights + lane, groups, stride, depth, any))
            depth /= 2;
    return depth;
}

SIMD_INLINE vec dense_dot(vec sum, vec u, vec i)
{
    return vec_add_pairs(sum, vec_pairs(u, i));
}

/* A round of DENSE_STEP groups from number k on: sums of `depth` in 16 bits. */
SIMD_INLINE void dense_round(vec sum[16], const int8_t *weights, const struct dense_input *input,
                             size_t k, const unsigned many, const unsigned n, const unsigned depth)
{
    (void)many; /* one: see dense_block */
    SIMD_UNROLL for (unsigned c = 0; c < DENSE_STEP; c += depth)
    {
        const int8_t *w[DENSE_STEP];
        vec x[DENSE_STEP];
        SIMD_UNROLL for (unsigned d = 0; d < depth; d++)
        {
            size_t group = group_at(input, k + c + d);
            x[d] = vec_repeat4(input->in[0] + group * GROUP);
            w[d] = weights + group * input->stride;
        }
        SIMD_UNROLL for (unsigned i = 0; i < n; i++)
        {
            vec pairs = vec_pairs(x[0], vec_load(w[0] + i * VEC));
            SIMD_UNROLL for (unsigned d = 1; d < depth; d++) pairs =
                vec_add16(pairs, vec_pairs(x[d], vec_load(w[d] + i * VEC)));
            sum[i] = vec_add_pairs(sum[i], pairs);
        }
    }
}

/* What a sum waits for is an addition: one is enough for every output. */
SIMD_INLINE unsigned dense_chains(unsigned many, unsigned n)
{
    (void)many, (void)n;
    return 1;
}

#else

enum { DENSE_DEPTH_MAX = 1 };

static uint32_t dense_depth(const int8_t *weights, size_t groups, size_t outputs, bool any)
{
    (void)weights, (void)groups, (void)outputs, (void)any;
    return 1;
}

SIMD_INLINE vec dense_dot(vec sum, vec u, vec i)
{
    return vec_dot(sum, u, i);
}

/* Sums of an output under way at once, since each waits for the one before it: 1, 2 or 4, as
 * registers have room. */
SIMD_INLINE unsigned dense_chains(unsigned many, unsigned n)
{
    if (many > 1)
        return n > 1 ? 1 : 2;
    return BLOCK == 1 || n == BLOCK ? 4 : 2;
}

SIMD_INLINE void dense_round(vec sum[16], const int8_t *weights, const struct dense_input *input,
                             size_t k, const unsigned many, const unsigned n, const unsigned depth)
{
    const unsigned chains = dense_chains(many, n);
    (void)depth;
    SIMD_UNROLL for (unsigned c = 0; c < DENSE_STEP; c++)
    {
        size_t group = group_at(input, k + c);
        const int8_t *w = weights + group * input->stride;
        SIMD_UNROLL for (unsigned p = 0; p < many; p++)
        {
            vec x = vec_repeat4(input->in[p] + group * GROUP);
            vec *chain = sum + (p * chains + c % chains) * n;
            SIMD_UNROLL for (unsigned i = 0; i < n; i++) chain[i] =
                vec_dot(chain[i], x, vec_load(w + i * VEC));
        }
    }
}

#endif

static void dense_pack(struct dense *layer, const int8_t *weights, size_t stride)
{
    size_t inputs = layer->inputs, outputs = layer->outputs;
    size_t row = round_up(inputs, 64), group = round_up(outputs, 16) * GROUP;
    bool rows = keeps_rows(layer->outputs);
    for (size_t o = 0; o < outputs; o++)
        for (size_t i = 0; i < inputs; i++)
            layer->weights[rows ? o * row + i : i / GROUP * group + o * GROUP + i % GROUP] =
                weights[o * stride + i];
    if (rows)
        return;
    layer->depth = dense_depth(layer->weights, round_up(inputs, GROUP) / GROUP, outputs, false);
    layer->depth_any = dense_depth(layer->weights, round_up(inputs, GROUP) / GROUP, outputs, true);
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

/* n vectors of outputs of each of many positions, one behind the other. depth: 1, 2 or 4, up to
 * DENSE_DEPTH_MAX. */
SIMD_INLINE void dense_sums(vec sum[16], const int32_t *bias, const int8_t *weights,
                            const struct dense_input *input, const unsigned many, const unsigned n,
                            const unsigned depth)
{
    const unsigned all = n * dense_chains(many, n);
    size_t k = 0, whole = input->count / DENSE_STEP * DENSE_STEP;
    SIMD_UNROLL for (unsigned i = 0; i < many * all; i++) sum[i] =
        i % all < n ? vec_load(bias + i % all * LANES32) : vec_zero();
    for (; k < whole; k += DENSE_STEP)
        dense_round(sum, weights, input, k, many, n, depth);
    SIMD_UNROLL for (unsigned i = 0; i < many * all; i++) vec_hold(&sum[i]);
    for (; k < input->count; k++) {
        size_t group = group_at(input, k);
        const int8_t *w = weights + group * input->stride;
        SIMD_UNROLL for (unsigned i = 0; i < many * n; i++)
        {
            vec *to = &sum[i / n * all + i % n];
            *to = dense_dot(*to, vec_repeat4(input->in[i / n] + group * GROUP),
                            vec_load(w + i % n * VEC));
        }
    }
    SIMD_UNROLL for (unsigned i = 0; i < many * all; i++)
    {
        vec *to = &sum[i / all * n + i % n];
        *to = i % all < n ? sum[i] : vec_add32(*to, sum[i]);
    }
}

SIMD_INLINE void dense_tile(const struct dense *layer, int32_t *const *out,
                            const struct dense_input *input, size_t at, const unsigned many,
                            const unsigned n, const unsigned depth)
{
    vec sum[16];
    dense_sums(sum, layer->bias + at, layer->weights + at * GROUP, input, many, n, depth);
    SIMD_UNROLL for (unsigned i = 0; i < many * n; i++)
        vec_store(out[i / n] + at + i % n * LANES32, sum[i]);
}

/* All outputs, 32 and 16 at a time. */
SIMD_INLINE void dense_tiles(const struct dense *layer, int32_t *const *out,
                             const struct dense_input *input, const unsigned many,
                             const unsigned depth)
{
    size_t outputs = round_up(layer->outputs, 16), at = 0;
    for (; at + 32 <= outputs; at += 32)
        dense_tile(layer, out, input, at, many, 2 * BLOCK, depth);
    for (; at < outputs; at += 16)
        dense_tile(layer, out, input, at, many, BLOCK, depth);
}

SIMD_INLINE void dense_deep(const struct dense *layer, int32_t *out,
                            const struct dense_input *input, uint32_t depth)
{
    if (DENSE_DEPTH_MAX >= 4 && depth >= 4)
        dense_tiles(layer, &out, input, 1, 4);
    else if (DENSE_DEPTH_MAX >= 2 && depth >= 2)
        dense_tiles(layer, &out, input, 1, 2);
    else
        dense_tiles(layer, &out, input, 1, 1);
}

static void dense_all(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    const struct dense_input input = {
        {in}, NULL, round_up(layer->inputs, GROUP) / GROUP, round_up(layer->outputs, 16) * GROUP};
    dense_deep(layer, out, &input, layer->depth);
}

static void dense_listed(const struct dense *layer, int32_t *out, const uint8_t *in,
                         const uint32_t *list, size_t count)
{
    const struct dense_input input = {{in}, list, count, round_up(layer->outputs, 16) * GROUP};
    dense_deep(layer, out, &input, layer->depth_any);
}

static void dense_sparse(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    uint32_t list[SPARSE_INPUTS_MAX / GROUP + 16];
    size_t groups = layer->inputs / GROUP, count = 0;
    for (uint32_t group = 0; group < groups; group += 16)
        count += list_groups(list + count, in + (size_t)group * GROUP, group);
    if (count * 4 > groups * 3)
        dense_all(layer, out, in);
    else
        dense_listed(layer, out, in, list, count);
}

static void dense_i8(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    if (keeps_rows(layer->outputs))
        dense_rows(layer, out, in);
    else if (layer->inputs >= SPARSE_INPUTS_MIN && layer->inputs <= SPARSE_INPUTS_MAX &&
             layer->inputs % 64 == 0)
        dense_sparse(layer, out, in);
    else
        dense_all(layer, out, in);
}

#if VEC == 64

#define DENSE_BLOCK_KERNEL dense_block

static void dense_block(const struct dense *layer, int32_t *const out[DENSE_BLOCK],
                        const uint8_t *const in[DENSE_BLOCK])
{
    struct dense_input input = {.count = round_up(layer->inputs, GROUP) / GROUP,
                                .stride = round_up(layer->outputs, 16) * GROUP};
    memcpy(input.in, in, sizeof input.in);
    if (!keeps_rows(layer->outputs))
        dense_tiles(layer, out, &input, DENSE_BLOCK, 1);
    else
        for (unsigned p = 0; p < DENSE_BLOCK; p++)
            dense_rows(layer, out[p], in[p]);
}

#else

/* With fewer or narrower registers a list of what is not zero saves more. */
#define DENSE_BLOCK_KERNEL NULL

#endif

#endif
