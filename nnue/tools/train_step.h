/* SPDX-License-Identifier: MIT */
/*
 * One batch of training: forward and backward through the net, gradients, Adam.
 *
 * Loss of a position: (sigmoid(out) - sigmoid(cp/400))^2, out and cp from White's view; mean over
 * the batch. Two rounds of parallel work:
 *
 *   1. blocks of positions: activations and errors of every position, kept for the whole batch;
 * and, as one more unit, the list of positions in which each feature is active;
 *   2. groups of parameters: a row's gradient is the sum over the batch's positions in their order,
 *      computed by whoever has the row, followed at once by Adam's step on it.
 *
 * No sum depends on who computes it: the result is the same for any number of threads.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_STEP_H
#define PLYMILL_NNUE_TOOLS_TRAIN_STEP_H

#include "formats/io/error.h"
#include "nnue/tools/samples.h"
#include "nnue/tools/train_kernels.h"
#include "nnue/tools/train_model.h"
#include "nnue/tools/workers.h"

/* The positions that are trained or measured on. */
struct train_data {
    const struct sample *samples; /* [count] */
    const double *targets;        /* [count] sigmoid(cp / 400) */
    size_t count;
};

struct train_step;

/* model and workers outlive it; batch: the most positions of a step. */
int train_step_new(struct train_model *model, struct workers *workers, size_t batch,
                   struct train_step **step, struct error *err);
void train_step_free(struct train_step *step);
/*
 * Positions data[order[0 .. count - 1]], count <= batch. Fills model->gradient; with adam also
 * moves the parameters. Gives the sum of the losses before the move.
 */
double train_step_run(struct train_step *step, const struct train_data *data, const uint32_t *order,
                      size_t count, const struct adam_step *adam);
/* The mean loss over all positions, 0 for none. losses: [data->count] scratch. */
double train_step_loss(struct train_step *step, const struct train_data *data, double *losses);

#endif
