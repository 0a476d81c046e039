/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary of kernels_body.h in 512 bits: AVX-512 F, BW, DQ, VL and VNNI. The words are
 * explained in simd_avx2.h.
 */
#ifndef PLYNNUE_SIMD_AVX512_H
#define PLYNNUE_SIMD_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#include "nnue/core/simd_x86.h"

#define VEC           64
#define VEC_TILE      4
#define VEC_TILE_LONG 16 /* what a table of its own has instead, see kernels_avx512vnni.c */

typedef __m512i vec;

SIMD_INLINE vec vec_load(const void *p)
{
    return _mm512_load_si512(p);
}
SIMD_INLINE vec vec_loadu(const void *p)
{
    return _mm512_loadu_si512(p);
}
SIMD_INLINE void vec_store(void *p, vec v)
{
    _mm512_store_si512(p, v);
}
SIMD_INLINE void vec_storeu(void *p, vec v)
{
    _mm512_storeu_si512(p, v);
}
SIMD_INLINE vec vec_load_i8_16(const int8_t *p)
{
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
SIMD_INLINE vec vec_load_i8_32(const int8_t *p)
{
    return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}
SIMD_INLINE vec vec_load_i16_32(const int16_t *p)
{
    return _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
SIMD_INLINE vec vec_load_some(const int32_t *p, size_t count)
{
    return _mm512_maskz_loadu_epi32((__mmask16)((1U << count) - 1), p);
}
SIMD_INLINE void vec_store_some(int32_t *p, vec v, size_t count)
{
    _mm512_mask_storeu_epi32(p, (__mmask16)((1U << count) - 1), v);
}
SIMD_INLINE vec vec_zero(void)
{
    return _mm512_setzero_si512();
}
SIMD_INLINE void vec_hold(vec *v)
{
    __asm__("" : "+v"(*v));
}
SIMD_INLINE vec vec_set16(int16_t x)
{
    return _mm512_set1_epi16(x);
}
SIMD_INLINE vec vec_set32(int32_t x)
{
    return _mm512_set1_epi32(x);
}
SIMD_INLINE vec vec_set64(int64_t x)
{
    return _mm512_set1_epi64(x);
}
SIMD_INLINE vec vec_add16(vec a, vec b)
{
    return _mm512_add_epi16(a, b);
}
SIMD_INLINE vec vec_sub16(vec a, vec b)
{
    return _mm512_sub_epi16(a, b);
}
SIMD_INLINE vec vec_add32(vec a, vec b)
{
    return _mm512_add_epi32(a, b);
}
SIMD_INLINE vec vec_sub32(vec a, vec b)
{
    return _mm512_sub_epi32(a, b);
}
SIMD_INLINE vec vec_add64(vec a, vec b)
{
    return _mm512_add_epi64(a, b);
}
SIMD_INLINE vec vec_clamp16(vec v, vec low, vec high)
{
    return _mm512_min_epi16(_mm512_max_epi16(v, low), high);
}
SIMD_INLINE vec vec_positive8(vec v)
{
    return _mm512_max_epi8(v, _mm512_setzero_si512());
}
SIMD_INLINE vec vec_clamp32(vec v, vec low, vec high)
{
    return _mm512_min_epi32(_mm512_max_epi32(v, low), high);
}
SIMD_INLINE vec vec_mul16(vec a, vec b)
{
    return _mm512_mullo_epi16(a, b);
}
SIMD_INLINE vec vec_mulhi_u16(vec a, vec b)
{
    return _mm512_mulhi_epu16(a, b);
}
SIMD_INLINE vec vec_mul_round16(vec a, vec b)
{
    return _mm512_mulhrs_epi16(a, b);
}
SIMD_INLINE vec vec_mul32(vec a, vec b)
{
    return _mm512_mullo_epi32(a, b);
}
SIMD_INLINE vec vec_shl16(vec v, unsigned count)
{
    return _mm512_sll_epi16(v, _mm_cvtsi32_si128((int)count));
}
SIMD_INLINE vec vec_shr_u16(vec v, unsigned count)
{
    return _mm512_srl_epi16(v, _mm_cvtsi32_si128((int)count));
}
SIMD_INLINE vec vec_shr_u32(vec v, unsigned count)
{
    return _mm512_srl_epi32(v, _mm_cvtsi32_si128((int)count));
}
SIMD_INLINE vec vec_shr_i32(vec v, unsigned count)
{
    return _mm512_sra_epi32(v, _mm_cvtsi32_si128((int)count));
}
SIMD_INLINE vec vec_madd16(vec a, vec b)
{
    return _mm512_madd_epi16(a, b);
}
SIMD_INLINE vec vec_dot(vec sum, vec u, vec i)
{
    return _mm512_dpbusd_epi32(sum, u, i);
}
/* Sixteen bytes, at a multiple of 16, in every quarter. */
SIMD_INLINE vec vec_repeat16(const uint8_t *p)
{
    return _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(const void *)p));
}
/* Of each four lanes of four vectors the sum, in the order of the vectors. */
SIMD_INLINE vec vec_sum_parts(const vec v[4])
{
    vec low = vec_add32(_mm512_unpacklo_epi32(v[0], v[1]), _mm512_unpackhi_epi32(v[0], v[1]));
    vec high = vec_add32(_mm512_unpacklo_epi32(v[2], v[3]), _mm512_unpackhi_epi32(v[2], v[3]));
    return vec_add32(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
}
SIMD_INLINE void vec_quads(vec q[4], vec v)
{
    q[0] = _mm512_shuffle_epi32(v, 0x00);
    q[1] = _mm512_shuffle_epi32(v, 0x55);
    q[2] = _mm512_shuffle_epi32(v, 0xAA);
    q[3] = _mm512_shuffle_epi32(v, 0xFF);
}
/* The sums of halves, those of a in front. */
SIMD_INLINE vec avx512_halves(vec a, vec b)
{
    return vec_add32(_mm512_shuffle_i32x4(a, b, 0x44), _mm512_shuffle_i32x4(a, b, 0xEE));
}
SIMD_INLINE void vec_join_lanes(vec *sum, const vec part[8])
{
    for (unsigned i = 0; i < 2; i++) {
        vec low = avx512_halves(part[4 * i], part[4 * i + 1]);
        vec high = avx512_halves(part[4 * i + 2], part[4 * i + 3]);
        sum[i] =
            vec_add32(_mm512_shuffle_i32x4(low, high, 0x88), _mm512_shuffle_i32x4(low, high, 0xDD));
    }
}
SIMD_INLINE vec vec_mix16(vec a, vec b)
{
    return _mm512_packs_epi16(a, b);
}
SIMD_INLINE vec vec_mix32(vec a, vec b)
{
    return _mm512_packs_epi32(a, b);
}
SIMD_INLINE vec vec_pack16(vec a, vec b)
{
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7),
                                    _mm512_packs_epi16(a, b));
}
SIMD_INLINE vec vec_rescale(vec x, vec multiplier, vec half, unsigned shift)
{
    vec even = _mm512_add_epi64(_mm512_mul_epu32(x, multiplier), half);
    vec odd = _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(x, 32), multiplier), half);
    even = _mm512_srl_epi64(even, _mm_cvtsi32_si128((int)shift));
    odd = _mm512_sll_epi64(odd, _mm_cvtsi32_si128((int)(32 - shift)));
    return _mm512_mask_blend_epi32(0xAAAA, even, odd);
}
SIMD_INLINE vec vec_widen_add(vec sum, vec v)
{
    sum = _mm512_add_epi64(sum, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(v)));
    return _mm512_add_epi64(sum, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(v, 1)));
}
SIMD_INLINE vec vec_widen_mul_add(vec sum, vec a, vec b)
{
    sum = _mm512_add_epi64(sum, _mm512_mul_epi32(a, b));
    return _mm512_add_epi64(sum,
                            _mm512_mul_epi32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32)));
}
SIMD_INLINE int32_t vec_sum32(vec v)
{
    __m256i h = _mm256_add_epi32(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(h), _mm256_extracti128_si256(h, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));
}
SIMD_INLINE int64_t vec_sum64(vec v)
{
    return _mm512_reduce_add_epi64(v);
}
SIMD_INLINE sixteen sixteen_pack(const vec v[64 / VEC])
{
    return _mm512_cvtsepi32_epi16(v[0]);
}

typedef __m512d vecd;

SIMD_INLINE vecd vecd_set(double x)
{
    return _mm512_set1_pd(x);
}
SIMD_INLINE vecd vecd_load(const double *p)
{
    return _mm512_loadu_pd(p);
}
SIMD_INLINE void vecd_store(double *p, vecd v)
{
    _mm512_storeu_pd(p, v);
}
SIMD_INLINE vecd vecd_load_f32(const float *p)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}
SIMD_INLINE vecd vecd_add(vecd a, vecd b)
{
    return _mm512_add_pd(a, b);
}
SIMD_INLINE vecd vecd_sub(vecd a, vecd b)
{
    return _mm512_sub_pd(a, b);
}
SIMD_INLINE vecd vecd_mul(vecd a, vecd b)
{
    return _mm512_mul_pd(a, b);
}
SIMD_INLINE vecd vecd_clamp(vecd v, vecd low, vecd high)
{
    return _mm512_min_pd(_mm512_max_pd(v, low), high);
}

#endif
