/* SPDX-License-Identifier: MIT */
/*
 * Float nets, the part of kernels_body.h that has them: doubles in FLOAT_LANES lanes whatever a
 * vector holds, added up in one order, so that every table gives the same bits.
 */
#ifndef PLYNNUE_KERNELS_FLOAT_H
#define PLYNNUE_KERNELS_FLOAT_H

enum {
    LANES64 = VEC / 8,
    LANE_VECS = FLOAT_LANES / LANES64,     /* vectors of all lanes */
    FLOAT_OUTPUTS = LANE_VECS <= 2 ? 4 : 2 /* that have lanes in registers at once */
};

SIMD_INLINE void rows_f32_tile(double *to, const double *from, const float *weights, size_t width,
                               const struct row_list *rows, const unsigned n)
{
    vecd sum[VEC_TILE];
    SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] = vecd_load(from + (size_t)i * LANES64);
    for (unsigned k = 0; k < rows->removed_count; k++) {
        const float *row = weights + rows->removed[k] * width;
        SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] =
            vecd_sub(sum[i], vecd_load_f32(row + (size_t)i * LANES64));
    }
    for (unsigned k = 0; k < rows->added_count; k++) {
        const float *row = weights + rows->added[k] * width;
        SIMD_UNROLL for (unsigned i = 0; i < n; i++) sum[i] =
            vecd_add(sum[i], vecd_load_f32(row + (size_t)i * LANES64));
    }
    SIMD_UNROLL for (unsigned i = 0; i < n; i++) vecd_store(to + (size_t)i * LANES64, sum[i]);
}

static void rows_f32(double *to, const double *from, const float *weights, size_t width,
                     const struct row_list *rows)
{
    size_t at = 0;
    for (; at + VEC_TILE * LANES64 <= width; at += VEC_TILE * LANES64)
        rows_f32_tile(to + at, from + at, weights + at, width, rows, VEC_TILE);
    for (; at + LANES64 <= width; at += LANES64)
        rows_f32_tile(to + at, from + at, weights + at, width, rows, 1);
    for (; at < width; at++) {
        double sum = from[at];
        for (unsigned k = 0; k < rows->removed_count; k++)
            sum -= (double)weights[rows->removed[k] * width + at];
        for (unsigned k = 0; k < rows->added_count; k++)
            sum += (double)weights[rows->added[k] * width + at];
        to[at] = sum;
    }
}

static void clamp_f64(double *out, const double *in, const float *added, double times, size_t count)
{
    const vecd factor = vecd_set(times), zero = vecd_set(0), one = vecd_set(1);
    size_t i = 0;
    for (; i + LANES64 <= count; i += LANES64) {
        vecd x = vecd_add(vecd_load(in + i), vecd_mul(factor, vecd_load_f32(added + i)));
        vecd_store(out + i, vecd_clamp(x, zero, one));
    }
    for (; i < count; i++)
        out[i] = float_clamp(in[i] + times * (double)added[i]);
}

/* n outputs. */
SIMD_INLINE void dense_f32_rows(double *out, const float *bias, const float *weights,
                                const double *in, size_t inputs, const unsigned n)
{
    vecd sum[FLOAT_OUTPUTS * LANE_VECS];
    double lanes[FLOAT_LANES];
    size_t whole = inputs / FLOAT_LANES * FLOAT_LANES;
    SIMD_UNROLL for (unsigned i = 0; i < n * LANE_VECS; i++) sum[i] = vecd_set(0);
    for (size_t at = 0; at < whole; at += FLOAT_LANES)
        SIMD_UNROLL for (unsigned v = 0; v < LANE_VECS; v++)
        {
            vecd x = vecd_load(in + at + (size_t)v * LANES64);
            SIMD_UNROLL for (unsigned o = 0; o < n; o++)
            {
                vecd w = vecd_load_f32(weights + o * inputs + at + (size_t)v * LANES64);
                sum[o * LANE_VECS + v] = vecd_add(sum[o * LANE_VECS + v], vecd_mul(x, w));
            }
        }
    SIMD_UNROLL for (unsigned o = 0; o < n; o++)
    {
        SIMD_UNROLL for (unsigned v = 0; v < LANE_VECS; v++)
            vecd_store(lanes + (size_t)v * LANES64, sum[o * LANE_VECS + v]);
        for (size_t i = whole; i < inputs; i++)
            lanes[i - whole] += in[i] * (double)weights[o * inputs + i];
        out[o] = (double)bias[o] + float_lanes_sum(lanes);
    }
}

static void dense_f32(double *out, const float *bias, const float *weights, const double *in,
                      size_t inputs, size_t outputs)
{
    size_t o = 0;
    for (; o + FLOAT_OUTPUTS <= outputs; o += FLOAT_OUTPUTS)
        dense_f32_rows(out + o, bias + o, weights + o * inputs, in, inputs, FLOAT_OUTPUTS);
    for (; o < outputs; o++)
        dense_f32_rows(out + o, bias + o, weights + o * inputs, in, inputs, 1);
}

#endif
