/* SPDX-License-Identifier: MIT */
/*
 * The part of kernels_body.h for TinyNNUE: all behind the accumulator in one go, and a move with
 * it, since this net is so small that every call and every list shows.
 *
 * VEC units at a time become activations in a register, where those of the published width stay; of
 * each sixteen of them, four groups of four are repeated four times and meet weights that lie
 *
 *   [width / VEC][4 groups][TINY_PARTS][VEC / 16][4 outputs][4 inputs]
 *
 * so that a part has the sums of four outputs, and VEC / 16 of each, which are added at the end.
 *
 * Activations and sums are packed without being put in order (vec_mix16, vec_mix32): instead the
 * weights that they meet lie in the order that this gives.
 */
#ifndef PLYNNUE_KERNELS_TINY_H
#define PLYNNUE_KERNELS_TINY_H

#include "nnue/core/tiny_order.h"

enum {
    TINY_GROUPS = 4,
    TINY_PARTS = TINY_OUTPUTS / 4,
    TINY_GROUP = TINY_PARTS * VEC,        /* bytes of weights: of a group */
    TINY_BLOCK = TINY_GROUPS * TINY_GROUP /* of VEC inputs */
};

/* The number that comes to place `at` when two vectors of n numbers each are mixed. */
static size_t mixed_place(size_t at, size_t n, size_t chunk)
{
    size_t start = at / (2 * n) * (2 * n), lane = at % (2 * n) / (2 * chunk), t = at % (2 * chunk);
    return start + lane * chunk + (t < chunk ? t : n + t - chunk);
}

static size_t tiny_place(size_t output, size_t input)
{
    size_t at = input / VEC * TINY_BLOCK + input % 16 / 4 * TINY_GROUP + output / 4 * VEC;
    return at + input % VEC / 16 * 16 + output % 4 * 4 + input % 4;
}

#ifdef SIMD_PAIRS

/* How many groups of packed weights may be added in 16 bits. */
static uint32_t tiny_depth(const struct tiny_layers *layers)
{
    uint32_t depth = TINY_GROUPS;
    for (size_t block = 0; block < (size_t)layers->width * TINY_OUTPUTS; block += TINY_BLOCK)
        for (size_t lane = block; lane < block + TINY_GROUP; lane += 2)
            while (depth > 1 &&
                   !lane_fits(layers->weights2 + lane, TINY_GROUPS, TINY_GROUP, depth, false))
                depth /= 2;
    return depth;
}

/* acc[i] is unit order[i], so that many groups may be. */
static void tiny_order(uint16_t *order, const int8_t *weights2, uint32_t width)
{
    uint16_t units[TINY_WIDTH_MAX];
    for (uint32_t i = 0; i < width; i++)
        units[i] = (uint16_t)mixed_place(i, LANES16, 8);
    if (!tiny_order_fit(units, weights2, width, 4))
        (void)tiny_order_fit(units, weights2, width, 2);
    for (uint32_t i = 0; i < width; i++)
        order[mixed_place(i, LANES16, 8)] = units[i];
}

#define TINY_ORDER_KERNEL tiny_order

/* Adds VEC inputs to the parts, `depth` groups in 16 bits. */
SIMD_INLINE void tiny_block(vec part[TINY_PARTS], vec inputs, const int8_t *weights,
                            const unsigned depth)
{
    vec x[TINY_GROUPS];
    vec_quads(x, inputs);
    SIMD_UNROLL for (unsigned g = 0; g < TINY_GROUPS; g += depth)
        SIMD_UNROLL for (unsigned i = 0; i < TINY_PARTS; i++)
    {
        const int8_t *w = weights + g * TINY_GROUP + i * VEC;
        vec pairs = vec_pairs(x[g], vec_load(w));
        SIMD_UNROLL for (unsigned d = 1; d < depth; d++) pairs =
            vec_add16(pairs, vec_pairs(x[g + d], vec_load(w + d * TINY_GROUP)));
        part[i] = vec_add_pairs(part[i], pairs);
        vec_hold(&part[i]);
    }
}

#else

static uint32_t tiny_depth(const struct tiny_layers *layers)
{
    (void)layers;
    return 1;
}

#define TINY_ORDER_KERNEL NULL

SIMD_INLINE void tiny_block(vec part[TINY_PARTS], vec inputs, const int8_t *weights,
                            const unsigned depth)
{
    vec x[TINY_GROUPS];
    (void)depth;
    vec_quads(x, inputs);
    SIMD_UNROLL for (unsigned g = 0; g < TINY_GROUPS; g++)
        SIMD_UNROLL for (unsigned i = 0; i < TINY_PARTS; i++) part[i] =
            vec_dot(part[i], x[g], vec_load(weights + g * TINY_GROUP + i * VEC));
}

#endif

/* An accumulator that is to become a value, and the change that is made to it first. */
struct tiny_change {
    const int16_t *before, *turn;
    bool made; /* a change, and acc goes to after */
    int16_t *after;
    const int8_t *removed[2], *added[2];
};

/* The published width. Its activations stay in registers. */
enum { TINY_WIDTH_USUAL = 128 };

/* What is known of a net when it is packed, and to the compiler when it builds a way for it. */
struct tiny_way {
    bool usual;     /* width is TINY_WIDTH_USUAL */
    unsigned depth; /* groups that are added in 16 bits */
};

/* How acc becomes activations: any net; layers in reach; and up 0. */
enum tiny_scale { TINY_EXACT, TINY_SHIFTED, TINY_ROUNDED };

/* Two vectors of acc, the side to move included, as one of activations. */
SIMD_INLINE vec tiny_activate(vec a, vec b, const struct requant *r, const enum tiny_scale scale)
{
    const vec factor = vec_set16(r->factor), top = vec_set16(r->top16);
    const vec high = vec_set16((int16_t)r->high), low = vec_set16((int16_t)r->low);
    if (scale == TINY_EXACT)
        return vec_mix16(requantise_narrow(a, top, high, low),
                         requantise_narrow(b, top, high, low));
    if (scale == TINY_SHIFTED) {
        a = vec_shl16(a, r->up);
        b = vec_shl16(b, r->up);
    }
    return vec_positive8(vec_mix16(vec_mul_round16(a, factor), vec_mul_round16(b, factor)));
}

/* The activations of VEC units from number `at` on, after so many changes. */
SIMD_INLINE vec tiny_units(const struct tiny_change *c, const struct requant *r, size_t at,
                           const unsigned removed, const unsigned added,
                           const enum tiny_scale scale)
{
    vec v[2];
    SIMD_UNROLL for (unsigned i = 0; i < 2; i++)
    {
        size_t here = at + i * LANES16;
        v[i] = vec_load(c->before + here);
        for (unsigned k = 0; k < removed; k++)
            v[i] = vec_sub16(v[i], vec_load_i8_16(c->removed[k] + here));
        for (unsigned k = 0; k < added; k++)
            v[i] = vec_add16(v[i], vec_load_i8_16(c->added[k] + here));
        if (c->made)
            vec_store(c->after + here, v[i]);
        v[i] = vec_add16(v[i], vec_load(c->turn + here));
    }
    return tiny_activate(v[0], v[1], r, scale);
}

SIMD_INLINE void tiny_scaled(vec *inputs, const struct tiny_layers *layers,
                             const struct tiny_change *c, const unsigned removed,
                             const unsigned added, const struct tiny_way way,
                             const enum tiny_scale scale)
{
    const struct requant requant = layers->requant[0]; /* a copy: no store can change it */
    if (way.usual)
        SIMD_UNROLL for (unsigned i = 0; i < TINY_WIDTH_USUAL / VEC; i++) inputs[i] =
            tiny_units(c, &requant, i * VEC, removed, added, scale);
    else
        for (size_t at = 0, width = layers->width; at < width; at += VEC)
            inputs[at / VEC] = tiny_units(c, &requant, at, removed, added, scale);
}

/* The activations of all units. */
SIMD_INLINE void tiny_inputs(vec *inputs, const struct tiny_layers *layers,
                             const struct tiny_change *c, const unsigned removed,
                             const unsigned added, const struct tiny_way way)
{
    if (!layers->in_reach)
        tiny_scaled(inputs, layers, c, removed, added, way, TINY_EXACT);
    else if (layers->requant[0].up)
        tiny_scaled(inputs, layers, c, removed, added, way, TINY_SHIFTED);
    else
        tiny_scaled(inputs, layers, c, removed, added, way, TINY_ROUNDED);
}

SIMD_INLINE const int8_t *tiny_row(const struct tiny_layers *layers, struct plynnue_piece item,
                                   const struct tiny_way way)
{
    size_t number = 64U * item.piece + item.square;
    return layers->rows + number * (way.usual ? TINY_WIDTH_USUAL : layers->width);
}

SIMD_INLINE void tiny_parts(vec part[TINY_PARTS], const struct tiny_layers *layers,
                            const vec *inputs, const struct tiny_way way)
{
    const int8_t *weights = layers->weights2;
    SIMD_UNROLL for (unsigned i = 0; i < TINY_PARTS; i++) part[i] = vec_zero();
    if (way.usual)
        SIMD_UNROLL for (unsigned i = 0; i < TINY_WIDTH_USUAL / VEC; i++)
            tiny_block(part, inputs[i], weights + i * TINY_BLOCK, way.depth);
    else
        for (size_t i = 0, blocks = layers->width / VEC; i < blocks; i++, weights += TINY_BLOCK)
            tiny_block(part, inputs[i], weights, way.depth);
}

/* All behind the activations. */
SIMD_INLINE int32_t tiny_finish(const struct tiny_layers *layers, const vec *inputs,
                                const struct tiny_way way)
{
    const struct requant *requant = &layers->requant[1];
    const struct rescaling r = {vec_set32(requant->top), vec_set32(requant->multiplier),
                                vec_set32((int32_t)1 << (requant->shift - 1)), requant->shift};
    vec part[TINY_PARTS], sum[2 * BLOCK], total = vec_zero();
    tiny_parts(part, layers, inputs, way);
    vec_join_lanes(sum, part);
    SIMD_UNROLL for (unsigned k = 0; k < 2 * BLOCK; k++) sum[k] =
        rescale_word(vec_add32(sum[k], vec_load(layers->bias2 + k * LANES32)), &r);
    SIMD_UNROLL for (unsigned k = 0; k < BLOCK; k++) total =
        vec_add32(total, vec_madd16(vec_mix32(sum[2 * k], sum[2 * k + 1]),
                                    vec_load(layers->weights3 + k * LANES16)));
    return vec_sum32(total) + layers->bias3;
}

SIMD_INLINE int32_t tiny_forward(const struct tiny_layers *layers, const int16_t *acc,
                                 unsigned side, const struct tiny_way way)
{
    const struct tiny_change change = {.before = acc, .turn = layers->turn[side]};
    vec inputs[TINY_WIDTH_MAX / VEC];
    tiny_inputs(inputs, layers, &change, 0, 0, way);
    return tiny_finish(layers, inputs, way);
}

/* The activations after a move; made: all of it but the rows. */
SIMD_INLINE void tiny_move(vec *inputs, const struct tiny_layers *layers, struct tiny_change made,
                           const struct plynnue_delta *delta, const unsigned removed,
                           const unsigned added, const struct tiny_way way)
{
    for (unsigned k = 0; k < removed; k++)
        made.removed[k] = tiny_row(layers, delta->removed[k], way);
    for (unsigned k = 0; k < added; k++)
        made.added[k] = tiny_row(layers, delta->added[k], way);
    tiny_inputs(inputs, layers, &made, removed, added, way);
}

/* Quiet moves and captures have counts that the compiler knows. */
SIMD_INLINE int32_t tiny_step(const struct tiny_layers *layers, const struct plynnue_delta *delta,
                              const int16_t *before, int16_t *after, unsigned side,
                              const struct tiny_way way)
{
    const unsigned removed = delta->removed_count, added = delta->added_count;
    const struct tiny_change made = {
        .before = before, .turn = layers->turn[side], .made = true, .after = after};
    vec inputs[TINY_WIDTH_MAX / VEC];
    if (removed == 1 && added == 1)
        tiny_move(inputs, layers, made, delta, 1, 1, way);
    else if (removed == 2 && added == 1)
        tiny_move(inputs, layers, made, delta, 2, 1, way);
    else
        tiny_move(inputs, layers, made, delta, removed, added, way);
    return tiny_finish(layers, inputs, way);
}

#define DEFINE_TINY(name, usual, depth)                                                            \
    static int32_t name##_forward(const struct tiny_layers *layers, const int16_t *acc,            \
                                  unsigned side)                                                   \
    {                                                                                              \
        return tiny_forward(layers, acc, side, (struct tiny_way){usual, depth});                   \
    }                                                                                              \
    static int32_t name##_step(const struct tiny_layers *layers,                                   \
                               const struct plynnue_delta *delta, const int16_t *before,           \
                               int16_t *after, unsigned side)                                      \
    {                                                                                              \
        return tiny_step(layers, delta, before, after, side, (struct tiny_way){usual, depth});     \
    }

DEFINE_TINY(tiny_any, false, 1)
DEFINE_TINY(tiny_usual, true, 1)
#ifdef SIMD_PAIRS
DEFINE_TINY(tiny_any_twofold, false, 2)
DEFINE_TINY(tiny_any_fourfold, false, 4)
DEFINE_TINY(tiny_usual_twofold, true, 2)
DEFINE_TINY(tiny_usual_fourfold, true, 4)
#endif

#define TINY_FUNCTIONS(name)                                                                       \
    {                                                                                              \
        name##_forward, name##_step                                                                \
    }

/* [usual][depth / 2] */
static const struct tiny_functions tiny_ways[2][TINY_GROUPS / 2 + 1] = {
#ifdef SIMD_PAIRS
    {TINY_FUNCTIONS(tiny_any), TINY_FUNCTIONS(tiny_any_twofold), TINY_FUNCTIONS(tiny_any_fourfold)},
    {TINY_FUNCTIONS(tiny_usual), TINY_FUNCTIONS(tiny_usual_twofold),
     TINY_FUNCTIONS(tiny_usual_fourfold)},
#else
    {TINY_FUNCTIONS(tiny_any)},
    {TINY_FUNCTIONS(tiny_usual)},
#endif
};

static void tiny_pack(struct tiny_layers *layers, const int8_t *weights2, const int8_t *weights3)
{
    size_t width = layers->width;
    for (size_t o = 0; o < TINY_OUTPUTS; o++) {
        layers->weights3[o] = weights3[mixed_place(o, LANES32, 4)];
        for (size_t i = 0; i < width; i++)
            layers->weights2[tiny_place(o, i)] = weights2[o * width + mixed_place(i, LANES16, 8)];
    }
    layers->run = tiny_ways[width == TINY_WIDTH_USUAL][tiny_depth(layers) / 2];
}

#endif
