/* SPDX-License-Identifier: MIT */
/*
 * The kernels for AVX-512 with VNNI. Built with the compiler's flags for it (Makefile) and chosen
 * at run time; without these flags, as on other processors, this file is empty.
 */
#include "nnue/core/kernels.h"

#ifdef __AVX512VNNI__

#include "nnue/core/simd_avx512.h"

/*
 * TinyNNUE's second layer with sixteen inputs of four outputs in a vector: a load of activations
 * serves eight multiplications, where with groups of four it serves two, and loads are what this
 * layer waits for. Vector j of a block of sixteen outputs has outputs j, j + 4, j + 8, j + 12; at
 * the end the four parts of each are added, which puts the outputs in order.
 */
#define SIMD_TINY_SUMS

enum { TINY_BLOCK = 16, TINY_VECTORS = TINY_OUTPUTS / 4 };

SIMD_INLINE size_t tiny_place(size_t width, size_t output, size_t at)
{
    size_t vector = output / 16 * 4 + output % 4, lane = output % 16 / 4;
    (void)width;
    return (at / TINY_BLOCK * TINY_VECTORS + vector) * VEC + lane * TINY_BLOCK + at % TINY_BLOCK;
}

static uint32_t tiny_depth(const struct tiny_layers *layers)
{
    (void)layers;
    return 1;
}

/* Of each four lanes of four vectors the sum, in the order of the vectors. */
SIMD_INLINE vec add_parts(const vec v[4])
{
    vec low = vec_add32(_mm512_unpacklo_epi32(v[0], v[1]), _mm512_unpackhi_epi32(v[0], v[1]));
    vec high = vec_add32(_mm512_unpacklo_epi32(v[2], v[3]), _mm512_unpackhi_epi32(v[2], v[3]));
    return vec_add32(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
}

SIMD_INLINE void tiny_sums(vec sum[16], const struct tiny_layers *layers, const uint8_t *in)
{
    const int8_t *weights = layers->weights2;
    vec part[TINY_VECTORS];
    SIMD_UNROLL for (unsigned i = 0; i < TINY_VECTORS; i++) part[i] = vec_zero();
    for (size_t at = 0; at < layers->width; at += TINY_BLOCK) {
        vec x = _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(const void *)(in + at)));
        SIMD_UNROLL for (unsigned i = 0; i < TINY_VECTORS; i++) part[i] =
            vec_dot(part[i], x, vec_load(weights + i * VEC));
        weights += TINY_VECTORS * VEC;
    }
    SIMD_UNROLL for (unsigned i = 0; i < TINY_VECTORS; i++) vec_hold(&part[i]);
    sum[0] = vec_add32(add_parts(part), vec_load(layers->bias2));
    sum[1] = vec_add32(add_parts(part + 4), vec_load(layers->bias2 + 16));
}

/* The words before what is said in them. */
#include "nnue/core/kernels_body.h"

const struct kernels kernels_avx512vnni = {.isa = PLYNNUE_ISA_AVX512VNNI, KERNELS_BODY};

#endif
