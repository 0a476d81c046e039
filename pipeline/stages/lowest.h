/* SPDX-License-Identifier: MIT */
/*
 * The games with the lowest draws, for input.max_games: what has been added so far says which games
 * cannot be among them any more, so that their moves need not be read. Memory is bounded by the
 * number of games that are wanted, the order of games never shows, and a game that comes often
 * counts once.
 */
#ifndef PLYMILL_PIPELINE_STAGES_LOWEST_H
#define PLYMILL_PIPELINE_STAGES_LOWEST_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/gameid.h"
#include "formats/io/error.h"

#define LOWEST_RANK_SIZE (16 + GAMEID_MAX) /* with the zero */

struct lowest;

/* count: how many games are wanted, at least 1. */
int lowest_new(uint64_t count, struct lowest **lowest, struct error *err);
void lowest_free(struct lowest *lowest);
/* May this game be among the lowest, as far as is known? */
bool lowest_admits(const struct lowest *lowest, uint64_t draw, const char *game_id);
/* A game that would be used. It may have been added before. */
int lowest_add(struct lowest *lowest, uint64_t draw, const char *game_id, struct error *err);
/* All games were added: from now on lowest_admits says exactly which ones stay. */
void lowest_finish(struct lowest *lowest);
/* The rank of a game as text, the draw in 16 hex digits and the id: it sorts as games do. */
void lowest_rank(uint64_t draw, const char *game_id, char rank[LOWEST_RANK_SIZE]);
/* The highest rank that is admitted; false when all are. */
bool lowest_last_rank(const struct lowest *lowest, char rank[LOWEST_RANK_SIZE]);

#endif
