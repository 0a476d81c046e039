/* SPDX-License-Identifier: MIT */
/*
 * What a trace goes through: kinds of moves, features in use, features that moves change.
 */
#ifndef PLYMILL_NNUE_TOOLS_CHECK_COUNT_H
#define PLYMILL_NNUE_TOOLS_CHECK_COUNT_H

#include "nnue/tools/check.h"

/* change: as made on the boards of the step; parts: of the net. */
void check_count_step(struct check_result *result, const struct trace_step *step,
                      const struct change *change, const struct net_parts *parts);

#endif
