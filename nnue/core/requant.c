/* SPDX-License-Identifier: MIT */
/*
 * Rescalings of sums to activations, see struct requant.
 */
#include "nnue/core/kernels.h"

enum { NARROW_SHIFT = 24, HALF = 128, TWICE_126_AND_HALF = 253 };
enum { ROUNDED_SHIFT = 15, ROUNDED_HALF = 1 << 14, ROUNDED_UP_MAX = 8 };

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

/* Is (x * 2^up * factor + 2^14) >> 15 right from 0 to top? Beyond it only grows, and top gives 127.
 */
static bool rounds_alike(const struct requant *r, int32_t factor, unsigned up)
{
    for (int32_t x = 0; x <= r->top; x++) {
        int64_t want = requantise(x, r->multiplier, r->shift);
        int32_t got = (int32_t)((uint32_t)x << up) * factor + ROUNDED_HALF;
        if ((want < 127 ? want : 127) != (got >> ROUNDED_SHIFT < 127 ? got >> ROUNDED_SHIFT : 127))
            return false;
    }
    return true;
}

/* One multiplication of 16 bits that does: the factor nearest to the multiplier or one beside it,
 * with as little lost as it can be. */
static void make_rounded(struct requant *r)
{
    unsigned up = 0;
    int64_t unit, nearest;
    while (up < ROUNDED_UP_MAX &&
           (int64_t)r->multiplier >> up >= INT64_C(1) << r->shift) /* factor would leave int16 */
        up++;
    if (r->top > INT16_MAX >> up)
        return;
    unit = INT64_C(1) << (r->shift + up);
    nearest = ((int64_t)r->multiplier << ROUNDED_SHIFT) / unit;
    for (int64_t factor = nearest - 1; factor <= nearest + 2; factor++)
        if (factor > 0 && factor <= INT16_MAX && rounds_alike(r, (int32_t)factor, up)) {
            r->reach = (int16_t)(INT16_MAX >> up);
            r->factor = (int16_t)factor;
            r->up = (uint16_t)up;
            return;
        }
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
    make_rounded(&r);
    return r;
}
