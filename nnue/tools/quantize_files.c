/* SPDX-License-Identifier: MIT */
/*
 * The integers of float nets with two sides, and the three files that they are written to; see
 * quantize_wide.h, and for the layouts nnue/core/bullet.h, halfka.h, halfkp.h and container.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/bytes.h"
#include "nnue/core/container.h"
#include "nnue/tools/quantize_wide.h"

enum { BLOCK = 64 /* bytes that bullet pads to */, ROW = 32 /* inputs that .nnue pads to */ };
enum { INDEX_SIZE = 64, NUMBER_SIZE = 16, DESCRIPTION_SIZE = 1024, OWN_TEXTS = 10 };
enum { CP_DEN = 127 * 64, UNIT_DIGITS = 4 /* of a unit, behind the point */ };

#define HALFKP_FEATURES_HASH 0x5D69D5B8u

static void type_range(enum tensor_type type, double *low, double *high, const char **name)
{
    *high = type == TENSOR_I8 ? INT8_MAX : type == TENSOR_I16 ? INT16_MAX : INT32_MAX;
    *low = -*high - 1;
    *name = type == TENSOR_I8 ? "int8" : type == TENSOR_I16 ? "int16" : "int32";
}

/* "3, 17": where a number stands in its tensor. */
static const char *index_text(const struct quantize_tensor *tensor, uint64_t place,
                              char out[INDEX_SIZE])
{
    uint64_t below = tensor->count;
    int length = 0;
    for (unsigned i = 0; i < tensor->rank; i++) {
        below /= tensor->shape[i];
        length += snprintf(out + length, (size_t)(INDEX_SIZE - length), "%s%" PRIu64, i ? ", " : "",
                           place / below % tensor->shape[i]);
    }
    return out;
}

static int misfit(const struct quantize_tensor *tensor, uint64_t place, double steps,
                  struct error *err)
{
    char index[INDEX_SIZE];
    const char *name;
    double low, high;
    type_range(tensor->type, &low, &high, &name);
    return error_set(err, ERROR_FAILED,
                     "%s[%s] = %.9g is %.0f steps of 1/%g, %s holds %.0f .. %.0f: train it with "
                     "|values| up to %.6g",
                     tensor->name, index_text(tensor, place, index), (double)tensor->values[place],
                     steps, tensor->scale, name, low, high, high / tensor->scale);
}

static void store(enum tensor_type type, void *out, uint64_t place, double value)
{
    if (type == TENSOR_I8)
        ((int8_t *)out)[place] = (int8_t)value;
    else if (type == TENSOR_I16)
        ((int16_t *)out)[place] = (int16_t)value;
    else
        ((int32_t *)out)[place] = (int32_t)value;
}

/* A tensor's integers in memory of the caller's, to be freed; NULL with err. */
static void *round_tensor(const struct quantize_tensor *tensor, struct error *err)
{
    void *out = calloc(tensor->count, tensor_type_size(tensor->type));
    double low, high;
    const char *name;
    type_range(tensor->type, &low, &high, &name);
    if (!out) {
        error_memory(err);
        return NULL;
    }
    for (uint64_t i = 0; i < tensor->count; i++) {
        double value = round((double)tensor->values[i] * tensor->scale);
        if (!(value >= low && value <= high)) {
            misfit(tensor, i, value, err);
            free(out);
            return NULL;
        }
        store(tensor->type, out, i, value);
    }
    return out;
}

/* All tensors rounded; integers: [QUANTIZE_WIDE_TENSORS], zero. The caller frees them, also after
 * -1. */
static int round_all(const struct quantize_wide *net, void **integers, struct error *err)
{
    for (unsigned i = 0; i < net->count; i++) {
        integers[i] = round_tensor(&net->tensors[i], err);
        if (!integers[i])
            return -1;
    }
    return 0;
}

static void describe(const struct quantize_tensor *tensor, const void *integers,
                     struct tensor_out *out)
{
    *out = (struct tensor_out){tensor->name, tensor->type, tensor->rank, {0}, integers};
    memcpy(out->shape, tensor->shape, sizeof out->shape);
}

static int append_tensor(const struct quantize_wide *net, unsigned i, const void *integers,
                         struct buffer *out, struct error *err)
{
    struct tensor_out tensor;
    describe(&net->tensors[i], integers, &tensor);
    return tensor_append_values(&tensor, out, err);
}

/* bullet */

static void format_bullet_arch(const struct bullet_shape *shape, char out[QUANTIZE_ARCH_MAX])
{
    unsigned entries = shape->mirrored ? BULLET_MIRRORED_TABLE : BULLET_PLAIN_TABLE;
    size_t length;
    bullet_format_arch(shape, out, QUANTIZE_ARCH_MAX);
    if (!shape->has_table)
        return;
    length = strlen(out);
    length += (size_t)snprintf(out + length, QUANTIZE_ARCH_MAX - length, " table=");
    for (unsigned i = 0; i < entries; i++)
        length += (size_t)snprintf(out + length, QUANTIZE_ARCH_MAX - length, "%s%u", i ? "," : "",
                                   shape->table[i]);
}

/* The output weights stand head by head, which bullet calls transposed. */
static int encode_bullet(const struct quantize_wide *net, void *const *integers, struct buffer *out,
                         char arch[QUANTIZE_ARCH_MAX], struct error *err)
{
    static const char letters[] = "bullet";
    struct bullet_shape shape = net->shape.bullet;
    if (net->unit_cp != floor(net->unit_cp) || net->unit_cp > BULLET_SCALE_MAX)
        return error_set(err, ERROR_FAILED,
                         "unit_cp %g: the scale of a quantised.bin is a whole number up to %d",
                         net->unit_cp, BULLET_SCALE_MAX);
    shape.scale = (uint32_t)net->unit_cp;
    shape.transposed = shape.heads > 1;
    format_bullet_arch(&shape, arch);
    for (unsigned i = 0; i < net->count; i++)
        if (append_tensor(net, i, integers[i], out, err))
            return -1;
    for (size_t i = 0; out->length % BLOCK; i++)
        if (buffer_append(out, &letters[i % (sizeof letters - 1)], 1, err))
            return -1;
    return 0;
}

/* halfka */

/* cp = out * num / den. False when the unit has too many digits. */
static bool unit_fraction(double unit_cp, char num[NUMBER_SIZE], char den[NUMBER_SIZE])
{
    double factor = 1;
    for (unsigned i = 0; i <= UNIT_DIGITS; i++, factor *= 10) {
        double whole = round(unit_cp * factor);
        if (fabs(whole / factor - unit_cp) > 1e-12 * unit_cp)
            continue;
        snprintf(num, NUMBER_SIZE, "%.0f", whole);
        snprintf(den, NUMBER_SIZE, "%.0f", CP_DEN * factor);
        return true;
    }
    return false;
}

static int encode_halfka(const struct quantize_wide *net, void *const *integers,
                         const struct text_out *texts, size_t text_count, struct buffer *out,
                         struct error *err)
{
    const struct halfka_shape *shape = &net->shape.halfka;
    struct tensor_out tensors[HALFKA_TENSORS];
    char arch[QUANTIZE_ARCH_MAX], l1[NUMBER_SIZE], l2[NUMBER_SIZE], heads[NUMBER_SIZE];
    char num[NUMBER_SIZE], den[NUMBER_SIZE];
    const char *order = shape->order == HALFKA_SEED ? "seed" : "stockfish";
    struct text_out all[OWN_TEXTS + QUANTIZE_TEXTS_MAX] = {
        {"family", "halfka"}, {"arch", arch},     {"order", order},    {"l1", l1},
        {"l2", l2},           {"buckets", heads}, {"ft_scale", "127"}, {"shift", "6"},
        {"cp_num", num},      {"cp_den", den}};
    size_t count = OWN_TEXTS;
    /* Wide numbers first: then all are aligned. */
    static const unsigned placed[HALFKA_TENSORS] = {3, 5, 0, 1, 2, 4};
    if (!unit_fraction(net->unit_cp, num, den))
        return error_set(err, ERROR_FAILED, "unit_cp %.15g: at most %d digits behind the point",
                         net->unit_cp, UNIT_DIGITS);
    halfka_format_arch(shape, arch, sizeof arch);
    snprintf(l1, sizeof l1, "%u", shape->l1);
    snprintf(l2, sizeof l2, "%u", shape->l2);
    snprintf(heads, sizeof heads, "%u", shape->heads);
    for (size_t i = 0; i < text_count && i < QUANTIZE_TEXTS_MAX; i++)
        all[count++] = texts[i];
    for (unsigned i = 0; i < HALFKA_TENSORS; i++)
        describe(&net->tensors[placed[i]], integers[placed[i]], &tensors[i]);
    return safetensors_write(all, count, tensors, HALFKA_TENSORS, out, err);
}

/* halfkp */

static int append_u32(struct buffer *out, uint32_t value, struct error *err)
{
    uint8_t bytes[4];
    bytes_put_u32(bytes, value);
    return buffer_append(out, bytes, sizeof bytes, err);
}

/* Biases, then rows of weights with zeros up to a multiple of 32 inputs. */
static int append_layer(const struct quantize_wide *net, unsigned first, void *const *integers,
                        struct buffer *out, struct error *err)
{
    static const uint8_t zeros[ROW];
    const struct quantize_tensor *weights = &net->tensors[first];
    const int8_t *row = integers[first];
    size_t inputs = weights->shape[1], padding = (ROW - inputs % ROW) % ROW;
    if (append_tensor(net, first + 1, integers[first + 1], out, err))
        return -1;
    for (uint64_t o = 0; o < weights->shape[0]; o++, row += inputs)
        if (buffer_append(out, row, inputs, err) || buffer_append(out, zeros, padding, err))
            return -1;
    return 0;
}

static uint32_t network_hash(const struct halfkp_shape *shape)
{
    uint32_t hash = container_hash_inputs(2 * shape->l1);
    hash = container_hash_clip(container_hash_affine(hash, shape->l2));
    hash = container_hash_clip(container_hash_affine(hash, shape->l3));
    return container_hash_affine(hash, 1);
}

/* "halfkp(41024->256)x2->32->32->1 train.records=12ab..": for people; nothing depends on it. */
static int append_description(const struct quantize_wide *net, const struct text_out *texts,
                              size_t text_count, struct buffer *out, struct error *err)
{
    char text[DESCRIPTION_SIZE];
    size_t length = (size_t)snprintf(text, sizeof text, "%.128s", net->arch);
    for (size_t i = 0; i < text_count && length < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, " %.64s=%.128s",
                                   texts[i].key, texts[i].value);
    length = strlen(text);
    return append_u32(out, (uint32_t)length, err) || buffer_append(out, text, length, err) ? -1 : 0;
}

static int encode_halfkp(const struct quantize_wide *net, void *const *integers,
                         const struct text_out *texts, size_t text_count, struct buffer *out,
                         struct error *err)
{
    const struct halfkp_shape *shape = &net->shape.halfkp;
    uint32_t features = HALFKP_FEATURES_HASH ^ (2 * shape->l1), network = network_hash(shape);
    if (append_u32(out, CONTAINER_VERSION_12, err) || append_u32(out, features ^ network, err) ||
        append_description(net, texts, text_count, out, err) || append_u32(out, features, err) ||
        append_tensor(net, 1, integers[1], out, err) ||
        append_tensor(net, 0, integers[0], out, err) || append_u32(out, network, err))
        return -1;
    for (unsigned first = 2; first < net->count; first += 2)
        if (append_layer(net, first, integers, out, err))
            return -1;
    return 0;
}

int quantize_wide_encode(const struct quantize_wide *net, const struct text_out *texts,
                         size_t text_count, struct buffer *out, char arch[QUANTIZE_ARCH_MAX],
                         struct error *err)
{
    void *integers[QUANTIZE_WIDE_TENSORS] = {NULL};
    int result = round_all(net, integers, err);
    buffer_clear(out);
    arch[0] = '\0';
    if (!result && net->to == QUANTIZE_BULLET)
        result = encode_bullet(net, integers, out, arch, err);
    else if (!result && net->to == QUANTIZE_NNUE)
        result = encode_halfkp(net, integers, texts, text_count, out, err);
    else if (!result)
        result = encode_halfka(net, integers, texts, text_count, out, err);
    for (unsigned i = 0; i < QUANTIZE_WIDE_TENSORS; i++)
        free(integers[i]);
    return result;
}
