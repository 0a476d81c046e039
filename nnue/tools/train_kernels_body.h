/* SPDX-License-Identifier: MIT */
/*
 * The kernels of training, see train_kernels.h, for one instruction set: NATIVE_LANES floats to a
 * vector, KERNELS the table, KERNELS_NAME its name.
 *
 * Loops over single elements are left to the compiler's vectors; where several vectors shall stay
 * in registers (matrix products, sums of rows) they are written out in gcc's vector extensions. How
 * many is a matter of speed alone: no order of additions depends on it.
 */
#include "nnue/tools/train_kernels.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    LANES = NATIVE_LANES,
    STRIPE = 8,                        /* vectors of a sum of rows in registers */
    STRIPE_WIDTH = STRIPE * LANES,     /* numbers of it */
    WIDE = LANES == 16 ? 4 : 2,        /* vectors of a tile of a matrix product */
    WIDE_WIDTH = WIDE * LANES,         /* numbers of it */
    TWO_WIDTH = 2 * LANES,             /* of two vectors */
    PARTS = TRAIN_LANES / NATIVE_LANES /* vectors that make up the lanes of a dot product */
};

typedef float vector __attribute__((vector_size(4 * NATIVE_LANES), aligned(4 * NATIVE_LANES)));

INLINE vector load(const float *at)
{
    return *(const vector *)(const void *)at;
}

INLINE void store(float *at, vector v)
{
    *(vector *)(void *)at = v;
}

/* One stripe of n vectors of the sum of rows. */
#define SUM_STRIPE(n, start)                                                                       \
    do {                                                                                           \
        vector sum[n];                                                                             \
        _Pragma("GCC unroll 8") for (size_t v = 0; v < (n); v++) sum[v] = (start);                 \
        for (size_t k = 0; k < count; k++) {                                                       \
            const float *row = rows + indices[k] * width + at;                                     \
            _Pragma("GCC unroll 8") for (size_t v = 0; v < (n); v++) sum[v] +=                     \
                load(row + v * LANES);                                                             \
        }                                                                                          \
        _Pragma("GCC unroll 8") for (size_t v = 0; v < (n); v++)                                   \
            store(to + at + v * LANES, sum[v]);                                                    \
    } while (0)

static void sum_rows(float *to, const float *start, const float *rows, size_t width,
                     const uint16_t *indices, size_t count)
{
    size_t at = 0;
    for (; at + STRIPE_WIDTH <= width; at += STRIPE_WIDTH)
        SUM_STRIPE(STRIPE, load(start + at + v * LANES));
    for (; at < width; at += LANES)
        SUM_STRIPE(1, load(start + at + v * LANES));
}

static void gather(float *to, const float *rows, size_t width, const uint32_t *indices,
                   size_t count)
{
    size_t at = 0;
    for (; at + STRIPE_WIDTH <= width; at += STRIPE_WIDTH)
        SUM_STRIPE(STRIPE, (vector){0});
    for (; at < width; at += LANES)
        SUM_STRIPE(1, (vector){0});
}

/* Rows row .. row + rows - 1 and n vectors of columns from `column` on; rows and n constant. */
INLINE void tile(const struct matrix_product *p, size_t row, size_t column, const size_t rows,
                 const size_t n)
{
    vector sum[8][4];
    const float *a = p->a + row * p->a_row, *b = p->b + column;
    const size_t a_row = p->a_row, a_step = p->a_step, b_stride = p->b_stride;
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (size_t v = 0; v < n; v++)
            sum[r][v] = p->start ? load(p->start + (row + r) * p->start_stride + column + v * LANES)
                                 : (vector){0};
    for (size_t k = 0; k < p->depth; k++) {
        vector right[4];
#pragma GCC unroll 4
        for (size_t v = 0; v < n; v++)
            right[v] = load(b + k * b_stride + v * LANES);
#pragma GCC unroll 8
        for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
            for (size_t v = 0; v < n; v++)
                sum[r][v] += a[r * a_row + k * a_step] * right[v];
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (size_t v = 0; v < n; v++)
            store(p->to + (row + r) * p->to_stride + column + v * LANES, sum[r][v]);
}

static void multiply_wide(const struct matrix_product *p, size_t column)
{
    size_t row = 0;
    for (; row + 4 <= p->rows; row += 4)
        tile(p, row, column, 4, WIDE);
    for (; row < p->rows; row++)
        tile(p, row, column, 1, WIDE);
}

static void multiply_two(const struct matrix_product *p, size_t column)
{
    size_t row = 0;
    for (; LANES == 16 && row + 8 <= p->rows; row += 8)
        tile(p, row, column, 8, 2);
    for (; row + 4 <= p->rows; row += 4)
        tile(p, row, column, 4, 2);
    for (; row < p->rows; row++)
        tile(p, row, column, 1, 2);
}

static void multiply_one(const struct matrix_product *p, size_t column)
{
    size_t row = 0;
    for (; row + 8 <= p->rows; row += 8)
        tile(p, row, column, 8, 1);
    for (; row < p->rows; row++)
        tile(p, row, column, 1, 1);
}

static void multiply_matrix(const struct matrix_product *product)
{
    size_t column = 0;
    for (; column + WIDE_WIDTH <= product->columns; column += WIDE_WIDTH)
        multiply_wide(product, column);
    for (; column + TWO_WIDTH <= product->columns; column += TWO_WIDTH)
        multiply_two(product, column);
    for (; column < product->columns; column += LANES)
        multiply_one(product, column);
}

static void clamp(float *restrict x, float *restrict gate, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        float low = x[i] < 0 ? 0 : x[i];
        float clamped = low > 1 ? 1 : low;
        gate[i] = clamped == x[i] ? 1 : 0;
        x[i] = clamped;
    }
}

static void square(float *restrict x, float *restrict gate, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        gate[i] *= 2 * x[i];
        x[i] *= x[i];
    }
}

/* The draw of unit i: a hash of 32 bits (two rounds of multiply and shift). */
static void drop(float *restrict x, float *restrict gate, size_t width, uint32_t threshold,
                 float grow, uint32_t key)
{
    for (uint32_t i = 0; i < width; i++) {
        uint32_t draw = key + i * UINT32_C(0x9E3779B9);
        draw = (draw ^ draw >> 16) * UINT32_C(0x7FEB352D);
        draw = (draw ^ draw >> 15) * UINT32_C(0x846CA68B);
        draw ^= draw >> 16;
        float factor = draw < threshold ? 0 : grow;
        x[i] *= factor;
        gate[i] *= factor;
    }
}

static void activate(float *x, float *gate, size_t width, const struct activation *activation,
                     uint32_t key)
{
    clamp(x, gate, width);
    if (activation->squared)
        square(x, gate, width);
    if (activation->dropout)
        drop(x, gate, width, activation->threshold, activation->grow, key);
}

static void add(float *restrict to, const float *restrict from, size_t width)
{
    for (size_t i = 0; i < width; i++)
        to[i] += from[i];
}

static void multiply(float *restrict to, const float *restrict by, size_t width)
{
    for (size_t i = 0; i < width; i++)
        to[i] *= by[i];
}

static void approach(float *restrict to, const float *restrict from, float rate, size_t width)
{
    for (size_t i = 0; i < width; i++)
        to[i] += rate * (from[i] - to[i]);
}

static float dot(const float *a, const float *b, size_t width)
{
    vector sum[PARTS] = {{0}};
    float lane[TRAIN_LANES];
    for (size_t i = 0; i < width; i += TRAIN_LANES)
        for (size_t k = 0; k < PARTS; k++)
            sum[k] += load(a + i + k * LANES) * load(b + i + k * LANES);
    for (size_t k = 0; k < TRAIN_LANES; k++)
        lane[k] = sum[k / LANES][k % LANES];
    for (size_t half = TRAIN_LANES / 2; half; half /= 2)
        for (size_t k = 0; k < half; k++)
            lane[k] += lane[k + half];
    return lane[0];
}

static void adam(float *restrict values, float *restrict first, float *restrict second,
                 const float *restrict gradient, size_t width, const struct adam_step *step)
{
    const float beta1 = step->beta1, rest1 = 1 - beta1, beta2 = step->beta2, rest2 = 1 - beta2;
    const float size = step->step, epsilon = step->epsilon, keep = step->keep;
    const float high = step->limit, low = -high;
    for (size_t i = 0; i < width; i++) {
        float g = gradient[i];
        float m = beta1 * first[i] + rest1 * g;
        float v = beta2 * second[i] + rest2 * g * g;
        float value = values[i] * keep - size * m / (sqrtf(v) + epsilon);
        first[i] = m;
        second[i] = v;
        value = value < low ? low : value;
        values[i] = value > high ? high : value;
    }
}

const struct train_kernels KERNELS = {.name = KERNELS_NAME,
                                      .sum_rows = sum_rows,
                                      .gather = gather,
                                      .multiply_matrix = multiply_matrix,
                                      .activate = activate,
                                      .add = add,
                                      .multiply = multiply,
                                      .approach = approach,
                                      .dot = dot,
                                      .adam = adam};
