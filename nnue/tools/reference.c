/* SPDX-License-Identifier: MIT */
/*
 * The plain computation of 769-H1-H2-1 nets, see reference.h.
 */
#include "nnue/tools/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* floor((x * multiplier) / 2^shift + 1/2) by division, not by shifting. */
static int64_t rescale(int64_t x, int64_t multiplier, unsigned shift)
{
    int64_t unit = INT64_C(1) << shift, value = x * multiplier + unit / 2;
    return value / unit - (value % unit < 0);
}

static int64_t clamp127(int64_t x)
{
    return x < 0 ? 0 : x > 127 ? 127 : x;
}

void reference_acc1(const struct tinynnue_int *net, const uint16_t *features, unsigned count,
                    int32_t *acc1)
{
    for (size_t i = 0; i < net->h1; i++) {
        acc1[i] = net->b1[i];
        for (unsigned k = 0; k < count; k++)
            acc1[i] += net->w1[(size_t)features[k] * net->h1 + i];
    }
}

void reference_int(const struct tinynnue_int *net, const uint16_t *features, unsigned count,
                   struct reference_steps *out)
{
    int32_t acc1[TINYNNUE_H1_MAX];
    int64_t a1[TINYNNUE_H1_MAX], acc3 = net->b3[0];
    memset(out, 0, sizeof *out);
    reference_acc1(net, features, count, acc1);
    for (size_t i = 0; i < net->h1; i++) {
        a1[i] = clamp127(rescale(acc1[i], net->multiplier[0], net->shift));
        out->sum_acc1 += acc1[i];
        out->sum_a1 += a1[i];
    }
    for (size_t o = 0; o < net->h2; o++) {
        int64_t acc2 = net->b2[o], a2;
        for (size_t i = 0; i < net->h1; i++)
            acc2 += net->w2[o * net->h1 + i] * a1[i];
        a2 = clamp127(rescale(acc2, net->multiplier[1], net->shift));
        out->sum_acc2 += acc2;
        out->sum_a2 += a2;
        acc3 += net->w3[o] * a2;
    }
    out->acc3 = (int32_t)acc3;
    out->cp = rescale(acc3, net->multiplier[2], net->shift);
}

static void widen(const float *from, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (double)from[i];
}

int reference_exact_new(const struct tinynnue_float *net, struct reference_exact *out,
                        struct error *err)
{
    size_t h1 = net->h1, h2 = net->h2, first = TINYNNUE_INPUTS * h1;
    memset(out, 0, sizeof *out);
    out->w1 = calloc(first + h1 + h2 * h1 + h2 + h2 + 1, sizeof *out->w1);
    if (!out->w1)
        return error_memory(err);
    out->h1 = net->h1;
    out->h2 = net->h2;
    out->gain[0] = out->gain[1] = out->gain[2] = 1;
    out->b1 = out->w1 + first;
    out->w2 = out->b1 + h1;
    out->b2 = out->w2 + h2 * h1;
    out->w3 = out->b2 + h2;
    out->b3 = out->w3 + h2;
    widen(net->w1, first, out->w1);
    widen(net->b1, h1, out->b1);
    widen(net->w2, h2 * h1, out->w2);
    widen(net->b2, h2, out->b2);
    widen(net->w3, h2, out->w3);
    widen(net->b3, 1, out->b3);
    return 0;
}

void reference_exact_free(struct reference_exact *net)
{
    free(net->w1);
    memset(net, 0, sizeof *net);
}

static double activate(double x, bool rounded)
{
    double h = x < 0 ? 0 : x > 1 ? 1 : x;
    return rounded ? round(TINYNNUE_ONE * h) / TINYNNUE_ONE : h;
}

double reference_exact_cp(const struct reference_exact *net, const uint16_t *features,
                          unsigned count)
{
    double h1[TINYNNUE_H1_MAX], out = net->b3[0];
    memcpy(h1, net->b1, net->h1 * sizeof *h1);
    for (unsigned k = 0; k < count; k++)
        for (size_t i = 0; i < net->h1; i++)
            h1[i] += net->w1[(size_t)features[k] * net->h1 + i];
    for (size_t i = 0; i < net->h1; i++)
        h1[i] = activate(net->gain[0] * h1[i], net->round_h1);
    for (size_t o = 0; o < net->h2; o++) {
        double sum = net->b2[o];
        for (size_t i = 0; i < net->h1; i++)
            sum += net->w2[o * net->h1 + i] * h1[i];
        out += net->w3[o] * activate(net->gain[1] * sum, net->round_h2);
    }
    out *= TINYNNUE_UNIT_CP * net->gain[2];
    return net->round_cp ? floor(out + 0.5) : out;
}
