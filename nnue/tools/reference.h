/* SPDX-License-Identifier: MIT */
/*
 * 769-H1-H2-1 nets computed in the plainest way, from a list of features and nothing else: what the
 * library is compared with, and what rounding errors are measured against. Shares no code with it.
 */
#ifndef PLYMILL_NNUE_TOOLS_REFERENCE_H
#define PLYMILL_NNUE_TOOLS_REFERENCE_H

#include "formats/io/error.h"
#include "nnue/core/tinynnue.h"

/* The integer net, step by step: sums over the units of each layer find the layer that is wrong. */
struct reference_steps {
    int64_t sum_acc1, sum_a1, sum_acc2, sum_a2;
    int32_t acc3;
    int64_t cp; /* White's view */
};

void reference_int(const struct tinynnue_int *net, const uint16_t *features, unsigned count,
                   struct reference_steps *out);
/* acc1 alone, [H1]. */
void reference_acc1(const struct tinynnue_int *net, const uint16_t *features, unsigned count,
                    int32_t *acc1);

/* A net in doubles, so that any single part of it can be replaced by its rounded form. */
struct reference_exact {
    uint32_t h1, h2;
    double *w1, *b1, *w2, *b2, *w3, *b3; /* shapes as in tinynnue.h; one allocation, at w1 */
    bool round_h1, round_h2;             /* activations to multiples of 1/127 */
    bool round_cp;                       /* the value to a whole number, halves up */
    double gain[3];                      /* what each layer's sums are multiplied with: 1 */
};

int reference_exact_new(const struct tinynnue_float *net, struct reference_exact *out,
                        struct error *err);
void reference_exact_free(struct reference_exact *net);
/* cp, White's view */
double reference_exact_cp(const struct reference_exact *net, const uint16_t *features,
                          unsigned count);

#endif
