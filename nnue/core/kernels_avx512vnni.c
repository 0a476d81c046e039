/* SPDX-License-Identifier: MIT */
/*
 * The kernels for AVX-512 with VNNI. Built with the compiler's flags for it (Makefile) and chosen
 * at run time; without these flags, as on other processors, this file is empty.
 */
#include "nnue/core/kernels.h"

#ifdef __AVX512VNNI__

#include "nnue/core/simd_avx512.h"
/* The words before what is said in them. */
#include "nnue/core/kernels_body.h"

/* Zen 5 reads long stretches of a row faster than short ones of many rows; others do not. */
static void rows_i16_long(int16_t *to, const int16_t *from, const int16_t *weights, size_t width,
                          size_t columns, const struct row_list *rows)
{
    if (width < VEC_TILE_LONG * LANES16)
        rows_i16(to, from, weights, width, columns, rows);
    else
        rows_i16_by(to, from, weights, width, columns, rows, VEC_TILE_LONG);
}

const struct kernels kernels_avx512vnni = {.isa = PLYNNUE_ISA_AVX512VNNI, KERNELS_BODY(rows_i16)};
const struct kernels kernels_avx512vnni_zen5 = {.isa = PLYNNUE_ISA_AVX512VNNI,
                                                KERNELS_BODY(rows_i16_long)};

#endif
