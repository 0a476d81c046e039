/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of training. Widths are multiples of TRAIN_LANES and every element is a lane of
 * its own, so that a compiler may use vectors of any length without changing a bit; the one sum
 * across elements has 16 lanes and a fixed tree. No fused multiply-add.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_KERNELS_H
#define PLYMILL_NNUE_TOOLS_TRAIN_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define TRAIN_LANES 16

/* One step of Adam: what is the same for all parameters. */
struct adam_step {
    float beta1, beta2, epsilon;
    float step;       /* learning rate / (1 - beta1^t) */
    float correction; /* sqrt(1 - beta2^t) */
};

/* to += from */
void train_add(float *to, const float *from, size_t width);
/* to += factor * from */
void train_add_scaled(float *to, const float *from, float factor, size_t width);
/* h = clamp(x, 0, 1); gate = 1 where 0 <= x <= 1, ends included, else 0. */
void train_clamp(const float *x, float *h, float *gate, size_t width);
/* to *= by */
void train_multiply(float *to, const float *by, size_t width);
/* The sum of a * b. */
float train_dot(const float *a, const float *b, size_t width);
/* Moves values along the gradient; first and second are the moments, updated in place. */
void train_adam(float *values, float *first, float *second, const float *gradient, size_t width,
                const struct adam_step *step);

#endif
