/* SPDX-License-Identifier: MIT */
/*
 * The numbers of a 769-H1-H2-1 net (TinyNNUE), float and integer, in memory and in safetensors
 * files.
 *
 *   h1 = clamp(b1 + sum of the active rows of W1, 0, 1)
 *   h2 = clamp(W2 h1 + b2, 0, 1)
 *   out = W3 h2 + b3, in units of 400 cp from White's view, whoever is to move
 *
 * The integer net works in steps: activations 0 .. 127, int32 sums, and a rescaling
 * (x * M + 2^(S-1)) >> S behind each layer.
 *
 *   tensor     shape       float  integer
 *   l1.weight  [769, H1]   F32    I8       one row per feature
 *   l1.bias    [H1]        F32    I32
 *   l2.weight  [H2, H1]    F32    I8       one row per output
 *   l2.bias    [H2]        F32    I32
 *   l3.weight  [1, H2]     F32    I8
 *   l3.bias    [1]         F32    I32
 */
#ifndef PLYNNUE_TINYNNUE_H
#define PLYNNUE_TINYNNUE_H

#include "nnue/core/arch.h"
#include "nnue/core/feature769.h"

#define TINYNNUE_INPUTS    FEATURE769_COUNT
#define TINYNNUE_UNIT_CP   400 /* what 1.0 of the output is worth */
#define TINYNNUE_ONE       127 /* what 1.0 of an activation is as an integer */
#define TINYNNUE_H1_MAX    4096
#define TINYNNUE_H2_MAX    1024
#define TINYNNUE_SHIFT_MAX 30
#define TINYNNUE_ARCH_SIZE 32 /* of "769->4096->1024->1" with the zero, and room */

/* Row-major, shapes as above. One allocation: tinynnue_float_free. */
struct tinynnue_float {
    uint32_t h1, h2;
    float *w1, *b1, *w2, *b2, *w3, *b3;
};

/* The same with integers; multiplier[i] belongs behind layer i + 1. */
struct tinynnue_int {
    uint32_t h1, h2;
    int8_t *w1, *w2, *w3;
    int32_t *b1, *b2, *b3;
    int32_t multiplier[3]; /* 1 .. 2^31 - 1 */
    uint32_t shift;        /* 1 .. TINYNNUE_SHIFT_MAX */
};

/* Reads "769->H1->H2->1" within the limits above. */
bool tinynnue_parse_arch(const char *text, uint32_t *h1, uint32_t *h2);
void tinynnue_format_arch(uint32_t h1, uint32_t h2, char out[TINYNNUE_ARCH_SIZE]);

/* All zero. 0 or PLYNNUE_ENOMEM. */
int tinynnue_float_new(struct tinynnue_float *net, uint32_t h1, uint32_t h2);
int tinynnue_int_new(struct tinynnue_int *net, uint32_t h1, uint32_t h2);
void tinynnue_float_free(struct tinynnue_float *net);
void tinynnue_int_free(struct tinynnue_int *net);

/* Are the tensors floats? (l1.weight decides.) */
bool tinynnue_is_float(const struct safetensors *file);
/* Read and check a file of this kind with shape h1, h2; out is filled only on success. */
int tinynnue_read_float(const struct safetensors *file, uint32_t h1, uint32_t h2,
                        struct tinynnue_float *out, struct plynnue_error *error);
int tinynnue_read_int(const struct safetensors *file, uint32_t h1, uint32_t h2,
                      struct tinynnue_int *out, struct plynnue_error *error);
/* Sums that may leave int32 for some input, or multipliers outside their range: PLYNNUE_EFORMAT. */
int tinynnue_int_check(const struct tinynnue_int *net, struct plynnue_error *error);

/* The two architectures; their models are their own. */
extern const struct arch tinynnue_float_arch, tinynnue_int_arch;
/* Make net->model out of a file of this kind. */
int tinynnue_load_float(struct plynnue_net *net, const struct safetensors *file, uint32_t h1,
                        uint32_t h2, struct plynnue_error *error);
int tinynnue_load_int(struct plynnue_net *net, const struct safetensors *file, uint32_t h1,
                      uint32_t h2, struct plynnue_error *error);

#endif
