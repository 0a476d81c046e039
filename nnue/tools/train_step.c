/* SPDX-License-Identifier: MIT */
/*
 * One batch of training, see train_step.h: who does what. The arithmetic is in train_pass.h.
 */
#include "nnue/tools/train_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/tools/train_pass.h"

enum {
    FEATURE_ROWS = 16, /* feature rows of one unit of the second round */
    PIECE = 1024       /* floats of the dense layers of one unit of the second round */
};

/* Neighbouring parameters of one tensor: what a unit of the second round moves. */
struct piece {
    size_t at, size;                 /* within values; whole lanes */
    size_t share;                    /* the same place within a chunk's share of the gradient */
    int head;                        /* -1: of all chunks */
    const struct train_layer *layer; /* whose weights they are, or NULL */
    bool decays;
    float limit;
};

struct train_step {
    struct train_model *model;
    struct workers *workers;
    const struct train_kernels *kernels;
    struct train_step_options options;
    struct train_pass pass;
    struct train_batch batches[2], *batch, *next; /* at work; made meanwhile */
    /* What the next batch is made of. */
    const struct train_data *data;
    const struct train_view *view;
    const struct train_move *move;
    double sum; /* of the losses of the batch */
    float *average;
    struct piece *pieces;
    size_t piece_count, feature_units;
    /* Entries of the batch (place * views + view) by active feature: those of f are at
     * starts[f] .. starts[f + 1] - 1. */
    uint32_t *active, *starts, *cursor;
};

/* Rows of weights that features have. */
static uint32_t rows_of(const struct train_model *model)
{
    return model->arch.inputs + model->arch.shared;
}

static size_t count_pieces(const struct train_model *model)
{
    return model->width / PIECE + 1 +
           model->arch.heads * (model->head_size / PIECE + (size_t)2 * TRAIN_LAYERS_MAX);
}

static void cut(struct train_step *step, size_t at, size_t size, struct piece like)
{
    for (size_t done = 0; done < size; done += PIECE) {
        struct piece *piece = &step->pieces[step->piece_count++];
        *piece = like;
        piece->at = at + done;
        piece->share = like.share + done;
        piece->size = size - done < PIECE ? size - done : PIECE;
    }
}

/* The share of a chunk: one head's parameters, then the bias of the transformer. */
static void cut_pieces(struct train_step *step)
{
    const struct train_model *model = step->model;
    for (unsigned head = 0; head < model->arch.heads; head++)
        for (unsigned i = 0; i < model->arch.layers; i++) {
            const struct train_layer *layer = &model->layers[i];
            cut(step, train_model_weights(model, head, i), layer->outputs * layer->in_width,
                (struct piece){.share = layer->weights,
                               .head = (int)head,
                               .layer = layer,
                               .decays = true,
                               .limit = model->arch.limits[i + 1]});
            cut(step, train_model_bias(model, head, i), layer->out_width,
                (struct piece){.share = layer->bias,
                               .head = (int)head,
                               .limit = model->arch.bias_limits[i + 1]});
        }
    cut(step, model->bias, model->width,
        (struct piece){.share = model->head_size, .head = -1, .limit = model->arch.bias_limits[0]});
}

int train_step_new(struct train_model *model, struct workers *workers,
                   const struct train_kernels *kernels, const struct train_step_options *options,
                   struct train_step **out, struct error *err)
{
    const struct train_arch *arch = &model->arch;
    struct train_step *step = calloc(1, sizeof *step);
    *out = step;
    if (!step)
        return error_memory(err);
    step->model = model;
    step->workers = workers;
    step->kernels = kernels;
    step->options = *options;
    step->batch = &step->batches[0];
    step->next = &step->batches[1];
    step->feature_units = (rows_of(model) + FEATURE_ROWS - 1) / FEATURE_ROWS;
    step->pieces = calloc(count_pieces(model), sizeof *step->pieces);
    step->active = calloc(options->batch * arch->views * TRAIN_ROWS_MAX, sizeof *step->active);
    step->starts = calloc(rows_of(model) + 1, sizeof *step->starts);
    step->cursor = calloc(rows_of(model) + 1, sizeof *step->cursor);
    if (!step->pieces || !step->active || !step->starts || !step->cursor)
        error_memory(err);
    else if (!train_batch_new(arch, options->batch, step->batch, err) &&
             !train_batch_new(arch, options->batch, step->next, err) &&
             !train_pass_new(&step->pass, model, kernels, options, workers_threads(workers), err)) {
        cut_pieces(step);
        return 0;
    }
    train_step_free(step);
    *out = NULL;
    return -1;
}

void train_step_free(struct train_step *step)
{
    if (!step)
        return;
    train_pass_free(&step->pass);
    train_batch_free(&step->batches[0]);
    train_batch_free(&step->batches[1]);
    free(step->pieces);
    free(step->active);
    free(step->starts);
    free(step->cursor);
    free(step);
}

void train_step_average(struct train_step *step, float *average)
{
    step->average = average;
}

static void swap_batches(struct train_step *step)
{
    struct train_batch *batch = step->batch;
    step->batch = step->next;
    step->next = batch;
}

static void fill_unit(void *context, size_t unit)
{
    struct train_step *step = context;
    train_batch_fill(step->next, &step->model->arch, step->data, step->view, unit);
}

void train_step_prepare(struct train_step *step, const struct train_data *data,
                        const uint32_t *order, size_t count, const struct train_view *view)
{
    step->data = data;
    step->view = view;
    train_batch_take(step->next, &step->model->arch, data, order, 0, count);
    workers_run(step->workers, step->next->chunk_count, fill_unit, step);
    swap_batches(step);
}

/* The features of an entry, which is place * views + view; how many. */
static inline unsigned entry_rows(const struct train_batch *batch, size_t place, unsigned view,
                                  const uint16_t **rows)
{
    *rows = train_batch_rows(batch, place, view);
    return batch->row_counts[place];
}

/* A counting sort: within a feature the entries stay in the batch's order. */
static void list_active(struct train_step *step)
{
    const struct train_batch *batch = step->batch;
    const unsigned views = batch->views;
    const uint16_t *rows;
    uint32_t *cursor = step->cursor, *active = step->active;
    uint32_t inputs = rows_of(step->model), sum = 0;
    memset(cursor, 0, inputs * sizeof *cursor);
    for (size_t i = 0; i < batch->count; i++)
        for (unsigned view = 0; view < views; view++)
            for (unsigned k = 0, count = entry_rows(batch, i, view, &rows); k < count; k++)
                cursor[rows[k]]++;
    for (uint32_t f = 0; f < inputs; f++) {
        uint32_t count = cursor[f];
        step->starts[f] = cursor[f] = sum;
        sum += count;
    }
    step->starts[inputs] = sum;
    for (size_t i = 0; i < batch->count; i++)
        for (unsigned view = 0; view < views; view++)
            for (unsigned k = 0, count = entry_rows(batch, i, view, &rows); k < count; k++)
                active[cursor[rows[k]]++] = (uint32_t)(i * views + view);
}

/* The short units come last: they fill up the time of threads that are done early. */
static void first_round(void *context, size_t unit)
{
    struct train_step *step = context;
    if (unit == 0)
        list_active(step);
    else if (unit - 1 < step->batch->chunk_count)
        train_pass_chunk(&step->pass, step->batch, unit - 1, true);
    else
        fill_unit(step, unit - 1 - step->batch->chunk_count);
}

static struct adam_step adam_of(const struct train_move *move, bool decays, float limit)
{
    double correction = sqrt(1 - move->power2);
    double keep = decays ? 1 - move->learning_rate * move->weight_decay : 1;
    return (struct adam_step){.beta1 = (float)TRAIN_BETA1,
                              .beta2 = (float)TRAIN_BETA2,
                              .epsilon = (float)(TRAIN_EPSILON * correction),
                              .step =
                                  (float)(move->learning_rate * correction / (1 - move->power1)),
                              .keep = (float)keep,
                              .limit = limit};
}

static void move_parameters(struct train_step *step, size_t at, size_t size,
                            const struct adam_step *adam)
{
    struct train_model *model = step->model;
    if (!step->move)
        return;
    step->kernels->adam(model->values + at, model->first + at, model->second + at,
                        model->gradient + at, size, adam);
    if (step->average)
        step->kernels->approach(step->average + at, model->values + at, step->move->approach, size);
}

static void learn_features(struct train_step *step, size_t first)
{
    struct train_model *model = step->model;
    size_t inputs = rows_of(model), width = model->width;
    size_t end = first + FEATURE_ROWS < inputs ? first + FEATURE_ROWS : inputs;
    struct adam_step adam = {0};
    if (step->move)
        adam = adam_of(step->move, true, model->arch.limits[0]);
    for (size_t f = first; f < end; f++) {
        uint32_t begin = step->starts[f], count = step->starts[f + 1] - begin;
        if (!count && train_arch_is_lazy(&model->arch))
            continue;
        step->kernels->gather(model->gradient + f * width, step->pass.errors, width,
                              step->active + begin, count);
        move_parameters(step, f * width, width, &adam);
    }
}

static void learn_piece(struct train_step *step, const struct piece *piece)
{
    const struct train_batch *batch = step->batch;
    float *gradient = step->model->gradient + piece->at;
    struct adam_step adam = {0};
    memset(gradient, 0, piece->size * sizeof *gradient);
    for (size_t i = 0; i < batch->chunk_count; i++)
        if (piece->head < 0 || batch->chunks[i].head == (unsigned)piece->head)
            step->kernels->add(gradient, train_pass_share(&step->pass, i) + piece->share,
                               piece->size);
    if (step->move)
        adam = adam_of(step->move, piece->decays, piece->limit);
    move_parameters(step, piece->at, piece->size, &adam);
    if (step->move && piece->layer)
        train_model_transpose_part(step->model, (size_t)piece->head, piece->layer,
                                   piece->share - piece->layer->weights, piece->size);
}

static void sum_losses(struct train_step *step)
{
    step->sum = 0;
    for (size_t place = 0; place < step->batch->count; place++)
        step->sum += step->pass.losses[place];
}

/* The last rows first: shared ones, and whose move it is, are active most often. */
static void second_round(void *context, size_t unit)
{
    struct train_step *step = context;
    if (unit < step->feature_units)
        learn_features(step, (step->feature_units - 1 - unit) * FEATURE_ROWS);
    else if (unit - step->feature_units < step->piece_count)
        learn_piece(step, &step->pieces[unit - step->feature_units]);
    else
        sum_losses(step);
}

double train_step_run(struct train_step *step, const struct train_move *move,
                      const struct train_data *data, const uint32_t *next, size_t next_count,
                      const struct train_view *view)
{
    size_t units = 1 + step->batch->chunk_count;
    step->move = move;
    step->data = data;
    step->view = view;
    if (next_count) {
        train_batch_take(step->next, &step->model->arch, data, next, 0, next_count);
        units += step->next->chunk_count;
    }
    workers_run(step->workers, units, first_round, step);
    workers_run(step->workers, step->feature_units + step->piece_count + 1, second_round, step);
    if (next_count)
        swap_batches(step);
    return step->sum;
}

static void measure_unit(void *context, size_t unit)
{
    struct train_step *step = context;
    train_batch_fill(step->batch, &step->model->arch, step->data, step->view, unit);
    train_pass_chunk(&step->pass, step->batch, unit, false);
}

double train_step_losses(struct train_step *step, const struct train_data *data)
{
    static const struct train_view plain = {.flip = false};
    size_t most = step->options.batch;
    double sum = 0;
    step->data = data;
    step->view = &plain;
    for (size_t begin = 0; begin < data->count; begin += most) {
        size_t left = data->count - begin;
        train_batch_take(step->batch, &step->model->arch, data, NULL, begin,
                         left < most ? left : most);
        workers_run(step->workers, step->batch->chunk_count, measure_unit, step);
        for (size_t place = 0; place < step->batch->count; place++)
            sum += step->pass.losses[place];
    }
    return sum;
}
