/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary of kernels_body.h in 256 bits: AVX2, or with SIMD_AVXVNNI defined AVX2 and the dot
 * product instruction of AVX-VNNI. The words mean the same in simd_avx512.h and simd_neon.h; lanes
 * are counted from the lowest address.
 */
#ifndef PLYNNUE_SIMD_AVX2_H
#define PLYNNUE_SIMD_AVX2_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "nnue/core/set_bits.h"
#include "nnue/core/simd_x86.h"

#define VEC      32 /* bytes of a vector */
#define VEC_TILE 8  /* vectors that a tile of an accumulator keeps in registers: 256 bytes */

typedef __m256i vec;

/* Aligned and unaligned. */
SIMD_INLINE vec vec_load(const void *p)
{
    return _mm256_load_si256(p);
}
SIMD_INLINE vec vec_loadu(const void *p)
{
    return _mm256_loadu_si256(p);
}
SIMD_INLINE void vec_store(void *p, vec v)
{
    _mm256_store_si256(p, v);
}
SIMD_INLINE void vec_storeu(void *p, vec v)
{
    _mm256_storeu_si256(p, v);
}
/* VEC / 2 or VEC / 4 bytes at any address, sign-extended. */
SIMD_INLINE vec vec_load_i8_16(const int8_t *p)
{
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p));
}
SIMD_INLINE vec vec_load_i8_32(const int8_t *p)
{
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}
/* VEC / 4 int16 at any address, sign-extended. */
SIMD_INLINE vec vec_load_i16_32(const int16_t *p)
{
    return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}
/* The first count int32, 1 .. VEC / 4; the other lanes are zero, and what lies there is not
 * touched. */
SIMD_INLINE vec avx2_first(size_t count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
SIMD_INLINE vec vec_load_some(const int32_t *p, size_t count)
{
    return _mm256_maskload_epi32(p, avx2_first(count));
}
SIMD_INLINE void vec_store_some(int32_t *p, vec v, size_t count)
{
    _mm256_maskstore_epi32(p, avx2_first(count), v);
}
SIMD_INLINE vec vec_zero(void)
{
    return _mm256_setzero_si256();
}
/* Holds a sum in one register. gcc likes to give a sum another one behind a loop, and then copies
 * it in every round. */
SIMD_INLINE void vec_hold(vec *v)
{
    __asm__("" : "+x"(*v));
}
SIMD_INLINE vec vec_set16(int16_t x)
{
    return _mm256_set1_epi16(x);
}
SIMD_INLINE vec vec_set32(int32_t x)
{
    return _mm256_set1_epi32(x);
}
SIMD_INLINE vec vec_set64(int64_t x)
{
    return _mm256_set1_epi64x(x);
}
SIMD_INLINE vec vec_add16(vec a, vec b)
{
    return _mm256_add_epi16(a, b);
}
SIMD_INLINE vec vec_sub16(vec a, vec b)
{
    return _mm256_sub_epi16(a, b);
}
SIMD_INLINE vec vec_add32(vec a, vec b)
{
    return _mm256_add_epi32(a, b);
}
SIMD_INLINE vec vec_sub32(vec a, vec b)
{
    return _mm256_sub_epi32(a, b);
}
SIMD_INLINE vec vec_add64(vec a, vec b)
{
    return _mm256_add_epi64(a, b);
}
SIMD_INLINE vec vec_clamp16(vec v, vec low, vec high)
{
    return _mm256_min_epi16(_mm256_max_epi16(v, low), high);
}
/* int8 that are not negative; the others become 0. */
SIMD_INLINE vec vec_positive8(vec v)
{
    return _mm256_max_epi8(v, _mm256_setzero_si256());
}
SIMD_INLINE vec vec_clamp32(vec v, vec low, vec high)
{
    return _mm256_min_epi32(_mm256_max_epi32(v, low), high);
}
/* Low half of the products; high half of unsigned and of signed ones. */
SIMD_INLINE vec vec_mul16(vec a, vec b)
{
    return _mm256_mullo_epi16(a, b);
}
SIMD_INLINE vec vec_mulhi_u16(vec a, vec b)
{
    return _mm256_mulhi_epu16(a, b);
}
SIMD_INLINE vec vec_mulhi_i16(vec a, vec b)
{
    return _mm256_mulhi_epi16(a, b);
}
/* a * b + 2^14 >> 15 of int16. */
SIMD_INLINE vec vec_mul_round16(vec a, vec b)
{
    return _mm256_mulhrs_epi16(a, b);
}
/* Low half of the products of int32. */
SIMD_INLINE vec vec_mul32(vec a, vec b)
{
    return _mm256_mullo_epi32(a, b);
}
/* Shifts by a count that is the same for all lanes: to the left, logical, arithmetic. */
SIMD_INLINE vec vec_shl16(vec v, unsigned count)
{
    return _mm256_sll_epi16(v, _mm_cvtsi32_si128((int)count));
}
SIMD_INLINE vec vec_shr_u16(vec v, unsigned count)
{
    return _mm256_srl_epi16(v, _mm_cvtsi32_si128((int)count));
}
/* Logical. */
SIMD_INLINE vec vec_shr_u32(vec v, unsigned count)
{
    return _mm256_srl_epi32(v, _mm_cvtsi32_si128((int)count));
}
SIMD_INLINE vec vec_shr_i32(vec v, unsigned count)
{
    return _mm256_sra_epi32(v, _mm_cvtsi32_si128((int)count));
}
/* Neighbouring products of int16 added: VEC / 4 lanes. */
SIMD_INLINE vec vec_madd16(vec a, vec b)
{
    return _mm256_madd_epi16(a, b);
}
#ifdef SIMD_AVXVNNI
/* sum + each four neighbouring products of u8 (0 .. 127) and int8. */
SIMD_INLINE vec vec_dot(vec sum, vec u, vec i)
{
    return _mm256_dpbusd_avx_epi32(sum, u, i);
}
#else
/* The same in two steps, where no instruction does both: each two products in 16 bits, which they
 * fit; then sum + each two of these. */
#define SIMD_PAIRS
SIMD_INLINE vec vec_pairs(vec u, vec i)
{
    return _mm256_maddubs_epi16(u, i);
}
SIMD_INLINE vec vec_add_pairs(vec sum, vec pairs)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
#endif
/* Four bytes at any address in all lanes. */
SIMD_INLINE vec vec_repeat4(const uint8_t *p)
{
    int32_t x;
    memcpy(&x, p, sizeof x);
    return _mm256_set1_epi32(x);
}
/* Of each 16 bytes four bytes repeated four times: q[0] has the first four, q[3] the last. */
SIMD_INLINE void vec_quads(vec q[4], vec v)
{
    q[0] = _mm256_shuffle_epi32(v, 0x00);
    q[1] = _mm256_shuffle_epi32(v, 0x55);
    q[2] = _mm256_shuffle_epi32(v, 0xAA);
    q[3] = _mm256_shuffle_epi32(v, 0xFF);
}
/* Of eight vectors the sums over all 16 bytes of each, four int32 apiece, in the order of the
 * vectors: 2 * BLOCK vectors. */
SIMD_INLINE void vec_join_lanes(vec *sum, const vec part[8])
{
    for (unsigned i = 0; i < 4; i++) {
        vec a = part[2 * i], b = part[2 * i + 1];
        sum[i] =
            _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x21), _mm256_blend_epi32(a, b, 0xF0));
    }
}
/* Each 16 bytes of the result: 8 numbers of a's 16 bytes, then of b's, saturated; the same for
 * int16 out of int32, 4 and 4. What lies where is for tables to know. */
SIMD_INLINE vec vec_mix16(vec a, vec b)
{
    return _mm256_packs_epi16(a, b);
}
SIMD_INLINE vec vec_mix32(vec a, vec b)
{
    return _mm256_packs_epi32(a, b);
}
/* int8 out of int16, saturated, in order. */
SIMD_INLINE vec vec_pack16(vec a, vec b)
{
    return _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);
}
/* x * multiplier + half >> shift of numbers that are not negative, with 64 bits between; results
 * below 2^31, shift 1 .. 30. */
SIMD_INLINE vec vec_rescale(vec x, vec multiplier, vec half, unsigned shift)
{
    vec even = _mm256_add_epi64(_mm256_mul_epu32(x, multiplier), half);
    vec odd = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), multiplier), half);
    even = _mm256_srl_epi64(even, _mm_cvtsi32_si128((int)shift));
    odd = _mm256_sll_epi64(odd, _mm_cvtsi32_si128((int)(32 - shift)));
    return _mm256_blend_epi32(even, odd, 0xAA);
}
/* int64 lanes: sum + all int32; sum + the products of int32 lanes, neighbours added. */
SIMD_INLINE vec vec_widen_add(vec sum, vec v)
{
    sum = _mm256_add_epi64(sum, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)));
    return _mm256_add_epi64(sum, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1)));
}
SIMD_INLINE vec vec_widen_mul_add(vec sum, vec a, vec b)
{
    sum = _mm256_add_epi64(sum, _mm256_mul_epi32(a, b));
    return _mm256_add_epi64(sum,
                            _mm256_mul_epi32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32)));
}
/* All lanes added. */
SIMD_INLINE int32_t vec_sum32(vec v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));
}
SIMD_INLINE int64_t vec_sum64(vec v)
{
    __m128i s = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return _mm_cvtsi128_si64(_mm_add_epi64(s, _mm_unpackhi_epi64(s, s)));
}
/* A bit for each four bytes that are not all zero. */
SIMD_INLINE unsigned vec_nonzero4(vec v)
{
    vec zero = _mm256_cmpeq_epi32(v, _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(zero)) ^ 0xFF;
}
/* Sixteen int32 as int16, saturated. */
SIMD_INLINE sixteen sixteen_pack(const vec v[64 / VEC])
{
    return _mm256_permute4x64_epi64(_mm256_packs_epi32(v[0], v[1]), 0xD8);
}

/* first, first + 1 .. for each of sixteen groups of four bytes that are not all zero; gives how
 * many. list has room for sixteen more than it gets. */
SIMD_INLINE unsigned list_groups(uint32_t *list, const uint8_t *in, uint32_t first)
{
    unsigned low = vec_nonzero4(vec_load(in)), high = vec_nonzero4(vec_load(in + VEC));
    unsigned count = (unsigned)__builtin_popcount(low);
    vec places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)set_bits_table[low]));
    vec_storeu(list, vec_add32(places, vec_set32((int32_t)first)));
    places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)set_bits_table[high]));
    vec_storeu(list + count, vec_add32(places, vec_set32((int32_t)first + 8)));
    return count + (unsigned)__builtin_popcount(high);
}

/* Doubles; what is loaded and stored may lie anywhere. */
typedef __m256d vecd;

SIMD_INLINE vecd vecd_set(double x)
{
    return _mm256_set1_pd(x);
}
SIMD_INLINE vecd vecd_load(const double *p)
{
    return _mm256_loadu_pd(p);
}
SIMD_INLINE void vecd_store(double *p, vecd v)
{
    _mm256_storeu_pd(p, v);
}
/* VEC / 8 floats. */
SIMD_INLINE vecd vecd_load_f32(const float *p)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
}
SIMD_INLINE vecd vecd_add(vecd a, vecd b)
{
    return _mm256_add_pd(a, b);
}
SIMD_INLINE vecd vecd_sub(vecd a, vecd b)
{
    return _mm256_sub_pd(a, b);
}
SIMD_INLINE vecd vecd_mul(vecd a, vecd b)
{
    return _mm256_mul_pd(a, b);
}
SIMD_INLINE vecd vecd_clamp(vecd v, vecd low, vecd high)
{
    return _mm256_min_pd(_mm256_max_pd(v, low), high);
}

#endif
