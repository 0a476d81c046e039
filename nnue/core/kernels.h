/* SPDX-License-Identifier: MIT */
/*
 * The kernels: the loops that take the time, behind one table per instruction set. The scalar table
 * is the reference; every other one gives the same integers, to the last bit.
 */
#ifndef PLYNNUE_KERNELS_H
#define PLYNNUE_KERNELS_H

#include "nnue/core/plynnue.h"

/* Rows to take out of an accumulator and to put in: what a refresh and an update have in common. */
struct row_list {
    unsigned removed_count, added_count;
    uint16_t removed[PLYNNUE_PIECES_MAX + 1]; /* row numbers */
    uint16_t added[PLYNNUE_PIECES_MAX + 1];
};

struct kernels {
    enum plynnue_isa isa;
    /* to[i] = from[i] - removed rows + added rows; weights row-major [rows][width]. */
    void (*rows_i8)(int32_t *to, const int32_t *from, const int8_t *weights, size_t width,
                    const struct row_list *rows);
    /* out[i] = clamp((in[i] * multiplier + 2^(shift-1)) >> shift, 0, 127); shift 1 .. 30 */
    void (*requantise_u8)(uint8_t *out, const int32_t *in, size_t count, int32_t multiplier,
                          unsigned shift);
    /* out[o] = bias[o] + sum over i of weights[o][i] * in[i]; in 0 .. 127 */
    void (*dense_i8)(int32_t *out, const int8_t *weights, const int32_t *bias, const uint8_t *in,
                     size_t inputs, size_t outputs);
};

extern const struct kernels kernels_scalar;

/* The table for isa, AUTO being the best there is; NULL when CPU or build lack it. */
const struct kernels *kernels_find(enum plynnue_isa isa);

/* (x * multiplier + 2^(shift-1)) >> shift, rounding halves up: floor, never truncation. */
static inline int64_t requantise(int32_t x, int32_t multiplier, unsigned shift)
{
    int64_t product = (int64_t)x * multiplier + (INT64_C(1) << (shift - 1));
    /* A right shift of a negative number is the compiler's choice in C: every one we support
     * floors. */
    return product >> shift;
}

#endif
