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

#define TRAIN_LAYERS_MAX 3
#define TRAIN_VIEWS_MAX  2
#define TRAIN_ROWS_MAX   33 /* active features of a view */

enum train_features { TRAIN_769 };

struct train_arch {
    enum train_features features;
    uint32_t inputs; /* features */
    unsigned views;  /* 1: White's; 2: the side to move's and the other's */
    uint32_t l1;     /* outputs of the transformer, per view */
    unsigned layers; /* dense ones, 1 .. TRAIN_LAYERS_MAX; the last has 1 output */
    uint32_t outputs[TRAIN_LAYERS_MAX]; /* of each */
    unsigned heads;                     /* output buckets */
    bool squared;                       /* the transformer's activation is clamp(x, 0, 1)^2 */
    double unit_cp;                     /* what 1.0 of the output is worth */
    float limits[TRAIN_LAYERS_MAX + 1]; /* |weights| of transformer and layers; INFINITY for none */
};

/* From "769->128->32->1" and so on; the error says what can be trained. */
int train_arch_parse(const char *text, struct train_arch *arch, struct error *err);

#endif
