/* SPDX-License-Identifier: MIT */
/*
 * Where the error of a quantised net comes from: the float net with exactly one thing replaced by
 * its rounded form, everything else exact, against the float net, over a list of positions; and
 * what each costs in score, where the positions have labels.
 */
#ifndef PLYMILL_NNUE_TOOLS_ATTRIBUTION_H
#define PLYMILL_NNUE_TOOLS_ATTRIBUTION_H

#include "formats/io/error.h"
#include "nnue/core/tinynnue.h"
#include "nnue/tools/quantize_wide.h"
#include "nnue/tools/samples.h"

#define ATTRIBUTION_ROWS      20
#define ATTRIBUTION_NAME_SIZE 24

/* Absolute differences in cp. p99: the value at place ceil(0.99 n) of the sorted list. */
struct attribution_row {
    char name[ATTRIBUTION_NAME_SIZE];
    double mean, p99, max;
    double cost;   /* WDL-MSE by that of the float net, less 1 */
    bool possible; /* false: a multiplier does not fit at this S */
};

struct attribution {
    size_t positions;
    bool has_cost;  /* the positions have labels, and the float net errs on them */
    double wdl_mse; /* of the float net: mean of (sigmoid(cp/400) - sigmoid(label/400))^2 */
    unsigned count;
    struct attribution_row rows[ATTRIBUTION_ROWS];
};

/*
 * 769-H1-H2-1. Rows: W1 W2 W3 b1 b2 b3; h1 h2, activations as multiples of 1/127; cp, the value as
 * a whole number; M1 M2 M3 at S = 24 and 16, multipliers rounded to M / 2^S; all, the integer net
 * at S = 24 and 16 and, if it is another, shift. At least one position.
 */
int attribution_measure(const struct tinynnue_float *net, unsigned shift,
                        const struct sample *samples, size_t count, bool labeled,
                        struct attribution *out, struct error *err);
/*
 * Nets with two sides: a row for each tensor, then "all", the integer net. integers: its bytes,
 * arch what its side file says ("" for none). Values are those of the library.
 */
int attribution_measure_wide(const struct quantize_wide *net, const struct buffer *integers,
                             const char *arch, const struct samples *samples, bool labeled,
                             struct attribution *out, struct error *err);

#endif
