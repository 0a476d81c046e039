/* SPDX-License-Identifier: MIT */
/*
 * Float nets with two sides, read and scaled; see quantize_wide.h. quantize_files.c writes the
 * integers.
 */
#include "nnue/tools/quantize_wide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/bytes.h"
#include "formats/io/file.h"
#include "nnue/core/tensors.h"

enum { STEPS_FT = 127, STEPS_WEIGHT = 64, STEPS_A_UNIT = 16, UNITS_A_PAWN = 208 };

#define UNIT_CP        400.0
#define UNIT_CP_HALFKP (600.0 * 100 / UNITS_A_PAWN) /* 600 internal units */
#define UNIT_TOLERANCE 0.005                        /* "288.46" means exactly 600 units */

const char *quantize_to_name(enum quantize_to to)
{
    static const char *const names[] = {"safetensors", "bullet", "nnue"};
    return names[to];
}

const char *quantize_to_suffix(enum quantize_to to)
{
    static const char *const suffixes[] = {".safetensors", ".bin", ".nnue"};
    return suffixes[to];
}

/* The kind that an arch begins like. False: another kind of net. */
static bool kind_of(const char *arch, enum quantize_to *to)
{
    if (!strncmp(arch, "(768", 4))
        *to = QUANTIZE_BULLET;
    else if (!strncmp(arch, "halfka(", 7))
        *to = QUANTIZE_SAFETENSORS;
    else if (!strncmp(arch, "halfkp(", 7))
        *to = QUANTIZE_NNUE;
    else
        return false;
    return true;
}

static int parse_shape(struct quantize_wide *net, const struct safetensors *file,
                       struct plynnue_error *error)
{
    struct feature_map *map;
    int code;
    if (net->to == QUANTIZE_BULLET)
        return bullet_parse_arch(net->arch, &net->shape.bullet, error);
    if (net->to == QUANTIZE_NNUE)
        return halfkp_parse_arch(net->arch, &net->shape.halfkp) ? PLYNNUE_OK : PLYNNUE_EARCH;
    map = malloc(sizeof *map);
    code =
        map ? halfka_read_shape(file, net->arch, &net->shape.halfka, map, error) : PLYNNUE_ENOMEM;
    free(map);
    return code;
}

static void add_tensor(struct quantize_wide *net, const char *name, double scale,
                       enum tensor_type type)
{
    net->tensors[net->count++] =
        (struct quantize_tensor){.name = name, .scale = scale, .type = type};
}

static void list_bullet(struct quantize_wide *net)
{
    double qa = net->shape.bullet.qa, qb = net->shape.bullet.qb;
    add_tensor(net, "ft.weight", qa, TENSOR_I16);
    add_tensor(net, "ft.bias", qa, TENSOR_I16);
    add_tensor(net, "out.weight", qb, TENSOR_I16);
    add_tensor(net, "out.bias", qa * qb, TENSOR_I16);
}

static void list_halfka(struct quantize_wide *net)
{
    const double sums = (double)STEPS_FT * STEPS_WEIGHT;
    add_tensor(net, "ft.weight", STEPS_FT, TENSOR_I16);
    add_tensor(net, "ft.bias", STEPS_FT, TENSOR_I16);
    add_tensor(net, "l1.weight", STEPS_WEIGHT, TENSOR_I8);
    add_tensor(net, "l1.bias", sums, TENSOR_I32);
    add_tensor(net, "out.weight", STEPS_WEIGHT, TENSOR_I8);
    add_tensor(net, "out.bias", sums, TENSOR_I32);
}

static void list_halfkp(struct quantize_wide *net)
{
    const double sums = (double)STEPS_FT * STEPS_WEIGHT;
    const double unit = STEPS_A_UNIT * net->unit_cp * UNITS_A_PAWN / 100;
    add_tensor(net, "ft.weight", STEPS_FT, TENSOR_I16);
    add_tensor(net, "ft.bias", STEPS_FT, TENSOR_I16);
    add_tensor(net, "l1.weight", STEPS_WEIGHT, TENSOR_I8);
    add_tensor(net, "l1.bias", sums, TENSOR_I32);
    add_tensor(net, "l2.weight", STEPS_WEIGHT, TENSOR_I8);
    add_tensor(net, "l2.bias", sums, TENSOR_I32);
    add_tensor(net, "out.weight", unit / STEPS_FT, TENSOR_I8);
    add_tensor(net, "out.bias", unit, TENSOR_I32);
}

static void list_tensors(struct quantize_wide *net)
{
    if (net->to == QUANTIZE_BULLET)
        list_bullet(net);
    else if (net->to == QUANTIZE_NNUE)
        list_halfkp(net);
    else
        list_halfka(net);
}

static void read_unit(struct quantize_wide *net, const struct safetensors *file)
{
    net->unit_cp = net->to == QUANTIZE_NNUE ? UNIT_CP_HALFKP : UNIT_CP;
    (void)tensors_decimal(file, "unit_cp", &net->unit_cp);
    if (net->to == QUANTIZE_NNUE && fabs(net->unit_cp - UNIT_CP_HALFKP) < UNIT_TOLERANCE)
        net->unit_cp = UNIT_CP_HALFKP;
}

/* All tensors are there and finite: the library has loaded the file. */
static int read_tensors(struct quantize_wide *net, const struct safetensors *file,
                        struct error *err)
{
    for (unsigned i = 0; i < net->count; i++) {
        struct quantize_tensor *tensor = &net->tensors[i];
        const struct safetensors_tensor *found = safetensors_find(file, tensor->name);
        struct plynnue_error error = {.text = ""};
        tensor->count = found->count;
        tensor->rank = found->rank;
        memcpy(tensor->shape, found->shape, found->rank * sizeof *tensor->shape);
        tensor->offset = (size_t)(found->data - (const uint8_t *)net->file.data);
        tensor->values = calloc(found->count, sizeof *tensor->values);
        if (!tensor->values)
            return error_memory(err);
        if (tensors_copy_f32(file, found, tensor->values, &error))
            return error_set(err, ERROR_FAILED, "%s", error.text);
    }
    return 0;
}

/* Whether the file is sound and what is asked for is in it, is for the library to say. */
static int check_file(const struct quantize_wide *net, const char *arch, struct error *err)
{
    const struct plynnue_options options = {.size = sizeof options, .arch = arch};
    struct plynnue_error error = {.text = ""};
    struct plynnue_info info = {.size = sizeof info};
    plynnue_net *loaded;
    if (plynnue_net_from_memory(net->file.data, net->file.length, &options, &loaded, &error))
        return error_set(err, ERROR_FAILED, "%s", error.text);
    plynnue_net_info(loaded, &info);
    plynnue_net_close(loaded);
    if (!info.is_float)
        return error_set(err, ERROR_FAILED, "holds integers already: a float net is needed");
    return 0;
}

static int read_net(struct quantize_wide *net, const char *arch, struct safetensors *file,
                    struct error *err)
{
    struct plynnue_error error = {.text = ""};
    char named[QUANTIZE_ARCH_MAX];
    if (!safetensors_detect(net->file.data, net->file.length))
        return error_set(err, ERROR_FAILED, "not a net (no safetensors header)");
    if (safetensors_parse(net->file.data, net->file.length, file, &error))
        return error_set(err, ERROR_FAILED, "%s", error.text);
    if (!safetensors_text(file, "arch", named, sizeof named) && !arch)
        return error_set(err, ERROR_FAILED,
                         "the file has no arch in its metadata: name one with --arch");
    snprintf(net->arch, sizeof net->arch, "%s",
             arch && (!named[0] || strchr(arch, ' ')) ? arch : named);
    if (!kind_of(net->arch, &net->to))
        return 0;
    if (check_file(net, arch, err))
        return -1;
    if (parse_shape(net, file, &error))
        return error_set(err, ERROR_FAILED, "%s", error.text);
    read_unit(net, file);
    list_tensors(net);
    return read_tensors(net, file, err) ? -1 : 1;
}

int quantize_wide_load(const char *path, const char *arch, struct quantize_wide *net,
                       struct error *err)
{
    struct safetensors *file = malloc(sizeof *file);
    int result = -1;
    memset(net, 0, sizeof *net);
    buffer_init(&net->file, PLYNNUE_FILE_MAX);
    if (!file) {
        error_memory(err);
    } else if (file_is_directory(path)) {
        error_set(err, ERROR_FAILED, "%s: not a net, but a directory", path);
    } else if (!file_read_all(path, &net->file, err)) {
        result = read_net(net, arch, file, err);
        if (result < 0)
            error_prefix(err, "%s", path);
    }
    free(file);
    return result;
}

void quantize_wide_free(struct quantize_wide *net)
{
    for (unsigned i = 0; i < net->count; i++)
        free(net->tensors[i].values);
    net->count = 0;
    buffer_free(&net->file);
}

int quantize_wide_round_one(const struct quantize_wide *net, unsigned tensor, struct buffer *out,
                            struct error *err)
{
    const struct quantize_tensor *changed = &net->tensors[tensor];
    uint8_t *to;
    buffer_clear(out);
    if (buffer_append(out, net->file.data, net->file.length, err))
        return -1;
    to = (uint8_t *)out->data + changed->offset;
    for (uint64_t i = 0; i < changed->count; i++) {
        float value = (float)(round((double)changed->values[i] * changed->scale) / changed->scale);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        bytes_put_u32(to + 4 * i, bits);
    }
    return 0;
}
