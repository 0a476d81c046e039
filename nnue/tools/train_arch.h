/* SPDX-License-Identifier: MIT */
/*
 * Architectures as training sees them: sparse features of one or two views, a feature transformer
 * that all views share, and dense layers behind it, in as many heads as there are output buckets.
 *
 *   view(s): sum of the active rows + bias -> activation -> dense layers -> out
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_ARCH_H
#define PLYMILL_NNUE_TOOLS_TRAIN_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/io/error.h"
#include "nnue/core/features.h"

#define TRAIN_LAYERS_MAX 3
#define TRAIN_VIEWS_MAX  2
#define TRAIN_SHARED     4   /* shared rows of a feature, at most */
#define TRAIN_ROWS_MAX   161 /* active rows of a view, shared ones too */
#define TRAIN_SQUARES    768 /* shared rows of a piece on a square */

#define TRAIN_ARCH_MAX   512  /* bytes of the string, with the zero */
#define TRAIN_LAZY_ABOVE 4096 /* features */

enum train_family { TRAIN_769, TRAIN_BULLET, TRAIN_HALFKA, TRAIN_HALFKP };

struct train_arch {
    enum train_family family;
    char text[TRAIN_ARCH_MAX]; /* the string */
    uint32_t inputs;           /* features */
    uint32_t shared;  /* rows behind those that several features share while training, see below */
    uint32_t squares; /* how many of these, the first ones, are of a piece on a square: 0 or all */
    unsigned views;   /* 1: White's; 2: the side to move's and the other's */
    uint32_t l1;      /* outputs of the transformer, per view */
    unsigned layers;  /* dense ones, 1 .. TRAIN_LAYERS_MAX; the last has 1 output */
    uint32_t outputs[TRAIN_LAYERS_MAX]; /* of each */
    unsigned heads;                     /* output buckets */
    bool squared;                       /* the transformer's activation is clamp(x, 0, 1)^2 */
    double unit_cp;                     /* what 1.0 of the output is worth */
    float limits[TRAIN_LAYERS_MAX + 1]; /* |weights| of transformer and layers; INFINITY for none */
    float bias_limits[TRAIN_LAYERS_MAX + 1]; /* the same of biases */
    struct feature_map map;                  /* of two views */
    unsigned least;                          /* pieces that count as none in the choice of a head */
};

/*
 * Of large feature sets a step moves only the rows that are active in its batch: their moments and
 * weights, decay too, stand still meanwhile. Rows that were never active come out as zeros.
 */
static inline bool train_arch_is_lazy(const struct train_arch *arch)
{
    return arch->inputs > TRAIN_LAZY_ABOVE;
}
/* "tinynnue", "bullet", "halfka", "halfkp": metadata `family`. */
const char *train_arch_family(const struct train_arch *arch);
/*
 * Features of a piece also share rows of weights (a factoriser): one for the piece wherever it is,
 * one for its rank, one for its file, and, where features depend on the own king's square, one for
 * the piece on its square wherever that king is. What is true of a knight anywhere is learnt from
 * all knights. When training is over the shared rows are added to the rows of the features: the net
 * is as large as ever.
 */
void train_arch_share(struct train_arch *arch);
/* From "769->128->32->1" and so on; the error says what can be trained. */
int train_arch_parse(const char *text, struct train_arch *arch, struct error *err);

#endif
