/* SPDX-License-Identifier: MIT */
/*
 * What a net is trained towards: the share of a point for White, a blend of the engine's score and
 * the game's result.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_TARGETS_H
#define PLYMILL_NNUE_TOOLS_TRAIN_TARGETS_H

#include "nnue/tools/samples.h"

#define TRAIN_SCALE_LOW  20 /* of the fit */
#define TRAIN_SCALE_HIGH 3000

/*
 * (1 - wdl) * sigmoid(cp / scale) + wdl * result of each, results as 1, 0.5, 0; where the result is
 * not known the score alone. The caller frees it. NULL when memory is short.
 */
double *train_targets(const struct samples *samples, double scale, double wdl);
/*
 * The whole number K for which sigmoid(cp / K) comes nearest to the results of the games (least
 * squares); 0 when no result is known.
 */
int train_fit_scale(const struct samples *samples);

#endif
