/* SPDX-License-Identifier: MIT */
/*
 * A Stockfish net in memory, and how it computes.
 *
 * Accumulators and everything made from them keep each half of L1 padded with zeros to a multiple
 * of 16, so that any even L1 suits the kernels: unit j < L1/2 lies at j, the others at
 * half_width + j - L1/2.
 */
#ifndef PLYNNUE_SF_MODEL_H
#define PLYNNUE_SF_MODEL_H

#include "nnue/core/dense.h"
#include "nnue/core/sf_file.h"
#include "nnue/core/sf_relations.h"
#include "nnue/core/transformer.h"

#define SF_LAYERS 3

struct sf_stack {
    struct dense layer[SF_LAYERS];
};

struct sf_model {
    const struct sf_design *design;
    struct sf_shape shape;
    uint32_t half, half_width; /* L1/2 as it is, and padded */
    struct transformer squares;
    struct sf_relations relations; /* rows 0: the design has none */
    struct sf_stack stacks[SF_STACKS_MAX];
};

/* The model of a file that is open. PLYNNUE_ENOMEM. *model is freed with sf_model_free. */
int sf_model_new(struct sf_file *file, const struct kernels *kernels, struct sf_model **model,
                 struct plynnue_error *error);
/* NULL is allowed. */
void sf_model_free(struct sf_model *model);

/* Numbers that the first dense layer takes, padding included. */
uint32_t sf_model_inputs0(const struct sf_model *model);

/* Bytes that an evaluation needs, and the parts of it. */
size_t sf_forward_size(const struct sf_model *model);
/*
 * Fills the inputs of the first dense layer, at the start of scratch. states: of the squares by
 * side, then those of the relations if there are any. side: whose half comes first.
 */
void sf_forward_transform(const struct sf_model *model, const struct kernels *kernels,
                          const void *const *states, unsigned side, void *scratch);
/* What one stack makes of them: before the division by 16. */
int64_t sf_forward_positional(const struct sf_model *model, const struct kernels *kernels,
                              uint32_t stack, void *scratch);
/* The psqt term of one stack, before the division by 16. */
int64_t sf_forward_psqt(const struct sf_model *model, const void *const *states, unsigned side,
                        uint32_t stack);
/* The stack that a number of pieces selects. */
uint32_t sf_forward_stack(const struct sf_model *model, unsigned pieces);
/* Both divided by 16, as the design has it. */
int32_t sf_forward_value(const struct sf_model *model, int64_t psqt, int64_t positional);

#endif
