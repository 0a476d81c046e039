/* SPDX-License-Identifier: MIT */
/*
 * How large the sums of an integer 769-H1-H2-1 net can become, over any input that its features
 * allow: whether they can overflow is a matter of proof, not of luck.
 */
#ifndef PLYMILL_NNUE_TOOLS_BOUNDS_H
#define PLYMILL_NNUE_TOOLS_BOUNDS_H

#include "nnue/core/tinynnue.h"

struct bounds {
    /*
     * |acc1|, the largest over the units. exact: |bias| + the 32 largest |weights| of the piece
     * rows + |the bit's weight|. tight: per square the best of its 12 planes, then the best 32
     * squares, both signs apart. loose: 33 * 127 + the largest |bias|.
     */
    int64_t acc1_exact, acc1_tight, acc1_loose;
    int64_t acc2_exact, acc2_loose;          /* |acc2|: inputs 0 .. 127 */
    int64_t acc3_low, acc3_high, acc3_loose; /* acc3, and |acc3| */
    bool int16_safe; /* acc1_exact <= 32767: an int16 accumulator is enough */
    bool int32_safe; /* all sums fit */
};

void bounds_compute(const struct tinynnue_int *net, struct bounds *out);

#endif
