/* SPDX-License-Identifier: MIT */
/*
 * Counting material, see material.h.
 */
#include "nnue/tools/material.h"

#include <string.h>

#include "nnue/tools/fmath.h"

enum { STEPS_MAX = 100, TEMPO = 5, TYPES = 5 };

const double material_standard[MATERIAL_TERMS] = {100, 300, 300, 500, 900, 0};

/* What the weights are multiplied with. */
static void material_terms(const struct sample *sample, double terms[MATERIAL_TERMS])
{
    memset(terms, 0, MATERIAL_TERMS * sizeof *terms);
    for (unsigned k = 0; k < sample->count; k++) {
        unsigned piece = sample->features[k] / 64;
        if (piece < TYPES)
            terms[piece] += 1;
        else if (piece >= 6 && piece < 6 + TYPES)
            terms[piece - 6] -= 1;
    }
    terms[TEMPO] = sample_white_moves(sample) ? 1 : -1;
}

double material_cp(const struct sample *sample, const double weights[MATERIAL_TERMS])
{
    double terms[MATERIAL_TERMS], cp = 0;
    material_terms(sample, terms);
    for (unsigned i = 0; i < MATERIAL_TERMS; i++)
        cp += weights[i] * terms[i];
    return cp;
}

/* The sum of squares that is to become least, and what Gauss-Newton needs of it. */
struct normal_equations {
    double loss;
    double slope[MATERIAL_TERMS];                 /* J^T r */
    double curve[MATERIAL_TERMS][MATERIAL_TERMS]; /* J^T J */
};

static void measure(const struct samples *samples, double scale,
                    const double weights[MATERIAL_TERMS], struct normal_equations *out)
{
    double to_400 = 400 / scale; /* fmath_win_share's scale */
    memset(out, 0, sizeof *out);
    for (size_t n = 0; n < samples->count; n++) {
        const struct sample *sample = &samples->items[n];
        double terms[MATERIAL_TERMS];
        double share = fmath_win_share(material_cp(sample, weights) * to_400);
        double error = share - fmath_win_share(sample->cp * to_400);
        double rate = share * (1 - share) / scale;
        material_terms(sample, terms);
        out->loss += error * error;
        for (unsigned i = 0; i < MATERIAL_TERMS; i++) {
            out->slope[i] += rate * terms[i] * error;
            for (unsigned j = 0; j < MATERIAL_TERMS; j++)
                out->curve[i][j] += rate * terms[i] * rate * terms[j];
        }
    }
}

/* Solves a x = b by elimination without pivoting: a is positive definite. Destroys both; b becomes
 * x. */
static void solve(double a[MATERIAL_TERMS][MATERIAL_TERMS], double b[MATERIAL_TERMS])
{
    for (unsigned k = 0; k < MATERIAL_TERMS; k++)
        for (unsigned i = k + 1; i < MATERIAL_TERMS; i++) {
            double factor = a[i][k] / a[k][k];
            for (unsigned j = k; j < MATERIAL_TERMS; j++)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (unsigned i = MATERIAL_TERMS; i-- > 0;) {
        for (unsigned j = i + 1; j < MATERIAL_TERMS; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

/* Weights a damped step away. The small constant keeps terms that never occur where they are. */
static void propose(const struct normal_equations *at, double damping,
                    const double weights[MATERIAL_TERMS], double next[MATERIAL_TERMS])
{
    double curve[MATERIAL_TERMS][MATERIAL_TERMS], step[MATERIAL_TERMS];
    memcpy(curve, at->curve, sizeof curve);
    memcpy(step, at->slope, sizeof step);
    for (unsigned i = 0; i < MATERIAL_TERMS; i++)
        curve[i][i] += damping * curve[i][i] + 1e-12;
    solve(curve, step);
    for (unsigned i = 0; i < MATERIAL_TERMS; i++)
        next[i] = weights[i] - step[i];
}

void material_fit(const struct samples *samples, double scale, double weights[MATERIAL_TERMS])
{
    struct normal_equations at, after;
    double next[MATERIAL_TERMS], damping = 1e-3;
    memcpy(weights, material_standard, sizeof material_standard);
    measure(samples, scale, weights, &at);
    for (unsigned i = 0; i < STEPS_MAX && damping < 1e12; i++) {
        double gain;
        propose(&at, damping, weights, next);
        measure(samples, scale, next, &after);
        gain = at.loss - after.loss;
        if (!(gain > 0)) {
            damping *= 10;
            continue;
        }
        memcpy(weights, next, sizeof next);
        at = after;
        damping /= 10;
        if (gain < 1e-14 * at.loss)
            break;
    }
}
