/* SPDX-License-Identifier: MIT */
/*
 * The kernels: the loops that take the time, behind one table per instruction set. The scalar table
 * is the reference; every other one gives the same integers, to the last bit.
 *
 * Buffers that the library hands to kernels (accumulators, activations, weights, sums) start at a
 * multiple of 64 bytes unless a comment says otherwise. Nothing overlaps, but for `to == from`.
 * Sums and differences wrap modulo 2^16 or 2^32, as the width of the result says.
 */
#ifndef PLYNNUE_KERNELS_H
#define PLYNNUE_KERNELS_H

#include <stdbool.h>

#include "nnue/core/plynnue.h"

/* No feature set has more rows on one board: sf_rows.h counts those of the widest. */
#define ROW_LIST_MAX 512

/*
 * Rows to take out of an accumulator and to put in: what a refresh and an update have in common.
 * 4 kB: left uninitialised but for the counts.
 */
struct row_list {
    unsigned removed_count, added_count;
    uint32_t removed[ROW_LIST_MAX]; /* row numbers */
    uint32_t added[ROW_LIST_MAX];
};

/* Columns, 32-bit numbers behind a row of int16, fill cache lines, however many a net has. */
#define ROW_COLUMNS_STEP 16

/* int16 from one row of width numbers and some columns to the next. */
static inline size_t row_stride_i16(size_t width, size_t columns)
{
    return width + columns * sizeof(int32_t) / sizeof(int16_t);
}

/* A dense layer as the kernels of one table want it: dense.h makes it. */
struct dense {
    uint32_t inputs, outputs;
    int32_t *bias;   /* [outputs rounded up to 16], zero behind outputs */
    int8_t *weights; /* as dense_pack of the same table left them */
    /* Likewise: how many groups of inputs, neighbours and any ones, have sums that fit 16 bits;
     * 0 where the table does not ask. */
    uint32_t depth, depth_any;
};

#define DENSE_INPUTS_STEP  64 /* activations are readable up to a multiple of this */
#define DENSE_OUTPUTS_STEP 16 /* sums are writable up to a multiple of this */
#define DENSE_BLOCK        4  /* positions that share a load of weights */

/* A rescaling of sums to activations: requant_make makes it. */
struct requant {
    int32_t multiplier; /* 1 .. 2^31 - 1 */
    uint32_t shift;     /* 1 .. 30 */
    int32_t top;        /* inputs from here on give 127 or more; INT32_MAX if none does */
    /*
     * For int16 inputs, where narrow: with factor = multiplier * 2^(24 - shift) = high * 2^16 + low
     * and x in 0 .. top16,
     *
     *   (x * multiplier + 2^(shift-1)) >> shift = (x * high + (x * low >> 16) + 128) >> 8
     *
     * exactly, and nothing leaves 16 bits without a sign.
     */
    bool narrow;
    int16_t top16;
    uint16_t high, low;
    bool word; /* top * multiplier + 2^(shift-1) fits 32 bits without a sign */
    /*
     * Where reach is not 0, for any x in -reach .. reach
     *
     *   (x * 2^up * factor + 2^14) >> 15
     *
     * gives the same activation, negative numbers standing for 0 and those from 127 on for 127; and
     * x * 2^up fits int16.
     */
    int16_t reach, factor;
    uint16_t up;
};

#define TINY_WIDTH_STEP 64
#define TINY_WIDTH_MAX  512
#define TINY_OUTPUTS    32

struct tiny_layers;

struct tiny_functions {
    /* The last layer's sum with side to move. */
    int32_t (*forward)(const struct tiny_layers *layers, const int16_t *acc, unsigned side);
    /* after = before with a change made, and what forward gives for it. */
    int32_t (*step)(const struct tiny_layers *layers, const struct plynnue_delta *delta,
                    const int16_t *before, int16_t *after, unsigned side);
};

/* What is behind the int16 accumulator of a 769-H1-32-1 net; at a multiple of 64 bytes. tiny_pack
 * fills what it says. */
struct tiny_layers {
    int32_t bias2[TINY_OUTPUTS];
    int16_t weights3[TINY_OUTPUTS]; /* as tiny_pack of the same table left them */
    int8_t *weights2;               /* [TINY_OUTPUTS * width], likewise */
    const int8_t *rows;             /* [768][width]: of the first layer, for step */
    int16_t *turn[2];               /* [width] each: what acc gets when White, Black is to move */
    int32_t bias3;
    uint32_t width; /* H1: a multiple of TINY_WIDTH_STEP up to TINY_WIDTH_MAX */
    /* Behind the accumulator: narrow; behind the second layer: word, multiplier < 2^shift. */
    struct requant requant[2];
    bool in_reach; /* acc with side to move never leaves the reach of requant[0], which is not 0 */
    struct tiny_functions run; /* as tiny_pack chose them for these weights */
};

struct kernels {
    enum plynnue_isa isa;

    /* Accumulators: to[i] = from[i] - removed rows + added rows; weights row-major [rows][width].
     * from may be to. Width: rows_i8 and rows_i32 any (from, to and rows then lie at multiples of
     * their element's size only), the others a multiple of 32. Columns of rows_i16, a multiple of
     * ROW_COLUMNS_STEP: behind the width int16 from, to and every row have so many int32, which
     * follow likewise; rows are row_stride_i16 apart. */
    void (*rows_i8)(int32_t *to, const int32_t *from, const int8_t *weights, size_t width,
                    const struct row_list *rows);
    void (*rows_i16)(int16_t *to, const int16_t *from, const int16_t *weights, size_t width,
                     size_t columns, const struct row_list *rows);
    void (*rows_i8_i16)(int16_t *to, const int16_t *from, const int8_t *weights, size_t width,
                        const struct row_list *rows);
    void (*rows_i32)(int32_t *to, const int32_t *from, const int32_t *weights, size_t width,
                     const struct row_list *rows);
    /* out[i] = a[i] + b[i], wrapping; width a multiple of 32; out may be a or b */
    void (*sum_i16)(int16_t *out, const int16_t *a, const int16_t *b, size_t width);

    /* Activations, 0 .. 127 each. Where in is int16, out is at a multiple of 16 only. */
    /* out[i] = clamp((in[i] * multiplier + 2^(shift-1)) >> shift, 0, 127); any count */
    void (*requantise_u8)(uint8_t *out, const int32_t *in, size_t count,
                          const struct requant *requant);
    /* The same where requant is narrow; count a multiple of 32 */
    void (*requantise_i16_u8)(uint8_t *out, const int16_t *in, size_t count,
                              const struct requant *requant);
    /* out[i] = clamp(in[i], 0, 127); count a multiple of 32 */
    void (*clip_u8)(uint8_t *out, const int16_t *in, size_t count);
    /* out[i] = clamp(in[i], 0, max) * clamp(in[i + half], 0, max) >> shift; half a multiple of 16;
     * max 1 .. 255; max * max >> shift is at most 127 */
    void (*pair_u8)(uint8_t *out, const int16_t *in, size_t half, int16_t max, unsigned shift);
    /* The two below take any count, and an out at any address. In is readable and out writable up
     * to a multiple of 16 numbers; what lies there says nothing. (Whole vectors are read fast where
     * they are written in one go.) */
    /* out[i] = clamp(in[i] >> shift, 0, 127); shift 0 .. 31 */
    void (*shift_clip_u8)(uint8_t *out, const int32_t *in, size_t count, unsigned shift);
    /* out[i] = min((in[i] * in[i]) >> shift, 127), the square in 64 bits; otherwise the same */
    void (*square_clip_u8)(uint8_t *out, const int32_t *in, size_t count, unsigned shift);

    /* Dense layers. */
    /* Bytes that packed weights take. */
    size_t (*dense_size)(uint32_t inputs, uint32_t outputs);
    /* Fills layer->weights, which are zero, from row-major [outputs][stride], of which the first
     * inputs of each row count. */
    void (*dense_pack)(struct dense *layer, const int8_t *weights, size_t stride);
    /* out[o] = bias[o] + sum over i of weights[o][i] * in[i]; in 0 .. 127, weights -128 .. 127.
     * in is readable and out writable up to the steps above; what lies there says nothing. */
    void (*dense_i8)(const struct dense *layer, int32_t *out, const uint8_t *in);
    /* The same for DENSE_BLOCK positions, whose sums are under way together. NULL: where that is no
     * quicker. */
    void (*dense_block)(const struct dense *layer, int32_t *const out[DENSE_BLOCK],
                        const uint8_t *const in[DENSE_BLOCK]);

    /* Nets with the shape of struct tiny_layers in one go. */
    /* Fills order, [width]: number i of acc is best hidden unit order[i], for weights of the second
     * layer as below. NULL: they may stay as they are. */
    void (*tiny_order)(uint16_t *order, const int8_t *weights2, uint32_t width);
    /* Weights of the second layer, row-major [TINY_OUTPUTS][width], and of the last one; width,
     * requant and in_reach are set, and weights2 has room. */
    void (*tiny_pack)(struct tiny_layers *layers, const int8_t *weights2, const int8_t *weights3);

    /* Exact sums of activations times weights; count a multiple of 32; max 1 .. 32767. narrow:
     * max <= 255 and every |weight| <= 128, so that activation * weight fits int16. */
    /* sum of clamp(in[i], 0, max) * weights[i] */
    int64_t (*crelu_dot)(const int16_t *in, const int16_t *weights, size_t count, int16_t max,
                         bool narrow);
    /* sum of clamp(in[i], 0, max)^2 * weights[i] */
    int64_t (*screlu_dot)(const int16_t *in, const int16_t *weights, size_t count, int16_t max,
                          bool narrow);

    /*
     * Float nets, in double. Any width and count, any addresses; the same bits from every table.
     */
    /* to = from - removed rows + added rows, in the order of the list; from may be to. */
    void (*rows_f32)(double *to, const double *from, const float *weights, size_t width,
                     const struct row_list *rows);
    /* out[i] = clamp(in[i] + times * added[i], 0, 1) */
    void (*clamp_f64)(double *out, const double *in, const float *added, double times,
                      size_t count);
    /* out[o] = bias[o] + sum over i of weights[o][i] * in[i]: products with equal i modulo
     * FLOAT_LANES one after the other, these sums by float_lanes_sum. */
    void (*dense_f32)(double *out, const float *bias, const float *weights, const double *in,
                      size_t inputs, size_t outputs);
};

#define FLOAT_LANES 16

/* Halves are added until one number is left. */
static inline double float_lanes_sum(double lanes[FLOAT_LANES])
{
    for (unsigned half = FLOAT_LANES / 2; half; half /= 2)
        for (unsigned i = 0; i < half; i++)
            lanes[i] += lanes[i + half];
    return lanes[0];
}

/* What is not above 0 becomes 0 without a sign, as vectors have it. */
static inline double float_clamp(double x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}

extern const struct kernels kernels_scalar;
/* The others are there on their processors alone; both for NEON go by that name, and both for
 * AVX-512 by theirs. */
extern const struct kernels kernels_avx2, kernels_avxvnni;
extern const struct kernels kernels_avx512vnni, kernels_avx512vnni_zen5;
extern const struct kernels kernels_neon, kernels_neon_dot;

/* Has this CPU, and the operating system on it, what isa takes? */
bool kernels_cpu_has(enum plynnue_isa isa);
/* The table for isa, AUTO being the best there is; NULL when CPU or build lack it. */
const struct kernels *kernels_find(enum plynnue_isa isa);

/* multiplier 1 .. 2^31 - 1, shift 1 .. 30. */
struct requant requant_make(int32_t multiplier, unsigned shift);

/* (x * multiplier + 2^(shift-1)) >> shift, rounding halves up: floor, never truncation. */
static inline int64_t requantise(int32_t x, int32_t multiplier, unsigned shift)
{
    int64_t product = (int64_t)x * multiplier + (INT64_C(1) << (shift - 1));
    /* A right shift of a negative number is the compiler's choice in C: every one we support
     * floors. */
    return product >> shift;
}

#endif
