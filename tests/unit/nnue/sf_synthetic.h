/* SPDX-License-Identifier: MIT */
/*
 * Stockfish nets of the tests, made from a seed: arrays of draws, and the file that holds them. The
 * draws and ranges are those of the published vectors, so that a net is known by its SHA-256; L1
 * and the number of stacks are free, so that a small net runs the same paths.
 */
#ifndef PLYMILL_TESTS_SF_SYNTHETIC_H
#define PLYMILL_TESTS_SF_SYNTHETIC_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above before it. */
#include <cmocka.h>

#include "formats/io/buffer.h"
#include "nnue/core/plynnue.h"
#include "nnue/tools/rng.h"

enum synthetic_kind {
    SYN_SF14,
    SYN_SF15,
    SYN_SF15_1,
    SYN_SF16,
    SYN_SMALL,
    SYN_SF17,
    SYN_SF18,
    SYN_SF19,
    SYN_SF19LITE,
    SYN_KINDS
};

#define SYN_THREATS_18 79856u
#define SYN_THREATS_19 59808u
#define SYN_PAIRS      4560u
#define SYN_SEED       12345
#define SYN_FILE_MAX   ((size_t)1 << 30)

struct synthetic_kind_facts {
    const char *text, *arch; /* in the description; for the library */
    uint32_t version, feature_hash, rows, threats, pairs;
    uint32_t l2;
    bool packed;
    int64_t bias_range, weight_range, threat_range, threat_psqt_range;
};

static inline struct synthetic_kind_facts synthetic_facts(enum synthetic_kind kind)
{
    static const struct synthetic_kind_facts facts[SYN_KINDS] = {
        [SYN_SF14] = {"sf14", "sf14", 0x7AF32F20, 0x5F234CB8, 45056, 0, 0, 16, false, 64, 30, 0, 0},
        [SYN_SF15] = {"sf15", "sf15", 0x7AF32F20, 0x7F234CB8, 22528, 0, 0, 16, false, 64, 30, 0, 0},
        [SYN_SF15_1] = {"sf15.1", "sf15.1", 0x7AF32F20, 0x7F234CB8, 22528, 0, 0, 16, false, 64, 30,
                        0, 0},
        [SYN_SF16] = {"sf16", "sf16", 0x7AF32F20, 0x7F234CB8, 22528, 0, 0, 16, true, 64, 30, 0, 0},
        [SYN_SMALL] = {"small", "sf18", 0x7AF32F20, 0x7F234CB8, 22528, 0, 0, 16, true, 64, 30, 0,
                       0},
        [SYN_SF17] = {"sf17", "sf17", 0x7AF32F20, 0x7F234CB8, 22528, 0, 0, 16, true, 64, 30, 0, 0},
        [SYN_SF18] = {"sf18", "sf18", 0x7AF32F20, 0x8F234CB8, 22528, SYN_THREATS_18, 0, 16, true,
                      128, 60, 20, 2000},
        [SYN_SF19] = {"sf19", "sf19", 0x6A448AFA, 0xCB685B13, 22528, SYN_THREATS_19, SYN_PAIRS, 32,
                      true, 128, 60, 20, 2000},
        [SYN_SF19LITE] = {"sf19lite", "sf19lite", 0x6A448AFA, 0x6F234CB8, 768, 0, 0, 32, true, 128,
                          60, 0, 0},
    };
    return facts[kind];
}

struct synthetic_layer {
    uint32_t inputs, stride, outputs;
    int32_t *bias;
    int8_t *weights; /* [outputs][stride] */
};

struct synthetic_net {
    enum synthetic_kind kind;
    uint32_t l1, l2, l3, stacks;
    int16_t *bias, *weights;
    int8_t *threats, *pairs;
    int32_t *psqt, *threat_psqt, *pair_psqt;
    struct synthetic_layer layer[32][3];
};

static inline int64_t synthetic_draw(struct rng *rng, int64_t m)
{
    return (int64_t)((rng_next(rng) >> 33) % (uint64_t)(2 * m + 1)) - m;
}

static inline int8_t *synthetic_i8(struct rng *rng, size_t count, int64_t m)
{
    int8_t *out = malloc(count + 1);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++)
        out[i] = (int8_t)synthetic_draw(rng, m);
    return out;
}

static inline int16_t *synthetic_i16(struct rng *rng, size_t count, int64_t m)
{
    int16_t *out = malloc(2 * count + 1);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++)
        out[i] = (int16_t)synthetic_draw(rng, m);
    return out;
}

static inline int32_t *synthetic_i32(struct rng *rng, size_t count, int64_t m)
{
    int32_t *out = malloc(4 * count + 1);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++)
        out[i] = (int32_t)synthetic_draw(rng, m);
    return out;
}

static inline struct synthetic_layer synthetic_layer(uint32_t inputs, uint32_t outputs)
{
    return (struct synthetic_layer){inputs, (inputs + 31) / 32 * 32, outputs, NULL, NULL};
}

/* What the layers of a kind look like. */
static inline void synthetic_shape_stack(const struct synthetic_net *net,
                                         struct synthetic_layer layer[3])
{
    bool newest = net->kind == SYN_SF19 || net->kind == SYN_SF19LITE;
    uint32_t first = net->kind == SYN_SF14 ? 2 * net->l1 : net->l1;
    uint32_t second = newest                  ? 2 * net->l2
                      : net->kind == SYN_SF14 ? net->l2
                      : net->kind == SYN_SF15 ? net->l2 - 1
                                              : 2 * (net->l2 - 1);
    layer[0] = synthetic_layer(first, net->l2);
    layer[1] = synthetic_layer(second, net->l3);
    layer[2] = synthetic_layer(newest ? 2 * (net->l2 + net->l3) : net->l3, 1);
}

static inline void synthetic_draw_stack(struct rng *rng, const struct synthetic_net *net,
                                        struct synthetic_layer layer[3])
{
    static const int64_t bias_range[3] = {2000, 2000, 5000};
    const int64_t weight_range[3] = {net->l1 >= 1024 ? 8 : 20, 30, 100};
    synthetic_shape_stack(net, layer);
    for (unsigned k = 0; k < 3; k++) {
        struct synthetic_layer *l = &layer[k];
        l->bias = synthetic_i32(rng, l->outputs, bias_range[k]);
        l->weights = synthetic_i8(rng, (size_t)l->outputs * l->stride, weight_range[k]);
        for (uint32_t o = 0; o < l->outputs; o++)
            memset(l->weights + (size_t)o * l->stride + l->inputs, 0, l->stride - l->inputs);
    }
}

struct synthetic_shape {
    uint32_t l1, l2, l3, stacks;
};

static inline struct synthetic_net *synthetic_sf_shaped(enum synthetic_kind kind, uint64_t seed,
                                                        struct synthetic_shape shape)
{
    uint32_t l1 = shape.l1, stacks = shape.stacks;
    const struct synthetic_kind_facts f = synthetic_facts(kind);
    struct synthetic_net *net = calloc(1, sizeof *net);
    struct rng rng = {seed};
    assert_non_null(net);
    net->kind = kind;
    net->l1 = l1;
    net->l2 = shape.l2;
    net->l3 = shape.l3;
    net->stacks = stacks;
    net->bias = synthetic_i16(&rng, l1, f.bias_range);
    if (f.threats)
        net->threats = synthetic_i8(&rng, (size_t)f.threats * l1, f.threat_range);
    if (kind == SYN_SF19) {
        net->threat_psqt = synthetic_i32(&rng, (size_t)f.threats * stacks, f.threat_psqt_range);
        net->pairs = synthetic_i8(&rng, (size_t)f.pairs * l1, f.threat_range);
        net->pair_psqt = synthetic_i32(&rng, (size_t)f.pairs * stacks, f.threat_psqt_range);
    }
    net->weights = synthetic_i16(&rng, (size_t)f.rows * l1, f.weight_range);
    if (kind == SYN_SF18)
        net->threat_psqt = synthetic_i32(&rng, (size_t)f.threats * stacks, f.threat_psqt_range);
    net->psqt = synthetic_i32(&rng, (size_t)f.rows * stacks, 20000);
    for (uint32_t i = 0; i < stacks; i++)
        synthetic_draw_stack(&rng, net, net->layer[i]);
    return net;
}

/* With the layers that a kind usually has. */
static inline struct synthetic_net *synthetic_sf_new(enum synthetic_kind kind, uint64_t seed,
                                                     uint32_t l1, uint32_t stacks)
{
    return synthetic_sf_shaped(kind, seed,
                               (struct synthetic_shape){l1, synthetic_facts(kind).l2, 32, stacks});
}

static inline void synthetic_sf_free(struct synthetic_net *net)
{
    for (uint32_t i = 0; i < net->stacks; i++)
        for (unsigned k = 0; k < 3; k++) {
            free(net->layer[i][k].bias);
            free(net->layer[i][k].weights);
        }
    free(net->bias);
    free(net->weights);
    free(net->threats);
    free(net->pairs);
    free(net->psqt);
    free(net->threat_psqt);
    free(net->pair_psqt);
    free(net);
}

static inline void synthetic_put(struct buffer *out, uint64_t value, unsigned bytes)
{
    uint8_t little[8];
    for (unsigned i = 0; i < bytes; i++)
        little[i] = (uint8_t)(value >> 8 * i);
    assert_int_equal(buffer_append(out, little, bytes, NULL), 0);
}

/* The length of a block of LEB128 numbers is known when it is written: it starts here ... */
static inline size_t synthetic_leb_begin(struct buffer *out)
{
    assert_int_equal(buffer_append(out, "COMPRESSED_LEB128", 17, NULL), 0);
    synthetic_put(out, 0, 4);
    return out->length;
}

/* ... and ends here. */
static inline void synthetic_leb_end(struct buffer *out, size_t start)
{
    size_t length = out->length - start;
    for (unsigned i = 0; i < 4; i++)
        out->data[start - 4 + i] = (char)(uint8_t)(length >> 8 * i);
}

static inline void synthetic_leb_put(struct buffer *out, int64_t value)
{
    uint8_t bytes[10];
    unsigned count = 0;
    for (bool more = true; more; count++) {
        uint8_t digit = (uint8_t)(value & 0x7f);
        value = value < 0 ? ~(~value >> 7) : value >> 7;
        more = !((value == 0 && !(digit & 0x40)) || (value == -1 && (digit & 0x40)));
        bytes[count] = (uint8_t)(digit | (more ? 0x80 : 0));
    }
    assert_int_equal(buffer_append(out, bytes, count, NULL), 0);
}

static inline void synthetic_put_i16(struct buffer *out, const int16_t *in, size_t count,
                                     bool packed)
{
    size_t start = packed ? synthetic_leb_begin(out) : 0;
    for (size_t i = 0; i < count; i++)
        packed ? synthetic_leb_put(out, in[i]) : synthetic_put(out, (uint64_t)in[i], 2);
    if (packed)
        synthetic_leb_end(out, start);
}

static inline void synthetic_put_i32(struct buffer *out, const int32_t *in, size_t count,
                                     bool packed)
{
    size_t start = packed ? synthetic_leb_begin(out) : 0;
    for (size_t i = 0; i < count; i++)
        packed ? synthetic_leb_put(out, in[i]) : synthetic_put(out, (uint64_t)in[i], 4);
    if (packed)
        synthetic_leb_end(out, start);
}

static inline uint32_t synthetic_network_hash(const struct synthetic_net *net)
{
    const uint32_t outputs[3] = {net->l2, net->l3, 1};
    uint32_t hash = 0xEC42E90Du ^ (2 * net->l1);
    for (unsigned k = 0; k < 3; k++) {
        hash = (0xCC03DAE4u + outputs[k]) ^ (hash >> 1) ^ (hash << 31);
        if (k < 2)
            hash += 0x538D24C7u;
    }
    return hash;
}

static inline void synthetic_put_transformer(const struct synthetic_net *net, struct buffer *out,
                                             bool packed)
{
    const struct synthetic_kind_facts f = synthetic_facts(net->kind);
    size_t l1 = net->l1, stacks = net->stacks;
    synthetic_put_i16(out, net->bias, l1, packed);
    if (f.threats)
        assert_int_equal(buffer_append(out, net->threats, f.threats * l1, NULL), 0);
    if (net->kind == SYN_SF19) {
        synthetic_put_i32(out, net->threat_psqt, f.threats * stacks, packed);
        assert_int_equal(buffer_append(out, net->pairs, f.pairs * l1, NULL), 0);
        synthetic_put_i32(out, net->pair_psqt, f.pairs * stacks, packed);
    }
    synthetic_put_i16(out, net->weights, f.rows * l1, packed);
    if (net->kind != SYN_SF18) {
        synthetic_put_i32(out, net->psqt, f.rows * stacks, packed);
        return;
    }
    if (!packed) {
        synthetic_put_i32(out, net->threat_psqt, f.threats * stacks, false);
        synthetic_put_i32(out, net->psqt, f.rows * stacks, false);
        return;
    }
    size_t start = synthetic_leb_begin(out); /* one block for both */
    for (size_t i = 0; i < f.threats * stacks; i++)
        synthetic_leb_put(out, net->threat_psqt[i]);
    for (size_t i = 0; i < f.rows * stacks; i++)
        synthetic_leb_put(out, net->psqt[i]);
    synthetic_leb_end(out, start);
}

/* The file, to be freed; packed: int16 and int32 arrays as LEB128. */
static inline struct buffer synthetic_sf_encode(const struct synthetic_net *net, uint64_t seed,
                                                bool packed)
{
    const struct synthetic_kind_facts f = synthetic_facts(net->kind);
    uint32_t transformer = f.feature_hash ^ (2 * net->l1), network = synthetic_network_hash(net);
    struct buffer out;
    char text[64];
    int length = snprintf(text, sizeof text, "synthetic %s %llu", f.text, (unsigned long long)seed);
    buffer_init(&out, SYN_FILE_MAX);
    synthetic_put(&out, f.version, 4);
    synthetic_put(&out, transformer ^ network, 4);
    synthetic_put(&out, (uint64_t)length, 4);
    assert_int_equal(buffer_append(&out, text, (size_t)length, NULL), 0);
    synthetic_put(&out, transformer, 4);
    synthetic_put_transformer(net, &out, packed);
    for (uint32_t i = 0; i < net->stacks; i++) {
        synthetic_put(&out, network, 4);
        for (unsigned k = 0; k < 3; k++) {
            const struct synthetic_layer *l = &net->layer[i][k];
            synthetic_put_i32(&out, l->bias, l->outputs, false);
            assert_int_equal(buffer_append(&out, l->weights, (size_t)l->outputs * l->stride, NULL),
                             0);
        }
    }
    return out;
}

#endif
