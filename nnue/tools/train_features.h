/* SPDX-License-Identifier: MIT */
/*
 * A position's active features and its head, for every architecture that is trained.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_FEATURES_H
#define PLYMILL_NNUE_TOOLS_TRAIN_FEATURES_H

#include "nnue/tools/samples.h"
#include "nnue/tools/train_arch.h"

/* The shared rows of a piece's feature of 769-H1-H2-1 nets, see train_arch_share; TRAIN_SHARED. */
unsigned train_features_shared(unsigned feature, uint16_t rows[TRAIN_SHARED]);
/* The output bucket, 0 .. heads - 1. */
unsigned train_features_head(const struct train_arch *arch, const struct sample *sample);
/*
 * Writes the features of each view, TRAIN_ROWS_MAX apart, side to move's first; gives how many a
 * view has. flip: colours and sides swapped; mirror: files a to h read from h to a.
 */
unsigned train_features_fill(const struct train_arch *arch, const struct sample *sample, bool flip,
                             bool mirror, uint16_t *rows);

#endif
