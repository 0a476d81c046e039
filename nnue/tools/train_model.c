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

enum { ALIGNMENT = 64, ARRAYS = 4, TYPICAL_ACTIVE = 32, RNG_WEIGHTS = 1 };

static size_t pad(size_t width)
{
    return (width + TRAIN_LANES - 1) / TRAIN_LANES * TRAIN_LANES;
}

int train_model_new(struct train_model *model, uint32_t h1, uint32_t h2, struct error *err)
{
    size_t floats;
    memset(model, 0, sizeof *model);
    model->h1 = h1;
    model->h2 = h2;
    model->width1 = pad(h1);
    model->width2 = pad(h2);
    model->b1 = TINYNNUE_INPUTS * model->width1;
    model->w2 = model->b1 + model->width1;
    model->b2 = model->w2 + model->width2 * model->width1;
    model->w3 = model->b2 + model->width2;
    model->b3 = model->w3 + model->width2;
    model->total = model->b3 + TRAIN_LANES;
    floats = ARRAYS * model->total + model->width1 * model->width2;
    model->values = aligned_alloc(ALIGNMENT, floats * sizeof(float));
    if (!model->values)
        return error_memory(err);
    memset(model->values, 0, floats * sizeof(float));
    model->gradient = model->values + model->total;
    model->first = model->gradient + model->total;
    model->second = model->first + model->total;
    model->transposed = model->second + model->total;
    return 0;
}

void train_model_free(struct train_model *model)
{
    free(model->values);
    memset(model, 0, sizeof *model);
}

static void fill_uniform(struct rng *rng, float *to, size_t rows, size_t used, size_t width,
                         float bound)
{
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < used; i++)
            to[row * width + i] = bound * (2 * rng_unit(rng) - 1);
}

static void transpose(struct train_model *model)
{
    for (size_t row = 0; row < model->width2; row++)
        train_model_transpose_row(model, row);
}

void train_model_initialise(struct train_model *model, uint64_t seed)
{
    struct rng rng = rng_derive(seed, RNG_WEIGHTS);
    float *values = model->values;
    fill_uniform(&rng, values, TINYNNUE_INPUTS, model->h1, model->width1,
                 1 / sqrtf(TYPICAL_ACTIVE));
    fill_uniform(&rng, values + model->w2, model->h2, model->h1, model->width1,
                 1 / sqrtf((float)model->h1));
    fill_uniform(&rng, values + model->w3, 1, model->h2, model->width2,
                 1 / sqrtf((float)model->h2));
    transpose(model);
}

void train_model_transpose_row(struct train_model *model, size_t row)
{
    const float *from = model->values + model->w2 + row * model->width1;
    for (size_t i = 0; i < model->width1; i++)
        model->transposed[i * model->width2 + row] = from[i];
}

void train_model_export(const struct train_model *model, struct tinynnue_float *out)
{
    const float *values = model->values;
    for (size_t row = 0; row < TINYNNUE_INPUTS; row++)
        memcpy(out->w1 + row * model->h1, values + row * model->width1, model->h1 * sizeof(float));
    for (size_t row = 0; row < model->h2; row++)
        memcpy(out->w2 + row * model->h1, values + model->w2 + row * model->width1,
               model->h1 * sizeof(float));
    memcpy(out->b1, values + model->b1, model->h1 * sizeof(float));
    memcpy(out->b2, values + model->b2, model->h2 * sizeof(float));
    memcpy(out->w3, values + model->w3, model->h2 * sizeof(float));
    out->b3[0] = values[model->b3];
}
