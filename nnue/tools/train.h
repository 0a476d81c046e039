/* SPDX-License-Identifier: MIT */
/*
 * Training of nets. The same net for the same positions and options, whatever the number of
 * threads, the instruction set, the machine and where the positions are held.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_H
#define PLYMILL_NNUE_TOOLS_TRAIN_H

#include "formats/io/error.h"
#include "nnue/core/tinynnue.h"
#include "nnue/tools/train_arch.h"
#include "nnue/tools/train_model.h"
#include "nnue/tools/train_set.h"

struct train_options {
    struct train_arch arch;
    uint64_t seed;   /* of initial weights, orders, augmentation and dropout */
    unsigned epochs; /* from 1 */
    size_t batch;    /* positions per step, from 1; the last of an epoch may be smaller */
    double learning_rate;
    double weight_decay; /* of weights, decoupled: a step takes this times its rate off */
    double dropout;      /* share of the transformer's activations, 0 .. 0.9 */
    bool flip, mirror;   /* augmentation, see train_batch.h */
    bool cosine;         /* the rate goes down to nothing, else it is constant */
    double warmup;       /* epochs over which it rises first */
    double average;      /* the net is a moving average of the weights: what a step keeps of it, as
                            0.999; 0 for none */
    double wdl, scale;   /* see train_targets.h */
    bool best;           /* the net of the epoch with the lowest validation loss, not of the last */
    unsigned patience;   /* stop after so many epochs without a lower validation loss; 0: never */
    unsigned threads;    /* 0: one per core; changes nothing but the time */
    enum plynnue_isa isa;   /* the same */
    const char *checkpoint; /* a file to go on from and to write after epochs, or NULL */
    double interval; /* seconds between two writes, at least; the listener's stop writes too */
};

/* What happened in one epoch. */
struct train_epoch {
    unsigned epoch;         /* from 1 */
    double train_loss;      /* mean over the epoch's batches, each before its step, as trained:
                               with augmentation, dropout, and before averaging */
    double validation_loss; /* after the epoch; meaningless without validation positions */
    bool has_validation;
    bool resumed; /* it was done before: told again out of the checkpoint */
};

struct train_listener {
    /* Called after every epoch: a value other than 0 stops with -1 and err as it left it. */
    int (*epoch)(void *context, const struct train_epoch *epoch, struct error *err);
    /* Called when there is a checkpoint that is not used, with the reason. */
    void (*refused)(void *context, const char *path, const char *why);
    void *context;
};

/*
 * At least one training position; validation may be empty. out: free with train_model_free. With
 * options->checkpoint a training of the same options and positions that ended early goes on; the
 * file stays when all is done, for the caller to remove once the net is safe.
 */
int train_net(const struct train_options *options, const struct train_set *train,
              const struct train_set *validation, const struct train_listener *listener,
              struct train_model *out, struct error *err);

/* A 769-H1-H2-1 model without padding; out has the same h1 and h2. */
void train_export_769(const struct train_model *model, struct tinynnue_float *out);

#endif
