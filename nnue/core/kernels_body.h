/* SPDX-License-Identifier: MIT */
/*
 * The kernels in a vocabulary of vectors. A file includes one of the simd_*.h headers, then this
 * one, and gets the whole table: the same text at every width.
 *
 * Accumulators are worked on in tiles that stay in registers while the rows of all changes pass.
 */
#ifndef PLYNNUE_KERNELS_BODY_H
#define PLYNNUE_KERNELS_BODY_H

#include <stdbool.h>

enum {
    LANES16 = VEC / 2,
    LANES32 = VEC / 4,
    BLOCK = 64 / VEC, /* vectors of 16 int32 */
    FLUSH_STEPS = 64  /* int32 lanes that hold sums of narrow products are emptied so often */
};

static size_t round_up(size_t number, size_t step)
{
    return (number + step - 1) / step * step;
}

#include "nnue/core/kernels_dense.h"
#include "nnue/core/kernels_float.h"

/*
 * to = from - removed + added for n vectors of an accumulator, offset numbers from its start.
 */
#define DEFINE_ROWS_TILE(name, acc_t, weight_t, LANES, LOAD, STORE, LOAD_ROW, ADD, SUB)            \
    SIMD_INLINE void name(acc_t *to, const acc_t *from, const weight_t *weights, size_t width,     \
                          const struct row_list *rows, const unsigned n)                           \
    {                                                                                              \
        vec sum[VEC_TILE];                                                                         \
        SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] = LOAD(from + i * (LANES));            \
        for (unsigned k = 0; k < rows->removed_count; k++) {                                       \
            const weight_t *row = weights + rows->removed[k] * width;                              \
            SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] =                                  \
                SUB(sum[i], LOAD_ROW(row + i * (LANES)));                                          \
        }                                                                                          \
        for (unsigned k = 0; k < rows->added_count; k++) {                                         \
            const weight_t *row = weights + rows->added[k] * width;                                \
            SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] =                                  \
                ADD(sum[i], LOAD_ROW(row + i * (LANES)));                                          \
        }                                                                                          \
        SIMD_UNROLL for (unsigned i = 0; i < n; i++) STORE(to + i * (LANES), sum[i]);              \
    }

/* Tiles as long as they fit; gives where the rest starts. One tile is what small nets have. */
#define DEFINE_ROWS_TILES(name, tile, acc_t, weight_t, LANES)                                      \
    SIMD_INLINE size_t name(acc_t *to, const acc_t *from, const weight_t *weights, size_t width,   \
                            const struct row_list *rows)                                           \
    {                                                                                              \
        size_t at = 0;                                                                             \
        do {                                                                                       \
            if (at + VEC_TILE * (LANES) > width)                                                   \
                break;                                                                             \
            tile(to + at, from + at, weights + at, width, rows, VEC_TILE);                         \
            at += VEC_TILE * (LANES);                                                              \
        } while (at < width);                                                                      \
        for (; at + (LANES) <= width; at += (LANES))                                               \
            tile(to + at, from + at, weights + at, width, rows, 1);                                \
        return at;                                                                                 \
    }

DEFINE_ROWS_TILE(rows_i8_tile, int32_t, int8_t, LANES32, vec_loadu, vec_storeu, vec_load_i8_32,
                 vec_add32, vec_sub32)
DEFINE_ROWS_TILE(rows_i32_tile, int32_t, int32_t, LANES32, vec_loadu, vec_storeu, vec_loadu,
                 vec_add32, vec_sub32)
DEFINE_ROWS_TILE(rows_i16_tile, int16_t, int16_t, LANES16, vec_load, vec_store, vec_load, vec_add16,
                 vec_sub16)
DEFINE_ROWS_TILE(rows_i8_i16_tile, int16_t, int8_t, LANES16, vec_load, vec_store, vec_load_i8_16,
                 vec_add16, vec_sub16)
DEFINE_ROWS_TILES(rows_i8_tiles, rows_i8_tile, int32_t, int8_t, LANES32)
DEFINE_ROWS_TILES(rows_i32_tiles, rows_i32_tile, int32_t, int32_t, LANES32)
DEFINE_ROWS_TILES(rows_i16_tiles, rows_i16_tile, int16_t, int16_t, LANES16)
DEFINE_ROWS_TILES(rows_i8_i16_tiles, rows_i8_i16_tile, int16_t, int8_t, LANES16)

/* The numbers behind the last whole vector, one by one. */
static void rows_i8_rest(int32_t *to, const int32_t *from, const int8_t *weights, size_t width,
                         const struct row_list *rows, size_t at)
{
    for (; at < width; at++) {
        uint32_t sum = (uint32_t)from[at];
        for (unsigned k = 0; k < rows->removed_count; k++) {
            int32_t weight = weights[rows->removed[k] * width + at];
            sum -= (uint32_t)weight;
        }
        for (unsigned k = 0; k < rows->added_count; k++) {
            int32_t weight = weights[rows->added[k] * width + at];
            sum += (uint32_t)weight;
        }
        to[at] = (int32_t)sum;
    }
}

static void rows_i8(int32_t *to, const int32_t *from, const int8_t *weights, size_t width,
                    const struct row_list *rows)
{
    rows_i8_rest(to, from, weights, width, rows, rows_i8_tiles(to, from, weights, width, rows));
}

/* What is left when less than a vector is: the eight columns that count material, mostly. */
static void rows_i32(int32_t *to, const int32_t *from, const int32_t *weights, size_t width,
                     const struct row_list *rows)
{
    size_t at = rows_i32_tiles(to, from, weights, width, rows), left = width - at;
    vec sum;
    if (!left)
        return;
    sum = vec_load_some(from + at, left);
    for (unsigned k = 0; k < rows->removed_count; k++)
        sum = vec_sub32(sum, vec_load_some(weights + rows->removed[k] * width + at, left));
    for (unsigned k = 0; k < rows->added_count; k++)
        sum = vec_add32(sum, vec_load_some(weights + rows->added[k] * width + at, left));
    vec_store_some(to + at, sum, left);
}

static void rows_i16(int16_t *to, const int16_t *from, const int16_t *weights, size_t width,
                     const struct row_list *rows)
{
    (void)rows_i16_tiles(to, from, weights, width, rows);
}

static void rows_i8_i16(int16_t *to, const int16_t *from, const int8_t *weights, size_t width,
                        const struct row_list *rows)
{
    (void)rows_i8_i16_tiles(to, from, weights, width, rows);
}

static void sum_i16(int16_t *out, const int16_t *a, const int16_t *b, size_t width)
{
    for (size_t i = 0; i < width; i += LANES16)
        vec_store(out + i, vec_add16(vec_load(a + i), vec_load(b + i)));
}

static int32_t clamp_one(int64_t value, int32_t max)
{
    return value < 0 ? 0 : value > max ? max : (int32_t)value;
}

/* The first count of sixteen bytes; the sixteen are in one register, so no call is made. */
SIMD_INLINE void store_some(uint8_t *out, const uint8_t *bytes, size_t count)
{
    for (size_t step = 8; step; step /= 2)
        if (count & step) {
            memcpy(out, bytes, step);
            out += step;
            bytes += step;
        }
}

/* How sums become activations; they are capped where the result is 127 or more, so that all that
 * follows is small. */
struct rescaling {
    vec top, multiplier, half;
    unsigned shift;
};

SIMD_INLINE vec rescale_long(vec sums, const struct rescaling *r)
{
    return vec_rescale(vec_clamp32(sums, vec_zero(), r->top), r->multiplier, r->half, r->shift);
}

/* Where 32 bits do. */
SIMD_INLINE vec rescale_word(vec sums, const struct rescaling *r)
{
    vec product = vec_mul32(vec_clamp32(sums, vec_zero(), r->top), r->multiplier);
    return vec_shr_u32(vec_add32(product, r->half), r->shift);
}

/* Sixteen numbers at a time; gives where the rest starts. */
SIMD_INLINE size_t requantise_blocks(uint8_t *out, const int32_t *in, size_t count,
                                     const struct requant *requant, const bool word)
{
    const int64_t half = INT64_C(1) << (requant->shift - 1);
    const struct rescaling r = {vec_set32(requant->top), vec_set32(requant->multiplier),
                                word ? vec_set32((int32_t)half) : vec_set64(half), requant->shift};
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        vec v[BLOCK];
        SIMD_UNROLL for (unsigned k = 0; k < BLOCK; k++)
        {
            vec sums = vec_loadu(in + i + k * LANES32);
            v[k] = word ? rescale_word(sums, &r) : rescale_long(sums, &r);
        }
        sixteen_store_u8(out + i, sixteen_pack(v));
    }
    return i;
}

static void requantise_u8(uint8_t *out, const int32_t *in, size_t count,
                          const struct requant *requant)
{
    size_t i = requant->word ? requantise_blocks(out, in, count, requant, true)
                             : requantise_blocks(out, in, count, requant, false);
    for (; i < count; i++)
        out[i] = (uint8_t)clamp_one(requantise(in[i], requant->multiplier, requant->shift), 127);
}

/* The quotients of a vector, not yet capped at 127 but within 0 .. 255. */
SIMD_INLINE vec requantise_narrow(vec v, vec top, vec high, vec low)
{
    vec x = vec_clamp16(v, vec_zero(), top);
    vec y = vec_add16(vec_mul16(x, high), vec_mulhi_u16(x, low));
    return vec_shr_u16(vec_add16(y, vec_set16(128)), 8);
}

static void requantise_i16_u8(uint8_t *out, const int16_t *in, size_t count,
                              const struct requant *requant)
{
    const vec top = vec_set16(requant->top16), high = vec_set16((int16_t)requant->high);
    const vec low = vec_set16((int16_t)requant->low);
    size_t i = 0;
    for (; i + 2 * LANES16 <= count; i += 2 * LANES16)
        vec_storeu(out + i,
                   vec_pack16(requantise_narrow(vec_load(in + i), top, high, low),
                              requantise_narrow(vec_load(in + i + LANES16), top, high, low)));
    for (; i < count; i++)
        out[i] = (uint8_t)clamp_one(requantise(in[i], requant->multiplier, requant->shift), 127);
}

static void clip_u8(uint8_t *out, const int16_t *in, size_t count)
{
    const vec low = vec_zero(), high = vec_set16(127);
    size_t i = 0;
    for (; i + 2 * LANES16 <= count; i += 2 * LANES16)
        vec_storeu(out + i, vec_pack16(vec_clamp16(vec_load(in + i), low, high),
                                       vec_clamp16(vec_load(in + i + LANES16), low, high)));
    for (; i < count; i++)
        out[i] = (uint8_t)clamp_one(in[i], 127);
}

static void pair_u8(uint8_t *out, const int16_t *in, size_t half, int16_t max, unsigned shift)
{
    const vec low = vec_zero(), high = vec_set16(max);
    size_t i = 0;
    for (; i + 2 * LANES16 <= half; i += 2 * LANES16) {
        vec v[2];
        SIMD_UNROLL for (unsigned k = 0; k < 2; k++)
        {
            const int16_t *at = in + i + k * LANES16;
            vec product = vec_mul16(vec_clamp16(vec_loadu(at), low, high),
                                    vec_clamp16(vec_loadu(at + half), low, high));
            v[k] = vec_shr_u16(product, shift);
        }
        vec_storeu(out + i, vec_pack16(v[0], v[1]));
    }
    for (; i < half; i++)
        out[i] = (uint8_t)(clamp_one(in[i], max) * clamp_one(in[i + half], max) >> shift);
}

/* Sixteen sums as int16. A saturated one is beyond 127 whatever is done to it, if shift <= 8. */
SIMD_INLINE sixteen load_sums(const int32_t *in)
{
    vec v[BLOCK];
    SIMD_UNROLL for (unsigned k = 0; k < BLOCK; k++) v[k] = vec_load(in + k * LANES32);
    return sixteen_pack(v);
}

static void shift_clip_u8(uint8_t *out, const int32_t *in, size_t count, unsigned shift)
{
    uint8_t last[16];
    for (; count; in += 16, out += 16) {
        vec v[BLOCK];
        sixteen sums;
        SIMD_UNROLL for (unsigned k = 0; k < BLOCK; k++) v[k] =
            vec_shr_i32(vec_load(in + k * LANES32), shift);
        sums = sixteen_pack(v);
        if (count < 16) {
            sixteen_store_u8(last, sums);
            store_some(out, last, count);
            return;
        }
        sixteen_store_u8(out, sums);
        count -= 16;
    }
}

/* Shifts for which int16, saturated, are enough: 32767^2 >> 23 is 127. */
static void square_clip_narrow(uint8_t *out, const int32_t *in, size_t count, unsigned shift)
{
    uint8_t last[16];
    for (; count; in += 16, out += 16) {
        sixteen squares = sixteen_shr(sixteen_square(load_sums(in)), shift - 16);
        if (count < 16) {
            sixteen_store_u8(last, squares);
            store_some(out, last, count);
            return;
        }
        sixteen_store_u8(out, squares);
        count -= 16;
    }
}

static void square_clip_u8(uint8_t *out, const int32_t *in, size_t count, unsigned shift)
{
    if (shift >= 16 && shift <= 23) {
        square_clip_narrow(out, in, count, shift);
        return;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)clamp_one((int64_t)in[i] * in[i] >> shift, 127);
}

/*
 * TinyNNUE. Activations and sums are packed without being put in order (vec_mix16, vec_mix32):
 * instead the weights that they meet lie in the order that this gives.
 */

/* The number that comes to place `at` when two vectors of n numbers each are mixed. */
static size_t mixed_place(size_t at, size_t n, size_t chunk)
{
    size_t start = at / (2 * n) * (2 * n), lane = at % (2 * n) / (2 * chunk), t = at % (2 * chunk);
    return start + lane * chunk + (t < chunk ? t : n + t - chunk);
}

#ifndef SIMD_TINY_SUMS

/* weights2: in groups, as other dense layers. */
SIMD_INLINE size_t tiny_place(size_t width, size_t output, size_t at)
{
    (void)width;
    return at / GROUP * (TINY_OUTPUTS * GROUP) + output * GROUP + at % GROUP;
}

static uint32_t tiny_depth(const struct tiny_layers *layers)
{
    return dense_depth(layers->weights2, layers->width / GROUP, TINY_OUTPUTS, false);
}

SIMD_INLINE void tiny_sums(vec sum[16], const struct tiny_layers *layers, const uint8_t *in)
{
    const struct dense_input input = {in, NULL, layers->width / GROUP, TINY_OUTPUTS * GROUP};
    if (DENSE_DEPTH_MAX >= 4 && layers->depth >= 4)
        dense_sums(sum, layers->bias2, layers->weights2, &input, 2 * BLOCK, 4);
    else if (DENSE_DEPTH_MAX >= 2 && layers->depth >= 2)
        dense_sums(sum, layers->bias2, layers->weights2, &input, 2 * BLOCK, 2);
    else
        dense_sums(sum, layers->bias2, layers->weights2, &input, 2 * BLOCK, 1);
}

#endif

static void tiny_pack(struct tiny_layers *layers, const int8_t *weights2, const int8_t *weights3)
{
    size_t width = layers->width;
    for (size_t o = 0; o < TINY_OUTPUTS; o++) {
        layers->weights3[o] = weights3[mixed_place(o, LANES32, 4)];
        for (size_t i = 0; i < width; i++)
            layers->weights2[tiny_place(width, o, i)] =
                weights2[o * width + mixed_place(i, LANES16, 8)];
    }
    layers->depth = tiny_depth(layers);
}

/* Where layers are in reach. */
SIMD_INLINE void tiny_activate_rounded(uint8_t *out, const int16_t *acc, const int16_t *turn,
                                       size_t count, const struct requant *requant)
{
    const vec factor = vec_set16(requant->factor);
    for (size_t i = 0; i < count; i += 2 * LANES16) {
        vec v[2];
        SIMD_UNROLL for (unsigned k = 0; k < 2; k++)
        {
            size_t at = i + k * LANES16;
            vec x = vec_shl16(vec_add16(vec_load(acc + at), vec_load(turn + at)), requant->up);
            v[k] = vec_mul_round16(x, factor);
        }
        vec_store(out + i, vec_positive8(vec_mix16(v[0], v[1])));
    }
}

SIMD_INLINE void tiny_activate(uint8_t *out, const int16_t *acc, const int16_t *turn, size_t count,
                               const struct requant *requant)
{
    const vec top = vec_set16(requant->top16), high = vec_set16((int16_t)requant->high);
    const vec low = vec_set16((int16_t)requant->low);
    for (size_t i = 0; i < count; i += 2 * LANES16) {
        vec a = vec_add16(vec_load(acc + i), vec_load(turn + i));
        vec b = vec_add16(vec_load(acc + i + LANES16), vec_load(turn + i + LANES16));
        vec_store(out + i, vec_mix16(requantise_narrow(a, top, high, low),
                                     requantise_narrow(b, top, high, low)));
    }
}

static int32_t tiny_forward(const struct tiny_layers *layers, const int16_t *acc, unsigned side)
{
    const struct requant *requant = &layers->requant[1];
    _Alignas(64) uint8_t a1[TINY_WIDTH_MAX];
    struct rescaling r;
    vec sum[16], total = vec_zero();
    if (layers->in_reach)
        tiny_activate_rounded(a1, acc, layers->turn[side], layers->width, &layers->requant[0]);
    else
        tiny_activate(a1, acc, layers->turn[side], layers->width, &layers->requant[0]);
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

/* The sum of v * weights, or of v * v * weights, v = clamp(in, 0, max), where products of two fit
 * int16: lanes of int32 hold the sums of FLUSH_STEPS steps. */
SIMD_INLINE int64_t dot_narrow(const int16_t *in, const int16_t *weights, size_t count, int16_t max,
                               const bool square)
{
    const vec low = vec_zero(), high = vec_set16(max);
    vec total = vec_zero();
    for (size_t i = 0; i < count;) {
        size_t left = (count - i) / LANES16, steps = left < FLUSH_STEPS ? left : FLUSH_STEPS;
        vec sum = vec_zero();
        for (; steps; steps--, i += LANES16) {
            vec v = vec_clamp16(vec_load(in + i), low, high), w = vec_load(weights + i);
            sum = vec_add32(sum, square ? vec_madd16(vec_mul16(v, w), v) : vec_madd16(v, w));
        }
        total = vec_widen_add(total, sum);
    }
    return vec_sum64(total);
}

SIMD_INLINE int64_t dot_wide(const int16_t *in, const int16_t *weights, size_t count, int16_t max,
                             const bool square)
{
    const vec low = vec_zero(), high = vec_set32(max);
    vec total = vec_zero();
    for (size_t i = 0; i < count; i += LANES32) {
        vec v = vec_clamp32(vec_load_i16_32(in + i), low, high), w = vec_load_i16_32(weights + i);
        total = vec_widen_mul_add(total, square ? vec_mul32(v, v) : v, w);
    }
    return vec_sum64(total);
}

static int64_t crelu_dot(const int16_t *in, const int16_t *weights, size_t count, int16_t max,
                         bool narrow)
{
    return narrow ? dot_narrow(in, weights, count, max, false)
                  : dot_wide(in, weights, count, max, false);
}

static int64_t screlu_dot(const int16_t *in, const int16_t *weights, size_t count, int16_t max,
                          bool narrow)
{
    return narrow ? dot_narrow(in, weights, count, max, true)
                  : dot_wide(in, weights, count, max, true);
}

/* The members of struct kernels but for isa. */
#define KERNELS_BODY                                                                               \
    .rows_i8 = rows_i8, .rows_i16 = rows_i16, .rows_i8_i16 = rows_i8_i16, .rows_i32 = rows_i32,    \
    .sum_i16 = sum_i16, .requantise_u8 = requantise_u8, .requantise_i16_u8 = requantise_i16_u8,    \
    .clip_u8 = clip_u8, .pair_u8 = pair_u8, .shift_clip_u8 = shift_clip_u8,                        \
    .square_clip_u8 = square_clip_u8, .dense_size = dense_size, .dense_pack = dense_pack,          \
    .dense_i8 = dense_i8, .tiny_pack = tiny_pack, .tiny_forward = tiny_forward,                    \
    .crelu_dot = crelu_dot, .screlu_dot = screlu_dot, .rows_f32 = rows_f32,                        \
    .clamp_f64 = clamp_f64, .dense_f32 = dense_f32

#endif
