/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of training, see train_kernels.h.
 */
#include "nnue/tools/train_kernels.h"

#include <math.h>

void train_add(float *restrict to, const float *restrict from, size_t width)
{
    for (size_t i = 0; i < width; i++)
        to[i] += from[i];
}

void train_add_scaled(float *restrict to, const float *restrict from, float factor, size_t width)
{
    for (size_t i = 0; i < width; i++)
        to[i] += factor * from[i];
}

void train_clamp(const float *restrict x, float *restrict h, float *restrict gate, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        float low = x[i] < 0 ? 0 : x[i];
        float clamped = low > 1 ? 1 : low;
        h[i] = clamped;
        gate[i] = clamped == x[i] ? 1 : 0;
    }
}

void train_multiply(float *restrict to, const float *restrict by, size_t width)
{
    for (size_t i = 0; i < width; i++)
        to[i] *= by[i];
}

float train_dot(const float *a, const float *b, size_t width)
{
    float lane[TRAIN_LANES] = {0};
    for (size_t i = 0; i < width; i += TRAIN_LANES)
        for (size_t k = 0; k < TRAIN_LANES; k++)
            lane[k] += a[i + k] * b[i + k];
    for (size_t half = TRAIN_LANES / 2; half; half /= 2)
        for (size_t k = 0; k < half; k++)
            lane[k] += lane[k + half];
    return lane[0];
}

void train_adam(float *restrict values, float *restrict first, float *restrict second,
                const float *restrict gradient, size_t width, const struct adam_step *step)
{
    const float beta1 = step->beta1, rest1 = 1 - beta1, beta2 = step->beta2, rest2 = 1 - beta2;
    const float size = step->step, correction = step->correction, epsilon = step->epsilon;
    for (size_t i = 0; i < width; i++) {
        float g = gradient[i];
        float m = beta1 * first[i] + rest1 * g;
        float v = beta2 * second[i] + rest2 * g * g;
        first[i] = m;
        second[i] = v;
        values[i] -= size * m / (sqrtf(v) / correction + epsilon);
    }
}
