/* SPDX-License-Identifier: MIT */
/*
 * HalfKP nets, see halfkp.h.
 */
#include "nnue/core/halfkp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/core/archtext.h"
#include "nnue/core/dense.h"
#include "nnue/core/fail.h"
#include "nnue/core/parts.h"
#include "nnue/core/simd.h"
#include "nnue/core/transformer.h"

enum { FEATURES = 41024, LAYERS = 3, SHIFT = 6, STEPS_A_UNIT = 16, UNITS_A_PAWN = 208 };
enum { PADDING = 32 /* of rows of dense weights */ };

#define FEATURES_HASH 0x5D69D5B8u

struct model {
    struct transformer transformer; /* first: see TRANSFORMER_ARCH */
    struct halfkp_shape shape;
    struct dense layers[LAYERS];
};

bool halfkp_parse_arch(const char *text, struct halfkp_shape *shape)
{
    return archtext_skip(&text, "halfkp(41024->") &&
           archtext_number(&text, 1, HALFKP_L1_MAX, &shape->l1) && archtext_skip(&text, ")x2->") &&
           archtext_number(&text, 1, HALFKP_L2_MAX, &shape->l2) && archtext_skip(&text, "->") &&
           archtext_number(&text, 1, HALFKP_L2_MAX, &shape->l3) && archtext_skip(&text, "->1") &&
           !*text && shape->l1 % TRANSFORMER_WIDTH_STEP == 0;
}

void halfkp_format_arch(const struct halfkp_shape *shape, char *out, size_t size)
{
    snprintf(out, size, "halfkp(41024->%u)x2->%u->%u->1", shape->l1, shape->l2, shape->l3);
}

static void info(const struct plynnue_net *net, struct plynnue_info *out)
{
    const struct model *model = net->model;
    halfkp_format_arch(&model->shape, out->arch, sizeof out->arch);
    out->inputs = FEATURES;
    out->l1 = model->shape.l1;
    out->king_buckets = model->transformer.map.king_buckets;
    out->output_buckets = 1;
    out->cp_num = 100;
    out->cp_den = UNITS_A_PAWN;
    out->verified = 1;
}

static void destroy(void *memory)
{
    struct model *model = memory;
    transformer_free(&model->transformer);
    for (unsigned i = 0; i < LAYERS; i++)
        dense_free(&model->layers[i]);
    free(model);
}

/* Room for the widest layer's sums. */
static size_t sums_size(const struct halfkp_shape *shape)
{
    return dense_output_size(shape->l2 > shape->l3 ? shape->l2 : shape->l3);
}

/* Behind the sums, every layer's inputs. */
static size_t scratch_size(const struct plynnue_net *net)
{
    const struct model *model = net->model;
    size_t size = sums_size(&model->shape);
    for (unsigned k = 0; k < LAYERS; k++)
        size += dense_input_size(model->layers[k].inputs);
    return size;
}

/* The parts of a scratch: inputs of the first layer, and sums. */
static void split(const struct halfkp_shape *shape, void *scratch, uint8_t **x, int32_t **sums)
{
    *sums = scratch;
    *x = (uint8_t *)scratch + sums_size(shape);
}

static void begin(const struct plynnue_net *net, const void *const *states, unsigned side,
                  void *scratch)
{
    const struct model *model = net->model;
    uint32_t l1 = model->shape.l1;
    uint8_t *x;
    int32_t *sums;
    split(&model->shape, scratch, &x, &sums);
    net->kernels->clip_u8(x, states[side], l1);
    net->kernels->clip_u8(x + l1, states[side ^ 1], l1);
}

/* A layer's sums of count positions: out[i] of in[i]. */
SIMD_INLINE void layer_sums(const struct dense *layer, const struct kernels *kernels,
                            int32_t *const out[DENSE_BLOCK], const uint8_t *const in[DENSE_BLOCK],
                            unsigned count)
{
    if (count == DENSE_BLOCK && kernels->dense_block)
        kernels->dense_block(layer, out, in);
    else
        for (unsigned i = 0; i < count; i++)
            kernels->dense_i8(layer, out[i], in[i]);
}

/* raw[i]: what the last layer makes of a position that was begun. Layer by layer, since the sums of
 * one position wait for each other; in its callers, since for one position no loop should be left.
 */
SIMD_INLINE void forward(const struct plynnue_net *net, void *const *scratch, unsigned count,
                         int32_t *raw)
{
    const struct model *model = net->model;
    const struct kernels *kernels = net->kernels;
    int32_t *sums[DENSE_BLOCK] = {NULL};
    uint8_t *x[DENSE_BLOCK] = {NULL};
    for (unsigned i = 0; i < count; i++)
        split(&model->shape, scratch[i], &x[i], &sums[i]);
    for (unsigned k = 0; k < LAYERS; k++) {
        const struct dense *layer = &model->layers[k];
        layer_sums(layer, kernels, sums, (const uint8_t *const *)x, count);
        if (k + 1 == LAYERS)
            break;
        for (unsigned i = 0; i < count; i++) {
            x[i] += dense_input_size(layer->inputs);
            kernels->shift_clip_u8(x[i], sums[i], layer->outputs, SHIFT);
        }
    }
    for (unsigned i = 0; i < count; i++)
        raw[i] = sums[i][0];
}

static void finish(const struct plynnue_net *net, void *const *scratch, unsigned count,
                   int32_t *value)
{
    forward(net, scratch, count, value);
    for (unsigned i = 0; i < count; i++)
        value[i] /= STEPS_A_UNIT;
}

static int32_t raw_value(const struct plynnue_net *net, const void *const *states, unsigned side,
                         void *scratch)
{
    int32_t raw;
    begin(net, states, side, scratch);
    forward(net, &scratch, 1, &raw);
    return raw;
}

static int32_t eval(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *scratch)
{
    (void)board;
    return raw_value(net, states, side, scratch) / STEPS_A_UNIT;
}

static double eval_float(const struct plynnue_net *net, const struct board *board,
                         const void *const *states, unsigned side, void *scratch)
{
    return eval(net, board, states, side, scratch);
}

static void eval_raw(const struct plynnue_net *net, const struct board *board,
                     const void *const *states, unsigned side, void *scratch,
                     struct plynnue_raw *raw)
{
    (void)board;
    raw->buckets = 1;
    raw->positional[0] = raw_value(net, states, side, scratch);
}

static void parts_of(const struct plynnue_net *net, struct net_parts *parts)
{
    const struct model *model = net->model;
    parts->squares = &model->transformer;
    parts->heads = 1;
    parts->layer_count = LAYERS;
    parts->bytes2 = (FEATURES + UINT64_C(1)) * model->shape.l1;
    for (unsigned i = 0; i < LAYERS; i++) {
        const struct dense *layer = parts->layers[i].head[0] = &model->layers[i];
        parts->bytes1 += (uint64_t)layer->inputs * layer->outputs;
        parts->bytes4 += layer->outputs;
    }
}

static const struct arch halfkp_arch = {
    TRANSFORMER_ARCH,     .info = info,
    .destroy = destroy,   .scratch_size = scratch_size,
    .eval = eval,         .eval_float = eval_float,
    .eval_raw = eval_raw, .begin = begin,
    .finish = finish,     .parts = parts_of,
};

static void layer_shape(const struct halfkp_shape *shape, unsigned layer, uint32_t *inputs,
                        uint32_t *outputs)
{
    const uint32_t widths[LAYERS + 1] = {2 * shape->l1, shape->l2, shape->l3, 1};
    *inputs = widths[layer];
    *outputs = widths[layer + 1];
}

static uint64_t padded(uint32_t inputs)
{
    return ((uint64_t)inputs + PADDING - 1) / PADDING * PADDING;
}

static uint32_t network_hash(const struct halfkp_shape *shape)
{
    uint32_t hash = container_hash_inputs(2 * shape->l1);
    hash = container_hash_clip(container_hash_affine(hash, shape->l2));
    hash = container_hash_clip(container_hash_affine(hash, shape->l3));
    return container_hash_affine(hash, 1);
}

/* What follows the header, all in all. */
static uint64_t body_size(const struct halfkp_shape *shape)
{
    uint64_t size = 2 * sizeof(uint32_t) + (uint64_t)shape->l1 * 2 * (FEATURES + 1);
    for (unsigned i = 0; i < LAYERS; i++) {
        uint32_t inputs, outputs;
        layer_shape(shape, i, &inputs, &outputs);
        size += outputs * (sizeof(int32_t) + padded(inputs));
    }
    return size;
}

/* The shape: from asked, or L1 from the first section's hash. Checks hashes and size. */
static int read_shape(const struct container *c, const char *asked, struct halfkp_shape *shape,
                      struct plynnue_error *error)
{
    uint32_t section, twice;
    int code = container_peek(c, &section, error);
    if (code)
        return code;
    twice = section ^ FEATURES_HASH;
    *shape = (struct halfkp_shape){twice / 2, 32, 32};
    if (asked && strcmp(asked, "sf12") != 0 && strcmp(asked, "sf13") != 0 &&
        !halfkp_parse_arch(asked, shape))
        return core_fail(
            error, PLYNNUE_EARCH, 0,
            "version %08x is HalfKP's: arch %.80s is not halfkp(41024->L1)x2->L2->L3->1"
            " with L1 a multiple of %d up to %d, L2 and L3 up to %d",
            c->version, asked, TRANSFORMER_WIDTH_STEP, HALFKP_L1_MAX, HALFKP_L2_MAX);
    if (shape->l1 == 0 || shape->l1 > HALFKP_L1_MAX || shape->l1 % TRANSFORMER_WIDTH_STEP ||
        twice != 2 * shape->l1)
        return core_fail(error, PLYNNUE_EARCH, c->at,
                         "the hash of the feature transformer is %08x: not HalfKP's%s", section,
                         asked ? " with the L1 asked for" : "");
    if (c->hash != (section ^ network_hash(shape)))
        return core_fail(error, PLYNNUE_EARCH, 4,
                         "the hash is %08x, %08x is expected for x2->%u->%u->%u->1", c->hash,
                         section ^ network_hash(shape), shape->l1, shape->l2, shape->l3);
    return container_ends_after(c, body_size(shape), error);
}

static int read_layer(struct container *c, struct model *model, unsigned layer,
                      const struct kernels *kernels, struct plynnue_error *error)
{
    static const char *const names[LAYERS] = {"dense layer 1", "dense layer 2", "dense layer 3"};
    uint32_t inputs, outputs;
    const uint8_t *weights;
    int32_t bias[HALFKP_L2_MAX];
    int code;
    layer_shape(&model->shape, layer, &inputs, &outputs);
    code = container_i32(c, bias, outputs, names[layer], error);
    if (!code)
        code = container_take(c, outputs * padded(inputs), names[layer], &weights, error);
    if (!code && dense_new(&model->layers[layer], kernels, inputs, outputs, padded(inputs), bias,
                           (const int8_t *)weights))
        code = core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    return code;
}

static int read_numbers(struct container *c, struct model *model, const struct kernels *kernels,
                        struct plynnue_error *error)
{
    struct transformer *t = &model->transformer;
    const char *what = "the feature transformer";
    uint32_t l1 = model->shape.l1;
    int code;
    feature_map_halfkp(&t->map);
    if (transformer_new(t, l1, 0))
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    code = container_section(c, FEATURES_HASH ^ (2 * l1), what, error);
    if (!code)
        code = container_i16(c, t->bias, l1, what, error);
    if (!code)
        code = container_i16(c, t->weights, (uint64_t)FEATURES * l1, what, error);
    if (!code)
        code = container_section(c, network_hash(&model->shape), "the network", error);
    for (unsigned i = 0; i < LAYERS && !code; i++)
        code = read_layer(c, model, i, kernels, error);
    return code ? code : container_end(c, error);
}

int halfkp_load(struct plynnue_net *net, struct container *c, const char *asked,
                struct plynnue_error *error)
{
    struct halfkp_shape shape;
    struct model *model;
    int code = read_shape(c, asked, &shape, error);
    if (code)
        return code;
    model = calloc(1, sizeof *model);
    if (!model)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    model->shape = shape;
    code = read_numbers(c, model, net->kernels, error);
    if (code) {
        destroy(model);
        return code;
    }
    net->arch = &halfkp_arch;
    net->model = model;
    return PLYNNUE_OK;
}
