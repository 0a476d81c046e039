/* SPDX-License-Identifier: MIT */
/*
 * Counting material: what a net must beat to be worth anything.
 *
 * cp (White's view) = sum over P N B R Q of weight * (White's count - Black's) + tempo * (+1 when
 * White is to move, else -1).
 */
#ifndef PLYMILL_NNUE_TOOLS_MATERIAL_H
#define PLYMILL_NNUE_TOOLS_MATERIAL_H

#include "nnue/tools/samples.h"

#define MATERIAL_TERMS 6 /* P N B R Q and tempo */

/* 1/3/3/5/9 pawns and no tempo. */
extern const double material_standard[MATERIAL_TERMS];

double material_cp(const struct sample *sample, const double weights[MATERIAL_TERMS]);
/*
 * The weights with the least mean of (sigmoid(cp/scale) - sigmoid(label/scale))^2: damped
 * Gauss-Newton from the standard weights, in double, sums in the order of the samples.
 */
void material_fit(const struct samples *samples, double scale, double weights[MATERIAL_TERMS]);

#endif
