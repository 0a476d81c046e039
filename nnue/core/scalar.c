/* SPDX-License-Identifier: MIT */
/*
 * The scalar kernels: the reference that every faster one is compared with. Plain loops, no tricks.
 * Arithmetic that may wrap is done in unsigned numbers.
 */
#include <string.h>

#include "nnue/core/kernels.h"

/* The kernels over rows differ in their types alone. */
#define DEFINE_ROWS(name, acc_t, wide_t, weight_t)                                                 \
    static void name(acc_t to[], const acc_t from[], const weight_t weights[], size_t stride,      \
                     size_t width, const struct row_list *rows)                                    \
    {                                                                                              \
        if (to != from)                                                                            \
            memcpy(to, from, width * sizeof *to);                                                  \
        for (unsigned k = 0; k < rows->removed_count; k++) {                                       \
            const weight_t *row = weights + rows->removed[k] * stride;                             \
            for (size_t i = 0; i < width; i++)                                                     \
                to[i] = (acc_t)(wide_t)((wide_t)to[i] - (wide_t)row[i]);                           \
        }                                                                                          \
        for (unsigned k = 0; k < rows->added_count; k++) {                                         \
            const weight_t *row = weights + rows->added[k] * stride;                               \
            for (size_t i = 0; i < width; i++)                                                     \
                to[i] = (acc_t)(wide_t)((wide_t)to[i] + (wide_t)row[i]);                           \
        }                                                                                          \
    }

DEFINE_ROWS(follow_i8, int32_t, uint32_t, int8_t)
DEFINE_ROWS(follow_i16, int16_t, uint16_t, int16_t)
DEFINE_ROWS(follow_i8_i16, int16_t, uint16_t, int8_t)
DEFINE_ROWS(follow_i32, int32_t, uint32_t, int32_t)

static void rows_i8(int32_t *to, const int32_t *from, const int8_t *weights, size_t width,
                    const struct row_list *rows)
{
    follow_i8(to, from, weights, width, width, rows);
}

static void rows_i16(int16_t *to, const int16_t *from, const int16_t *weights, size_t width,
                     size_t columns, const struct row_list *rows)
{
    size_t stride = row_stride_i16(width, columns);
    follow_i16(to, from, weights, stride, width, rows);
    if (columns)
        follow_i32((int32_t *)(void *)(to + width), (const int32_t *)(const void *)(from + width),
                   (const int32_t *)(const void *)(weights + width), stride / 2, columns, rows);
}

static void rows_i8_i16(int16_t *to, const int16_t *from, const int8_t *weights, size_t width,
                        const struct row_list *rows)
{
    follow_i8_i16(to, from, weights, width, width, rows);
}

static void rows_i32(int32_t *to, const int32_t *from, const int32_t *weights, size_t width,
                     const struct row_list *rows)
{
    follow_i32(to, from, weights, width, width, rows);
}

static void sum_i16(int16_t *out, const int16_t *a, const int16_t *b, size_t width)
{
    for (size_t i = 0; i < width; i++)
        out[i] = (int16_t)(uint16_t)((uint16_t)a[i] + (uint16_t)b[i]);
}

static int32_t clamp(int64_t value, int32_t max)
{
    return value < 0 ? 0 : value > max ? max : (int32_t)value;
}

static void requantise_u8(uint8_t *out, const int32_t *in, size_t count,
                          const struct requant *requant)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)clamp(requantise(in[i], requant->multiplier, requant->shift), 127);
}

static void requantise_i16_u8(uint8_t *out, const int16_t *in, size_t count,
                              const struct requant *requant)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)clamp(requantise(in[i], requant->multiplier, requant->shift), 127);
}

static void clip_u8(uint8_t *out, const int16_t *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)clamp(in[i], 127);
}

static void pair_u8(uint8_t *out, const int16_t *in, size_t half, int16_t max, unsigned shift)
{
    for (size_t i = 0; i < half; i++)
        out[i] = (uint8_t)(clamp(in[i], max) * clamp(in[i + half], max) >> shift);
}

static void shift_clip_u8(uint8_t *out, const int32_t *in, size_t count, unsigned shift)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)clamp(in[i] >> shift, 127);
}

static void square_clip_u8(uint8_t *out, const int32_t *in, size_t count, unsigned shift)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)clamp((int64_t)in[i] * in[i] >> shift, 127);
}

static size_t dense_size(uint32_t inputs, uint32_t outputs)
{
    return (size_t)inputs * outputs;
}

static void dense_pack(struct dense *layer, const int8_t *weights, size_t stride)
{
    for (size_t o = 0; o < layer->outputs; o++)
        memcpy(layer->weights + o * layer->inputs, weights + o * stride, layer->inputs);
}

static void dense_i8(const struct dense *layer, int32_t *out, const uint8_t *in)
{
    for (size_t o = 0; o < layer->outputs; o++) {
        const int8_t *row = layer->weights + o * layer->inputs;
        uint32_t sum = (uint32_t)layer->bias[o];
        for (size_t i = 0; i < layer->inputs; i++)
            sum += (uint32_t)(row[i] * in[i]);
        out[o] = (int32_t)sum;
    }
}

static int32_t tiny_forward(const struct tiny_layers *layers, const int16_t *acc, unsigned side)
{
    int16_t acc1[TINY_WIDTH_MAX];
    uint8_t a1[TINY_WIDTH_MAX], a2[TINY_OUTPUTS];
    int32_t acc2[TINY_OUTPUTS], acc3 = layers->bias3;
    sum_i16(acc1, acc, layers->turn[side], layers->width);
    requantise_i16_u8(a1, acc1, layers->width, &layers->requant[0]);
    memcpy(acc2, layers->bias2, sizeof acc2);
    for (size_t o = 0; o < TINY_OUTPUTS; o++)
        for (size_t i = 0; i < layers->width; i++)
            acc2[o] += layers->weights2[o * layers->width + i] * a1[i];
    requantise_u8(a2, acc2, TINY_OUTPUTS, &layers->requant[1]);
    for (size_t o = 0; o < TINY_OUTPUTS; o++)
        acc3 += layers->weights3[o] * a2[o];
    return acc3;
}

static int32_t tiny_step(const struct tiny_layers *layers, const struct plynnue_delta *delta,
                         const int16_t *before, int16_t *after, unsigned side)
{
    struct row_list rows = {.removed_count = delta->removed_count,
                            .added_count = delta->added_count};
    for (unsigned k = 0; k < delta->removed_count; k++)
        rows.removed[k] = 64U * delta->removed[k].piece + delta->removed[k].square;
    for (unsigned k = 0; k < delta->added_count; k++)
        rows.added[k] = 64U * delta->added[k].piece + delta->added[k].square;
    rows_i8_i16(after, before, layers->rows, layers->width, &rows);
    return tiny_forward(layers, after, side);
}

static void tiny_pack(struct tiny_layers *layers, const int8_t *weights2, const int8_t *weights3)
{
    memcpy(layers->weights2, weights2, (size_t)TINY_OUTPUTS * layers->width);
    for (unsigned o = 0; o < TINY_OUTPUTS; o++)
        layers->weights3[o] = (int16_t)weights3[o];
    layers->run = (struct tiny_functions){tiny_forward, tiny_step};
}

static int64_t crelu_dot(const int16_t *in, const int16_t *weights, size_t count, int16_t max,
                         bool narrow)
{
    int64_t sum = 0;
    (void)narrow;
    for (size_t i = 0; i < count; i++)
        sum += (int64_t)clamp(in[i], max) * weights[i];
    return sum;
}

static int64_t screlu_dot(const int16_t *in, const int16_t *weights, size_t count, int16_t max,
                          bool narrow)
{
    int64_t sum = 0;
    (void)narrow;
    for (size_t i = 0; i < count; i++) {
        int64_t value = clamp(in[i], max);
        sum += value * value * weights[i];
    }
    return sum;
}

static void rows_f32(double *to, const double *from, const float *weights, size_t width,
                     const struct row_list *rows)
{
    for (size_t i = 0; i < width; i++) {
        double sum = from[i];
        for (unsigned k = 0; k < rows->removed_count; k++)
            sum -= (double)weights[rows->removed[k] * width + i];
        for (unsigned k = 0; k < rows->added_count; k++)
            sum += (double)weights[rows->added[k] * width + i];
        to[i] = sum;
    }
}

static void clamp_f64(double *out, const double *in, const float *added, double times, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = float_clamp(in[i] + times * (double)added[i]);
}

static void dense_f32(double *out, const float *bias, const float *weights, const double *in,
                      size_t inputs, size_t outputs)
{
    for (size_t o = 0; o < outputs; o++) {
        double lanes[FLOAT_LANES] = {0};
        for (size_t i = 0; i < inputs; i++)
            lanes[i % FLOAT_LANES] += in[i] * (double)weights[o * inputs + i];
        out[o] = (double)bias[o] + float_lanes_sum(lanes);
    }
}

const struct kernels kernels_scalar = {
    .isa = PLYNNUE_ISA_SCALAR,
    .rows_i8 = rows_i8,
    .rows_i16 = rows_i16,
    .rows_i8_i16 = rows_i8_i16,
    .rows_i32 = rows_i32,
    .sum_i16 = sum_i16,
    .requantise_u8 = requantise_u8,
    .requantise_i16_u8 = requantise_i16_u8,
    .clip_u8 = clip_u8,
    .pair_u8 = pair_u8,
    .shift_clip_u8 = shift_clip_u8,
    .square_clip_u8 = square_clip_u8,
    .dense_size = dense_size,
    .dense_pack = dense_pack,
    .dense_i8 = dense_i8,
    .tiny_pack = tiny_pack,
    .crelu_dot = crelu_dot,
    .screlu_dot = screlu_dot,
    .rows_f32 = rows_f32,
    .clamp_f64 = clamp_f64,
    .dense_f32 = dense_f32,
};
