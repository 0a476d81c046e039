/* SPDX-License-Identifier: MIT */
/*
 * Draws: every random choice of a build is a hash of what it is about, so that the order of inputs,
 * the number of workers or another seed move nothing else.
 *
 *   XXH64(purpose \0 game-id [\0 ply as u32 LE], seed of that purpose)
 */
#ifndef PLYMILL_FORMATS_DRAW_H
#define PLYMILL_FORMATS_DRAW_H

#include <stdint.h>

enum draw_purpose {
    DRAW_SPLIT,
    DRAW_SHARD,
    DRAW_SUBSAMPLE,
    DRAW_SAMPLE,
    DRAW_SHUFFLE,
    DRAW_PIECES /* filter.piece_weights */
};

/* A draw for a game (split, shard, subsample; shuffle by game). */
uint64_t draw_game(enum draw_purpose purpose, const char *game_id, uint64_t seed);
/* A draw for a ply of a game (sample, shuffle, pieces). */
uint64_t draw_ply(enum draw_purpose purpose, const char *game_id, uint32_t ply, uint64_t seed);

#endif
