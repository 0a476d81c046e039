/* SPDX-License-Identifier: MIT */
/*
 * HalfKA nets with integers, see halfka.h.
 */
#include "nnue/core/halfka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/core/archtext.h"
#include "nnue/core/dense.h"
#include "nnue/core/fail.h"
#include "nnue/core/little.h"
#include "nnue/core/parts.h"
#include "nnue/core/transformer.h"

enum { SHIFT = 6, ONE = 127, ORDER_SIZE = 16, CP_MAX = 1 << 24 };

struct head {
    struct dense l1, out;
};

struct model {
    struct transformer transformer; /* first: see TRANSFORMER_ARCH */
    struct halfka_shape shape;
    uint32_t cp_num, cp_den; /* 0: unknown */
    struct head heads[HALFKA_HEADS_MAX];
};

static enum halfka_order order_named(const char *name)
{
    return !strcmp(name, "seed")        ? HALFKA_SEED
           : !strcmp(name, "stockfish") ? HALFKA_STOCKFISH
                                        : HALFKA_UNSAID;
}

bool halfka_parse_arch(const char *text, struct halfka_shape *shape)
{
    shape->heads = 1;
    shape->order = HALFKA_UNSAID;
    if (!archtext_skip(&text, "halfka(22528->") ||
        !archtext_number(&text, 1, HALFKA_L1_MAX, &shape->l1) || !archtext_skip(&text, ")x2->") ||
        !archtext_number(&text, 1, HALFKA_L2_MAX, &shape->l2) || !archtext_skip(&text, "->1") ||
        shape->l1 % TRANSFORMER_WIDTH_STEP)
        return false;
    if (archtext_skip(&text, "x") && !archtext_number(&text, 1, HALFKA_HEADS_MAX, &shape->heads))
        return false;
    if (archtext_skip(&text, " order=")) {
        shape->order = order_named(text);
        return shape->order != HALFKA_UNSAID;
    }
    return archtext_ends(&text);
}

void halfka_format_arch(const struct halfka_shape *shape, char *out, size_t size)
{
    int length = snprintf(out, size, "halfka(22528->%u)x2->%u->1", shape->l1, shape->l2);
    if (shape->heads > 1)
        snprintf(out + length, size - (size_t)length, "x%u", shape->heads);
}

void halfka_tensors(const struct halfka_shape *shape, bool floats, struct tensor_spec *specs)
{
    const char *wide = floats ? "F32" : "I16", *small = floats ? "F32" : "I8";
    const char *sums = floats ? "F32" : "I32";
    const uint64_t l1 = shape->l1, l2 = shape->l2, heads = shape->heads;
    const struct tensor_spec all[HALFKA_TENSORS] = {
        {"ft.weight", wide, 2, {HALFKA_FEATURES, l1}}, {"ft.bias", wide, 1, {l1}},
        {"l1.weight", small, 3, {heads, l2, 2 * l1}},  {"l1.bias", sums, 2, {heads, l2}},
        {"out.weight", small, 2, {heads, l2}},         {"out.bias", sums, 1, {heads}}};
    memcpy(specs, all, sizeof all);
}

/* The order of rows out of the metadata, which the string may repeat. */
static int read_order(const struct safetensors *file, struct halfka_shape *shape,
                      struct plynnue_error *error)
{
    char text[ORDER_SIZE];
    if (safetensors_text(file, "order", text, sizeof text)) {
        enum halfka_order found = order_named(text);
        if (found == HALFKA_UNSAID)
            return core_fail(error, PLYNNUE_EARCH, 0,
                             "metadata order is %s, expected seed or stockfish", text);
        if (shape->order != HALFKA_UNSAID && shape->order != found)
            return core_fail(error, PLYNNUE_EARCH, 0, "metadata order is %s, asked for the other",
                             text);
        shape->order = found;
    }
    if (shape->order == HALFKA_UNSAID)
        return core_fail(error, PLYNNUE_EARCH, 0,
                         "metadata order (seed or stockfish) is missing, and read in the wrong "
                         "order a net plays badly: add order=... to its arch");
    return PLYNNUE_OK;
}

int halfka_read_shape(const struct safetensors *file, const char *asked, struct halfka_shape *shape,
                      struct feature_map *map, struct plynnue_error *error)
{
    int code;
    if (!halfka_parse_arch(asked, shape))
        return core_fail(error, PLYNNUE_EARCH, 0,
                         "arch %.60s: not halfka(22528->L1)x2->L2->1xB, L1 a multiple of %d up to "
                         "%d, L2 <= %d, B <= %d",
                         asked, TRANSFORMER_WIDTH_STEP, HALFKA_L1_MAX, HALFKA_L2_MAX,
                         HALFKA_HEADS_MAX);
    code = tensors_agree(file, "l1", shape->l1, error);
    if (!code)
        code = tensors_agree(file, "l2", shape->l2, error);
    if (!code)
        code = tensors_agree(file, "buckets", shape->heads, error);
    if (!code)
        code = read_order(file, shape, error);
    if (code)
        return code;
    if (shape->order == HALFKA_SEED)
        feature_map_halfka_seed(map);
    else
        feature_map_halfka_hm(map);
    return PLYNNUE_OK;
}

static void info(const struct plynnue_net *net, struct plynnue_info *out)
{
    const struct model *model = net->model;
    halfka_format_arch(&model->shape, out->arch, sizeof out->arch);
    out->inputs = HALFKA_FEATURES;
    out->l1 = model->shape.l1;
    out->king_buckets = model->transformer.map.king_buckets;
    out->output_buckets = model->shape.heads;
    out->cp_num = model->cp_num;
    out->cp_den = model->cp_den;
    out->verified = 1;
}

static void destroy(void *memory)
{
    struct model *model = memory;
    transformer_free(&model->transformer);
    for (unsigned i = 0; i < HALFKA_HEADS_MAX; i++) {
        dense_free(&model->heads[i].l1);
        dense_free(&model->heads[i].out);
    }
    free(model);
}

static size_t scratch_size(const struct plynnue_net *net)
{
    const struct model *model = net->model;
    return dense_output_size(model->shape.l2) + dense_input_size(2 * model->shape.l1) +
           dense_input_size(model->shape.l2);
}

/* The scratch memory, cut into its parts. */
struct scratch {
    int32_t *sums;
    uint8_t *x, *h;
};

static struct scratch scratch_split(const struct model *model, void *memory)
{
    struct scratch parts;
    parts.sums = memory;
    parts.x = (uint8_t *)memory + dense_output_size(model->shape.l2);
    parts.h = parts.x + dense_input_size(2 * model->shape.l1);
    return parts;
}

static void activate(const struct plynnue_net *net, const void *const *states, unsigned side,
                     const struct scratch *parts)
{
    const struct model *model = net->model;
    net->kernels->clip_u8(parts->x, states[side], model->shape.l1);
    net->kernels->clip_u8(parts->x + model->shape.l1, states[side ^ 1], model->shape.l1);
}

static int32_t head_value(const struct plynnue_net *net, const struct head *head,
                          const struct scratch *parts)
{
    const struct kernels *kernels = net->kernels;
    kernels->dense_i8(&head->l1, parts->sums, parts->x);
    kernels->shift_clip_u8(parts->h, parts->sums, head->l1.outputs, SHIFT);
    kernels->dense_i8(&head->out, parts->sums, parts->h);
    return parts->sums[0];
}

static int32_t eval(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *scratch)
{
    const struct model *model = net->model;
    const struct scratch parts = scratch_split(model, scratch);
    activate(net, states, side, &parts);
    return head_value(net, &model->heads[board_head(board, 1, model->shape.heads)], &parts);
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
    const struct model *model = net->model;
    const struct scratch parts = scratch_split(model, scratch);
    activate(net, states, side, &parts);
    raw->bucket = (int)board_head(board, 1, model->shape.heads);
    raw->buckets = (int)model->shape.heads;
    for (unsigned i = 0; i < model->shape.heads; i++)
        raw->positional[i] = head_value(net, &model->heads[i], &parts);
}

static void parts_of(const struct plynnue_net *net, struct net_parts *parts)
{
    const struct model *model = net->model;
    const uint64_t l1 = model->shape.l1, l2 = model->shape.l2, heads = model->shape.heads;
    parts->squares = &model->transformer;
    parts->heads = model->shape.heads;
    parts->layer_count = 2;
    for (unsigned i = 0; i < heads; i++) {
        parts->layers[0].head[i] = &model->heads[i].l1;
        parts->layers[1].head[i] = &model->heads[i].out;
    }
    parts->bytes1 = heads * (2 * l1 + 1) * l2;
    parts->bytes2 = (HALFKA_FEATURES + UINT64_C(1)) * l1;
    parts->bytes4 = heads * (l2 + 1);
}

static const struct arch halfka_arch = {
    TRANSFORMER_ARCH,     .info = info,
    .destroy = destroy,   .scratch_size = scratch_size,
    .eval = eval,         .eval_float = eval_float,
    .eval_raw = eval_raw, .parts = parts_of,
};

/* cp_num and cp_den, both or none. */
static int read_unit(const struct safetensors *file, struct model *model,
                     struct plynnue_error *error)
{
    char text[ORDER_SIZE];
    int64_t num, den;
    bool has_num = safetensors_text(file, "cp_num", text, sizeof text);
    bool has_den = safetensors_text(file, "cp_den", text, sizeof text);
    if (!has_num && !has_den)
        return PLYNNUE_OK;
    if (!safetensors_integer(file, "cp_num", &num) || !safetensors_integer(file, "cp_den", &den) ||
        num < 1 || num > CP_MAX || den < 1 || den > CP_MAX)
        return core_fail(error, PLYNNUE_EARCH, 0, "metadata cp_num and cp_den must be 1 .. %d",
                         CP_MAX);
    model->cp_num = (uint32_t)num;
    model->cp_den = (uint32_t)den;
    return PLYNNUE_OK;
}

static int read_head(struct model *model, const struct kernels *kernels, unsigned index,
                     const struct safetensors_tensor *const *tensors)
{
    struct head *head = &model->heads[index];
    const uint32_t l1 = model->shape.l1, l2 = model->shape.l2;
    const int8_t *w1 = (const int8_t *)tensors[2]->data + (size_t)index * l2 * 2 * l1;
    const int8_t *w2 = (const int8_t *)tensors[4]->data + (size_t)index * l2;
    int32_t b1[HALFKA_L2_MAX], b2;
    little_copy_i32(b1, tensors[3]->data + (size_t)index * l2 * sizeof(int32_t), l2);
    little_copy_i32(&b2, tensors[5]->data + sizeof(int32_t) * index, 1);
    return dense_new(&head->l1, kernels, 2 * l1, l2, 2 * (size_t)l1, b1, w1) ||
                   dense_new(&head->out, kernels, l2, 1, l2, &b2, w2)
               ? PLYNNUE_ENOMEM
               : PLYNNUE_OK;
}

static int read_numbers(const struct safetensors *file, struct model *model,
                        const struct kernels *kernels, struct plynnue_error *error)
{
    const struct safetensors_tensor *tensors[HALFKA_TENSORS];
    struct tensor_spec specs[HALFKA_TENSORS];
    struct transformer *t = &model->transformer;
    int code;
    halfka_tensors(&model->shape, false, specs);
    code =
        tensors_find(file, specs, HALFKA_TENSORS, "halfka(22528->L1)x2->L2->1xB", tensors, error);
    if (code)
        return code;
    code = transformer_new(t, model->shape.l1, 0);
    for (unsigned i = 0; i < model->shape.heads && !code; i++)
        code = read_head(model, kernels, i, tensors);
    if (code)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    little_copy_i16(t->weights, tensors[0]->data, tensors[0]->count);
    little_copy_i16(t->bias, tensors[1]->data, tensors[1]->count);
    return PLYNNUE_OK;
}

int halfka_load(struct plynnue_net *net, const struct safetensors *file, const char *asked,
                struct plynnue_error *error)
{
    struct model *model = calloc(1, sizeof *model);
    int code;
    if (!model)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    code = halfka_read_shape(file, asked, &model->shape, &model->transformer.map, error);
    if (!code)
        code = tensors_agree(file, "ft_scale", ONE, error);
    if (!code)
        code = tensors_agree(file, "shift", SHIFT, error);
    if (!code)
        code = read_unit(file, model, error);
    if (!code)
        code = read_numbers(file, model, net->kernels, error);
    if (code) {
        destroy(model);
        return code;
    }
    net->arch = &halfka_arch;
    net->model = model;
    return PLYNNUE_OK;
}
