/* SPDX-License-Identifier: MIT */
/*
 * Rescalings of sums to activations, see struct requant.
 */
#include "nnue/core/kernels.h"

enum { NARROW_SHIFT = 24, HALF = 128, TWICE_126_AND_HALF = 253 };

/* The numbers for 16 bits, if they do. */
static void make_narrow(struct requant *r)
{
    uint64_t factor, largest;
    if (r->shift > NARROW_SHIFT)
        return;
    factor = (uint64_t)r->multiplier << (NARROW_SHIFT - r->shift);
    r->top16 = (int16_t)(r->top < INT16_MAX ? r->top : INT16_MAX);
    largest = ((uint64_t)r->top16 * factor >> 16) + HALF;
    r->narrow = factor <= UINT32_MAX && largest <= UINT16_MAX;
    r->high = (uint16_t)(factor >> 16);
    r->low = (uint16_t)factor;
}

struct requant requant_make(int32_t multiplier, unsigned shift)
{
    struct requant r = {.multiplier = multiplier, .shift = shift};
    /* x * multiplier + 2^(shift-1) >= 127 * 2^shift */
    int64_t least = (int64_t)TWICE_126_AND_HALF << (shift - 1);
    int64_t top = (least + multiplier - 1) / multiplier;
    r.top = top < INT32_MAX ? (int32_t)top : INT32_MAX;
    r.word = (int64_t)r.top * multiplier + (INT64_C(1) << (shift - 1)) <= UINT32_MAX;
    make_narrow(&r);
    return r;
}
