/* SPDX-License-Identifier: MIT */
/*
 * One batch of training: forward and backward through the net, gradients, Adam.
 *
 * Loss of a position: (sigmoid(out * gain) - target)^2; mean over the batch. Two rounds of parallel
 * work for a batch:
 *
 *   1. chunks of 64 positions: activations, errors, and the chunk's share of the gradient of the
 *      dense layers; as one more unit, the places where each feature is active; and beside them
 *      the chunks of the next batch are turned into features;
 *   2. groups of parameters: the gradient of a feature's row is the sum over the places where it is
 *      active, that of the layers the sum over the chunks, both in order; Adam's step follows at
 *      once.
 *
 * Between the rounds a thread alone does next to nothing.
 *
 * No sum depends on who computes it: the result is the same for any number of threads.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_STEP_H
#define PLYMILL_NNUE_TOOLS_TRAIN_STEP_H

#include "formats/io/error.h"
#include "nnue/tools/train_batch.h"
#include "nnue/tools/train_kernels.h"
#include "nnue/tools/train_model.h"
#include "nnue/tools/workers.h"

/* What stays the same over a training. */
struct train_step_options {
    size_t batch;   /* most positions of a step */
    double gain;    /* out times this goes into the sigmoid */
    double dropout; /* share of the first activations that is dropped while training, 0 .. 0.9 */
};

/* Adam's step number t. */
struct train_move {
    double learning_rate, weight_decay;
    double power1, power2; /* beta1^t and beta2^t */
    float approach;        /* the share of its way that an average goes to the new values */
};
#define TRAIN_BETA1   0.9
#define TRAIN_BETA2   0.999
#define TRAIN_EPSILON 1e-8

struct train_step;

/* model, workers and kernels outlive it. */
int train_step_new(struct train_model *model, struct workers *workers,
                   const struct train_kernels *kernels, const struct train_step_options *options,
                   struct train_step **step, struct error *err);
void train_step_free(struct train_step *step);
/* From now on steps move an average of the values too: [model->total], or NULL. The caller's. */
void train_step_average(struct train_step *step, float *average);
/* Positions data[order[0 .. count - 1]], count <= batch, are what the next step is about. */
void train_step_prepare(struct train_step *step, const struct train_data *data,
                        const uint32_t *order, size_t count, const struct train_view *view);
/*
 * The step about what was prepared last. next_count > 0: meanwhile the positions at next are
 * prepared. Fills model->gradient; with move also moves the parameters. Gives the sum of the losses
 * before the move.
 */
double train_step_run(struct train_step *step, const struct train_move *move,
                      const struct train_data *data, const uint32_t *next, size_t next_count,
                      const struct train_view *view);
/* The sum of the losses of all positions, without dropout. What was prepared is lost. */
double train_step_losses(struct train_step *step, const struct train_data *data);

#endif
