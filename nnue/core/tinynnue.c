/* SPDX-License-Identifier: MIT */
/*
 * 769-H1-H2-1 nets in memory and out of safetensors files, see tinynnue.h.
 */
#include "nnue/core/tinynnue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/core/archtext.h"
#include "nnue/core/fail.h"
#include "nnue/core/little.h"
#include "nnue/core/tensors.h"

bool tinynnue_parse_arch(const char *text, uint32_t *h1, uint32_t *h2)
{
    return archtext_skip(&text, "769->") && archtext_number(&text, 1, TINYNNUE_H1_MAX, h1) &&
           archtext_skip(&text, "->") && archtext_number(&text, 1, TINYNNUE_H2_MAX, h2) &&
           archtext_skip(&text, "->1") && !*text;
}

void tinynnue_format_arch(uint32_t h1, uint32_t h2, char out[TINYNNUE_ARCH_SIZE])
{
    snprintf(out, TINYNNUE_ARCH_SIZE, "769->%u->%u->1", h1, h2);
}

int tinynnue_float_new(struct tinynnue_float *net, uint32_t h1, uint32_t h2)
{
    size_t first = (size_t)TINYNNUE_INPUTS * h1, second = (size_t)h2 * h1;
    float *next = calloc(first + h1 + second + h2 + h2 + 1, sizeof *next);
    if (!next)
        return PLYNNUE_ENOMEM;
    net->h1 = h1;
    net->h2 = h2;
    net->w1 = next;
    net->b1 = net->w1 + first;
    net->w2 = net->b1 + h1;
    net->b2 = net->w2 + second;
    net->w3 = net->b2 + h2;
    net->b3 = net->w3 + h2;
    return PLYNNUE_OK;
}

int tinynnue_int_new(struct tinynnue_int *net, uint32_t h1, uint32_t h2)
{
    size_t b1 = memory_align(h1 * sizeof(int32_t)), b2 = memory_align(h2 * sizeof(int32_t));
    size_t w1 = memory_align((size_t)TINYNNUE_INPUTS * h1), w2 = memory_align((size_t)h2 * h1);
    char *next = memory_new(b1 + b2 + memory_align(sizeof(int32_t)) + w1 + w2 + h2);
    if (!next)
        return PLYNNUE_ENOMEM;
    memset(net, 0, sizeof *net);
    net->h1 = h1;
    net->h2 = h2;
    net->b1 = (int32_t *)(void *)next;
    net->b2 = (int32_t *)(void *)(next += b1);
    net->b3 = (int32_t *)(void *)(next += b2);
    net->w1 = (int8_t *)(next += memory_align(sizeof(int32_t)));
    net->w2 = (int8_t *)(next += w1);
    net->w3 = (int8_t *)(next + w2);
    return PLYNNUE_OK;
}

void tinynnue_float_free(struct tinynnue_float *net)
{
    free(net->w1);
    memset(net, 0, sizeof *net);
}

void tinynnue_int_free(struct tinynnue_int *net)
{
    memory_free(net->b1);
    memset(net, 0, sizeof *net);
}

bool tinynnue_is_float(const struct safetensors *file)
{
    const struct safetensors_tensor *tensor = safetensors_find(file, "l1.weight");
    return tensor && !strcmp(tensor->dtype, "F32");
}

enum { TENSORS = 6 };

/* The six tensors in the order of the page that describes them. */
static int find_all(const struct safetensors *file, bool floats, uint32_t h1, uint32_t h2,
                    const struct safetensors_tensor *out[TENSORS], struct plynnue_error *error)
{
    const char *small = floats ? "F32" : "I8", *sums = floats ? "F32" : "I32";
    const struct tensor_spec specs[TENSORS] = {{"l1.weight", small, 2, {TINYNNUE_INPUTS, h1}},
                                               {"l1.bias", sums, 1, {h1}},
                                               {"l2.weight", small, 2, {h2, h1}},
                                               {"l2.bias", sums, 1, {h2}},
                                               {"l3.weight", small, 2, {1, h2}},
                                               {"l3.bias", sums, 1, {1}}};
    char arch[TINYNNUE_ARCH_SIZE];
    tinynnue_format_arch(h1, h2, arch);
    return tensors_find(file, specs, TENSORS, arch, out, error);
}

static void copy_bytes(const struct safetensors_tensor *tensor, int8_t *out)
{
    memcpy(out, tensor->data, tensor->count);
}

static void copy_ints(const struct safetensors_tensor *tensor, int32_t *out)
{
    little_copy_i32(out, tensor->data, tensor->count);
}

int tinynnue_read_float(const struct safetensors *file, uint32_t h1, uint32_t h2,
                        struct tinynnue_float *out, struct plynnue_error *error)
{
    const struct safetensors_tensor *tensors[TENSORS];
    int code = find_all(file, true, h1, h2, tensors, error);
    if (code)
        return code;
    if (tinynnue_float_new(out, h1, h2))
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    float *const parts[TENSORS] = {out->w1, out->b1, out->w2, out->b2, out->w3, out->b3};
    for (unsigned i = 0; i < TENSORS && !code; i++)
        code = tensors_copy_f32(file, tensors[i], parts[i], error);
    if (code)
        tinynnue_float_free(out);
    return code;
}

static int read_scaling(const struct safetensors *file, struct tinynnue_int *net,
                        struct plynnue_error *error)
{
    static const char *const names[3] = {"M1", "M2", "M3"};
    int64_t value;
    if (!safetensors_integer(file, "S", &value) || value < 1 || value > TINYNNUE_SHIFT_MAX)
        return core_fail(error, PLYNNUE_EFORMAT, 0, "metadata S must be 1 .. %d",
                         TINYNNUE_SHIFT_MAX);
    net->shift = (uint32_t)value;
    for (unsigned i = 0; i < 3; i++) {
        if (!safetensors_integer(file, names[i], &value) || value < 1 || value > INT32_MAX)
            return core_fail(error, PLYNNUE_EFORMAT, 0, "metadata %s must be 1 .. 2^31 - 1",
                             names[i]);
        net->multiplier[i] = (int32_t)value;
    }
    return PLYNNUE_OK;
}

int tinynnue_read_int(const struct safetensors *file, uint32_t h1, uint32_t h2,
                      struct tinynnue_int *out, struct plynnue_error *error)
{
    const struct safetensors_tensor *tensors[TENSORS];
    int code = find_all(file, false, h1, h2, tensors, error);
    if (code)
        return code;
    if (tinynnue_int_new(out, h1, h2))
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    copy_bytes(tensors[0], out->w1);
    copy_ints(tensors[1], out->b1);
    copy_bytes(tensors[2], out->w2);
    copy_ints(tensors[3], out->b2);
    copy_bytes(tensors[4], out->w3);
    copy_ints(tensors[5], out->b3);
    code = read_scaling(file, out, error);
    if (!code)
        code = tinynnue_int_check(out, error);
    if (code)
        tinynnue_int_free(out);
    return code;
}

/* Is |bias| + terms * largest product within int32 for every bias? */
static bool sums_fit(const int32_t *bias, uint32_t count, int64_t room)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t size = bias[i] < 0 ? -(int64_t)bias[i] : bias[i];
        if (size + room > INT32_MAX)
            return false;
    }
    return true;
}

int tinynnue_int_check(const struct tinynnue_int *net, struct plynnue_error *error)
{
    /* A row may leave before another one comes: one accumulator step holds up to two more rows. */
    const int64_t rows = INT64_C(128) * (FEATURE769_ACTIVE_MAX + 3);
    for (unsigned i = 0; i < 3; i++)
        if (net->multiplier[i] < 1)
            return core_fail(error, PLYNNUE_EFORMAT, 0, "multiplier M%u must be 1 .. 2^31 - 1",
                             i + 1);
    if (net->shift < 1 || net->shift > TINYNNUE_SHIFT_MAX)
        return core_fail(error, PLYNNUE_EFORMAT, 0, "shift S must be 1 .. %d", TINYNNUE_SHIFT_MAX);
    if (!sums_fit(net->b1, net->h1, rows) ||
        !sums_fit(net->b2, net->h2, (int64_t)net->h1 * TINYNNUE_ONE * 128) ||
        !sums_fit(net->b3, 1, (int64_t)net->h2 * TINYNNUE_ONE * 128))
        return core_fail(error, PLYNNUE_EFORMAT, 0, "a bias is so large that sums may leave int32");
    return PLYNNUE_OK;
}

int tinynnue_load(struct plynnue_net *net, const struct safetensors *file, const char *arch,
                  struct plynnue_error *error)
{
    uint32_t h1, h2;
    char unit[16];
    int64_t unit_cp;
    if (!tinynnue_parse_arch(arch, &h1, &h2))
        return core_fail(error, PLYNNUE_EARCH, 0,
                         "arch %.60s: not 769->H1->H2->1, H1 <= %d, H2 <= %d", arch,
                         TINYNNUE_H1_MAX, TINYNNUE_H2_MAX);
    if (safetensors_text(file, "unit_cp", unit, sizeof unit) &&
        (!safetensors_integer(file, "unit_cp", &unit_cp) || unit_cp != TINYNNUE_UNIT_CP))
        return core_fail(error, PLYNNUE_EARCH, 0, "unit_cp is %s, a 769->H1->H2->1 net has %d",
                         unit, TINYNNUE_UNIT_CP);
    return tinynnue_is_float(file) ? tinynnue_load_float(net, file, h1, h2, error)
                                   : tinynnue_load_int(net, file, h1, h2, error);
}
