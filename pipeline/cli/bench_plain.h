/* SPDX-License-Identifier: MIT */
/*
 * TinyNNUE, 769-128-32-1, in plain C: what kernels are compared with. One text
 * (bench_plain_loops.h) is compiled with several sets of flags, since it is the flags that make
 * plain C slow or fast.
 *
 * "native" is what -O3 -march=native gives on processors with AVX2 or with AVX-512, as far as a
 * program can do that has to run on others: x86-64-v3, and x86-64-v4 with vectors of 256 bits,
 * which gcc prefers on such processors, or tuned for Zen 3, as gcc 12 does on AMD's. The one that
 * fits is taken at run time.
 */
#ifndef PLYMILL_PIPELINE_CLI_BENCH_PLAIN_H
#define PLYMILL_PIPELINE_CLI_BENCH_PLAIN_H

#include <stdint.h>

#include "nnue/core/feature769.h"

enum { PLAIN_H1 = 128, PLAIN_H2 = 32, PLAIN_ROWS_MAX = FEATURE769_ACTIVE_MAX };

struct plain_float {
    float w1[FEATURE769_COUNT][PLAIN_H1], b1[PLAIN_H1];
    float w2[PLAIN_H2][PLAIN_H1], b2[PLAIN_H2];
    float w3[PLAIN_H2], b3;
};

struct plain_int {
    int8_t w1[FEATURE769_COUNT][PLAIN_H1];
    int32_t b1[PLAIN_H1];
    int8_t w2[PLAIN_H2][PLAIN_H1];
    int32_t b2[PLAIN_H2];
    int8_t w3[PLAIN_H2];
    int32_t b3, multiplier[3];
    uint32_t shift;
};

/* Features to take out and to put in; found before the clock runs. */
struct plain_rows {
    unsigned removed_count, added_count;
    uint16_t removed[PLAIN_ROWS_MAX], added[PLAIN_ROWS_MAX];
};

/*
 * The accumulator made from the bias and the added rows, or changed; then the value in centipawns,
 * White's view.
 */
struct plain {
    const char *flags; /* of gcc */
    float (*float_refresh)(const struct plain_float *net, float acc[PLAIN_H1],
                           const struct plain_rows *rows);
    float (*float_update)(const struct plain_float *net, float acc[PLAIN_H1],
                          const struct plain_rows *rows);
    int32_t (*int_refresh)(const struct plain_int *net, int32_t acc[PLAIN_H1],
                           const struct plain_rows *rows);
    int32_t (*int_update)(const struct plain_int *net, int32_t acc[PLAIN_H1],
                          const struct plain_rows *rows);
};

/* The sets of flags, for this CPU. */
enum plain_flags { PLAIN_O2, PLAIN_NATIVE, PLAIN_FAST, PLAIN_FLAGS };
const struct plain *plain_find(enum plain_flags flags);

/* One object each; those of x86 are there on x86-64 alone. */
extern const struct plain plain_o2, plain_native, plain_fast;
extern const struct plain plain_native_avx512, plain_fast_avx512;
extern const struct plain plain_native_zen, plain_fast_zen;

#endif
