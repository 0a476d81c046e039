/* SPDX-License-Identifier: MIT */
/*
 * 769-H1-H2-1 nets as files, see tinynet.h.
 */
#include "nnue/tools/tinynet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"

enum { INTEGER_SIZE = 12, DIGITS_MAX = 17, FIXED_TEXTS = 6, SCALING_TEXTS = 7 };

#define INTEGRAL_MAX 1e15 /* whole numbers up to here are written out */

void tinynet_format_double(double value, char out[TINYNET_SCALE_SIZE])
{
    if (value == trunc(value) && fabs(value) < INTEGRAL_MAX) {
        snprintf(out, TINYNET_SCALE_SIZE, "%.0f", value); /* 400, not 4e+02 */
        return;
    }
    for (int digits = 1; digits <= DIGITS_MAX; digits++) {
        snprintf(out, TINYNET_SCALE_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

static bool read_scales(const struct safetensors *file, double scale[3])
{
    static const char *const names[3] = {"s1", "s2", "s3"};
    char text[TINYNET_SCALE_SIZE], *end;
    for (unsigned i = 0; i < 3; i++) {
        if (!safetensors_text(file, names[i], text, sizeof text))
            return false;
        scale[i] = strtod(text, &end);
        if (end == text || *end || !(scale[i] > 0))
            return false;
    }
    return true;
}

static int read_net(const struct safetensors *file, struct tinynet *net,
                    struct plynnue_error *error)
{
    char arch[128];
    uint32_t h1, h2;
    if (!safetensors_text(file, "arch", arch, sizeof arch) ||
        !tinynnue_parse_arch(arch, &h1, &h2)) {
        snprintf(error->text, sizeof error->text, "its arch is not 769->H1->H2->1");
        return PLYNNUE_EARCH;
    }
    net->is_float = tinynnue_is_float(file);
    if (net->is_float)
        return tinynnue_read_float(file, h1, h2, &net->floats, error);
    net->has_scale = read_scales(file, net->scale);
    return tinynnue_read_int(file, h1, h2, &net->ints, error);
}

int tinynet_load(const char *path, struct tinynet *net, struct error *err)
{
    struct plynnue_error error = {.code = 0};
    struct safetensors *file = malloc(sizeof *file);
    struct buffer bytes;
    int result = -1;
    memset(net, 0, sizeof *net);
    buffer_init(&bytes, TINYNET_FILE_MAX);
    if (!file) {
        error_memory(err);
        goto out;
    }
    if (file_is_directory(path)) {
        error_set(err, ERROR_FAILED, "%s: not a net, but a directory", path);
        goto out;
    }
    if (file_read_all(path, &bytes, err))
        goto out;
    if (!safetensors_detect(bytes.data, bytes.length)) {
        error_set(err, ERROR_FAILED, "%s: not a net (no safetensors header)", path);
        goto out;
    }
    if (safetensors_parse(bytes.data, bytes.length, file, &error) || read_net(file, net, &error)) {
        error_set(err, ERROR_FAILED, "%s: %s", path, error.text);
        goto out;
    }
    result = 0;
out:
    buffer_free(&bytes);
    free(file);
    return result;
}

void tinynet_free(struct tinynet *net)
{
    tinynnue_float_free(&net->floats);
    tinynnue_int_free(&net->ints);
}

static void fill_tensors(uint32_t h1, uint32_t h2, enum tensor_type weight, enum tensor_type bias,
                         struct tensor_out out[TINYNET_TENSORS])
{
    const struct tensor_out shapes[TINYNET_TENSORS] = {
        {"l1.weight", weight, 2, {TINYNNUE_INPUTS, h1}, NULL},
        {"l1.bias", bias, 1, {h1, 0}, NULL},
        {"l2.weight", weight, 2, {h2, h1}, NULL},
        {"l2.bias", bias, 1, {h2, 0}, NULL},
        {"l3.weight", weight, 2, {1, h2}, NULL},
        {"l3.bias", bias, 1, {1, 0}, NULL}};
    memcpy(out, shapes, sizeof shapes);
}

void tinynet_float_tensors(const struct tinynnue_float *net, struct tensor_out out[TINYNET_TENSORS])
{
    const float *const parts[TINYNET_TENSORS] = {net->w1, net->b1, net->w2,
                                                 net->b2, net->w3, net->b3};
    fill_tensors(net->h1, net->h2, TENSOR_F32, TENSOR_F32, out);
    for (unsigned i = 0; i < TINYNET_TENSORS; i++)
        out[i].values = parts[i];
}

void tinynet_int_tensors(const struct tinynnue_int *net, struct tensor_out out[TINYNET_TENSORS])
{
    const void *const parts[TINYNET_TENSORS] = {net->w1, net->b1, net->w2,
                                                net->b2, net->w3, net->b3};
    fill_tensors(net->h1, net->h2, TENSOR_I8, TENSOR_I32, out);
    for (unsigned i = 0; i < TINYNET_TENSORS; i++)
        out[i].values = parts[i];
}

/* What every net of this kind says about itself. */
struct own_texts {
    char arch[TINYNNUE_ARCH_SIZE], h1[INTEGER_SIZE], h2[INTEGER_SIZE];
    struct text_out list[FIXED_TEXTS];
};

static void fill_own_texts(uint32_t h1, uint32_t h2, struct own_texts *own)
{
    const struct text_out list[FIXED_TEXTS] = {{"family", "tinynnue"}, {"arch", own->arch},
                                               {"h1", own->h1},        {"h2", own->h2},
                                               {"stm_bit", "white"},   {"unit_cp", "400"}};
    tinynnue_format_arch(h1, h2, own->arch);
    snprintf(own->h1, sizeof own->h1, "%u", h1);
    snprintf(own->h2, sizeof own->h2, "%u", h2);
    memcpy(own->list, list, sizeof list);
}

/* Own entries, then middle, then extra. */
static int encode(const struct own_texts *own, const struct text_out *middle, size_t middle_count,
                  const struct text_out *extra, size_t extra_count,
                  const struct tensor_out tensors[TINYNET_TENSORS], struct buffer *out,
                  struct error *err)
{
    struct text_out texts[FIXED_TEXTS + SCALING_TEXTS + TINYNET_TEXTS_MAX];
    size_t count = FIXED_TEXTS;
    if (extra_count > TINYNET_TEXTS_MAX)
        return error_set(err, ERROR_FAILED, "too much metadata");
    memcpy(texts, own->list, sizeof own->list);
    for (size_t i = 0; i < middle_count; i++)
        texts[count++] = middle[i];
    for (size_t i = 0; i < extra_count; i++)
        texts[count++] = extra[i];
    return safetensors_write(texts, count, tensors, TINYNET_TENSORS, out, err);
}

int tinynet_encode_float(const struct tinynnue_float *net, const struct text_out *extra,
                         size_t extra_count, struct buffer *out, struct error *err)
{
    struct own_texts own;
    struct tensor_out tensors[TINYNET_TENSORS];
    fill_own_texts(net->h1, net->h2, &own);
    tinynet_float_tensors(net, tensors);
    return encode(&own, NULL, 0, extra, extra_count, tensors, out, err);
}

int tinynet_encode_int(const struct tinynnue_int *net, const double scale[3],
                       const struct text_out *extra, size_t extra_count, struct buffer *out,
                       struct error *err)
{
    static const unsigned aligned_order[TINYNET_TENSORS] = {1, 3, 5, 0, 2, 4};
    struct own_texts own;
    struct tensor_out tensors[TINYNET_TENSORS], ordered[TINYNET_TENSORS];
    char s[3][TINYNET_SCALE_SIZE], m[3][INTEGER_SIZE], shift[INTEGER_SIZE];
    const struct text_out scaling[SCALING_TEXTS] = {{"s1", s[0]}, {"s2", s[1]}, {"s3", s[2]},
                                                    {"S", shift}, {"M1", m[0]}, {"M2", m[1]},
                                                    {"M3", m[2]}};
    for (unsigned i = 0; i < 3; i++) {
        tinynet_format_double(scale[i], s[i]);
        snprintf(m[i], sizeof m[i], "%d", (int)net->multiplier[i]);
    }
    snprintf(shift, sizeof shift, "%u", net->shift);
    fill_own_texts(net->h1, net->h2, &own);
    tinynet_int_tensors(net, tensors);
    for (unsigned i = 0; i < TINYNET_TENSORS; i++)
        ordered[i] = tensors[aligned_order[i]];
    return encode(&own, scaling, SCALING_TEXTS, extra, extra_count, ordered, out, err);
}
