/* SPDX-License-Identifier: MIT */
/*
 * A position's active features and its head, for every architecture that is trained.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_FEATURES_H
#define PLYMILL_NNUE_TOOLS_TRAIN_FEATURES_H

#include "nnue/tools/samples.h"
#include "nnue/tools/train_arch.h"

#define TRAIN_NO_PLACE UINT16_MAX

/*
 * The shared rows of a place, see train_arch_share; how many. A place is kind * 64 + square as the
 * view sees it: a piece's feature with 769-H1-H2-1, otherwise what train_features_places says.
 */
unsigned train_features_shared(const struct train_arch *arch, unsigned place,
                               uint16_t rows[TRAIN_SHARED]);
/* Of two views: the place that each of [inputs] features is about, wherever the own king is;
 * TRAIN_NO_PLACE for rows that are never active. */
void train_features_places(const struct train_arch *arch, uint16_t *places);
/* The output bucket, 0 .. heads - 1, of so many pieces. */
unsigned train_features_head(const struct train_arch *arch, unsigned pieces);
/*
 * Writes the features of each view, TRAIN_ROWS_MAX apart, side to move's first; gives how many a
 * view has. flip: colours and sides swapped; mirror: files a to h read from h to a.
 */
unsigned train_features_fill(const struct train_arch *arch, const struct sample *sample, bool flip,
                             bool mirror, uint16_t *rows);

#endif
