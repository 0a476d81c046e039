/* SPDX-License-Identifier: MIT */
/*
 * Training, see train.h: epochs over batches.
 */
#include "nnue/tools/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nnue/tools/rng.h"
#include "nnue/tools/train_checkpoint.h"
#include "nnue/tools/train_features.h"
#include "nnue/tools/train_identity.h"
#include "nnue/tools/train_schedule.h"
#include "nnue/tools/train_step.h"
#include "nnue/tools/train_window.h"

/* Epoch e uses RNG_ORDER + e and RNG_VIEW + e; the weights have 1. */
static const uint64_t rng_order = 2, rng_view = UINT64_C(1) << 32;

struct trainer {
    const struct train_options *options;
    const struct train_set *train, *validation;
    struct train_model model;
    struct workers *workers;
    struct train_step *step;
    struct train_window *window;
    struct train_schedule schedule;
    uint64_t steps;              /* done */
    double power1, power2;       /* beta1 and beta2 to the number of steps */
    float *average;              /* [model.total] of the weights, with options->average */
    float *best;                 /* [model.total] the net of the best epoch */
    unsigned best_epoch;         /* 0: none yet */
    unsigned epoch;              /* done */
    struct train_losses *losses; /* [options->epochs] */
    uint8_t identity[DIGEST_SIZE];
    double written; /* when the checkpoint was, by a clock */
};

static void trainer_free(struct trainer *t)
{
    train_window_free(t->window);
    train_step_free(t->step);
    workers_free(t->workers);
    train_model_free(&t->model);
    free(t->average);
    free(t->best);
    free(t->losses);
}

static struct train_schedule schedule_of(const struct train_options *options, uint64_t positions)
{
    uint64_t batches = (positions + options->batch - 1) / options->batch;
    struct train_schedule schedule = {.learning_rate = options->learning_rate,
                                      .steps = batches * options->epochs,
                                      .cosine = options->cosine};
    schedule.warmup = (uint64_t)(options->warmup * (double)batches);
    if (schedule.warmup > schedule.steps / 2)
        schedule.warmup = schedule.steps / 2;
    return schedule;
}

static bool has_validation(const struct trainer *t)
{
    return train_set_count(t->validation) > 0;
}

static int new_arrays(struct trainer *t, struct error *err)
{
    const struct train_options *options = t->options;
    const bool best = options->best && has_validation(t);
    t->losses = calloc(options->epochs, sizeof *t->losses);
    if (options->average > 0)
        t->average = train_floats_new(t->model.total);
    if (best)
        t->best = train_floats_new(t->model.total);
    if (t->losses && (t->average || options->average <= 0) && (t->best || !best))
        return 0;
    return error_memory(err);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int trainer_new(struct trainer *t, const struct train_options *options,
                       const struct train_set *train, const struct train_set *validation,
                       struct error *err)
{
    const uint64_t count = train_set_count(train);
    const struct train_kernels *kernels = train_kernels_find(options->isa);
    struct train_step_options step = {.batch = options->batch,
                                      .gain = options->arch.unit_cp / options->scale,
                                      .dropout = options->dropout};
    *t = (struct trainer){
        .options = options, .train = train, .validation = validation, .power1 = 1, .power2 = 1};
    if (!kernels)
        return error_set(err, ERROR_FAILED, "this CPU does not have that instruction set");
    if (step.batch > count)
        step.batch = (size_t)count;
    if (train_model_new(&t->model, &options->arch, err) || new_arrays(t, err) ||
        workers_new(options->threads, &t->workers, err) ||
        train_step_new(&t->model, t->workers, kernels, &step, &t->step, err) ||
        train_window_new(larger(count, train_set_count(validation)), TRAIN_WINDOW, step.batch,
                         t->workers, &t->window, err))
        return -1;
    t->schedule = schedule_of(options, count);
    train_model_initialise(&t->model, options->seed);
    train_step_average(t->step, t->average);
    return options->checkpoint ? train_identity(options, train, validation, t->identity, err) : 0;
}

static struct train_move next_move(struct trainer *t)
{
    const double kept = t->options->average,
                 warm = (double)(1 + t->steps) / (double)(10 + t->steps);
    t->power1 *= TRAIN_BETA1;
    t->power2 *= TRAIN_BETA2;
    return (struct train_move){.learning_rate = train_schedule_rate(&t->schedule, t->steps++),
                               .weight_decay = t->options->weight_decay,
                               .power1 = t->power1,
                               .power2 = t->power2,
                               .approach = (float)(1 - (kept < warm ? kept : warm))};
}

static struct train_data data_of(const struct trainer *t)
{
    return (struct train_data){.target = {t->options->scale, t->options->wdl}};
}

/* The batches of one window. */
static double run_batches(struct trainer *t, const struct train_data *data,
                          const struct train_view *view)
{
    const uint32_t *order = train_window_order(t->window);
    size_t batch = t->options->batch, count = data->count;
    double sum = 0;
    train_step_prepare(t->step, data, order, count < batch ? count : batch, view);
    for (size_t at = 0; at < count; at += batch) {
        struct train_move move = next_move(t);
        size_t left = count - at, taken = left < batch ? left : batch, after = left - taken;
        sum += train_step_run(t->step, &move, data, order + at + taken,
                              after < batch ? after : batch, view);
    }
    return sum;
}

static int run_windows(struct trainer *t, unsigned epoch, double *loss, struct error *err)
{
    const struct rng key = rng_derive(t->options->seed, rng_view + epoch);
    const struct rng order = rng_derive(t->options->seed, rng_order + epoch);
    const struct train_view view = {t->options->flip, t->options->mirror, key.state};
    struct train_data data = data_of(t);
    double sum = 0;
    int more;
    train_window_begin(t->window, t->train, &order);
    while ((more = train_window_next(t->window, &data, err)) > 0)
        sum += run_batches(t, &data, &view);
    *loss = sum / (double)train_set_count(t->train);
    return more;
}

static void exchange(float **a, float **b)
{
    float *kept = *a;
    *a = *b;
    *b = kept;
}

static void transpose_all(struct train_model *model)
{
    for (unsigned head = 0; head < model->arch.heads; head++)
        train_model_transpose(model, head);
}

/* With averaging the average is the net: measured, kept and given out in place of the weights. */
static void exchange_average(struct trainer *t)
{
    if (!t->average)
        return;
    exchange(&t->model.values, &t->average);
    transpose_all(&t->model);
}

static bool is_best(const struct trainer *t, double validation)
{
    return has_validation(t) &&
           (!t->best_epoch || validation < t->losses[t->best_epoch - 1].validation);
}

/* The mean loss on the validation positions; 0 without any. */
static int validate(struct trainer *t, double *loss, struct error *err)
{
    struct train_data data = data_of(t);
    double sum = 0;
    int more;
    train_window_begin(t->window, t->validation, NULL);
    while ((more = train_window_next(t->window, &data, err)) > 0)
        sum += train_step_losses(t->step, &data);
    *loss = has_validation(t) ? sum / (double)train_set_count(t->validation) : 0;
    return more;
}

static int measure(struct trainer *t, unsigned epoch, double *loss, struct error *err)
{
    exchange_average(t);
    if (validate(t, loss, err))
        return -1;
    if (is_best(t, *loss)) {
        t->best_epoch = epoch;
        if (t->best)
            memcpy(t->best, t->model.values, t->model.total * sizeof *t->best);
    }
    exchange_average(t);
    return 0;
}

static int run_epoch(struct trainer *t, struct error *err)
{
    unsigned epoch = t->epoch + 1;
    struct train_losses *losses = &t->losses[t->epoch];
    if (run_windows(t, epoch, &losses->train, err) || measure(t, epoch, &losses->validation, err))
        return -1;
    t->epoch = epoch;
    return 0;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static struct train_state state_of(const struct trainer *t)
{
    struct train_state state = {.epoch = t->epoch,
                                .best_epoch = t->best_epoch,
                                .steps = t->steps,
                                .power1 = t->power1,
                                .power2 = t->power2,
                                .losses = t->losses,
                                .epochs = t->options->epochs,
                                .arrays = {t->model.values, t->model.first, t->model.second},
                                .array_count = 3,
                                .size = t->model.total};
    memcpy(state.identity, t->identity, DIGEST_SIZE);
    if (t->average)
        state.arrays[state.array_count++] = t->average;
    if (t->best)
        state.arrays[state.array_count++] = t->best;
    return state;
}

/* at_once: whatever the clock says. */
static int write_checkpoint(struct trainer *t, bool at_once, struct error *err)
{
    if (!t->options->checkpoint || (!at_once && now() - t->written < t->options->interval))
        return 0;
    struct train_state state = state_of(t);
    t->written = now();
    return train_checkpoint_write(t->options->checkpoint, &state, err);
}

static int resume(struct trainer *t, const struct train_listener *listener, struct error *err)
{
    const char *path = t->options->checkpoint, *why;
    if (!path)
        return 0;
    struct train_state state = state_of(t);
    int found = train_checkpoint_read(path, &state, &why, err);
    if (found < 0)
        return -1;
    if (!found && why && listener && listener->refused)
        listener->refused(listener->context, path, why);
    if (found) {
        t->epoch = state.epoch;
        t->best_epoch = state.best_epoch;
        t->steps = state.steps;
        t->power1 = state.power1;
        t->power2 = state.power2;
        transpose_all(&t->model);
    }
    t->written = now();
    return 0;
}

static int tell(const struct trainer *t, const struct train_listener *listener, unsigned epoch,
                bool resumed, struct error *err)
{
    const struct train_losses *losses = &t->losses[epoch - 1];
    const struct train_epoch said = {.epoch = epoch,
                                     .train_loss = losses->train,
                                     .validation_loss = losses->validation,
                                     .has_validation = has_validation(t),
                                     .resumed = resumed};
    return listener ? listener->epoch(listener->context, &said, err) : 0;
}

static bool is_done(const struct trainer *t)
{
    unsigned patience = t->options->patience;
    return t->epoch >= t->options->epochs ||
           (patience && t->best_epoch && t->epoch - t->best_epoch >= patience);
}

static int run_epochs(struct trainer *t, const struct train_listener *listener, struct error *err)
{
    if (resume(t, listener, err))
        return -1;
    for (unsigned epoch = 1; epoch <= t->epoch; epoch++)
        if (tell(t, listener, epoch, true, err))
            return -1;
    while (!is_done(t)) {
        if (run_epoch(t, err))
            return -1;
        if (tell(t, listener, t->epoch, false, err)) {
            write_checkpoint(t, true, NULL);
            return -1;
        }
        if (write_checkpoint(t, false, err))
            return -1;
    }
    return 0;
}

/* A row that was ever active has second moments. */
static void clear_unused(struct train_model *model)
{
    for (size_t at = 0; at < model->bias; at += model->width) {
        size_t used = 0;
        while (used < model->width && model->second[at + used] == 0)
            used++;
        if (used == model->width)
            memset(model->values + at, 0, model->width * sizeof *model->values);
    }
}

/* The model that is the result leaves the trainer. */
static void give_out(struct trainer *t, struct train_model *out)
{
    exchange_average(t);
    if (t->best)
        exchange(&t->model.values, &t->best);
    if (train_arch_is_lazy(&t->options->arch))
        clear_unused(&t->model);
    transpose_all(&t->model);
    *out = t->model;
    t->model = (struct train_model){.values = NULL};
}

int train_net(const struct train_options *options, const struct train_set *train,
              const struct train_set *validation, const struct train_listener *listener,
              struct train_model *out, struct error *err)
{
    struct trainer trainer;
    int result = -1;
    if (!train_set_count(train))
        return error_set(err, ERROR_FAILED, "no training positions: nothing to train on");
    if (train_arch_is_lazy(&options->arch) && options->average > 0)
        return error_set(err, ERROR_USAGE,
                         "train.average: not for architectures of more than %d features",
                         TRAIN_LAZY_ABOVE);
    if (!trainer_new(&trainer, options, train, validation, err) &&
        !run_epochs(&trainer, listener, err)) {
        give_out(&trainer, out);
        result = 0;
    }
    trainer_free(&trainer);
    return result;
}

static void add_shared(const struct train_model *model, unsigned feature, float *row, size_t h1)
{
    uint16_t shared[TRAIN_SHARED];
    for (unsigned k = 0, count = train_features_shared(&model->arch, feature, shared); k < count;
         k++)
        for (size_t i = 0; i < h1; i++)
            row[i] += model->values[shared[k] * model->width + i];
}

void train_export_769(const struct train_model *model, struct tinynnue_float *out)
{
    const float *values = model->values, *last = values + train_model_weights(model, 0, 1);
    const float *second = values + train_model_weights(model, 0, 0);
    size_t h1 = out->h1, h2 = out->h2, width = model->width;
    for (size_t row = 0; row < TINYNNUE_INPUTS; row++)
        memcpy(out->w1 + row * h1, values + row * width, h1 * sizeof(float));
    for (unsigned row = 0; model->arch.shared && row < FEATURE769_WHITE_MOVE; row++)
        add_shared(model, row, out->w1 + row * h1, h1);
    for (size_t row = 0; row < h2; row++)
        memcpy(out->w2 + row * h1, second + row * width, h1 * sizeof(float));
    memcpy(out->b1, values + model->bias, h1 * sizeof(float));
    memcpy(out->b2, values + train_model_bias(model, 0, 0), h2 * sizeof(float));
    memcpy(out->w3, last, h2 * sizeof(float));
    out->b3[0] = values[train_model_bias(model, 0, 1)];
}
