/* SPDX-License-Identifier: MIT */
/*
 * Nets of floats with two views, as training leaves them, before they are rounded to integers:
 *
 *   (768xK->N)x2->1xB          see bullet.h    ft, out
 *   halfka(22528->L1)x2->L2->1xB   halfka.h    ft, l1, out
 *   halfkp(41024->L1)x2->L2->L3->1 halfkp.h    ft, l1, l2, out
 *
 * ft.weight holds a row per feature, the other weights a row per output, side to move's half first.
 * Activations live in [0, 1]; `screlu` squares those of the accumulators. Metadata unit_cp says
 * what 1.0 of the output is worth. Everything is computed in double, so that a float net is a
 * reference that rounding can be measured against. State: double [width].
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/core/bullet.h"
#include "nnue/core/fail.h"
#include "nnue/core/halfka.h"
#include "nnue/core/halfkp.h"
#include "nnue/core/parts.h"

enum { LAYERS_MAX = 3, TENSORS_MAX = 2 + 2 * LAYERS_MAX, ARCH_SIZE = 128 };

#define UNIT_CP        400.0
#define UNIT_CP_HALFKP (600.0 * 100 / 208) /* 600 internal units, 208 of them a pawn */

struct layer {
    uint32_t inputs, outputs;
    float *weights; /* [heads][outputs][inputs] */
    float *bias;    /* [heads][outputs] */
};

struct model {
    struct feature_map map;
    char arch[ARCH_SIZE];
    uint32_t width;
    float *bias, *weights; /* of the features */
    bool squared;
    unsigned heads, least; /* see board_head */
    unsigned layer_count;
    struct layer layers[LAYERS_MAX];
    double unit_cp;
    bool verified; /* see struct plynnue_info */
};

static void info(const struct plynnue_net *net, struct plynnue_info *out)
{
    const struct model *model = net->model;
    memcpy(out->arch, model->arch, sizeof out->arch);
    out->inputs = model->map.rows;
    out->l1 = model->width;
    out->king_buckets = model->map.king_buckets;
    out->output_buckets = model->heads;
    out->cp_per_unit = 1;
    out->is_float = 1;
    out->verified = model->verified;
}

static void destroy(void *memory)
{
    struct model *model = memory;
    memory_free(model->bias);
    memory_free(model->weights);
    for (unsigned i = 0; i < LAYERS_MAX; i++) {
        memory_free(model->layers[i].weights);
        memory_free(model->layers[i].bias);
    }
    free(model);
}

static size_t state_size(const struct plynnue_net *net)
{
    const struct model *model = net->model;
    return model->width * sizeof(double);
}

/* Room for the activations in front of each layer. */
static size_t scratch_size(const struct plynnue_net *net)
{
    const struct model *model = net->model;
    size_t size = 0;
    for (unsigned i = 0; i < model->layer_count; i++)
        size += model->layers[i].inputs * sizeof(double);
    return size;
}

static void add_row(const struct model *model, double *acc, uint32_t row, double sign)
{
    const float *weights = model->weights + (size_t)row * model->width;
    for (size_t i = 0; i < model->width; i++)
        acc[i] += sign * (double)weights[i];
}

static void apply_rows(const struct model *model, const struct row_list *rows, double *acc)
{
    for (unsigned k = 0; k < rows->removed_count; k++)
        add_row(model, acc, rows->removed[k], -1);
    for (unsigned k = 0; k < rows->added_count; k++)
        add_row(model, acc, rows->added[k], 1);
}

static void refresh(const struct plynnue_net *net, const struct board *board, unsigned view,
                    void *state)
{
    const struct model *model = net->model;
    double *acc = state;
    struct row_list rows;
    feature_map_active(&model->map, board, view, &rows);
    for (size_t i = 0; i < model->width; i++)
        acc[i] = (double)model->bias[i];
    apply_rows(model, &rows, acc);
}

static bool follows(const struct plynnue_net *net, const struct change *change, unsigned view)
{
    const struct model *model = net->model;
    return feature_map_follows(&model->map, change, view);
}

static void update(const struct plynnue_net *net, const struct change *change, unsigned view,
                   const void *before, void *after)
{
    const struct model *model = net->model;
    struct row_list rows;
    feature_map_changes(&model->map, change, view, &rows);
    memcpy(after, before, state_size(net));
    apply_rows(model, &rows, after);
}

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static void activate(const struct model *model, const double *acc, double *out)
{
    for (size_t i = 0; i < model->width; i++) {
        double value = clamp01(acc[i]);
        out[i] = model->squared ? value * value : value;
    }
}

static double dot(const float *weights, const double *in, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)weights[i] * in[i];
    return sum;
}

static double eval_float(const struct plynnue_net *net, const struct board *board,
                         const void *const *states, unsigned side, void *scratch)
{
    const struct model *model = net->model;
    unsigned head = board_head(board, model->least, model->heads);
    double *in = scratch;
    activate(model, states[side], in);
    activate(model, states[side ^ 1], in + model->width);
    for (unsigned k = 0;; k++) {
        const struct layer *layer = &model->layers[k];
        const float *weights = layer->weights + (size_t)head * layer->outputs * layer->inputs;
        const float *bias = layer->bias + (size_t)head * layer->outputs;
        double *out = in + layer->inputs;
        if (k + 1 == model->layer_count)
            return model->unit_cp * ((double)bias[0] + dot(weights, in, layer->inputs));
        for (size_t o = 0; o < layer->outputs; o++)
            out[o] = clamp01((double)bias[o] + dot(weights + o * layer->inputs, in, layer->inputs));
        in = out;
    }
}

static int32_t eval(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *scratch)
{
    return arch_round(eval_float(net, board, states, side, scratch));
}

static void eval_raw(const struct plynnue_net *net, const struct board *board,
                     const void *const *states, unsigned side, void *scratch,
                     struct plynnue_raw *raw)
{
    const struct model *model = net->model;
    (void)states, (void)side, (void)scratch;
    raw->bucket = (int)board_head(board, model->least, model->heads);
}

/* As integers: int16 features; of bullet's kind (one layer) all int16, else bytes and int32 biases.
 */
static void parts_of(const struct plynnue_net *net, struct net_parts *parts)
{
    const struct model *model = net->model;
    parts->map = &model->map;
    parts->bytes2 = (model->map.rows + UINT64_C(1)) * model->width;
    for (unsigned i = 0; i < model->layer_count; i++) {
        const struct layer *layer = &model->layers[i];
        const uint64_t biases = (uint64_t)model->heads * layer->outputs;
        *(model->layer_count == 1 ? &parts->bytes2 : &parts->bytes1) += biases * layer->inputs;
        *(model->layer_count == 1 ? &parts->bytes2 : &parts->bytes4) += biases;
    }
}

static const struct arch floatnet_arch = {
    .views = 2,
    .info = info,
    .destroy = destroy,
    .state_size = state_size,
    .scratch_size = scratch_size,
    .refresh = refresh,
    .follows = follows,
    .update = update,
    .eval = eval,
    .eval_float = eval_float,
    .eval_raw = eval_raw,
    .parts = parts_of,
};

/* The layers' widths behind the accumulators; the last is 1. */
static void set_layers(struct model *model, const uint32_t *widths, unsigned count)
{
    uint32_t inputs = 2 * model->width;
    model->layer_count = count;
    for (unsigned i = 0; i < count; i++) {
        model->layers[i].inputs = inputs;
        model->layers[i].outputs = inputs = widths[i];
    }
}

static unsigned specs_768(struct model *model, const struct bullet_shape *shape,
                          struct tensor_spec *specs)
{
    const uint32_t widths[] = {1};
    const uint64_t n = shape->n, heads = shape->heads;
    const struct tensor_spec all[] = {{"ft.weight", "F32", 2, {model->map.rows, n}},
                                      {"ft.bias", "F32", 1, {n}},
                                      {"out.weight", "F32", 2, {heads, 2 * n}},
                                      {"out.bias", "F32", 1, {heads}}};
    set_layers(model, widths, 1);
    memcpy(specs, all, sizeof all);
    return sizeof all / sizeof *all;
}

static unsigned specs_halfkp(struct model *model, const struct halfkp_shape *shape,
                             struct tensor_spec *specs)
{
    const uint32_t widths[] = {shape->l2, shape->l3, 1};
    const uint64_t l1 = shape->l1, l2 = shape->l2, l3 = shape->l3;
    const struct tensor_spec all[] = {{"ft.weight", "F32", 2, {model->map.rows, l1}},
                                      {"ft.bias", "F32", 1, {l1}},
                                      {"l1.weight", "F32", 2, {l2, 2 * l1}},
                                      {"l1.bias", "F32", 1, {l2}},
                                      {"l2.weight", "F32", 2, {l3, l2}},
                                      {"l2.bias", "F32", 1, {l3}},
                                      {"out.weight", "F32", 2, {1, l3}},
                                      {"out.bias", "F32", 1, {1}}};
    set_layers(model, widths, LAYERS_MAX);
    memcpy(specs, all, sizeof all);
    return sizeof all / sizeof *all;
}

static int describe_768(struct model *model, const char *asked, struct tensor_spec *specs,
                        unsigned *count, struct plynnue_error *error)
{
    struct bullet_shape shape;
    int code = bullet_parse_arch(asked, &shape, error);
    if (code)
        return code;
    bullet_map(&shape, &model->map);
    bullet_format_arch(&shape, model->arch, sizeof model->arch);
    model->width = shape.n;
    model->heads = shape.heads;
    model->least = 2;
    model->squared = shape.screlu;
    model->unit_cp = UNIT_CP;
    model->verified =
        true; /* against the published sums of integer nets, divided by their scales */
    *count = specs_768(model, &shape, specs);
    return PLYNNUE_OK;
}

static int describe_halfka(struct model *model, const struct safetensors *file, const char *asked,
                           struct tensor_spec *specs, unsigned *count, struct plynnue_error *error)
{
    struct halfka_shape shape;
    int code = halfka_read_shape(file, asked, &shape, &model->map, error);
    if (code)
        return code;
    const uint32_t widths[] = {shape.l2, 1};
    halfka_format_arch(&shape, model->arch, sizeof model->arch);
    model->width = shape.l1;
    model->heads = shape.heads;
    model->least = 1;
    model->unit_cp = UNIT_CP;
    set_layers(model, widths, 2);
    halfka_tensors(&shape, true, specs);
    *count = HALFKA_TENSORS;
    return PLYNNUE_OK;
}

static int describe_halfkp(struct model *model, const char *asked, struct tensor_spec *specs,
                           unsigned *count, struct plynnue_error *error)
{
    struct halfkp_shape shape;
    if (!halfkp_parse_arch(asked, &shape))
        return core_fail(error, PLYNNUE_EARCH, 0,
                         "arch %.80s is not halfkp(41024->L1)x2->L2->L3->1 with L1 a multiple of 32"
                         " up to %d, L2 and L3 up to %d",
                         asked, HALFKP_L1_MAX, HALFKP_L2_MAX);
    feature_map_halfkp(&model->map);
    halfkp_format_arch(&shape, model->arch, sizeof model->arch);
    model->width = shape.l1;
    model->heads = 1;
    model->least = 1;
    model->unit_cp = UNIT_CP_HALFKP;
    *count = specs_halfkp(model, &shape, specs);
    return PLYNNUE_OK;
}

/* All that the string and the metadata say. */
static int describe(struct model *model, const struct safetensors *file, const char *asked,
                    struct tensor_spec *specs, unsigned *count, struct plynnue_error *error)
{
    char text[16];
    int code;
    if (!strncmp(asked, "(768", 4))
        code = describe_768(model, asked, specs, count, error);
    else if (!strncmp(asked, "halfka(", 7))
        code = describe_halfka(model, file, asked, specs, count, error);
    else
        code = describe_halfkp(model, asked, specs, count, error);
    if (!code && safetensors_text(file, "unit_cp", text, sizeof text) &&
        !tensors_decimal(file, "unit_cp", &model->unit_cp))
        code =
            core_fail(error, PLYNNUE_EARCH, 0, "metadata unit_cp is %s, expected a number", text);
    return code;
}

static int read_tensor(const struct safetensors *file, const struct safetensors_tensor *tensor,
                       float **out, struct plynnue_error *error)
{
    *out = memory_new(tensor->count * sizeof(float));
    if (!*out)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    return tensors_copy_f32(file, tensor, *out, error);
}

static int read_numbers(struct model *model, const struct safetensors *file,
                        const struct tensor_spec *specs, unsigned count,
                        struct plynnue_error *error)
{
    const struct safetensors_tensor *tensors[TENSORS_MAX];
    int code = tensors_find(file, specs, count, model->arch, tensors, error);
    if (!code)
        code = read_tensor(file, tensors[0], &model->weights, error);
    if (!code)
        code = read_tensor(file, tensors[1], &model->bias, error);
    for (unsigned i = 0; i < model->layer_count && !code; i++) {
        code = read_tensor(file, tensors[2 + 2 * i], &model->layers[i].weights, error);
        if (!code)
            code = read_tensor(file, tensors[3 + 2 * i], &model->layers[i].bias, error);
    }
    return code;
}

int floatnet_load(struct plynnue_net *net, const struct safetensors *file, const char *asked,
                  struct plynnue_error *error)
{
    struct tensor_spec specs[TENSORS_MAX];
    struct model *model = calloc(1, sizeof *model);
    unsigned count = 0;
    int code;
    if (!model)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    code = describe(model, file, asked, specs, &count, error);
    if (!code)
        code = read_numbers(model, file, specs, count, error);
    if (code) {
        destroy(model);
        return code;
    }
    net->arch = &floatnet_arch;
    net->model = model;
    return PLYNNUE_OK;
}
