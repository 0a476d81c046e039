/* SPDX-License-Identifier: MIT */
/*
 * Tensors out of safetensors files, see tensors.h.
 */
#include "nnue/core/tensors.h"

#include <string.h>

#include "nnue/core/fail.h"
#include "nnue/core/little.h"

enum { DECIMAL_SIZE = 32, DIGITS_MAX = 15 };

static int check_tensor(const struct safetensors_tensor *tensor, const struct tensor_spec *spec,
                        const char *arch, struct plynnue_error *error)
{
    if (!tensor)
        return core_fail(error, PLYNNUE_EARCH, 0, "tensor %s is missing", spec->name);
    if (strcmp(tensor->dtype, spec->dtype) != 0)
        return core_fail(error, PLYNNUE_EARCH, 0, "tensor %s is %s, expected %s", spec->name,
                         tensor->dtype, spec->dtype);
    if (tensor->rank != spec->rank ||
        memcmp(tensor->shape, spec->shape, spec->rank * sizeof *spec->shape) != 0)
        return core_fail(error, PLYNNUE_EARCH, 0, "tensor %s has not the shape of %.80s",
                         spec->name, arch);
    return PLYNNUE_OK;
}

int tensors_find(const struct safetensors *file, const struct tensor_spec *specs, unsigned count,
                 const char *arch, const struct safetensors_tensor **out,
                 struct plynnue_error *error)
{
    for (unsigned i = 0; i < count; i++) {
        out[i] = safetensors_find(file, specs[i].name);
        if (check_tensor(out[i], &specs[i], arch, error))
            return PLYNNUE_EARCH;
    }
    if (file->tensor_count == count)
        return PLYNNUE_OK;
    return core_fail(error, PLYNNUE_EARCH, 0, "%u tensors, %.80s has %u", file->tensor_count, arch,
                     count);
}

int tensors_copy_f32(const struct safetensors *file, const struct safetensors_tensor *tensor,
                     float *out, struct plynnue_error *error)
{
    for (uint64_t i = 0; i < tensor->count; i++) {
        uint32_t bits = little_u32(tensor->data + 4 * i);
        if ((bits & 0x7f800000) == 0x7f800000)
            return core_fail(error, PLYNNUE_EFORMAT, file->data_start + tensor->begin + 4 * i,
                             "tensor %s: value %llu is not a finite number", tensor->name,
                             (unsigned long long)i);
        memcpy(&out[i], &bits, sizeof bits);
    }
    return PLYNNUE_OK;
}

bool tensors_decimal(const struct safetensors *file, const char *key, double *value)
{
    char text[DECIMAL_SIZE];
    double digits = 0, scale = 1;
    unsigned count = 0;
    bool point = false;
    if (!safetensors_text(file, key, text, sizeof text) || !text[0])
        return false;
    for (const char *c = text; *c; c++) {
        if (*c == '.' && !point && c > text && c[1]) {
            point = true;
            continue;
        }
        if (*c < '0' || *c > '9' || ++count > DIGITS_MAX)
            return false;
        digits = digits * 10 + (*c - '0');
        scale *= point ? 10 : 1;
    }
    *value = digits / scale;
    return *value > 0;
}

int tensors_agree(const struct safetensors *file, const char *key, int64_t expected,
                  struct plynnue_error *error)
{
    char text[DECIMAL_SIZE];
    int64_t value;
    if (!safetensors_text(file, key, text, sizeof text))
        return PLYNNUE_OK;
    if (safetensors_integer(file, key, &value) && value == expected)
        return PLYNNUE_OK;
    return core_fail(error, PLYNNUE_EARCH, 0, "metadata %s is %s, expected %lld", key, text,
                     (long long)expected);
}
