/* SPDX-License-Identifier: MIT */
/*
 * Stockfish's .nnue container, see container.h.
 */
#include "nnue/core/container.h"

#include <string.h>

#include "nnue/core/fail.h"
#include "nnue/core/little.h"

enum { HEADER_SIZE = 12 };

bool container_detect(const void *data, size_t size)
{
    uint32_t version = size < sizeof version ? 0 : little_u32(data);
    return version == CONTAINER_VERSION_12 || version == CONTAINER_VERSION_14 ||
           version == CONTAINER_VERSION_19;
}

int container_open(struct container *c, const void *data, size_t size, struct plynnue_error *error)
{
    memset(c, 0, sizeof *c);
    c->data = data;
    c->size = size;
    if (!container_detect(data, size))
        return core_fail(error, PLYNNUE_EFORMAT, 0, "no .nnue version that is known");
    if (container_has(c, HEADER_SIZE, "the header", error))
        return PLYNNUE_EFORMAT;
    c->version = little_u32(c->data);
    c->hash = little_u32(c->data + 4);
    c->description_size = little_u32(c->data + 8);
    c->at = HEADER_SIZE;
    if (c->description_size > CONTAINER_DESCRIPTION_MAX)
        return core_fail(error, PLYNNUE_EFORMAT, 8, "a description of %u bytes, over %u",
                         c->description_size, CONTAINER_DESCRIPTION_MAX);
    return container_take(c, c->description_size, "the description", &c->description, error);
}

int container_has(const struct container *c, uint64_t size, const char *what,
                  struct plynnue_error *error)
{
    if (size <= c->size - c->at)
        return PLYNNUE_OK;
    return core_fail(error, PLYNNUE_EFORMAT, c->at,
                     "the file ends within %s: %llu bytes are left, %llu are needed", what,
                     (unsigned long long)(c->size - c->at), (unsigned long long)size);
}

int container_peek(const struct container *c, uint32_t *hash, struct plynnue_error *error)
{
    int code = container_has(c, sizeof *hash, "a section's hash", error);
    if (!code)
        *hash = little_u32(c->data + c->at);
    return code;
}

int container_section(struct container *c, uint32_t expected, const char *what,
                      struct plynnue_error *error)
{
    uint32_t found;
    int code = container_peek(c, &found, error);
    if (code)
        return code;
    if (found != expected)
        return core_fail(error, PLYNNUE_EFORMAT, c->at, "the hash of %s is %08x, %08x is expected",
                         what, found, expected);
    c->at += sizeof found;
    return PLYNNUE_OK;
}

int container_take(struct container *c, uint64_t size, const char *what, const uint8_t **bytes,
                   struct plynnue_error *error)
{
    int code = container_has(c, size, what, error);
    if (code)
        return code;
    *bytes = c->data + c->at;
    c->at += size;
    return PLYNNUE_OK;
}

int container_i8(struct container *c, int8_t *out, uint64_t count, const char *what,
                 struct plynnue_error *error)
{
    const uint8_t *bytes;
    int code = container_take(c, count, what, &bytes, error);
    if (!code)
        memcpy(out, bytes, count);
    return code;
}

int container_i16(struct container *c, int16_t *out, uint64_t count, const char *what,
                  struct plynnue_error *error)
{
    const uint8_t *bytes;
    int code = container_take(c, 2 * count, what, &bytes, error);
    if (!code)
        little_copy_i16(out, bytes, count);
    return code;
}

int container_i32(struct container *c, int32_t *out, uint64_t count, const char *what,
                  struct plynnue_error *error)
{
    const uint8_t *bytes;
    int code = container_take(c, 4 * count, what, &bytes, error);
    if (!code)
        little_copy_i32(out, bytes, count);
    return code;
}

int container_ends_after(const struct container *c, uint64_t size, struct plynnue_error *error)
{
    uint64_t left = c->size - c->at;
    if (left < size)
        return core_fail(error, PLYNNUE_EFORMAT, c->size,
                         "the file is cut: it has %llu bytes, %llu are needed",
                         (unsigned long long)c->size, (unsigned long long)c->at + size);
    if (left > size)
        return core_fail(error, PLYNNUE_EFORMAT, c->at + size,
                         "%llu bytes follow where the file should end",
                         (unsigned long long)(left - size));
    return PLYNNUE_OK;
}

int container_end(const struct container *c, struct plynnue_error *error)
{
    return container_ends_after(c, 0, error);
}

uint32_t container_hash_inputs(uint32_t inputs)
{
    return 0xEC42E90Du ^ inputs;
}

uint32_t container_hash_affine(uint32_t previous, uint32_t outputs)
{
    return (0xCC03DAE4u + outputs) ^ (previous >> 1) ^ (previous << 31);
}

uint32_t container_hash_clip(uint32_t previous)
{
    return previous + 0x538D24C7u;
}
