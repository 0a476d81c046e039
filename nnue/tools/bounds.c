/* SPDX-License-Identifier: MIT */
/*
 * Overflow bounds, see bounds.h.
 */
#include "nnue/tools/bounds.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_ROWS = FEATURE769_WHITE_MOVE, SQUARES = 64, PLANES = 12, BEST = 32 };

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Weights are bytes, so that counting sorts them. The sum of the largest BEST of count values >= 0.
 */
static int64_t sum_of_best(const int *values, size_t count)
{
    int times[129] = {0}, left = BEST;
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        times[values[i]]++;
    for (int value = 128; value > 0 && left > 0; value--) {
        int taken = times[value] < left ? times[value] : left;
        sum += (int64_t)taken * value;
        left -= taken;
    }
    return sum;
}

static int64_t exact_unit(const struct tinynnue_int *net, size_t unit)
{
    int sizes[PIECE_ROWS];
    for (size_t row = 0; row < PIECE_ROWS; row++)
        sizes[row] = abs(net->w1[row * net->h1 + unit]);
    return magnitude(net->b1[unit]) + sum_of_best(sizes, PIECE_ROWS) +
           abs(net->w1[(size_t)FEATURE769_WHITE_MOVE * net->h1 + unit]);
}

/* The largest value of sign * acc1: a square holds one piece. */
static int64_t tight_unit(const struct tinynnue_int *net, size_t unit, int sign)
{
    int turn = sign * net->w1[(size_t)FEATURE769_WHITE_MOVE * net->h1 + unit];
    int best[SQUARES];
    for (size_t square = 0; square < SQUARES; square++) {
        best[square] = 0;
        for (size_t plane = 0; plane < PLANES; plane++) {
            int value = sign * net->w1[(plane * SQUARES + square) * net->h1 + unit];
            if (value > best[square])
                best[square] = value;
        }
    }
    return sign * (int64_t)net->b1[unit] + sum_of_best(best, SQUARES) + (turn > 0 ? turn : 0);
}

static void first_layer(const struct tinynnue_int *net, struct bounds *out)
{
    int64_t bias = 0;
    for (size_t unit = 0; unit < net->h1; unit++) {
        out->acc1_exact = larger(out->acc1_exact, exact_unit(net, unit));
        out->acc1_tight = larger(out->acc1_tight, tight_unit(net, unit, 1));
        out->acc1_tight = larger(out->acc1_tight, tight_unit(net, unit, -1));
        bias = larger(bias, magnitude(net->b1[unit]));
    }
    out->acc1_loose = bias + (int64_t)FEATURE769_ACTIVE_MAX * TINYNNUE_ONE;
}

/* The least and the most of bias + sum of weights * 0 .. 127. */
static void dense_range(const int8_t *weights, size_t count, int32_t bias, int64_t *low,
                        int64_t *high)
{
    *low = *high = bias;
    for (size_t i = 0; i < count; i++)
        *(weights[i] < 0 ? low : high) += TINYNNUE_ONE * (int64_t)weights[i];
}

static void dense_layers(const struct tinynnue_int *net, struct bounds *out)
{
    int64_t bias = 0, low, high;
    for (size_t o = 0; o < net->h2; o++) {
        dense_range(net->w2 + o * net->h1, net->h1, net->b2[o], &low, &high);
        out->acc2_exact = larger(out->acc2_exact, larger(magnitude(low), magnitude(high)));
        bias = larger(bias, magnitude(net->b2[o]));
    }
    out->acc2_loose = (int64_t)net->h1 * TINYNNUE_ONE * TINYNNUE_ONE + bias;
    dense_range(net->w3, net->h2, net->b3[0], &out->acc3_low, &out->acc3_high);
    out->acc3_loose = (int64_t)net->h2 * TINYNNUE_ONE * TINYNNUE_ONE + magnitude(net->b3[0]);
}

void bounds_compute(const struct tinynnue_int *net, struct bounds *out)
{
    memset(out, 0, sizeof *out);
    first_layer(net, out);
    dense_layers(net, out);
    out->int16_safe = out->acc1_exact <= INT16_MAX;
    out->int32_safe = out->acc1_exact <= INT32_MAX && out->acc2_exact <= INT32_MAX &&
                      out->acc3_low >= INT32_MIN && out->acc3_high <= INT32_MAX;
}
