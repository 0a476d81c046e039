/* SPDX-License-Identifier: MIT */
/*
 * Forward and backward through the net for a chunk of positions: the part of a step that knows the
 * layers. Scratch for as many chunks at a time as there are threads.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_PASS_H
#define PLYMILL_NNUE_TOOLS_TRAIN_PASS_H

#include <stdatomic.h>

#include "nnue/tools/train_step.h"

/* Activations, their derivatives and errors of the positions of a chunk. */
struct train_scratch {
    atomic_flag taken;
    float *floats;                   /* owns the arrays below */
    float *input, *input_gate;       /* [TRAIN_CHUNK][views * width] */
    float *hidden[TRAIN_LAYERS_MAX]; /* [TRAIN_CHUNK][out_width] outputs of each layer */
    float *gate[TRAIN_LAYERS_MAX];   /* the same */
    float *error[TRAIN_LAYERS_MAX];  /* loss by the layer's sums */
};

struct train_pass {
    const struct train_model *model;
    const struct train_kernels *kernels;
    double gain;
    struct activation first, other; /* of the transformer, of the layers */
    struct train_scratch *scratch;
    unsigned scratch_count;
    float *errors;  /* [batch * views][width] loss by the transformer's sums */
    float *shares;  /* [chunks][share_size] gradients of layers and transformer's bias */
    double *losses; /* [batch] */
    size_t share_size;
};

int train_pass_new(struct train_pass *pass, const struct train_model *model,
                   const struct train_kernels *kernels, const struct train_step_options *options,
                   unsigned threads, struct error *err);
void train_pass_free(struct train_pass *pass);
/* Fills losses, and when learning errors and the chunk's share, of the places of a chunk. */
void train_pass_chunk(struct train_pass *pass, const struct train_batch *batch, size_t chunk,
                      bool learn);
static inline const float *train_pass_share(const struct train_pass *pass, size_t chunk)
{
    return pass->shares + chunk * pass->share_size;
}

#endif
