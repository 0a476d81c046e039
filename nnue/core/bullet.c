/* SPDX-License-Identifier: MIT */
/*
 * bullet's quantised.bin, see bullet.h.
 */
#include "nnue/core/bullet.h"

#include <stdlib.h>
#include <string.h>

#include "nnue/core/fail.h"
#include "nnue/core/little.h"
#include "nnue/core/parts.h"
#include "nnue/core/transformer.h"

enum { BLOCK = 64, NARROW_MAX = 128, NARROW_QA = 255 };

struct model {
    struct transformer transformer; /* first: see TRANSFORMER_ARCH */
    struct bullet_shape shape;
    int16_t *weights; /* [heads][2][width], zero behind N */
    int16_t bias[BULLET_HEADS_MAX];
    bool narrow; /* see kernels.h */
};

static uint32_t width_of(const struct bullet_shape *shape)
{
    return (shape->n + TRANSFORMER_WIDTH_STEP - 1) / TRANSFORMER_WIDTH_STEP *
           TRANSFORMER_WIDTH_STEP;
}

static void info(const struct plynnue_net *net, struct plynnue_info *out)
{
    const struct model *model = net->model;
    bullet_format_arch(&model->shape, out->arch, sizeof out->arch);
    out->inputs = model->transformer.map.rows;
    out->l1 = model->shape.n;
    out->king_buckets = model->shape.king_buckets;
    out->output_buckets = model->shape.heads;
    out->cp_num = out->cp_den = 1;
    out->verified = 1;
}

static void destroy(void *memory)
{
    struct model *model = memory;
    transformer_free(&model->transformer);
    memory_free(model->weights);
    free(model);
}

static size_t scratch_size(const struct plynnue_net *net)
{
    (void)net;
    return 0;
}

static int64_t head_sum(const struct plynnue_net *net, const void *const *states, unsigned side,
                        unsigned head)
{
    const struct model *model = net->model;
    const struct kernels *kernels = net->kernels;
    size_t width = model->transformer.width;
    const int16_t *weights = model->weights + 2 * width * head;
    int16_t qa = (int16_t)model->shape.qa;
    if (model->shape.screlu)
        return kernels->screlu_dot(states[side], weights, width, qa, model->narrow) +
               kernels->screlu_dot(states[side ^ 1], weights + width, width, qa, model->narrow);
    return kernels->crelu_dot(states[side], weights, width, qa, model->narrow) +
           kernels->crelu_dot(states[side ^ 1], weights + width, width, qa, model->narrow);
}

static int32_t eval(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *scratch)
{
    const struct model *model = net->model;
    const struct bullet_shape *shape = &model->shape;
    unsigned head = board_head(board, 2, shape->heads);
    int64_t sum = head_sum(net, states, side, head);
    int64_t out = (shape->screlu ? sum / shape->qa : sum) + model->bias[head];
    int64_t cp = out * shape->scale / ((int64_t)shape->qa * shape->qb);
    (void)scratch;
    return (int32_t)(cp > INT32_MAX ? INT32_MAX : cp < -INT32_MAX ? -INT32_MAX : cp);
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
    (void)scratch;
    raw->bucket = (int)board_head(board, 2, model->shape.heads);
    raw->buckets = (int)model->shape.heads;
    for (unsigned i = 0; i < model->shape.heads; i++)
        raw->positional[i] = head_sum(net, states, side, i);
}

static void parts_of(const struct plynnue_net *net, struct net_parts *parts)
{
    const struct model *model = net->model;
    const uint64_t n = model->shape.n, heads = model->shape.heads, qa = model->shape.qa;
    parts->squares = &model->transformer;
    parts->heads = model->shape.heads;
    parts->output.weights = model->weights;
    parts->output.inputs = 2 * model->transformer.width;
    parts->output.activation_max = (int64_t)(model->shape.screlu ? qa * qa : qa);
    parts->bytes2 = (model->transformer.map.rows + 1) * n + heads * (2 * n + 1);
}

static const struct arch bullet_arch = {
    TRANSFORMER_ARCH,     .info = info,
    .destroy = destroy,   .scratch_size = scratch_size,
    .eval = eval,         .eval_float = eval_float,
    .eval_raw = eval_raw, .parts = parts_of,
};

/* Bytes of the numbers, without padding. */
static uint64_t numbers_size(const struct bullet_shape *shape)
{
    uint64_t n = shape->n, heads = shape->heads;
    return 2 * (n * 768 * shape->king_buckets + n + 2 * n * heads + heads);
}

static int check_size(const struct bullet_shape *shape, const uint8_t *bytes, size_t size,
                      struct plynnue_error *error)
{
    static const char letters[] = "bullet";
    uint64_t numbers = numbers_size(shape), whole = (numbers + BLOCK - 1) / BLOCK * BLOCK;
    if (size != whole)
        return core_fail(error, PLYNNUE_EFORMAT, size < whole ? size : whole,
                         "the file has %llu bytes, a quantised.bin of this arch %llu",
                         (unsigned long long)size, (unsigned long long)whole);
    for (uint64_t i = numbers; i < whole; i++)
        if (bytes[i] != (uint8_t)letters[(i - numbers) % (sizeof letters - 1)])
            return core_fail(error, PLYNNUE_EFORMAT, i,
                             "the padding is not bullet's: another arch has this size too");
    return PLYNNUE_OK;
}

static void copy_rows(struct transformer *t, const struct bullet_shape *shape, const uint8_t *bytes)
{
    size_t n = shape->n, rows = t->map.rows;
    for (size_t i = 0; i < rows; i++)
        little_copy_i16(t->weights + i * t->width, bytes + 2 * i * n, n);
    little_copy_i16(t->bias, bytes + 2 * rows * n, n);
}

/* bytes: l1w and l1b. Sums up whether the weights are narrow. */
static void copy_heads(struct model *model, const uint8_t *bytes)
{
    const struct bullet_shape *shape = &model->shape;
    size_t n = shape->n, heads = shape->heads, width = model->transformer.width;
    model->narrow = shape->qa <= NARROW_QA;
    for (size_t head = 0; head < heads; head++)
        for (size_t i = 0; i < 2 * n; i++) {
            size_t place = shape->transposed ? head * 2 * n + i : i * heads + head;
            int16_t weight = (int16_t)(uint16_t)little_u16(bytes + 2 * place);
            model->weights[(2 * head + i / n) * width + i % n] = weight;
            model->narrow = model->narrow && abs(weight) <= NARROW_MAX;
        }
    little_copy_i16(model->bias, bytes + 4 * n * heads, heads);
}

int bullet_load(struct plynnue_net *net, const void *data, size_t size, const char *asked,
                struct plynnue_error *error)
{
    struct bullet_shape shape;
    struct model *model;
    int code = bullet_parse_arch(asked, &shape, error);
    if (!code)
        code = check_size(&shape, data, size, error);
    if (code)
        return code;
    model = calloc(1, sizeof *model);
    if (!model)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    model->shape = shape;
    bullet_map(&shape, &model->transformer.map);
    model->weights = memory_new(2 * sizeof(int16_t) * width_of(&shape) * shape.heads);
    if (!model->weights || transformer_new(&model->transformer, width_of(&shape), 0)) {
        destroy(model);
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    }
    copy_rows(&model->transformer, &shape, data);
    copy_heads(model,
               (const uint8_t *)data + 2 * ((size_t)model->transformer.map.rows + 1) * shape.n);
    net->arch = &bullet_arch;
    net->model = model;
    return PLYNNUE_OK;
}
