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

#ifndef VEC_TILE_LONG
#define VEC_TILE_LONG VEC_TILE
#endif

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

/* to = from - removed + added for n vectors of an accumulator. */
#define DEFINE_ROWS_TILE(name, acc_t, weight_t, LANES, LOAD, STORE, LOAD_ROW, ADD, SUB)            \
    SIMD_INLINE void name(acc_t *to, const acc_t *from, const weight_t *weights, size_t stride,    \
                          const struct row_list *rows, const unsigned n)                           \
    {                                                                                              \
        vec sum[VEC_TILE];                                                                         \
        SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] = LOAD(from + i * (LANES));            \
        for (unsigned k = 0; k < rows->removed_count; k++) {                                       \
            const weight_t *row = weights + rows->removed[k] * stride;                             \
            SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] =                                  \
                SUB(sum[i], LOAD_ROW(row + i * (LANES)));                                          \
        }                                                                                          \
        for (unsigned k = 0; k < rows->added_count; k++) {                                         \
            const weight_t *row = weights + rows->added[k] * stride;                               \
            SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] =                                  \
                ADD(sum[i], LOAD_ROW(row + i * (LANES)));                                          \
        }                                                                                          \
        SIMD_UNROLL for (unsigned i = 0; i < n; i++) STORE(to + i * (LANES), sum[i]);              \
    }

/* Tiles as long as they fit; gives where the rest starts. One tile is what small nets have. */
#define DEFINE_ROWS_TILES(name, tile, acc_t, weight_t, LANES)                                      \
    SIMD_INLINE size_t name(acc_t *to, const acc_t *from, const weight_t *weights, size_t stride,  \
                            size_t width, const struct row_list *rows)                             \
    {                                                                                              \
        size_t at = 0;                                                                             \
        do {                                                                                       \
            if (at + VEC_TILE * (LANES) > width)                                                   \
                break;                                                                             \
            tile(to + at, from + at, weights + at, stride, rows, VEC_TILE);                        \
            at += VEC_TILE * (LANES);                                                              \
        } while (at < width);                                                                      \
        for (; at + (LANES) <= width; at += (LANES))                                               \
            tile(to + at, from + at, weights + at, stride, rows, 1);                               \
        return at;                                                                                 \
    }

DEFINE_ROWS_TILE(rows_i8_tile, int32_t, int8_t, LANES32, vec_loadu, vec_storeu, vec_load_i8_32,
                 vec_add32, vec_sub32)
DEFINE_ROWS_TILE(rows_i32_tile, int32_t, int32_t, LANES32, vec_loadu, vec_storeu, vec_loadu,
                 vec_add32, vec_sub32)
DEFINE_ROWS_TILE(rows_i8_i16_tile, int16_t, int8_t, LANES16, vec_load, vec_store, vec_load_i8_16,
                 vec_add16, vec_sub16)
DEFINE_ROWS_TILES(rows_i8_tiles, rows_i8_tile, int32_t, int8_t, LANES32)
DEFINE_ROWS_TILES(rows_i32_tiles, rows_i32_tile, int32_t, int32_t, LANES32)
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
    rows_i8_rest(to, from, weights, width, rows,
                 rows_i8_tiles(to, from, weights, width, width, rows));
}

/* What is left when less than a vector is: the columns of threats and pawn pairs, mostly eight. */
static void rows_i32(int32_t *to, const int32_t *from, const int32_t *weights, size_t width,
                     const struct row_list *rows)
{
    size_t at = rows_i32_tiles(to, from, weights, width, width, rows), left = width - at;
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

/*
 * n vectors of an accumulator and, `behind` numbers further on, so many of its columns; columns is
 * 0 or BLOCK, a cache line.
 */
SIMD_INLINE void rows_i16_tile(int16_t *to, const int16_t *from, const int16_t *weights,
                               size_t stride, const struct row_list *rows, const unsigned n,
                               size_t behind, const unsigned columns)
{
    vec sum[VEC_TILE_LONG], column[BLOCK];
    SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] = vec_load(from + i * LANES16);
    SIMD_UNROLL for (unsigned i = 0; i < columns; i++) column[i] =
        vec_load(from + behind + i * LANES16);
    for (unsigned k = 0; k < rows->removed_count; k++) {
        const int16_t *row = weights + rows->removed[k] * stride;
        SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] =
            vec_sub16(sum[i], vec_load(row + i * LANES16));
        SIMD_UNROLL for (unsigned i = 0; i < columns; i++) column[i] =
            vec_sub32(column[i], vec_load(row + behind + i * LANES16));
    }
    for (unsigned k = 0; k < rows->added_count; k++) {
        const int16_t *row = weights + rows->added[k] * stride;
        SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] =
            vec_add16(sum[i], vec_load(row + i * LANES16));
        SIMD_UNROLL for (unsigned i = 0; i < columns; i++) column[i] =
            vec_add32(column[i], vec_load(row + behind + i * LANES16));
    }
    SIMD_UNROLL for (unsigned i = 0; i < n; i++) vec_store(to + i * LANES16, sum[i]);
    SIMD_UNROLL for (unsigned i = 0; i < columns; i++)
        vec_store(to + behind + i * LANES16, column[i]);
}

/* The columns behind the first line of them, which few nets have. */
static void rows_more_columns(int16_t *to, const int16_t *from, const int16_t *weights,
                              size_t stride, size_t columns, const struct row_list *rows)
{
    (void)rows_i32_tiles((int32_t *)(void *)to, (const int32_t *)(const void *)from,
                         (const int32_t *)(const void *)weights, stride / 2, columns, rows);
}

/* In tiles of n vectors as long as they fit. The first one takes the first columns along. */
SIMD_INLINE void rows_i16_by(int16_t *to, const int16_t *from, const int16_t *weights, size_t width,
                             size_t columns, const struct row_list *rows, const unsigned n)
{
    const size_t stride = row_stride_i16(width, columns), tile = n * LANES16;
    const size_t short_tile = VEC_TILE * LANES16, second = row_stride_i16(width, ROW_COLUMNS_STEP);
    size_t at = 0;
    if (columns && width >= tile) {
        rows_i16_tile(to, from, weights, stride, rows, n, width, BLOCK);
        at = tile;
    } else if (columns) {
        rows_i16_tile(to, from, weights, stride, rows, 1, width, BLOCK);
        at = LANES16;
    }
    for (; n > VEC_TILE && at + tile <= width; at += tile)
        rows_i16_tile(to + at, from + at, weights + at, stride, rows, n, 0, 0);
    for (; at + short_tile <= width; at += short_tile)
        rows_i16_tile(to + at, from + at, weights + at, stride, rows, VEC_TILE, 0, 0);
    for (; at < width; at += LANES16)
        rows_i16_tile(to + at, from + at, weights + at, stride, rows, 1, 0, 0);
    if (columns > ROW_COLUMNS_STEP)
        rows_more_columns(to + second, from + second, weights + second, stride,
                          columns - ROW_COLUMNS_STEP, rows);
}

static void rows_i16(int16_t *to, const int16_t *from, const int16_t *weights, size_t width,
                     size_t columns, const struct row_list *rows)
{
    rows_i16_by(to, from, weights, width, columns, rows, VEC_TILE);
}

static void rows_i8_i16(int16_t *to, const int16_t *from, const int8_t *weights, size_t width,
                        const struct row_list *rows)
{
    (void)rows_i8_i16_tiles(to, from, weights, width, width, rows);
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
    for (size_t i = 0; i < count; i += 16) {
        vec v[BLOCK];
        SIMD_UNROLL for (unsigned k = 0; k < BLOCK; k++) v[k] =
            vec_shr_i32(vec_load(in + i + k * LANES32), shift);
        sixteen_store_u8(out + i, sixteen_pack(v));
    }
}

/* Shifts for which int16, saturated, are enough: 32767^2 >> 23 is 127. */
static void square_clip_narrow(uint8_t *out, const int32_t *in, size_t count, unsigned shift)
{
    for (size_t i = 0; i < count; i += 16)
        sixteen_store_u8(out + i, sixteen_shr(sixteen_square(load_sums(in + i)), shift - 16));
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

#include "nnue/core/kernels_tiny.h"

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

/* The members of struct kernels but for isa. rows: rows_i16 or what else there is for it. */
#define KERNELS_BODY(rows)                                                                         \
    .rows_i8 = rows_i8, .rows_i16 = rows, .rows_i8_i16 = rows_i8_i16, .rows_i32 = rows_i32,        \
    .sum_i16 = sum_i16, .requantise_u8 = requantise_u8, .requantise_i16_u8 = requantise_i16_u8,    \
    .clip_u8 = clip_u8, .pair_u8 = pair_u8, .shift_clip_u8 = shift_clip_u8,                        \
    .square_clip_u8 = square_clip_u8, .dense_size = dense_size, .dense_pack = dense_pack,          \
    .dense_i8 = dense_i8, .dense_block = DENSE_BLOCK_KERNEL, .tiny_order = TINY_ORDER_KERNEL,      \
    .tiny_pack = tiny_pack, .crelu_dot = crelu_dot, .screlu_dot = screlu_dot,                      \
    .rows_f32 = rows_f32, .clamp_f64 = clamp_f64, .dense_f32 = dense_f32

#endif
