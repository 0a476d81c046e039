/* SPDX-License-Identifier: MIT */
/*
 * Little- and big-endian numbers in byte arrays. No file of plymill ever holds a raw struct.
 */
#ifndef PLYMILL_FORMATS_IO_BYTES_H
#define PLYMILL_FORMATS_IO_BYTES_H

#include <stdint.h>

static inline void bytes_put_u16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void bytes_put_u32(uint8_t *p, uint32_t v)
{
    bytes_put_u16(p, (uint16_t)v);
    bytes_put_u16(p + 2, (uint16_t)(v >> 16));
}

static inline void bytes_put_u64(uint8_t *p, uint64_t v)
{
    bytes_put_u32(p, (uint32_t)v);
    bytes_put_u32(p + 4, (uint32_t)(v >> 32));
}

static inline uint16_t bytes_get_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t bytes_get_u32(const uint8_t *p)
{
    return (uint32_t)bytes_get_u16(p) | (uint32_t)bytes_get_u16(p + 2) << 16;
}

static inline uint64_t bytes_get_u64(const uint8_t *p)
{
    return (uint64_t)bytes_get_u32(p) | (uint64_t)bytes_get_u32(p + 4) << 32;
}

/* Big-endian: in this order memcmp of the bytes is comparison of the numbers (sort keys). */
static inline void bytes_put_be32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

static inline void bytes_put_be64(uint8_t *p, uint64_t v)
{
    bytes_put_be32(p, (uint32_t)(v >> 32));
    bytes_put_be32(p + 4, (uint32_t)v);
}

static inline uint32_t bytes_get_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t bytes_get_be64(const uint8_t *p)
{
    return (uint64_t)bytes_get_be32(p) << 32 | bytes_get_be32(p + 4);
}

#endif
