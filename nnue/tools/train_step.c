/* SPDX-License-Identifier: MIT */
/*
 * One batch of training, see train_step.h.
 */
#include "nnue/tools/train_step.h"

#include <stdlib.h>
#include <string.h>

#include "nnue/tools/fmath.h"

enum {
    BLOCK = 32,        /* positions of one unit of the first round */
    FEATURE_ROWS = 16, /* rows of W1 of one unit of the second round */
    FEATURE_UNITS = (TINYNNUE_INPUTS + FEATURE_ROWS - 1) / FEATURE_ROWS,
    ALIGNMENT = 64
};

struct train_step {
    struct train_model *model;
    struct workers *workers;
    /* The batch at work. */
    const struct train_data *data;
    const uint32_t *order;
    size_t count;
    const struct adam_step *adam;
    /* Per position of the batch. */
    float *h1, *d1; /* [batch][width1] activations; loss by sum into the unit */
    float *h2, *d2; /* [batch][width2] */
    float *d3;      /* [batch] loss by out */
    double *losses; /* [batch]; while measuring: the caller's, [data->count] */
    double *own_losses;
    /* Positions of the batch by active feature: those of f are at starts[f] .. starts[f + 1] - 1.
     */
    uint32_t *active; /* [batch * 33] */
    uint32_t starts[TINYNNUE_INPUTS + 1];
};

static float *floats_new(size_t count)
{
    size_t size = (count * sizeof(float) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return aligned_alloc(ALIGNMENT, size);
}

int train_step_new(struct train_model *model, struct workers *workers, size_t batch,
                   struct train_step **out, struct error *err)
{
    struct train_step *step = calloc(1, sizeof *step);
    *out = step;
    if (!step)
        return error_memory(err);
    step->model = model;
    step->workers = workers;
    step->h1 = floats_new(batch * model->width1);
    step->d1 = floats_new(batch * model->width1);
    step->h2 = floats_new(batch * model->width2);
    step->d2 = floats_new(batch * model->width2);
    step->d3 = floats_new(batch);
    step->own_losses = calloc(batch, sizeof *step->own_losses);
    step->active = calloc(batch * FEATURE769_ACTIVE_MAX, sizeof *step->active);
    if (step->h1 && step->d1 && step->h2 && step->d2 && step->d3 && step->own_losses &&
        step->active)
        return 0;
    train_step_free(step);
    *out = NULL;
    return error_memory(err);
}

void train_step_free(struct train_step *step)
{
    if (!step)
        return;
    free(step->h1);
    free(step->d1);
    free(step->h2);
    free(step->d2);
    free(step->d3);
    free(step->own_losses);
    free(step->active);
    free(step);
}

/* Fills h1, h2 and their gates; gives out. */
static float forward(const struct train_model *model, const struct sample *sample, float *h1,
                     float *gate1, float *h2, float *gate2)
{
    const float *values = model->values;
    float sum1[TINYNNUE_H1_MAX], sum2[TINYNNUE_H2_MAX];
    memcpy(sum1, values + model->b1, model->width1 * sizeof *sum1);
    for (unsigned k = 0; k < sample->count; k++)
        train_add(sum1, values + sample->features[k] * model->width1, model->width1);
    train_clamp(sum1, h1, gate1, model->width1);
    memcpy(sum2, values + model->b2, model->width2 * sizeof *sum2);
    for (size_t i = 0; i < model->h1; i++)
        if (h1[i] > 0)
            train_add_scaled(sum2, model->transposed + i * model->width2, h1[i], model->width2);
    train_clamp(sum2, h2, gate2, model->width2);
    return train_dot(values + model->w3, h2, model->width2) + values[model->b3];
}

/* From the loss by out to the loss by the sums of both layers. */
static void backward(const struct train_model *model, float d3, const float *gate1,
                     const float *gate2, float *d1, float *d2)
{
    const float *values = model->values;
    memset(d2, 0, model->width2 * sizeof *d2);
    train_add_scaled(d2, values + model->w3, d3, model->width2);
    train_multiply(d2, gate2, model->width2);
    memset(d1, 0, model->width1 * sizeof *d1);
    for (size_t o = 0; o < model->h2; o++)
        if (d2[o] != 0)
            train_add_scaled(d1, values + model->w2 + o * model->width1, d2[o], model->width1);
    train_multiply(d1, gate1, model->width1);
}

/* (sigmoid(out) - target)^2 and its derivative by out. */
static double position_loss(float out, double target, double *derivative)
{
    double share = fmath_sigmoid((double)out), error = share - target;
    *derivative = 2 * error * share * (1 - share);
    return error * error;
}

static void process_position(struct train_step *step, size_t place)
{
    const struct train_model *model = step->model;
    uint32_t index = step->order[place];
    float gate1[TINYNNUE_H1_MAX], gate2[TINYNNUE_H2_MAX];
    float *h1 = step->h1 + place * model->width1, *d1 = step->d1 + place * model->width1;
    float *h2 = step->h2 + place * model->width2, *d2 = step->d2 + place * model->width2;
    float out = forward(model, &step->data->samples[index], h1, gate1, h2, gate2);
    double derivative;
    step->losses[place] = position_loss(out, step->data->targets[index], &derivative);
    step->d3[place] = (float)(derivative / (double)step->count);
    backward(model, step->d3[place], gate1, gate2, d1, d2);
}

/* A counting sort: within a feature the positions stay in the batch's order. */
static void list_active(struct train_step *step)
{
    uint32_t next[TINYNNUE_INPUTS + 1] = {0}, sum = 0;
    for (size_t place = 0; place < step->count; place++) {
        const struct sample *sample = &step->data->samples[step->order[place]];
        for (unsigned k = 0; k < sample->count; k++)
            next[sample->features[k]]++;
    }
    for (size_t f = 0; f <= TINYNNUE_INPUTS; f++) {
        step->starts[f] = sum;
        sum += next[f];
        next[f] = step->starts[f];
    }
    for (size_t place = 0; place < step->count; place++) {
        const struct sample *sample = &step->data->samples[step->order[place]];
        for (unsigned k = 0; k < sample->count; k++)
            step->active[next[sample->features[k]]++] = (uint32_t)place;
    }
}

static void first_round(void *context, size_t unit)
{
    struct train_step *step = context;
    size_t begin, end;
    if (unit == 0) {
        list_active(step);
        return;
    }
    begin = (unit - 1) * BLOCK;
    end = begin + BLOCK < step->count ? begin + BLOCK : step->count;
    for (size_t place = begin; place < end; place++)
        process_position(step, place);
}

/* Adam on parameters [at, at + width), whose gradient is there. */
static void move(const struct train_step *step, size_t at, size_t width)
{
    struct train_model *model = step->model;
    if (step->adam)
        train_adam(model->values + at, model->first + at, model->second + at, model->gradient + at,
                   width, step->adam);
}

static void learn_feature_rows(struct train_step *step, size_t first)
{
    struct train_model *model = step->model;
    size_t end = first + FEATURE_ROWS < TINYNNUE_INPUTS ? first + FEATURE_ROWS : TINYNNUE_INPUTS;
    for (size_t f = first; f < end; f++) {
        float *gradient = model->gradient + f * model->width1;
        memset(gradient, 0, model->width1 * sizeof *gradient);
        for (uint32_t i = step->starts[f]; i < step->starts[f + 1]; i++)
            train_add(gradient, step->d1 + step->active[i] * model->width1, model->width1);
        move(step, f * model->width1, model->width1);
    }
}

static void learn_second_row(struct train_step *step, size_t row)
{
    struct train_model *model = step->model;
    size_t at = model->w2 + row * model->width1;
    float *gradient = model->gradient + at;
    memset(gradient, 0, model->width1 * sizeof *gradient);
    for (size_t place = 0; place < step->count; place++) {
        float error = step->d2[place * model->width2 + row];
        if (error != 0)
            train_add_scaled(gradient, step->h1 + place * model->width1, error, model->width1);
    }
    move(step, at, model->width1);
    if (step->adam)
        train_model_transpose_row(model, row);
}

static void learn_biases_and_last(struct train_step *step)
{
    struct train_model *model = step->model;
    float *gradient = model->gradient;
    memset(gradient + model->b1, 0, model->width1 * sizeof *gradient);
    memset(gradient + model->b2, 0, (model->total - model->b2) * sizeof *gradient);
    for (size_t place = 0; place < step->count; place++) {
        train_add(gradient + model->b1, step->d1 + place * model->width1, model->width1);
        train_add(gradient + model->b2, step->d2 + place * model->width2, model->width2);
        train_add_scaled(gradient + model->w3, step->h2 + place * model->width2, step->d3[place],
                         model->width2);
        gradient[model->b3] += step->d3[place];
    }
    move(step, model->b1, model->width1);
    move(step, model->b2, model->total - model->b2);
}

/* The rows of W2 first, being the longest units; the many short ones fill what is left. */
static void second_round(void *context, size_t unit)
{
    struct train_step *step = context;
    size_t rows = step->model->h2;
    if (unit < rows)
        learn_second_row(step, unit);
    else if (unit == rows)
        learn_biases_and_last(step);
    else
        learn_feature_rows(step, (unit - rows - 1) * FEATURE_ROWS);
}

double train_step_run(struct train_step *step, const struct train_data *data, const uint32_t *order,
                      size_t count, const struct adam_step *adam)
{
    double sum = 0;
    step->data = data;
    step->order = order;
    step->count = count;
    step->adam = adam;
    step->losses = step->own_losses;
    workers_run(step->workers, 1 + (count + BLOCK - 1) / BLOCK, first_round, step);
    workers_run(step->workers, step->model->h2 + 1 + FEATURE_UNITS, second_round, step);
    for (size_t place = 0; place < count; place++)
        sum += step->losses[place];
    return sum;
}

static void measure_block(void *context, size_t unit)
{
    struct train_step *step = context;
    const struct train_data *data = step->data;
    float h1[TINYNNUE_H1_MAX], gate1[TINYNNUE_H1_MAX];
    float h2[TINYNNUE_H2_MAX], gate2[TINYNNUE_H2_MAX];
    size_t end = (unit + 1) * BLOCK < data->count ? (unit + 1) * BLOCK : data->count;
    double derivative;
    for (size_t i = unit * BLOCK; i < end; i++) {
        float out = forward(step->model, &data->samples[i], h1, gate1, h2, gate2);
        step->losses[i] = position_loss(out, data->targets[i], &derivative);
    }
}

double train_step_loss(struct train_step *step, const struct train_data *data, double *losses)
{
    double sum = 0;
    if (!data->count)
        return 0;
    step->data = data;
    step->losses = losses;
    workers_run(step->workers, (data->count + BLOCK - 1) / BLOCK, measure_block, step);
    for (size_t i = 0; i < data->count; i++)
        sum += losses[i];
    return sum / (double)data->count;
}
