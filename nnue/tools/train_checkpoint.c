/* SPDX-License-Identifier: MIT */
/*
 * The state of a training in a file, see train_checkpoint.h.
 */
#include "nnue/tools/train_checkpoint.h"

#include <string.h>

#include "formats/io/buffer.h"
#include "formats/io/bytes.h"
#include "formats/io/file.h"

enum {
    AT_IDENTITY = 8,
    AT_EPOCH = 40,
    AT_BEST = 44,
    AT_STEPS = 48,
    AT_POWER1 = 56,
    AT_POWER2 = 64,
    AT_SIZE = 72,
    AT_ARRAYS = 76,
    HEADER = 80,
    LOSSES = 16
};

static const uint8_t magic[8] = {'p', 'l', 'y', 'm', 'c', 'h', 'k', '\n'};
static const char damaged[] = "is damaged",
                  other_training[] = "is of a training with other options or positions";

static void put_double(uint8_t *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bytes_put_u64(to, bits);
}

static double get_double(const uint8_t *from)
{
    uint64_t bits = bytes_get_u64(from);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static size_t file_length(const struct train_state *state, uint32_t epoch)
{
    return HEADER + (size_t)LOSSES * epoch + (size_t)4 * state->array_count * state->size +
           DIGEST_SIZE;
}

static void encode_header(const struct train_state *state, uint8_t *out)
{
    memcpy(out, magic, sizeof magic);
    memcpy(out + AT_IDENTITY, state->identity, DIGEST_SIZE);
    bytes_put_u32(out + AT_EPOCH, state->epoch);
    bytes_put_u32(out + AT_BEST, state->best_epoch);
    bytes_put_u64(out + AT_STEPS, state->steps);
    put_double(out + AT_POWER1, state->power1);
    put_double(out + AT_POWER2, state->power2);
    bytes_put_u32(out + AT_SIZE, (uint32_t)state->size);
    bytes_put_u32(out + AT_ARRAYS, state->array_count);
}

static void encode_floats(const float *from, size_t count, uint8_t *to)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        bytes_put_u32(to + 4 * i, bits);
    }
}

static void decode_floats(const uint8_t *from, size_t count, float *to)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = bytes_get_u32(from + 4 * i);
        memcpy(&to[i], &bits, sizeof bits);
    }
}

int train_checkpoint_write(const char *path, const struct train_state *state, struct error *err)
{
    size_t length = file_length(state, state->epoch);
    struct buffer file;
    buffer_init(&file, length);
    uint8_t *at = buffer_extend(&file, length, err);
    int status = -1;
    if (at) {
        encode_header(state, at);
        at += HEADER;
        for (uint32_t i = 0; i < state->epoch; i++, at += LOSSES) {
            put_double(at, state->losses[i].train);
            put_double(at + LOSSES / 2, state->losses[i].validation);
        }
        for (uint32_t i = 0; i < state->array_count; i++, at += 4 * state->size)
            encode_floats(state->arrays[i], state->size, at);
        digest_bytes(file.data, length - DIGEST_SIZE, at);
        status = file_write_all(path, file.data, length, err);
    }
    buffer_free(&file);
    return status;
}

/* NULL when the bytes are a checkpoint of this training. */
static const char *find_fault(const struct train_state *state, const uint8_t *bytes, size_t length)
{
    uint8_t digest[DIGEST_SIZE];
    uint32_t epoch;
    if (length < HEADER + DIGEST_SIZE || memcmp(bytes, magic, sizeof magic) != 0)
        return damaged;
    if (memcmp(bytes + AT_IDENTITY, state->identity, DIGEST_SIZE) != 0)
        return other_training;
    epoch = bytes_get_u32(bytes + AT_EPOCH);
    if (epoch > state->epochs || bytes_get_u32(bytes + AT_SIZE) != state->size ||
        bytes_get_u32(bytes + AT_ARRAYS) != state->array_count ||
        length != file_length(state, epoch))
        return damaged;
    digest_bytes(bytes, length - DIGEST_SIZE, digest);
    return memcmp(digest, bytes + length - DIGEST_SIZE, DIGEST_SIZE) != 0 ? damaged : NULL;
}

static void decode(struct train_state *state, const uint8_t *bytes)
{
    state->epoch = bytes_get_u32(bytes + AT_EPOCH);
    state->best_epoch = bytes_get_u32(bytes + AT_BEST);
    state->steps = bytes_get_u64(bytes + AT_STEPS);
    state->power1 = get_double(bytes + AT_POWER1);
    state->power2 = get_double(bytes + AT_POWER2);
    bytes += HEADER;
    for (uint32_t i = 0; i < state->epoch; i++, bytes += LOSSES) {
        state->losses[i].train = get_double(bytes);
        state->losses[i].validation = get_double(bytes + LOSSES / 2);
    }
    for (uint32_t i = 0; i < state->array_count; i++, bytes += 4 * state->size)
        decode_floats(bytes, state->size, state->arrays[i]);
}

int train_checkpoint_read(const char *path, struct train_state *state, const char **why,
                          struct error *err)
{
    const size_t most = file_length(state, state->epochs);
    struct buffer file;
    uint64_t size;
    int status = -1;
    *why = NULL;
    if (!file_exists(path))
        return 0;
    buffer_init(&file, most);
    if (file_size(path, &size, err))
        goto out;
    if (size > most) {
        *why = other_training;
        status = 0;
        goto out;
    }
    if (file_read_all(path, &file, err))
        goto out;
    const uint8_t *bytes = (const uint8_t *)file.data;
    *why = file.length ? find_fault(state, bytes, file.length) : damaged;
    status = *why ? 0 : 1;
    if (status)
        decode(state, bytes);
out:
    buffer_free(&file);
    return status;
}
