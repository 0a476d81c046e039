/* SPDX-License-Identifier: MIT */
/*
 * A Stockfish net out of its file, see sf_model.h.
 */
#include "nnue/core/sf_model.h"

#include <stdlib.h>
#include <string.h>

#include "nnue/core/fail.h"
#include "nnue/core/little.h"

enum { HALF_STEP = 16 };

uint32_t sf_model_inputs0(const struct sf_model *model)
{
    return sf_design_inputs0(model->design, &model->shape) / model->half * model->half_width;
}

static void make_map(struct feature_map *map, enum sf_squares_set set)
{
    if (set == SF_HALFKA_V2)
        feature_map_halfka_v2(map);
    else if (set == SF_HALFKA_HM)
        feature_map_halfka_hm(map);
    else
        feature_map_p_hm(map);
}

/* Rows of L1 numbers, each half to where it belongs. */
static void fill_i16(const struct sf_model *model, struct sf_array *array, int16_t *out,
                     size_t rows)
{
    for (size_t i = 0; i < rows; i++, out += transformer_stride(&model->squares))
        for (size_t half = 0; half < 2; half++)
            sf_array_read_i16(array, out + half * model->half_width, model->half);
}

/* The columns behind the rows. */
static void fill_psqt(struct transformer *squares, struct sf_array *array)
{
    int16_t *row = squares->weights;
    for (size_t i = 0; i < squares->map.rows; i++, row += transformer_stride(squares))
        sf_array_read_i32(array, (int32_t *)(void *)(row + squares->width), squares->psqt);
}

static void fill_i8(const struct sf_model *model, struct sf_array *array, int8_t *out, size_t rows)
{
    for (size_t i = 0; i < 2 * rows; i++)
        sf_array_read_i8(array, out + i * model->half_width, model->half);
}

/* One array after the other, in any order: both psqt arrays of one block excepted. */
static void fill_transformer(struct sf_model *model, struct sf_file *file)
{
    struct transformer *squares = &model->squares;
    struct sf_relations *relations = &model->relations;
    struct sf_array *arrays = file->arrays;
    size_t stacks = model->shape.stacks,
           threats = relations->threats ? relations->threats->rows : 0;
    size_t pairs = relations->rows - threats;
    bool both = arrays[SF_BOTH_PSQT].packed || arrays[SF_BOTH_PSQT].bytes;
    fill_i16(model, &arrays[SF_BIAS], squares->bias, 1);
    fill_i16(model, &arrays[SF_SQUARES], squares->weights, squares->map.rows);
    if (threats) {
        fill_i8(model, &arrays[SF_THREATS], relations->weights, threats);
        sf_array_read_i32(&arrays[both ? SF_BOTH_PSQT : SF_THREATS_PSQT], relations->psqt_weights,
                          threats * stacks);
    }
    if (pairs) {
        fill_i8(model, &arrays[SF_PAIRS], relations->weights + threats * relations->width, pairs);
        sf_array_read_i32(&arrays[SF_PAIRS_PSQT], relations->psqt_weights + threats * stacks,
                          pairs * stacks);
    }
    fill_psqt(squares, &arrays[both ? SF_BOTH_PSQT : SF_SQUARES_PSQT]);
}

/* What a file says of one dense layer, and how its inputs are spread out in memory. */
struct layer_source {
    uint32_t inputs, outputs;
    uint32_t group, group_width; /* each `group` inputs become group_width, zeros added */
};

/* Reads a layer at bytes; gives the byte behind it, or NULL when memory is short. */
static const uint8_t *read_layer(const struct layer_source *source, const struct kernels *kernels,
                                 const uint8_t *bytes, struct dense *layer)
{
    uint32_t groups = source->inputs / source->group, width = groups * source->group_width;
    uint32_t stride = sf_design_stride(source->inputs);
    const uint8_t *weights = bytes + source->outputs * sizeof(int32_t), *end = NULL;
    int32_t *bias = calloc(source->outputs, sizeof *bias);
    int8_t *spread = calloc(source->outputs, width);
    if (bias && spread) {
        little_copy_i32(bias, bytes, source->outputs);
        for (uint32_t o = 0; o < source->outputs; o++)
            for (uint32_t g = 0; g < groups; g++)
                memcpy(spread + (size_t)o * width + (size_t)g * source->group_width,
                       weights + (size_t)o * stride + (size_t)g * source->group, source->group);
        if (!dense_new(layer, kernels, width, source->outputs, width, bias, spread))
            end = weights + (size_t)source->outputs * stride;
    }
    free(bias);
    free(spread);
    return end;
}

static int fill_stacks(struct sf_model *model, const struct sf_file *file,
                       const struct kernels *kernels)
{
    const struct sf_shape *shape = &model->shape;
    uint32_t inputs1 = sf_design_inputs1(model->design, shape);
    uint32_t inputs2 = sf_design_inputs2(model->design, shape);
    const struct layer_source sources[SF_LAYERS] = {
        {sf_design_inputs0(model->design, shape), shape->l2, model->half, model->half_width},
        {inputs1, shape->l3, inputs1, inputs1},
        {inputs2, 1, inputs2, inputs2}};
    const uint8_t *next = file->stacks;
    for (uint32_t i = 0; i < shape->stacks; i++) {
        next += sizeof(uint32_t); /* the hash */
        for (unsigned k = 0; k < SF_LAYERS; k++) {
            next = read_layer(&sources[k], kernels, next, &model->stacks[i].layer[k]);
            if (!next)
                return PLYNNUE_ENOMEM;
        }
    }
    return PLYNNUE_OK;
}

static int make_room(struct sf_model *model)
{
    const struct sf_design *design = model->design;
    uint32_t width = 2 * model->half_width;
    int code;
    make_map(&model->squares.map, design->squares);
    code = transformer_new(&model->squares, width, model->shape.stacks);
    if (code || !design->threats)
        return code;
    return sf_relations_new(&model->relations, design->threat_set, design->pairs, width,
                            model->shape.stacks);
}

int sf_model_new(struct sf_file *file, const struct kernels *kernels, struct sf_model **model,
                 struct plynnue_error *error)
{
    struct sf_model *out = calloc(1, sizeof *out);
    *model = NULL;
    if (!out)
        goto fail;
    out->design = file->design;
    out->shape = file->shape;
    out->half = file->shape.l1 / 2;
    out->half_width = (out->half + HALF_STEP - 1) / HALF_STEP * HALF_STEP;
    if (make_room(out))
        goto fail;
    fill_transformer(out, file);
    if (fill_stacks(out, file, kernels))
        goto fail;
    *model = out;
    return PLYNNUE_OK;
fail:
    sf_model_free(out);
    return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
}

void sf_model_free(struct sf_model *model)
{
    if (!model)
        return;
    for (uint32_t i = 0; i < model->shape.stacks; i++)
        for (unsigned k = 0; k < SF_LAYERS; k++)
            dense_free(&model->stacks[i].layer[k]);
    transformer_free(&model->squares);
    sf_relations_free(&model->relations);
    free(model);
}
