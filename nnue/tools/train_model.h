/* SPDX-License-Identifier: MIT */
/*
 * The parameters of a net while it is trained: one flat array of floats whose rows are padded with
 * zeros to whole lanes, and arrays of the same layout for gradient and moments.
 *
 *   feature rows [inputs][width]   bias [width]   heads [heads][head_size]
 *   a head: for every layer its weights [outputs][in_width], then its bias [out_width]
 *
 * Padding stays zero: nothing ever flows into it. A second copy of the weights of layers with more
 * than one output, transposed ([in_width][out_width]), gives the forward pass vectors of outputs.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_MODEL_H
#define PLYMILL_NNUE_TOOLS_TRAIN_MODEL_H

#include <stddef.h>

#include "formats/io/error.h"
#include "nnue/tools/train_arch.h"

struct train_layer {
    uint32_t inputs, outputs;   /* inputs: of all views together */
    size_t in_width, out_width; /* padded */
    size_t weights, bias;       /* within a head */
    size_t transposed;          /* within a head's transposed copies */
};

struct train_model {
    struct train_arch arch;
    size_t width; /* of a feature row */
    struct train_layer layers[TRAIN_LAYERS_MAX];
    size_t bias, heads, head_size, total;      /* where parts start, in floats; floats in all */
    size_t transposed_size;                    /* of one head */
    float *values, *gradient, *first, *second; /* [total] each */
    float *transposed;                         /* [heads][transposed_size] */
};

/* All zero. Free with train_model_free in every case. */
int train_model_new(struct train_model *model, const struct train_arch *arch, struct error *err);
void train_model_free(struct train_model *model);
/*
 * Initial weights from a seed: uniform within +-1/sqrt(32) for the features (as many as pieces are
 * active), +-1/sqrt(inputs) for the layers; biases 0. One draw a weight, row by row; all heads
 * start alike. With shared rows of pieces on squares these are drawn and the features' own are 0:
 * a feature that is rarely seen then says what the piece says elsewhere, not noise.
 */
void train_model_initialise(struct train_model *model, uint64_t seed);
/* Makes the transposed copies of a head fit its weights. */
void train_model_transpose(struct train_model *model, size_t head);
/* The same for count weights of a layer from number `first` on. */
void train_model_transpose_part(struct train_model *model, size_t head,
                                const struct train_layer *layer, size_t first, size_t count);
/* Where a layer's weights and bias begin in values. */
size_t train_model_weights(const struct train_model *model, unsigned head, unsigned layer);
size_t train_model_bias(const struct train_model *model, unsigned head, unsigned layer);
/* width rounded up to whole lanes. */
size_t train_model_pad(size_t width);
/* count floats at a multiple of 64 bytes, all zero; free() them. */
float *train_floats_new(size_t count);

#endif
