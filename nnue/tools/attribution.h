/* SPDX-License-Identifier: MIT */
/*
 * Where the error of a quantised net comes from: the float net with exactly one thing replaced by
 * its rounded form, everything else exact, against the float net, over a list of positions.
 */
#ifndef PLYMILL_NNUE_TOOLS_ATTRIBUTION_H
#define PLYMILL_NNUE_TOOLS_ATTRIBUTION_H

#include "formats/io/error.h"
#include "nnue/core/tinynnue.h"
#include "nnue/tools/samples.h"

#define ATTRIBUTION_ROWS 11

/* Absolute differences in cp. p99: the value at place ceil(0.99 n) of the sorted list. */
struct attribution_row {
    char name[16]; /* "W1", .. "h2", "all, S = 24" */
    double mean, p99, max;
    bool possible; /* false: a multiplier does not fit at this S */
};

struct attribution {
    size_t positions;
    unsigned count; /* W1 W2 W3 b1 b2 b3 h1 h2, all at S = 24 and 16 and, if it is another, shift */
    struct attribution_row rows[ATTRIBUTION_ROWS];
};

/* At least one position. */
int attribution_measure(const struct tinynnue_float *net, unsigned shift,
                        const struct sample *samples, size_t count, struct attribution *out,
                        struct error *err);

#endif
