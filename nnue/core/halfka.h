/* SPDX-License-Identifier: MIT */
/*
 * HalfKA nets in safetensors files, (22528 -> L1) x 2 -> L2 -> 1, with B heads chosen by the number
 * of pieces:
 *
 *   x   = clamp(accumulators, 0, 127), side to move first
 *   h   = clamp((W1 x + b1) >> 6, 0, 127)
 *   out = W2 h + b2, from the side to move
 *
 *   tensor      shape             integers  floats
 *   ft.weight   [22528, L1]       I16       F32     one row per feature
 *   ft.bias     [L1]              I16       F32
 *   l1.weight   [B, L2, 2 * L1]   I8        F32
 *   l1.bias     [B, L2]           I32       F32
 *   out.weight  [B, L2]           I8        F32
 *   out.bias    [B]               I32       F32
 *
 * Floats are 1 where integers are 127 (activations), 64 (weights). Metadata `order` says in which
 * order the rows stand, of which there are two in the field: `seed` or `stockfish` (features.h).
 */
#ifndef PLYNNUE_HALFKA_H
#define PLYNNUE_HALFKA_H

#include "nnue/core/features.h"
#include "nnue/core/tensors.h"

#define HALFKA_FEATURES  22528
#define HALFKA_L1_MAX    4096 /* a multiple of 32 */
#define HALFKA_L2_MAX    1024
#define HALFKA_HEADS_MAX 32
#define HALFKA_TENSORS   6

enum halfka_order { HALFKA_UNSAID, HALFKA_SEED, HALFKA_STOCKFISH };

struct halfka_shape {
    uint32_t l1, l2, heads;
    enum halfka_order order; /* of the string: "order=..." at its end */
};

/* Reads "halfka(22528->L1)x2->L2->1" or "...->1xB", and " order=seed" or " order=stockfish". */
bool halfka_parse_arch(const char *text, struct halfka_shape *shape);
/* Without the order. */
void halfka_format_arch(const struct halfka_shape *shape, char *out, size_t size);
/* What both kinds of file must hold; specs: [HALFKA_TENSORS]. */
void halfka_tensors(const struct halfka_shape *shape, bool floats, struct tensor_spec *specs);
/*
 * Reads the string and what the metadata add, checks what they repeat, and chooses the map.
 * PLYNNUE_EARCH when it does not fit or the order is not said.
 */
int halfka_read_shape(const struct safetensors *file, const char *asked, struct halfka_shape *shape,
                      struct feature_map *map, struct plynnue_error *error);

#endif
