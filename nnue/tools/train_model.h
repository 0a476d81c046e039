/* SPDX-License-Identifier: MIT */
/*
 * The parameters of a 769-H1-H2-1 net while it is trained: one flat array of floats whose rows are
 * padded with zeros to whole lanes, and arrays of the same layout for gradient and moments.
 *
 *   W1 [769][width1]  b1 [width1]  W2 [width2][width1]  b2 [width2]  W3 [width2]  b3 [16]
 *
 * Padding stays zero: nothing ever flows into it. A second copy of W2, transposed, makes the
 * forward pass a sum of rows too, without sums across lanes.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_MODEL_H
#define PLYMILL_NNUE_TOOLS_TRAIN_MODEL_H

#include "formats/io/error.h"
#include "nnue/core/tinynnue.h"

struct train_model {
    uint32_t h1, h2;                           /* units */
    size_t width1, width2;                     /* padded */
    size_t b1, w2, b2, w3, b3, total;          /* where the parts start (W1 at 0); floats in all */
    float *values, *gradient, *first, *second; /* [total] each */
    float *transposed;                         /* [width1][width2] of W2 */
};

/* All zero. Free with train_model_free in every case. */
int train_model_new(struct train_model *model, uint32_t h1, uint32_t h2, struct error *err);
void train_model_free(struct train_model *model);
/*
 * Initial weights from a seed: uniform within +-1/sqrt(32) for W1 (as many features as pieces are
 * active), +-1/sqrt(inputs) for W2 and W3; biases 0. One draw a weight, row by row.
 */
void train_model_initialise(struct train_model *model, uint64_t seed);
/* Columns of the transposed copy for one row of W2. */
void train_model_transpose_row(struct train_model *model, size_t row);
/* The net without padding; out has the same h1 and h2. */
void train_model_export(const struct train_model *model, struct tinynnue_float *out);

#endif
