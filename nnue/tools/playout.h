/* SPDX-License-Identifier: MIT */
/*
 * Positions out of random games: for measurements where no records are at hand.
 */
#ifndef PLYMILL_NNUE_TOOLS_PLAYOUT_H
#define PLYMILL_NNUE_TOOLS_PLAYOUT_H

#include "nnue/tools/samples.h"

/*
 * Appends count positions of random games from the start position, at most 100 plies each, every
 * position from ply 10 on with chance 1/8. Labels and games are 0. The same for the same seed.
 */
int playout_samples(uint64_t seed, size_t count, struct samples *samples, struct error *err);

#endif
