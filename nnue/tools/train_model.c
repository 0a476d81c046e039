/* SPDX-License-Identifier: MIT */
/*
 * Parameters in training, see train_model.h.
 */
#include "nnue/tools/train_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/tools/rng.h"
#include "nnue/tools/train_kernels.h"

enum { ALIGNMENT = 64, TYPICAL_ACTIVE = 32, RNG_WEIGHTS = 1 };

size_t train_model_pad(size_t width)
{
    return (width + TRAIN_LANES - 1) / TRAIN_LANES * TRAIN_LANES;
}

float *train_floats_new(size_t count)
{
    size_t size = train_model_pad(count + 1) * sizeof(float);
    float *floats = aligned_alloc(ALIGNMENT, size);
    if (floats)
        memset(floats, 0, size);
    return floats;
}

static void lay_out(struct train_model *model)
{
    const struct train_arch *arch = &model->arch;
    uint32_t inputs = arch->l1 * arch->views;
    model->width = train_model_pad(arch->l1);
    size_t in_width = model->width * arch->views, at = 0, transposed = 0;
    for (unsigned i = 0; i < arch->layers; i++) {
        struct train_layer *layer = &model->layers[i];
        *layer = (struct train_layer){.inputs = inputs,
                                      .outputs = arch->outputs[i],
                                      .in_width = in_width,
                                      .out_width = train_model_pad(arch->outputs[i]),
                                      .weights = at,
                                      .transposed = transposed};
        layer->bias = at + layer->outputs * in_width;
        at = layer->bias + layer->out_width;
        transposed += layer->outputs > 1 ? in_width * layer->out_width : 0;
        inputs = layer->outputs;
        in_width = layer->out_width;
    }
    model->bias = (arch->inputs + arch->shared) * model->width;
    model->heads = model->bias + model->width;
    model->head_size = at;
    model->total = model->heads + arch->heads * at;
    model->transposed_size = transposed;
}

int train_model_new(struct train_model *model, const struct train_arch *arch, struct error *err)
{
    memset(model, 0, sizeof *model);
    model->arch = *arch;
    lay_out(model);
    model->values = train_floats_new(model->total);
    model->gradient = train_floats_new(model->total);
    model->first = train_floats_new(model->total);
    model->second = train_floats_new(model->total);
    model->transposed = train_floats_new(arch->heads * model->transposed_size);
    if (model->values && model->gradient && model->first && model->second && model->transposed)
        return 0;
    return error_memory(err);
}

void train_model_free(struct train_model *model)
{
    free(model->values);
    free(model->gradient);
    free(model->first);
    free(model->second);
    free(model->transposed);
    memset(model, 0, sizeof *model);
}

size_t train_model_weights(const struct train_model *model, unsigned head, unsigned layer)
{
    return model->heads + head * model->head_size + model->layers[layer].weights;
}

size_t train_model_bias(const struct train_model *model, unsigned head, unsigned layer)
{
    return model->heads + head * model->head_size + model->layers[layer].bias;
}

static void fill_row(struct rng *rng, float *to, size_t used, float bound)
{
    for (size_t i = 0; i < used; i++)
        to[i] = bound * (2 * rng_unit(rng) - 1);
}

static void fill_layer(struct train_model *model, const struct train_layer *layer, struct rng *rng)
{
    const struct train_arch *arch = &model->arch;
    bool first = layer == model->layers;
    unsigned parts = first ? arch->views : 1;
    size_t used = layer->inputs / parts, step = layer->in_width / parts;
    float *row = model->values + model->heads + layer->weights;
    for (uint32_t o = 0; o < layer->outputs; o++, row += layer->in_width)
        for (unsigned part = 0; part < parts; part++)
            fill_row(rng, row + part * step, used, 1 / sqrtf((float)layer->inputs));
}

void train_model_initialise(struct train_model *model, uint64_t seed)
{
    const struct train_arch *arch = &model->arch;
    struct rng rng = rng_derive(seed, RNG_WEIGHTS);
    float *head = model->values + model->heads;
    const uint32_t begin = arch->squares ? arch->inputs : 0;
    const uint32_t end = arch->inputs + arch->squares;
    for (uint32_t row = begin; row < end; row++)
        fill_row(&rng, model->values + row * model->width, arch->l1, 1 / sqrtf(TYPICAL_ACTIVE));
    for (unsigned i = 0; i < arch->layers; i++)
        fill_layer(model, &model->layers[i], &rng);
    for (size_t i = 0; i < arch->heads; i++) {
        if (i)
            memcpy(head + i * model->head_size, head, model->head_size * sizeof *head);
        train_model_transpose(model, i);
    }
}

void train_model_transpose_part(struct train_model *model, size_t head,
                                const struct train_layer *layer, size_t first, size_t count)
{
    const float *from = model->values + model->heads + head * model->head_size + layer->weights;
    float *to = model->transposed + head * model->transposed_size + layer->transposed;
    const size_t width = layer->in_width, end = first + count;
    if (layer->outputs < 2 || width < TRAIN_LANES)
        return;
    for (size_t at = first; at < end;) {
        const size_t output = at / width, row_end = (output + 1) * width;
        float *column = to + output;
        for (size_t i = at % width; at < end && at < row_end; i++, at++)
            column[i * layer->out_width] = from[at];
    }
}

void train_model_transpose(struct train_model *model, size_t head)
{
    for (unsigned i = 0; i < model->arch.layers; i++) {
        const struct train_layer *layer = &model->layers[i];
        train_model_transpose_part(model, head, layer, 0, layer->outputs * layer->in_width);
    }
}
