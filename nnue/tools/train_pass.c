/* SPDX-License-Identifier: MIT */
/*
 * Forward and backward for a chunk of positions, see train_pass.h.
 */
#include "nnue/tools/train_pass.h"

#include <stdlib.h>
#include <string.h>

#include "nnue/tools/fmath.h"

static const double two_to_32 = 4294967296.0;

static int scratch_new(struct train_scratch *scratch, const struct train_model *model)
{
    size_t input = model->layers[0].in_width, floats = 2 * input;
    for (unsigned i = 0; i < model->arch.layers; i++)
        floats += 3 * model->layers[i].out_width;
    atomic_flag_clear(&scratch->taken);
    float *at = scratch->floats = train_floats_new(TRAIN_CHUNK * floats);
    if (!at)
        return -1;
    scratch->input = at;
    scratch->input_gate = at + TRAIN_CHUNK * input;
    at += (size_t)2 * TRAIN_CHUNK * input;
    for (unsigned i = 0; i < model->arch.layers; i++) {
        size_t size = TRAIN_CHUNK * model->layers[i].out_width;
        scratch->hidden[i] = at;
        scratch->gate[i] = at + size;
        scratch->error[i] = at + 2 * size;
        at += 3 * size;
    }
    return 0;
}

int train_pass_new(struct train_pass *pass, const struct train_model *model,
                   const struct train_kernels *kernels, const struct train_step_options *options,
                   unsigned threads, struct error *err)
{
    const struct train_arch *arch = &model->arch;
    size_t chunks = options->batch / TRAIN_CHUNK + arch->heads + 1;
    *pass = (struct train_pass){.model = model, .kernels = kernels, .gain = options->gain};
    pass->first.squared = arch->squared;
    pass->first.dropout = options->dropout > 0;
    pass->first.threshold = (uint32_t)(options->dropout * two_to_32);
    pass->first.grow = (float)(1 / (1 - options->dropout));
    pass->share_size = model->head_size + model->width;
    pass->errors = train_floats_new(options->batch * arch->views * model->width);
    pass->shares = train_floats_new(chunks * pass->share_size);
    pass->losses = calloc(options->batch, sizeof *pass->losses);
    pass->scratch = calloc(threads, sizeof *pass->scratch);
    if (!pass->errors || !pass->shares || !pass->losses || !pass->scratch)
        return error_memory(err);
    for (; pass->scratch_count < threads; pass->scratch_count++)
        if (scratch_new(&pass->scratch[pass->scratch_count], model))
            return error_memory(err);
    return 0;
}

void train_pass_free(struct train_pass *pass)
{
    for (unsigned i = 0; i < pass->scratch_count; i++)
        free(pass->scratch[i].floats);
    free(pass->scratch);
    free(pass->errors);
    free(pass->shares);
    free(pass->losses);
    *pass = (struct train_pass){0};
}

/* There are as many as threads: one is free. */
static struct train_scratch *take_scratch(struct train_pass *pass)
{
    for (unsigned i = 0;; i = (i + 1) % pass->scratch_count)
        if (!atomic_flag_test_and_set(&pass->scratch[i].taken))
            return &pass->scratch[i];
}

static void transform(const struct train_pass *pass, const struct train_batch *batch,
                      const struct train_chunk *chunk, struct train_scratch *scratch, bool learn)
{
    const struct train_model *model = pass->model;
    const struct train_kernels *kernels = pass->kernels;
    struct activation activation = pass->first;
    size_t stride = model->layers[0].in_width;
    activation.dropout = activation.dropout && learn;
    for (size_t i = 0; i < chunk->count; i++) {
        size_t place = chunk->first + i;
        float *x = scratch->input + i * stride;
        for (unsigned view = 0; view < batch->views; view++)
            kernels->sum_rows(x + view * model->width, model->values + model->bias, model->values,
                              model->width, train_batch_rows(batch, place, view),
                              batch->row_counts[place]);
        kernels->activate(x, scratch->input_gate + i * stride, stride, &activation,
                          batch->dropout[place]);
    }
}

/* The last layer's single output of every position, into the first column of out. */
static void forward_single(const struct train_pass *pass, const struct train_layer *layer,
                           const float *head, const float *in, float *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i * layer->out_width] =
            pass->kernels->dot(head + layer->weights, in + i * layer->in_width, layer->in_width) +
            head[layer->bias];
}

static void forward(const struct train_pass *pass, const struct train_chunk *chunk,
                    const float *head, struct train_scratch *scratch)
{
    const struct train_model *model = pass->model;
    const float *in = scratch->input;
    for (unsigned i = 0; i < model->arch.layers; i++) {
        const struct train_layer *layer = &model->layers[i];
        float *out = scratch->hidden[i];
        if (layer->outputs == 1) {
            forward_single(pass, layer, head, in, out, chunk->count);
            return;
        }
        struct matrix_product product = {
            .to = out,
            .to_stride = layer->out_width,
            .start = head + layer->bias,
            .a = in,
            .a_row = layer->in_width,
            .a_step = 1,
            .b = model->transposed + chunk->head * model->transposed_size + layer->transposed,
            .b_stride = layer->out_width,
            .rows = chunk->count,
            .columns = layer->out_width,
            .depth = layer->in_width};
        pass->kernels->multiply_matrix(&product);
        pass->kernels->activate(out, scratch->gate[i], chunk->count * layer->out_width,
                                &pass->other, 0);
        in = out;
    }
}

/* Losses, and the derivative of the batch's mean loss by out in error's first column. */
static void judge(struct train_pass *pass, const struct train_batch *batch,
                  const struct train_chunk *chunk, const float *out, float *error, size_t stride)
{
    for (size_t i = 0; i < chunk->count; i++) {
        size_t place = chunk->first + i;
        double share = fmath_sigmoid((double)out[i * stride] * pass->gain);
        double miss = share - batch->targets[place];
        pass->losses[place] = miss * miss;
        error[i * stride] =
            (float)(2 * miss * share * (1 - share) * pass->gain / (double)batch->count);
    }
}

/* Gradient of a layer's weights and bias, and the error of what went into it. */
static void backward_layer(const struct train_pass *pass, const struct train_layer *layer,
                           const float *head, size_t count, const float *in, const float *error,
                           float *share, float *in_error, const float *in_gate)
{
    const struct train_kernels *kernels = pass->kernels;
    struct matrix_product weights = {.to = share + layer->weights,
                                     .to_stride = layer->in_width,
                                     .a = error,
                                     .a_row = 1,
                                     .a_step = layer->out_width,
                                     .b = in,
                                     .b_stride = layer->in_width,
                                     .rows = layer->outputs,
                                     .columns = layer->in_width,
                                     .depth = count};
    struct matrix_product inputs = {.to = in_error,
                                    .to_stride = layer->in_width,
                                    .a = error,
                                    .a_row = layer->out_width,
                                    .a_step = 1,
                                    .b = head + layer->weights,
                                    .b_stride = layer->in_width,
                                    .rows = count,
                                    .columns = layer->in_width,
                                    .depth = layer->outputs};
    kernels->multiply_matrix(&weights);
    memset(share + layer->bias, 0, layer->out_width * sizeof *share);
    for (size_t i = 0; i < count; i++)
        kernels->add(share + layer->bias, error + i * layer->out_width, layer->out_width);
    kernels->multiply_matrix(&inputs);
    kernels->multiply(in_error, in_gate, count * layer->in_width);
}

static void backward(const struct train_pass *pass, const struct train_chunk *chunk,
                     const float *head, struct train_scratch *scratch, float *share)
{
    const struct train_model *model = pass->model;
    size_t width = model->width, views = model->arch.views;
    float *errors = pass->errors + chunk->first * views * width, *bias = share + model->head_size;
    for (unsigned i = model->arch.layers; i-- > 1;)
        backward_layer(pass, &model->layers[i], head, chunk->count, scratch->hidden[i - 1],
                       scratch->error[i], share, scratch->error[i - 1], scratch->gate[i - 1]);
    backward_layer(pass, &model->layers[0], head, chunk->count, scratch->input, scratch->error[0],
                   share, errors, scratch->input_gate);
    memset(bias, 0, width * sizeof *bias);
    for (size_t i = 0; i < chunk->count * views; i++)
        pass->kernels->add(bias, errors + i * width, width);
}

void train_pass_chunk(struct train_pass *pass, const struct train_batch *batch, size_t chunk,
                      bool learn)
{
    const struct train_model *model = pass->model;
    const struct train_chunk *places = &batch->chunks[chunk];
    const float *head = model->values + model->heads + places->head * model->head_size;
    unsigned last = model->arch.layers - 1;
    struct train_scratch *scratch = take_scratch(pass);
    transform(pass, batch, places, scratch, learn);
    forward(pass, places, head, scratch);
    judge(pass, batch, places, scratch->hidden[last], scratch->error[last],
          model->layers[last].out_width);
    if (learn)
        backward(pass, places, head, scratch, pass->shares + chunk * pass->share_size);
    atomic_flag_clear(&scratch->taken);
}
