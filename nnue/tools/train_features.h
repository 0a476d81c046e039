/* SPDX-License-Identifier: MIT */
/*
 * A position's active features and its head, for every architecture that is trained.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_FEATURES_H
#define PLYMILL_NNUE_TOOLS_TRAIN_FEATURES_H

#include "nnue/tools/samples.h"
#include "nnue/tools/train_arch.h"

/* The output bucket, 0 .. heads - 1. */
unsigned train_features_head(const struct train_arch *arch, const struct sample *sample);
/*
 * Writes the features of each view, TRAIN_ROWS_MAX apart, side to move's first; gives how many a
 * view has. flip: colours and sides swapped; mirror: files a to h read from h to a.
 */
unsigned train_features_fill(const struct train_arch *arch, const struct sample *sample, bool flip,
                             bool mirror, uint16_t *rows);

#endif
