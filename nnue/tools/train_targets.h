/* SPDX-License-Identifier: MIT */
/*
 * What a net is trained towards: the share of a point for White, a blend of the engine's score and
 * the game's result.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_TARGETS_H
#define PLYMILL_NNUE_TOOLS_TRAIN_TARGETS_H

#include "nnue/tools/samples.h"

struct train_target {
    double scale; /* centipawns of one unit of the sigmoid */
    double wdl;   /* the result's share of the blend, 0 .. 1 */
};

/*
 * (1 - wdl) * sigmoid(cp / scale) + wdl * result, results as 1, 0.5, 0; where the result is not
 * known the score alone.
 */
double train_target_of(const struct train_target *target, const struct sample *sample);

#endif
