/* SPDX-License-Identifier: MIT */
/*
 * Little-endian numbers at any address, as files hold them.
 */
#ifndef PLYNNUE_LITTLE_H
#define PLYNNUE_LITTLE_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t little_u16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static inline uint32_t little_u32(const uint8_t *bytes)
{
    return little_u16(bytes) | little_u16(bytes + 2) << 16;
}

static inline uint64_t little_u64(const uint8_t *bytes)
{
    return little_u32(bytes) | (uint64_t)little_u32(bytes + 4) << 32;
}

static inline void little_copy_i16(int16_t *out, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (int16_t)(uint16_t)little_u16(bytes + 2 * i);
}

static inline void little_copy_i32(int32_t *out, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (int32_t)little_u32(bytes + 4 * i);
}

#endif
