/* SPDX-License-Identifier: MIT */
/*
 * What the opening of a game is, for filter.per_opening: the board after OPENING_PLY half-moves (or
 * at the end of a shorter game), by its board key. So transpositions are one opening, clocks do not
 * matter, and no list of names is needed.
 */
#ifndef PLYMILL_PIPELINE_STAGES_OPENING_H
#define PLYMILL_PIPELINE_STAGES_OPENING_H

#include <stdint.h>

#include "formats/pgn.h"

#define OPENING_PLY 8

/* XXH64 of that board key, seed 0. */
uint64_t opening_of_game(const struct pgn_game *game);
/* Of a position that comes without a game: its own board. */
uint64_t opening_of_position(const struct position *position);

#endif
