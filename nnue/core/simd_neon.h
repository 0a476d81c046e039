/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary of kernels_body.h in 128 bits: NEON as every 64-bit ARM processor has it, and
 * where the compiler may use them the dot products that most have. The words are explained in
 * simd_avx2.h.
 */
#ifndef PLYNNUE_SIMD_NEON_H
#define PLYNNUE_SIMD_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "nnue/core/kernels.h"
#include "nnue/core/set_bits.h"
#include "nnue/core/simd.h"

#define VEC      16
#define VEC_TILE 16

/* One type for lanes of any width; the words below say how they are seen. */
typedef int32x4_t vec;

SIMD_INLINE int8x16_t neon_s8(vec v)
{
    return vreinterpretq_s8_s32(v);
}
SIMD_INLINE int16x8_t neon_s16(vec v)
{
    return vreinterpretq_s16_s32(v);
}
SIMD_INLINE uint16x8_t neon_u16(vec v)
{
    return vreinterpretq_u16_s32(v);
}
SIMD_INLINE int64x2_t neon_s64(vec v)
{
    return vreinterpretq_s64_s32(v);
}
SIMD_INLINE vec neon_of_s8(int8x16_t v)
{
    return vreinterpretq_s32_s8(v);
}
SIMD_INLINE vec neon_of_s16(int16x8_t v)
{
    return vreinterpretq_s32_s16(v);
}
SIMD_INLINE vec neon_of_u16(uint16x8_t v)
{
    return vreinterpretq_s32_u16(v);
}
SIMD_INLINE vec neon_of_s64(int64x2_t v)
{
    return vreinterpretq_s32_s64(v);
}

SIMD_INLINE vec vec_loadu(const void *p)
{
    return neon_of_s8(vld1q_s8(p));
}
SIMD_INLINE vec vec_load(const void *p)
{
    return vec_loadu(p);
}
SIMD_INLINE void vec_storeu(void *p, vec v)
{
    vst1q_s8(p, neon_s8(v));
}
SIMD_INLINE void vec_store(void *p, vec v)
{
    vec_storeu(p, v);
}
SIMD_INLINE vec vec_load_i8_16(const int8_t *p)
{
    return neon_of_s16(vmovl_s8(vld1_s8(p)));
}
SIMD_INLINE vec vec_load_i8_32(const int8_t *p)
{
    int32_t x;
    memcpy(&x, p, sizeof x);
    return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(x)))));
}
SIMD_INLINE vec vec_load_i16_32(const int16_t *p)
{
    return vmovl_s16(vld1_s16(p));
}
SIMD_INLINE vec vec_load_some(const int32_t *p, size_t count)
{
    int32_t lanes[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < count; i++)
        lanes[i] = p[i];
    return vld1q_s32(lanes);
}
SIMD_INLINE void vec_store_some(int32_t *p, vec v, size_t count)
{
    int32_t lanes[4];
    vst1q_s32(lanes, v);
    for (size_t i = 0; i < count; i++)
        p[i] = lanes[i];
}
SIMD_INLINE vec vec_zero(void)
{
    return vdupq_n_s32(0);
}
SIMD_INLINE void vec_hold(vec *v)
{
    __asm__("" : "+w"(*v));
}
SIMD_INLINE vec vec_set16(int16_t x)
{
    return neon_of_s16(vdupq_n_s16(x));
}
SIMD_INLINE vec vec_set32(int32_t x)
{
    return vdupq_n_s32(x);
}
SIMD_INLINE vec vec_set64(int64_t x)
{
    return neon_of_s64(vdupq_n_s64(x));
}
SIMD_INLINE vec vec_add16(vec a, vec b)
{
    return neon_of_s16(vaddq_s16(neon_s16(a), neon_s16(b)));
}
SIMD_INLINE vec vec_sub16(vec a, vec b)
{
    return neon_of_s16(vsubq_s16(neon_s16(a), neon_s16(b)));
}
SIMD_INLINE vec vec_add32(vec a, vec b)
{
    return vaddq_s32(a, b);
}
SIMD_INLINE vec vec_sub32(vec a, vec b)
{
    return vsubq_s32(a, b);
}
SIMD_INLINE vec vec_add64(vec a, vec b)
{
    return neon_of_s64(vaddq_s64(neon_s64(a), neon_s64(b)));
}
SIMD_INLINE vec vec_clamp16(vec v, vec low, vec high)
{
    return neon_of_s16(vminq_s16(vmaxq_s16(neon_s16(v), neon_s16(low)), neon_s16(high)));
}
SIMD_INLINE vec vec_positive8(vec v)
{
    return neon_of_s8(vmaxq_s8(neon_s8(v), vdupq_n_s8(0)));
}
SIMD_INLINE vec vec_clamp32(vec v, vec low, vec high)
{
    return vminq_s32(vmaxq_s32(v, low), high);
}
SIMD_INLINE vec vec_mul16(vec a, vec b)
{
    return neon_of_s16(vmulq_s16(neon_s16(a), neon_s16(b)));
}
SIMD_INLINE vec vec_mulhi_u16(vec a, vec b)
{
    uint32x4_t low = vmull_u16(vget_low_u16(neon_u16(a)), vget_low_u16(neon_u16(b)));
    uint32x4_t high = vmull_high_u16(neon_u16(a), neon_u16(b));
    return neon_of_u16(vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high)));
}
SIMD_INLINE vec vec_mul_round16(vec a, vec b)
{
    return neon_of_s16(vqrdmulhq_s16(neon_s16(a), neon_s16(b)));
}
SIMD_INLINE vec vec_mul32(vec a, vec b)
{
    return vmulq_s32(a, b);
}
SIMD_INLINE vec vec_shl16(vec v, unsigned count)
{
    return neon_of_s16(vshlq_s16(neon_s16(v), vdupq_n_s16((int16_t)count)));
}
SIMD_INLINE vec vec_shr_u16(vec v, unsigned count)
{
    return neon_of_u16(vshlq_u16(neon_u16(v), vdupq_n_s16((int16_t) - (int)count)));
}
SIMD_INLINE vec vec_shr_u32(vec v, unsigned count)
{
    return vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(v), vdupq_n_s32(-(int)count)));
}
SIMD_INLINE vec vec_shr_i32(vec v, unsigned count)
{
    return vshlq_s32(v, vdupq_n_s32(-(int)count));
}
SIMD_INLINE vec vec_madd16(vec a, vec b)
{
    int32x4_t low = vmull_s16(vget_low_s16(neon_s16(a)), vget_low_s16(neon_s16(b)));
    return vpaddq_s32(low, vmull_high_s16(neon_s16(a), neon_s16(b)));
}
/* Activations are at most 127: bytes with a sign do. */
#ifdef __ARM_FEATURE_DOTPROD
SIMD_INLINE vec vec_dot(vec sum, vec u, vec i)
{
    return vdotq_s32(sum, neon_s8(u), neon_s8(i));
}
#else
#define SIMD_PAIRS
SIMD_INLINE vec vec_pairs(vec u, vec i)
{
    int16x8_t low = vmull_s8(vget_low_s8(neon_s8(u)), vget_low_s8(neon_s8(i)));
    return neon_of_s16(vpaddq_s16(low, vmull_high_s8(neon_s8(u), neon_s8(i))));
}
SIMD_INLINE vec vec_add_pairs(vec sum, vec pairs)
{
    return vpadalq_s16(sum, neon_s16(pairs));
}
#endif
SIMD_INLINE vec vec_repeat4(const uint8_t *p)
{
    int32_t x;
    memcpy(&x, p, sizeof x);
    return vdupq_n_s32(x);
}
SIMD_INLINE void vec_quads(vec q[4], vec v)
{
    q[0] = vdupq_laneq_s32(v, 0);
    q[1] = vdupq_laneq_s32(v, 1);
    q[2] = vdupq_laneq_s32(v, 2);
    q[3] = vdupq_laneq_s32(v, 3);
}
SIMD_INLINE void vec_join_lanes(vec *sum, const vec part[8])
{
    for (unsigned i = 0; i < 8; i++)
        sum[i] = part[i];
}
SIMD_INLINE vec vec_mix16(vec a, vec b)
{
    return neon_of_s8(vqmovn_high_s16(vqmovn_s16(neon_s16(a)), neon_s16(b)));
}
SIMD_INLINE vec vec_mix32(vec a, vec b)
{
    return neon_of_s16(vqmovn_high_s32(vqmovn_s32(a), b));
}
SIMD_INLINE vec vec_pack16(vec a, vec b)
{
    return vec_mix16(a, b);
}
SIMD_INLINE vec vec_rescale(vec x, vec multiplier, vec half, unsigned shift)
{
    int64x2_t down = vdupq_n_s64(-(int64_t)shift);
    int64x2_t low = vmlal_s32(neon_s64(half), vget_low_s32(x), vget_low_s32(multiplier));
    int64x2_t high = vmlal_high_s32(neon_s64(half), x, multiplier);
    return vmovn_high_s64(vmovn_s64(vshlq_s64(low, down)), vshlq_s64(high, down));
}
SIMD_INLINE vec vec_widen_add(vec sum, vec v)
{
    return neon_of_s64(vpadalq_s32(neon_s64(sum), v));
}
SIMD_INLINE vec vec_widen_mul_add(vec sum, vec a, vec b)
{
    int64x2_t s = vmlal_s32(neon_s64(sum), vget_low_s32(a), vget_low_s32(b));
    return neon_of_s64(vmlal_high_s32(s, a, b));
}
SIMD_INLINE int32_t vec_sum32(vec v)
{
    return vaddvq_s32(v);
}
SIMD_INLINE int64_t vec_sum64(vec v)
{
    return vaddvq_s64(neon_s64(v));
}
SIMD_INLINE unsigned vec_nonzero4(vec v)
{
    static const uint32_t bits[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(vtstq_s32(v, v), vld1q_u32(bits)));
}

/* Sixteen int16, see simd_x86.h. */
typedef int16x8x2_t sixteen;

SIMD_INLINE sixteen sixteen_pack(const vec v[64 / VEC])
{
    sixteen out = {
        {vqmovn_high_s32(vqmovn_s32(v[0]), v[1]), vqmovn_high_s32(vqmovn_s32(v[2]), v[3])}};
    return out;
}
SIMD_INLINE int16x8_t neon_square(int16x8_t v)
{
    int32x4_t low = vmull_s16(vget_low_s16(v), vget_low_s16(v));
    return vuzp2q_s16(vreinterpretq_s16_s32(low), vreinterpretq_s16_s32(vmull_high_s16(v, v)));
}
SIMD_INLINE sixteen sixteen_square(sixteen v)
{
    sixteen out = {{neon_square(v.val[0]), neon_square(v.val[1])}};
    return out;
}
SIMD_INLINE sixteen sixteen_shr(sixteen v, unsigned count)
{
    int16x8_t down = vdupq_n_s16((int16_t) - (int)count);
    sixteen out = {{vshlq_s16(v.val[0], down), vshlq_s16(v.val[1], down)}};
    return out;
}
SIMD_INLINE void sixteen_store_u8(uint8_t *out, sixteen v)
{
    int8x16_t bytes = vqmovn_high_s16(vqmovn_s16(v.val[0]), v.val[1]);
    vst1q_s8((int8_t *)out, vmaxq_s8(bytes, vdupq_n_s8(0)));
}
SIMD_INLINE unsigned neon_list8(uint32_t *list, const uint8_t *in, uint32_t first)
{
    unsigned mask = vec_nonzero4(vec_load(in)) | vec_nonzero4(vec_load(in + VEC)) << 4;
    uint16x8_t places = vmovl_u8(vcreate_u8(set_bits_table[mask]));
    uint32x4_t base = vdupq_n_u32(first);
    vst1q_u32(list, vaddw_u16(base, vget_low_u16(places)));
    vst1q_u32(list + 4, vaddw_high_u16(base, places));
    return (unsigned)__builtin_popcount(mask);
}
SIMD_INLINE unsigned list_groups(uint32_t *list, const uint8_t *in, uint32_t first)
{
    unsigned count = neon_list8(list, in, first);
    return count + neon_list8(list + count, in + 2 * VEC, first + 8);
}

typedef float64x2_t vecd;

SIMD_INLINE vecd vecd_set(double x)
{
    return vdupq_n_f64(x);
}
SIMD_INLINE vecd vecd_load(const double *p)
{
    return vld1q_f64(p);
}
SIMD_INLINE void vecd_store(double *p, vecd v)
{
    vst1q_f64(p, v);
}
SIMD_INLINE vecd vecd_load_f32(const float *p)
{
    return vcvt_f64_f32(vld1_f32(p));
}
SIMD_INLINE vecd vecd_add(vecd a, vecd b)
{
    return vaddq_f64(a, b);
}
SIMD_INLINE vecd vecd_sub(vecd a, vecd b)
{
    return vsubq_f64(a, b);
}
SIMD_INLINE vecd vecd_mul(vecd a, vecd b)
{
    return vmulq_f64(a, b);
}
SIMD_INLINE vecd vecd_clamp(vecd v, vecd low, vecd high)
{
    return vminq_f64(vmaxq_f64(v, low), high);
}

#endif
