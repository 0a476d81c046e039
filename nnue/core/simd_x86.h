/* SPDX-License-Identifier: MIT */
/*
 * What the vocabularies of AVX2 and of AVX-512 have in common: sixteen int16 in a register of 256
 * bits, the step between sums and activations. (Layers behind the first have 15 to 32 outputs.)
 */
#ifndef PLYNNUE_SIMD_X86_H
#define PLYNNUE_SIMD_X86_H

#include <immintrin.h>
#include <stdint.h>

#include "nnue/core/kernels.h"
#include "nnue/core/simd.h"

typedef __m256i sixteen;

/* The high half of the squares. */
SIMD_INLINE sixteen sixteen_square(sixteen v)
{
    return _mm256_mulhi_epi16(v, v);
}
SIMD_INLINE sixteen sixteen_shr(sixteen v, unsigned count)
{
    return _mm256_sra_epi16(v, _mm_cvtsi32_si128((int)count));
}
/* out[i] = clamp(v[i], 0, 127), sixteen bytes at any address. */
SIMD_INLINE void sixteen_store_u8(uint8_t *out, sixteen v)
{
    __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storeu_si128((__m128i *)(void *)out, _mm_max_epi8(bytes, _mm_setzero_si128()));
}
#endif
