/* SPDX-License-Identifier: MIT */
/*
 * A float net to an integer net: per tensor, symmetric, after training.
 *
 *   s_i = max|W_i| / 127 (1 for a tensor of zeros), Wq = round(W / s)
 *   b1q = round(b1 / s1), b2q = round(b2 * 127 / s2), b3q = round(b3 * 127 / s3)
 *   m1 = max|W1|, m2 = s2, m3 = 400 s3 / 127, M_i = round(m_i * 2^S)
 *
 * round is half away from zero, all arithmetic is in double. m1 is 127 * s1 in exact arithmetic,
 * but not in doubles: the detour lands on the other side of a tie for about 1 net in 470 with
 * max|W1| in [1/4, 1/2).
 */
#ifndef PLYMILL_NNUE_TOOLS_QUANTIZE_H
#define PLYMILL_NNUE_TOOLS_QUANTIZE_H

#include "formats/io/error.h"
#include "nnue/core/tinynnue.h"
#include "nnue/tools/samples.h"

#define QUANTIZE_SHIFT      24 /* S where nothing is said */
#define QUANTIZE_SHIFT_LOW  16
#define QUANTIZE_SHIFT_HIGH 30

struct quantized {
    struct tinynnue_int net;
    double scale[3];  /* s_i */
    double factor[3]; /* m_i, what M_i / 2^S approximates */
};

/* 0, or -1 when a bias, multiplier or sum does not fit its integer. Free with quantized_free. */
int quantize_net(const struct tinynnue_float *net, unsigned shift, struct quantized *out,
                 struct error *err);
void quantized_free(struct quantized *quantized);
/*
 * Reads a net's file back with the library and compares every value with a plain computation of
 * quantized: -1 with the first position that differs.
 */
int quantize_check(const struct quantized *quantized, const void *file, size_t size,
                   const struct samples *samples, struct error *err);
/* M / 2^S against m: |M / 2^S - m| / m. */
double quantize_relative_error(double factor, int32_t multiplier, unsigned shift);
/* M_i for another S, or 0 when it leaves 1 .. 2^31 - 1. */
int32_t quantize_multiplier(double factor, unsigned shift);

#endif
