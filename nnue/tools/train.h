/* SPDX-License-Identifier: MIT */
/*
 * Training of 769-H1-H2-1 nets. The same net for the same samples and options, whatever the number
 * of threads and the machine.
 *
 * Preset "tinynnue": Adam (0.9, 0.999, 1e-8) at a constant rate, a new order every epoch, the last
 * short batch used too, no regularisation, the net as it is after the last epoch.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_H
#define PLYMILL_NNUE_TOOLS_TRAIN_H

#include "formats/io/error.h"
#include "nnue/core/tinynnue.h"
#include "nnue/tools/samples.h"

struct train_options {
    uint32_t h1, h2;
    uint64_t seed;   /* of the initial weights and of the orders */
    unsigned epochs; /* from 1 */
    size_t batch;    /* positions per step, from 1 */
    double learning_rate;
    unsigned threads; /* 0: one per core; changes nothing but the time */
};

/* What happened in one epoch. */
struct train_epoch {
    unsigned epoch;         /* from 1 */
    double train_loss;      /* mean over the epoch's batches, each before its step */
    double validation_loss; /* after the epoch; meaningless without validation samples */
    bool has_validation;
};

/* Called after every epoch: a value other than 0 stops with -1 and err as it left it. */
struct train_listener {
    int (*epoch)(void *context, const struct train_epoch *epoch, struct error *err);
    void *context;
};

/* At least one training sample; validation may be empty. out: free with tinynnue_float_free. */
int train_net(const struct train_options *options, const struct samples *train,
              const struct samples *validation, const struct train_listener *listener,
              struct tinynnue_float *out, struct error *err);

/* sigmoid(cp / 400) of each; the caller frees it. NULL when memory is short. */
double *train_targets(const struct samples *samples);

#endif
