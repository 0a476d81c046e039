/* SPDX-License-Identifier: MIT */
/*
 * Reading signed LEB128 numbers, see leb128.h.
 */
#include "nnue/core/leb128.h"

#include <string.h>

#include "nnue/core/fail.h"

enum { MAGIC_SIZE = 17, DIGIT_BITS = 7, MORE = 0x80, DIGIT = 0x7f, SIGN = 0x40 };

static const char magic[] = "COMPRESSED_LEB128";

bool leb128_detect(const uint8_t *bytes, size_t size)
{
    return size >= MAGIC_SIZE && !memcmp(bytes, magic, MAGIC_SIZE);
}

int leb128_open(const uint8_t *bytes, size_t size, uint64_t offset, struct leb128 *block,
                struct plynnue_error *error)
{
    uint32_t length;
    if (size < LEB128_HEAD_SIZE || !leb128_detect(bytes, size))
        return core_fail(error, PLYNNUE_EFORMAT, offset,
                         "a block of LEB128 numbers was expected here");
    length = (uint32_t)bytes[MAGIC_SIZE] | (uint32_t)bytes[MAGIC_SIZE + 1] << 8 |
             (uint32_t)bytes[MAGIC_SIZE + 2] << 16 | (uint32_t)bytes[MAGIC_SIZE + 3] << 24;
    if (length > size - LEB128_HEAD_SIZE)
        return core_fail(error, PLYNNUE_EFORMAT, offset,
                         "a block of %lu bytes, but only %zu are left in the file",
                         (unsigned long)length, size - LEB128_HEAD_SIZE);
    block->next = bytes + LEB128_HEAD_SIZE;
    block->end = block->next + length;
    block->offset = offset + LEB128_HEAD_SIZE;
    return PLYNNUE_OK;
}

uint64_t leb128_count(const struct leb128 *block)
{
    uint64_t count = 0;
    for (const uint8_t *c = block->next; c < block->end; c++)
        count += !(*c & MORE);
    return count;
}

/* The number at *next, which is moved behind it; no more than `bytes` bytes are read. */
static inline int64_t take(const uint8_t **next, const uint8_t *end, unsigned bytes, bool *complete)
{
    const uint8_t *c = *next;
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t last = MORE;
    for (; shift < bytes * DIGIT_BITS && c < end && (last & MORE); shift += DIGIT_BITS) {
        last = *c++;
        value |= (uint64_t)(last & DIGIT) << shift;
    }
    *complete = !(last & MORE);
    *next = c;
    if (last & SIGN)
        value |= UINT64_MAX << shift;
    return (int64_t)value;
}

/* 16 bits take at most 3 bytes, 32 at most 5. */
static unsigned longest(unsigned bits)
{
    return (bits + DIGIT_BITS - 1) / DIGIT_BITS;
}

int leb128_check(const struct leb128 *block, uint64_t count, unsigned bits,
                 struct plynnue_error *error)
{
    const int64_t limit = INT64_C(1) << (bits - 1);
    const uint8_t *next = block->next;
    uint64_t number = 0;
    for (; number < count && next < block->end; number++) {
        bool complete;
        int64_t value;
        const uint8_t *start = next;
        value = take(&next, block->end, longest(bits), &complete);
        if (!complete || value < -limit || value >= limit)
            return core_fail(
                error, PLYNNUE_EFORMAT, block->offset + (uint64_t)(start - block->next),
                "number %llu of a block of LEB128 numbers is %s %u bits",
                (unsigned long long)number, complete ? "wider than" : "cut or over", bits);
    }
    if (number == count && next == block->end)
        return PLYNNUE_OK;
    return core_fail(error, PLYNNUE_EFORMAT, block->offset + (uint64_t)(next - block->next),
                     "a block of LEB128 numbers holds %s numbers than the %llu expected",
                     number == count ? "more" : "fewer", (unsigned long long)count);
}

void leb128_read_i16(struct leb128 *block, int16_t *out, size_t count)
{
    bool complete;
    for (size_t i = 0; i < count; i++)
        out[i] = (int16_t)take(&block->next, block->end, longest(16), &complete);
}

void leb128_read_i32(struct leb128 *block, int32_t *out, size_t count)
{
    bool complete;
    for (size_t i = 0; i < count; i++)
        out[i] = (int32_t)take(&block->next, block->end, longest(32), &complete);
}
