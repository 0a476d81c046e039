/* SPDX-License-Identifier: MIT */
/*
 * The loops of bench_plain.h, as anybody would write them. The file that includes this one says
 * what its table is called (PLAIN_TABLE) and which flags it was compiled with (PLAIN_TEXT).
 */
#ifndef PLYMILL_PIPELINE_CLI_BENCH_PLAIN_LOOPS_H
#define PLYMILL_PIPELINE_CLI_BENCH_PLAIN_LOOPS_H

#include <string.h>

#include "pipeline/cli/bench_plain.h"

static float clamp01(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static float float_forward(const struct plain_float *net, const float acc[PLAIN_H1])
{
    float a1[PLAIN_H1], sum, out = net->b3;
    for (int i = 0; i < PLAIN_H1; i++)
        a1[i] = clamp01(acc[i]);
    for (int o = 0; o < PLAIN_H2; o++) {
        sum = net->b2[o];
        for (int i = 0; i < PLAIN_H1; i++)
            sum += net->w2[o][i] * a1[i];
        out += net->w3[o] * clamp01(sum);
    }
    return 400 * out;
}

static float float_update(const struct plain_float *net, float acc[PLAIN_H1],
                          const struct plain_rows *rows)
{
    for (unsigned k = 0; k < rows->removed_count; k++)
        for (int i = 0; i < PLAIN_H1; i++)
            acc[i] -= net->w1[rows->removed[k]][i];
    for (unsigned k = 0; k < rows->added_count; k++)
        for (int i = 0; i < PLAIN_H1; i++)
            acc[i] += net->w1[rows->added[k]][i];
    return float_forward(net, acc);
}

static float float_refresh(const struct plain_float *net, float acc[PLAIN_H1],
                           const struct plain_rows *rows)
{
    memcpy(acc, net->b1, sizeof net->b1);
    return float_update(net, acc, rows);
}

static int64_t rescale(int32_t x, int32_t multiplier, uint32_t shift)
{
    return ((int64_t)x * multiplier + (INT64_C(1) << (shift - 1))) >> shift;
}

static int8_t activation(int32_t x, int32_t multiplier, uint32_t shift)
{
    int64_t value = rescale(x, multiplier, shift);
    return (int8_t)(value < 0 ? 0 : value > 127 ? 127 : value);
}

static int32_t int_forward(const struct plain_int *net, const int32_t acc[PLAIN_H1])
{
    int8_t a1[PLAIN_H1], a2[PLAIN_H2];
    int32_t sum;
    for (int i = 0; i < PLAIN_H1; i++)
        a1[i] = activation(acc[i], net->multiplier[0], net->shift);
    for (int o = 0; o < PLAIN_H2; o++) {
        sum = net->b2[o];
        for (int i = 0; i < PLAIN_H1; i++)
            sum += net->w2[o][i] * a1[i];
        a2[o] = activation(sum, net->multiplier[1], net->shift);
    }
    sum = net->b3;
    for (int i = 0; i < PLAIN_H2; i++)
        sum += net->w3[i] * a2[i];
    return (int32_t)rescale(sum, net->multiplier[2], net->shift);
}

static int32_t int_update(const struct plain_int *net, int32_t acc[PLAIN_H1],
                          const struct plain_rows *rows)
{
    for (unsigned k = 0; k < rows->removed_count; k++)
        for (int i = 0; i < PLAIN_H1; i++)
            acc[i] -= net->w1[rows->removed[k]][i];
    for (unsigned k = 0; k < rows->added_count; k++)
        for (int i = 0; i < PLAIN_H1; i++)
            acc[i] += net->w1[rows->added[k]][i];
    return int_forward(net, acc);
}

static int32_t int_refresh(const struct plain_int *net, int32_t acc[PLAIN_H1],
                           const struct plain_rows *rows)
{
    memcpy(acc, net->b1, sizeof net->b1);
    return int_update(net, acc, rows);
}

const struct plain PLAIN_TABLE = {
    .flags = PLAIN_TEXT,
    .float_refresh = float_refresh,
    .float_update = float_update,
    .int_refresh = int_refresh,
    .int_update = int_update,
};

#endif
