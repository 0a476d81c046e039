/* SPDX-License-Identifier: MIT */
/*
 * Training, see train.h: epochs over batches.
 */
#include "nnue/tools/train.h"

#include <math.h>
#include <stdlib.h>

#include "nnue/tools/fmath.h"
#include "nnue/tools/rng.h"
#include "nnue/tools/train_step.h"

enum { RNG_ORDER = 2 }; /* epoch e uses RNG_ORDER + e; the weights have 1 */

static const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

struct trainer {
    const struct train_options *options;
    struct train_data train, validation;
    struct train_model model;
    struct workers *workers;
    struct train_step *step;
    uint32_t *order; /* [train.count] */
    double *losses;  /* [validation.count] */
    double *train_targets, *validation_targets;
    double power1, power2; /* beta1 and beta2 to the number of steps */
};

double *train_targets(const struct samples *samples)
{
    double *targets = calloc(samples->count + 1, sizeof *targets);
    for (size_t i = 0; targets && i < samples->count; i++)
        targets[i] = fmath_win_share(samples->items[i].cp);
    return targets;
}

static void trainer_free(struct trainer *t)
{
    train_step_free(t->step);
    workers_free(t->workers);
    train_model_free(&t->model);
    free(t->order);
    free(t->losses);
    free(t->train_targets);
    free(t->validation_targets);
}

static int trainer_new(struct trainer *t, const struct train_options *options,
                       const struct samples *train, const struct samples *validation,
                       struct error *err)
{
    size_t batch = options->batch < train->count ? options->batch : train->count;
    *t = (struct trainer){.options = options, .power1 = 1, .power2 = 1};
    t->train_targets = train_targets(train);
    t->validation_targets = train_targets(validation);
    t->order = calloc(train->count, sizeof *t->order);
    t->losses = calloc(validation->count + 1, sizeof *t->losses);
    if (!t->train_targets || !t->validation_targets || !t->order || !t->losses)
        return error_memory(err);
    t->train = (struct train_data){train->items, t->train_targets, train->count};
    t->validation =
        (struct train_data){validation->items, t->validation_targets, validation->count};
    if (train_model_new(&t->model, options->h1, options->h2, err) ||
        workers_new(options->threads, &t->workers, err) ||
        train_step_new(&t->model, t->workers, batch, &t->step, err))
        return -1;
    train_model_initialise(&t->model, options->seed);
    return 0;
}

/* A fresh order that depends on seed and epoch alone. */
static void shuffle(struct trainer *t, unsigned epoch)
{
    struct rng rng = rng_derive(t->options->seed, RNG_ORDER + epoch);
    for (size_t i = 0; i < t->train.count; i++) {
        uint32_t j = rng_below(&rng, (uint32_t)i + 1);
        t->order[i] = t->order[j];
        t->order[j] = (uint32_t)i;
    }
}

static struct adam_step next_step(struct trainer *t)
{
    t->power1 *= beta1;
    t->power2 *= beta2;
    return (struct adam_step){.beta1 = (float)beta1,
                              .beta2 = (float)beta2,
                              .epsilon = (float)epsilon,
                              .step = (float)(t->options->learning_rate / (1 - t->power1)),
                              .correction = (float)sqrt(1 - t->power2)};
}

static struct train_epoch run_epoch(struct trainer *t, unsigned epoch)
{
    struct train_epoch result = {.epoch = epoch, .has_validation = t->validation.count > 0};
    size_t batch = t->options->batch;
    double sum = 0;
    shuffle(t, epoch);
    for (size_t at = 0; at < t->train.count; at += batch) {
        size_t left = t->train.count - at;
        struct adam_step adam = next_step(t);
        sum +=
            train_step_run(t->step, &t->train, t->order + at, left < batch ? left : batch, &adam);
    }
    result.train_loss = sum / (double)t->train.count;
    result.validation_loss = train_step_loss(t->step, &t->validation, t->losses);
    return result;
}

static int run_epochs(struct trainer *t, const struct train_listener *listener, struct error *err)
{
    for (unsigned epoch = 1; epoch <= t->options->epochs; epoch++) {
        struct train_epoch result = run_epoch(t, epoch);
        if (listener && listener->epoch(listener->context, &result, err))
            return -1;
    }
    return 0;
}

int train_net(const struct train_options *options, const struct samples *train,
              const struct samples *validation, const struct train_listener *listener,
              struct tinynnue_float *out, struct error *err)
{
    struct trainer trainer;
    int result = -1;
    if (!train->count || train->count > UINT32_MAX)
        return error_set(err, ERROR_FAILED, "%zu training positions: nothing to train on",
                         train->count);
    if (trainer_new(&trainer, options, train, validation, err) ||
        run_epochs(&trainer, listener, err))
        goto out;
    if (tinynnue_float_new(out, options->h1, options->h2)) {
        error_memory(err);
        goto out;
    }
    train_model_export(&trainer.model, out);
    result = 0;
out:
    trainer_free(&trainer);
    return result;
}
