/* SPDX-License-Identifier: MIT */
/*
 * The part of kernels_body.h for TinyNNUE: all behind the accumulator in one go, and a move with
 * it, since this net is so small that every call and every list shows.
 *
 * Activations and sums are packed without being put in order (vec_mix16, vec_mix32): instead the
 * weights that they meet lie in the order that this gives.
 */
#ifndef PLYNNUE_KERNELS_TINY_H
#define PLYNNUE_KERNELS_TINY_H

/* The number that comes to place `at` when two vectors of n numbers each are mixed. */
static size_t mixed_place(size_t at, size_t n, size_t chunk)
{
    size_t start = at / (2 * n) * (2 * n), lane = at % (2 * n) / (2 * chunk), t = at % (2 * chunk);
    return start + lane * chunk + (t < chunk ? t : n + t - chunk);
}

static void tiny_pack(struct tiny_layers *layers, const int8_t *weights2, const int8_t *weights3)
{
    size_t width = layers->width;
    for (size_t o = 0; o < TINY_OUTPUTS; o++) {
        layers->weights3[o] = weights3[mixed_place(o, LANES32, 4)];
        for (size_t i = 0; i < width; i++)
            layers->weights2[dense_place(TINY_OUTPUTS, o, i)] =
                weights2[o * width + mixed_place(i, LANES16, 8)];
    }
    layers->depth = tiny_depth(layers);
}

/*
 * Two vectors of acc, the side to move included, as one of activations. rounded: layers are in
 * reach.
 */
SIMD_INLINE vec tiny_activate(vec a, vec b, const struct requant *r, const bool rounded)
{
    if (rounded) {
        const vec factor = vec_set16(r->factor);
        return vec_positive8(vec_mix16(vec_mul_round16(vec_shl16(a, r->up), factor),
                                       vec_mul_round16(vec_shl16(b, r->up), factor)));
    }
    const vec top = vec_set16(r->top16), high = vec_set16((int16_t)r->high);
    const vec low = vec_set16((int16_t)r->low);
    return vec_mix16(requantise_narrow(a, top, high, low), requantise_narrow(b, top, high, low));
}

/* All behind the activations. */
SIMD_INLINE int32_t tiny_finish(const struct tiny_layers *layers, const uint8_t *a1)
{
    const struct requant *requant = &layers->requant[1];
    struct rescaling r;
    vec sum[16], total = vec_zero();
    tiny_sums(sum, layers, a1);
    r = (struct rescaling){vec_set32(requant->top), vec_set32(requant->multiplier),
                           vec_set32((int32_t)1 << (requant->shift - 1)), requant->shift};
    SIMD_UNROLL for (unsigned k = 0; k < BLOCK; k++)
    {
        vec a2 = vec_mix32(rescale_word(sum[2 * k], &r), rescale_word(sum[2 * k + 1], &r));
        total = vec_add32(total, vec_madd16(a2, vec_load(layers->weights3 + k * LANES16)));
    }
    return vec_sum32(total) + layers->bias3;
}

SIMD_INLINE void tiny_activations(uint8_t *a1, const struct tiny_layers *layers, const int16_t *acc,
                                  unsigned side, const bool rounded)
{
    const int16_t *turn = layers->turn[side];
    for (size_t at = 0; at < layers->width; at += 2 * LANES16) {
        size_t next = at + LANES16;
        vec a = vec_add16(vec_load(acc + at), vec_load(turn + at));
        vec b = vec_add16(vec_load(acc + next), vec_load(turn + next));
        vec_store(a1 + at, tiny_activate(a, b, &layers->requant[0], rounded));
    }
}

static int32_t tiny_forward(const struct tiny_layers *layers, const int16_t *acc, unsigned side)
{
    _Alignas(64) uint8_t a1[TINY_WIDTH_MAX];
    if (layers->in_reach)
        tiny_activations(a1, layers, acc, side, true);
    else
        tiny_activations(a1, layers, acc, side, false);
    return tiny_finish(layers, a1);
}

SIMD_INLINE const int8_t *tiny_row(const struct tiny_layers *layers, struct plynnue_piece item)
{
    return layers->rows + (size_t)(64U * item.piece + item.square) * layers->width;
}

/* acc after a change, and its activations. removed, added: the numbers of rows. */
SIMD_INLINE void tiny_move(uint8_t *a1, int16_t *after, const int16_t *before, const int16_t *turn,
                           const struct tiny_layers *layers, const struct plynnue_delta *delta,
                           const unsigned removed, const unsigned added, const bool rounded)
{
    const int8_t *from[2], *to[2];
    for (unsigned k = 0; k < removed; k++)
        from[k] = tiny_row(layers, delta->removed[k]);
    for (unsigned k = 0; k < added; k++)
        to[k] = tiny_row(layers, delta->added[k]);
    for (size_t at = 0; at < layers->width; at += 2 * LANES16) {
        vec v[2];
        SIMD_UNROLL for (unsigned i = 0; i < 2; i++)
        {
            size_t here = at + i * LANES16;
            v[i] = vec_load(before + here);
            for (unsigned k = 0; k < removed; k++)
                v[i] = vec_sub16(v[i], vec_load_i8_16(from[k] + here));
            for (unsigned k = 0; k < added; k++)
                v[i] = vec_add16(v[i], vec_load_i8_16(to[k] + here));
            vec_store(after + here, v[i]);
            v[i] = vec_add16(v[i], vec_load(turn + here));
        }
        vec_store(a1 + at, tiny_activate(v[0], v[1], &layers->requant[0], rounded));
    }
}

/* Quiet moves and captures, in nets whose layers are in reach: counts that the compiler knows. */
static int32_t tiny_step(const struct tiny_layers *layers, const struct plynnue_delta *delta,
                         const int16_t *before, int16_t *after, unsigned side)
{
    const unsigned removed = delta->removed_count, added = delta->added_count;
    const int16_t *turn = layers->turn[side];
    _Alignas(64) uint8_t a1[TINY_WIDTH_MAX];
    if (!layers->in_reach)
        tiny_move(a1, after, before, turn, layers, delta, removed, added, false);
    else if (removed == 1 && added == 1)
        tiny_move(a1, after, before, turn, layers, delta, 1, 1, true);
    else if (removed == 2 && added == 1)
        tiny_move(a1, after, before, turn, layers, delta, 2, 1, true);
    else
        tiny_move(a1, after, before, turn, layers, delta, removed, added, true);
    return tiny_finish(layers, a1);
}

#endif
