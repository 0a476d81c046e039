/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of training, one source (train_kernels_body.h) compiled for several instruction
 * sets and chosen at run time. Every level gives the same bits: an element of a result is a lane of
 * its own whose terms are added in a fixed order, the one sum across lanes has 16 of them and a
 * fixed tree, and there is no fused multiply-add.
 *
 * All arrays of floats start at a multiple of 64 bytes and all widths and strides are multiples of
 * TRAIN_LANES, unless said otherwise. Nothing overlaps.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_KERNELS_H
#define PLYMILL_NNUE_TOOLS_TRAIN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnue/core/plynnue.h"

#define TRAIN_LANES 16

/* One step of Adam with decoupled weight decay: what is the same for all parameters of a tensor. */
struct adam_step {
    float beta1, beta2;
    float epsilon; /* epsilon * sqrt(1 - beta2^t) */
    float step;    /* learning rate * sqrt(1 - beta2^t) / (1 - beta1^t) */
    float keep;    /* 1 - learning rate * weight decay; 1 for none */
    float limit;   /* values stay within +-limit; INFINITY for none */
};

/* What becomes of a unit's sum. */
struct activation {
    bool squared;       /* clamp(x, 0, 1)^2 instead of clamp(x, 0, 1) */
    bool dropout;       /* then unit i is dropped where draw(key, i) < threshold, else grows by */
    uint32_t threshold; /* the factor grow */
    float grow;
};

/*
 * to[r][c] = start[r][c] + sum over k of a[r * a_row + k * a_step] * b[k][c], k ascending.
 * start NULL: zeros; start_stride 0: one row for all. a's strides are any.
 */
struct matrix_product {
    float *to;
    const float *start, *a, *b;
    size_t to_stride, start_stride, a_row, a_step, b_stride;
    size_t rows, columns, depth;
};

struct train_kernels {
    const char *name; /* "baseline", "avx2", "avx512" */
    /* to = start + the rows `indices` of `rows`, in their order */
    void (*sum_rows)(float *to, const float *start, const float *rows, size_t width,
                     const uint16_t *indices, size_t count);
    /* to = the sum of the rows `indices` of `rows`, in their order */
    void (*gather)(float *to, const float *rows, size_t width, const uint32_t *indices,
                   size_t count);
    void (*multiply_matrix)(const struct matrix_product *product);
    /* x becomes its activation, gate the derivative of it (1 at both ends of the clamp). */
    void (*activate)(float *x, float *gate, size_t width, const struct activation *activation,
                     uint32_t key);
    /* to += from */
    void (*add)(float *to, const float *from, size_t width);
    /* to *= by */
    void (*multiply)(float *to, const float *by, size_t width);
    /* to += rate * (from - to) */
    void (*approach)(float *to, const float *from, float rate, size_t width);
    /* The sum of a * b. */
    float (*dot)(const float *a, const float *b, size_t width);
    /* Moves values along the gradient; first and second are the moments, updated in place. */
    void (*adam)(float *values, float *first, float *second, const float *gradient, size_t width,
                 const struct adam_step *step);
};

/* For this CPU; AUTO: the best. Levels of the library without kernels of their own: the next
 * below. NULL when the CPU does not have it. */
const struct train_kernels *train_kernels_find(enum plynnue_isa isa);

extern const struct train_kernels train_kernels_base;
#if defined(__x86_64__)
extern const struct train_kernels train_kernels_avx2, train_kernels_avx512;
#endif

#endif
