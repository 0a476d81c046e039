/* SPDX-License-Identifier: MIT */
/*
 * One group of positions measured: every row's metrics and ratios and, by drawing games of the
 * group with replacement, as many as it has, their intervals. All rows see the same draws, so that
 * ratios are of errors on the same games.
 */
#ifndef PLYMILL_NNUE_TOOLS_SCORE_RESAMPLE_H
#define PLYMILL_NNUE_TOOLS_SCORE_RESAMPLE_H

#include "nnue/tools/score.h"

struct score_resample {
    const struct score_set *set;
    const struct score_entry *rows; /* [row_count], the baselines last; cp of every position */
    unsigned row_count;
    double scale;
};

/* Fills games and rows; by, group and positions are set. 0, or -1 when memory is short. */
int score_resample_group(const struct score_resample *input, struct score_group *group);

#endif
