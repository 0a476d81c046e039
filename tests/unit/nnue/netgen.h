/* SPDX-License-Identifier: MIT */
/*
 * Nets of the tests, made from a seed in the order of their files, so that none has to be stored
 * and each is known by its SHA-256: HalfKP containers, HalfKA in safetensors, bullet's
 * quantised.bin. Widths and heads are free: small nets run the same paths.
 */
#ifndef PLYMILL_TESTS_NETGEN_H
#define PLYMILL_TESTS_NETGEN_H

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

#include "formats/io/digest.h"
#include "nnue/core/plynnue.h"
#include "nnue/tools/rng.h"

#define NETGEN_SEED         12345
#define NETGEN_BULLET_TABLE "0,1,2,3,4,4,5,5,6,6,6,6,7,7,7,7,8,8,8,8,8,8,8,8,9,9,9,9,9,9,9,9"
#define NETGEN_BULLET_TABLE_ENTRIES                                                                \
    0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9
/* 64 entries for kings that are not mirrored */
#define NETGEN_PLAIN_TABLE                                                                         \
    "0,0,1,1,1,1,2,2,0,0,1,1,1,1,2,2,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,"                             \
    "3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4"

struct netgen {
    struct rng rng;
    uint8_t *bytes;
    size_t size, capacity;
};

static inline struct netgen netgen_new(uint64_t seed)
{
    return (struct netgen){.rng = {seed}};
}

static inline uint8_t *netgen_room(struct netgen *g, size_t size)
{
    if (g->size + size > g->capacity) {
        g->capacity = 2 * g->capacity + size + 4096;
        g->bytes = realloc(g->bytes, g->capacity);
        assert_non_null(g->bytes);
    }
    g->size += size;
    return g->bytes + g->size - size;
}

static inline void netgen_put(struct netgen *g, const void *data, size_t size)
{
    memcpy(netgen_room(g, size), data, size);
}

static inline void netgen_u32(struct netgen *g, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    netgen_put(g, bytes, 4);
}

static inline int64_t netgen_draw(struct netgen *g, int64_t m)
{
    return (int64_t)((rng_next(&g->rng) >> 33) % (uint64_t)(2 * m + 1)) - m;
}

static inline void netgen_store(uint8_t *out, int64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)((uint64_t)value >> 8 * i);
}

/* count draws of so many bytes each, plus add. */
static inline void netgen_numbers(struct netgen *g, size_t count, int64_t m, int64_t add,
                                  unsigned bytes)
{
    uint8_t *out = netgen_room(g, count * bytes);
    for (size_t i = 0; i < count; i++)
        netgen_store(out + i * bytes, netgen_draw(g, m) + add, bytes);
}

/* "ext": a drawn -127 is stored as -128. */
static inline void netgen_extreme(struct netgen *g, size_t count, int64_t m)
{
    uint8_t *out = netgen_room(g, count);
    for (size_t i = 0; i < count; i++) {
        int64_t value = netgen_draw(g, m);
        out[i] = (uint8_t)(value == -127 ? -128 : value);
    }
}

static inline void netgen_expect(const struct netgen *g, size_t from, size_t size,
                                 const char *sha256)
{
    uint8_t digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    assert_int_equal(g->size - from, size);
    digest_bytes(g->bytes + from, size, digest);
    digest_to_hex(digest, sizeof digest, hex);
    assert_string_equal(hex, sha256);
}

static inline plynnue_net *netgen_open(const struct netgen *g, const char *arch,
                                       enum plynnue_isa isa)
{
    struct plynnue_options options = {.size = sizeof options, .arch = arch, .isa = isa};
    struct plynnue_error error = {.text = ""};
    plynnue_net *net;
    int code = plynnue_net_from_memory(g->bytes, g->size, &options, &net, &error);
    if (code == PLYNNUE_EISA)
        return NULL;
    if (code)
        fail_msg("%s", error.text);
    return net;
}

/* HalfKP. */

static inline uint32_t netgen_halfkp_hash(uint32_t l1, const uint32_t outputs[3])
{
    uint32_t hash = 0xEC42E90Du ^ (2 * l1);
    for (unsigned k = 0; k < 3; k++) {
        hash = (0xCC03DAE4u + outputs[k]) ^ (hash >> 1) ^ (hash << 31);
        if (k < 2)
            hash += 0x538D24C7u;
    }
    return hash;
}

/* Rows of dense weights are padded to a multiple of 32; what lies there says nothing. */
static inline struct netgen netgen_halfkp_shape(uint64_t seed, uint32_t l1, uint32_t l2,
                                                uint32_t l3)
{
    static const struct {
        int64_t bias, weight;
    } layers[3] = {{2000, 12}, {2000, 30}, {5000, 100}};
    const uint32_t outputs[3] = {l2, l3, 1};
    struct netgen g = netgen_new(seed);
    uint32_t transformer = 0x5D69D5B8u ^ (2 * l1), network = netgen_halfkp_hash(l1, outputs);
    uint32_t inputs = 2 * l1;
    char text[64];
    int length = snprintf(text, sizeof text, "synthetic sf12 %llu", (unsigned long long)seed);
    netgen_u32(&g, 0x7AF32F16u);
    netgen_u32(&g, transformer ^ network);
    netgen_u32(&g, (uint32_t)length);
    netgen_put(&g, text, (size_t)length);
    netgen_u32(&g, transformer);
    netgen_numbers(&g, l1, 64, 0, 2);
    netgen_numbers(&g, (size_t)41024 * l1, 30, 0, 2);
    netgen_u32(&g, network);
    for (unsigned k = 0; k < 3; k++) {
        netgen_numbers(&g, outputs[k], layers[k].bias, 0, 4);
        netgen_numbers(&g, (size_t)outputs[k] * ((inputs + 31) / 32 * 32), layers[k].weight, 0, 1);
        inputs = outputs[k];
    }
    return g;
}

static inline struct netgen netgen_halfkp(uint64_t seed, uint32_t l1)
{
    return netgen_halfkp_shape(seed, l1, 32, 32);
}

/* HalfKA. */

struct netgen_halfka {
    uint32_t l1, l2, heads;
    bool wraps;            /* the last 16 units get weights that wrap */
    const char *order;     /* "seed"; "stockfish" has the rows where Stockfish has them */
    const char *more_meta; /* further entries, each with a comma in front */
};

/* Row (bucket, plane, square) of the seed's order in Stockfish's. */
static inline size_t netgen_stockfish_row(size_t row)
{
    size_t bucket = row / 704, plane = row / 64 % 11, square = row % 64;
    size_t other = plane == 10 ? 10 : 2 * (plane % 5) + plane / 5;
    return ((31 - bucket) * 11 + other) * 64 + square;
}

static inline void netgen_halfka_rows(struct netgen *g, const struct netgen_halfka *shape)
{
    uint8_t *out = netgen_room(g, (size_t)22528 * shape->l1 * 2);
    bool turned = !strcmp(shape->order, "stockfish");
    for (size_t row = 0; row < 22528; row++) {
        uint8_t *to = out + (turned ? netgen_stockfish_row(row) : row) * shape->l1 * 2;
        for (uint32_t i = 0; i < shape->l1; i++)
            netgen_store(to + 2 * i,
                         netgen_draw(g, shape->wraps && i + 16 >= shape->l1 ? 12000 : 40), 2);
    }
}

static inline void netgen_halfka_heads(struct netgen *g, const struct netgen_halfka *shape)
{
    for (uint32_t head = 0; head < shape->heads; head++)
        for (uint32_t o = 0; o < shape->l2; o++)
            netgen_extreme(g, 2 * shape->l1, o % 4 == 3 ? 127 : 12);
    netgen_numbers(g, (size_t)shape->heads * shape->l2, 4000, 0, 4);
    netgen_extreme(g, (size_t)shape->heads * shape->l2, 127);
    netgen_numbers(g, shape->heads, 5000, 0, 4);
}

/* One entry of the header; *at is the offset of the data. */
static inline void netgen_tensor(char *out, size_t room, const char *name, const char *dtype,
                                 const char *shape, size_t bytes, size_t *at)
{
    size_t length = strlen(out);
    snprintf(out + length, room - length,
             ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}", name, dtype,
             shape, *at, *at + bytes);
    *at += bytes;
}

static inline void netgen_shape(char out[64], const uint32_t *dims, unsigned rank)
{
    int length = 0;
    for (unsigned i = 0; i < rank; i++)
        length += snprintf(out + length, 64 - (size_t)length, "%s%u", i ? "," : "", dims[i]);
}

/* Appends one tensor's entry for dims. bytes: of one element. */
static inline void netgen_entry(char *out, size_t room, const char *name, const char *dtype,
                                unsigned bytes, const uint32_t *dims, unsigned rank, size_t *at)
{
    char shape[64];
    size_t count = 1;
    for (unsigned i = 0; i < rank; i++)
        count *= dims[i];
    netgen_shape(shape, dims, rank);
    netgen_tensor(out, room, name, dtype, shape, count * bytes, at);
}

/* Closes the entries, a text in room bytes, pads them to a multiple of 8 and writes them with their
 * length. */
static inline void netgen_header(struct netgen *g, char *entries, size_t room)
{
    const size_t used = strlen(entries), padded = (used + 1 + 7) / 8 * 8;
    assert_true(padded < room);
    memset(entries + used, ' ', padded - used);
    entries[used] = '}';
    entries[padded] = '\0';
    const uint8_t length[8] = {(uint8_t)strlen(entries), (uint8_t)(strlen(entries) >> 8)};
    netgen_put(g, length, sizeof length);
    netgen_put(g, entries, strlen(entries));
}

/* Writes the header for integers or floats (F32 everywhere). */
static inline void netgen_halfka_header(struct netgen *g, const struct netgen_halfka *s,
                                        bool floats)
{
    char text[2048], buckets[16] = "";
    const uint32_t ft[2] = {22528, s->l1}, w1[3] = {s->heads, s->l2, 2 * s->l1};
    const char *wide = floats ? "F32" : "I16", *small = floats ? "F32" : "I8";
    const char *sums = floats ? "F32" : "I32";
    unsigned wide_bytes = floats ? 4 : 2, small_bytes = floats ? 4 : 1;
    size_t at = 0;
    if (s->heads > 1)
        snprintf(buckets, sizeof buckets, "x%u", s->heads);
    snprintf(text, sizeof text,
             "{\"__metadata__\":{\"family\":\"halfka\",\"arch\":\"halfka(22528->%u)x2->%u->1%s\","
             "\"order\":\"%s\",\"l1\":\"%u\",\"l2\":\"%u\",\"buckets\":\"%u\"%s}",
             s->l1, s->l2, buckets, s->order, s->l1, s->l2, s->heads,
             s->more_meta ? s->more_meta : "");
    netgen_entry(text, sizeof text, "ft.weight", wide, wide_bytes, ft, 2, &at);
    netgen_entry(text, sizeof text, "ft.bias", wide, wide_bytes, &s->l1, 1, &at);
    netgen_entry(text, sizeof text, "l1.weight", small, small_bytes, w1, 3, &at);
    netgen_entry(text, sizeof text, "l1.bias", sums, 4, w1, 2, &at);
    netgen_entry(text, sizeof text, "out.weight", small, small_bytes, w1, 2, &at);
    netgen_entry(text, sizeof text, "out.bias", sums, 4, &s->heads, 1, &at);
    netgen_header(g, text, sizeof text);
}

/* *data: where the numbers begin. */
static inline struct netgen netgen_halfka(uint64_t seed, const struct netgen_halfka *shape,
                                          size_t *data)
{
    struct netgen g = netgen_new(seed);
    netgen_halfka_header(&g, shape, false);
    *data = g.size;
    netgen_halfka_rows(&g, shape);
    netgen_numbers(&g, shape->l1, 64, 0, 2);
    netgen_halfka_heads(&g, shape);
    return g;
}

/* bullet. */

struct netgen_bullet {
    uint32_t n, king_buckets, heads;
    int64_t l0w, l0b, l1w, l1w_add;
};

static inline struct netgen netgen_bullet(uint64_t seed, const struct netgen_bullet *shape)
{
    struct netgen g = netgen_new(seed);
    netgen_numbers(&g, (size_t)768 * shape->king_buckets * shape->n, shape->l0w, 0, 2);
    netgen_numbers(&g, shape->n, shape->l0b, 0, 2);
    netgen_numbers(&g, (size_t)2 * shape->n * shape->heads, shape->l1w, shape->l1w_add, 2);
    netgen_numbers(&g, shape->heads, 16000, 0, 2);
    for (size_t i = 0; g.size % 64; i++)
        netgen_put(&g, &"bullet"[i % 6], 1);
    return g;
}

#endif
