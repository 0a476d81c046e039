/* SPDX-License-Identifier: MIT */
/*
 * Dense layers in groups of four inputs, for kernels_dense.h:
 *
 *   [inputs / 4][outputs rounded up to 16][4]
 *
 * so that a lane is an output and no lanes are ever added up. Four activations are repeated in all
 * lanes and multiplied with a group of every output. Where many groups of activations are zero,
 * as behind products of clipped numbers, a list of the others is made first.
 *
 * Without an instruction that adds four products up (SIMD_PAIRS), one adds two in 16 bits and a
 * second one makes 32 of them. The second one is spared where the sums of several groups still fit
 * 16 bits. Weights say where they do, whatever the activations: those of trained nets are far from
 * their ends, but for a few.
 */
#ifndef PLYNNUE_KERNELS_GROUPS_H
#define PLYNNUE_KERNELS_GROUPS_H

enum {
    DENSE_INPUTS = 4,        /* of a group */
    SPARSE_INPUTS_MIN = 256, /* below that a list costs more than it saves */
    SPARSE_INPUTS_MAX = 16384,
    DENSE_STEP = 4 /* groups in a round */
};

/* Activations, and which of them count: the first count groups, or those of list. */
struct dense_input {
    const uint8_t *in;
    const uint32_t *list;
    size_t count, stride; /* bytes of a group's weights */
};

SIMD_INLINE size_t dense_place(size_t outputs, size_t output, size_t input)
{
    return (input / DENSE_INPUTS * outputs + output) * DENSE_INPUTS + input % DENSE_INPUTS;
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
    size_t stride = round_up(outputs, 16) * DENSE_INPUTS;
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
                             size_t k, const unsigned n, const unsigned depth)
{
    SIMD_UNROLL for (unsigned c = 0; c < DENSE_STEP; c += depth)
    {
        const int8_t *w[DENSE_STEP];
        vec x[DENSE_STEP];
        SIMD_UNROLL for (unsigned d = 0; d < depth; d++)
        {
            size_t group = group_at(input, k + c + d);
            x[d] = vec_repeat4(input->in + group * DENSE_INPUTS);
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
SIMD_INLINE unsigned dense_chains(unsigned n)
{
    (void)n;
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
SIMD_INLINE unsigned dense_chains(unsigned n)
{
    return n == BLOCK ? 4 : 2;
}

SIMD_INLINE void dense_round(vec sum[16], const int8_t *weights, const struct dense_input *input,
                             size_t k, const unsigned n, const unsigned depth)
{
    (void)depth;
    SIMD_UNROLL for (unsigned c = 0; c < DENSE_STEP; c++)
    {
        size_t group = group_at(input, k + c);
        vec x = vec_repeat4(input->in + group * DENSE_INPUTS);
        const int8_t *w = weights + group * input->stride;
        vec *chain = sum + c % dense_chains(n) * n;
        SIMD_UNROLL for (unsigned i = 0; i < n; i++) chain[i] =
            vec_dot(chain[i], x, vec_load(w + i * VEC));
    }
}

#endif

/* Looks at weights that lie in place. */
static void dense_measure(struct dense *layer)
{
    size_t groups = round_up(layer->inputs, DENSE_INPUTS) / DENSE_INPUTS;
    layer->depth = dense_depth(layer->weights, groups, layer->outputs, false);
    layer->depth_any = dense_depth(layer->weights, groups, layer->outputs, true);
}

/* n vectors of outputs from number `at` on. depth: 1, 2 or 4, up to DENSE_DEPTH_MAX. */
SIMD_INLINE void dense_sums(vec sum[16], const struct dense *layer, size_t at,
                            const struct dense_input *input, const unsigned n, const unsigned depth)
{
    const unsigned all = n * dense_chains(n);
    const int32_t *bias = layer->bias + at;
    const int8_t *weights = layer->weights + at * DENSE_INPUTS;
    size_t k = 0, whole = input->count / DENSE_STEP * DENSE_STEP;
    SIMD_UNROLL for (unsigned i = 0; i < all; i++) sum[i] =
        i < n ? vec_load(bias + i * LANES32) : vec_zero();
    for (; k < whole; k += DENSE_STEP)
        dense_round(sum, weights, input, k, n, depth);
    SIMD_UNROLL for (unsigned i = 0; i < all; i++) vec_hold(&sum[i]);
    for (; k < input->count; k++) {
        size_t group = group_at(input, k);
        vec x = vec_repeat4(input->in + group * DENSE_INPUTS);
        const int8_t *w = weights + group * input->stride;
        SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] =
            dense_dot(sum[i], x, vec_load(w + i * VEC));
    }
    SIMD_UNROLL for (unsigned i = n; i < all; i++) sum[i % n] = vec_add32(sum[i % n], sum[i]);
}

SIMD_INLINE void dense_tile(const struct dense *layer, int32_t *out,
                            const struct dense_input *input, size_t at, const unsigned n,
                            const unsigned depth)
{
    vec sum[16];
    dense_sums(sum, layer, at, input, n, depth);
    SIMD_UNROLL for (unsigned i = 0; i < n; i++) vec_store(out + at + i * LANES32, sum[i]);
}

/* All outputs, 32 and 16 at a time. */
SIMD_INLINE void dense_tiles(const struct dense *layer, int32_t *out,
                             const struct dense_input *input, const unsigned depth)
{
    size_t outputs = round_up(layer->outputs, 16), at = 0;
    for (; at + 32 <= outputs; at += 32)
        dense_tile(layer, out, input, at, 2 * BLOCK, depth);
    for (; at < outputs; at += 16)
        dense_tile(layer, out, input, at, BLOCK, depth);
}

SIMD_INLINE void dense_deep(const struct dense *layer, int32_t *out,
                            const struct dense_input *input, uint32_t depth)
{
    if (DENSE_DEPTH_MAX >= 4 && depth >= 4)
        dense_tiles(layer, out, input, 4);
    else if (DENSE_DEPTH_MAX >= 2 && depth >= 2)
        dense_tiles(layer, out, input, 2);
    else
        dense_tiles(layer, out, input, 1);
}

static void dense_all(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    const struct dense_input input = {in, NULL,
                                      round_up(layer->inputs, DENSE_INPUTS) / DENSE_INPUTS,
                                      round_up(layer->outputs, 16) * DENSE_INPUTS};
    dense_deep(layer, out, &input, layer->depth);
}

static void dense_listed(const struct dense *layer, int32_t *out, const uint8_t *in,
                         const uint32_t *list, size_t count)
{
    const struct dense_input input = {in, list, count, round_up(layer->outputs, 16) * DENSE_INPUTS};
    dense_deep(layer, out, &input, layer->depth_any);
}

static void dense_sparse(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    uint32_t list[SPARSE_INPUTS_MAX / DENSE_INPUTS + 16];
    size_t groups = layer->inputs / DENSE_INPUTS, count = 0;
    for (uint32_t group = 0; group < groups; group += 16)
        count += list_groups(list + count, in + (size_t)group * DENSE_INPUTS, group);
    if (count * 4 > groups * 3)
        dense_all(layer, out, in);
    else
        dense_listed(layer, out, in, list, count);
}

/* A layer of many outputs. */
static void dense_lanes(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    if (layer->inputs >= SPARSE_INPUTS_MIN && layer->inputs <= SPARSE_INPUTS_MAX &&
        layer->inputs % 64 == 0)
        dense_sparse(layer, out, in);
    else
        dense_all(layer, out, in);
}

#endif
