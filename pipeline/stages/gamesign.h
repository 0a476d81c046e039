/* SPDX-License-Identifier: MIT */
/*
 * Is a file an archive of games at all? The reader of PGN passes over what stands between games,
 * and prose or code may hold a word that could begin one. A file in which no game shows a sign of
 * being one is refused and not taken for an archive of rejected games.
 */
#ifndef PLYMILL_PIPELINE_STAGES_GAMESIGN_H
#define PLYMILL_PIPELINE_STAGES_GAMESIGN_H

#include <stdbool.h>

#include "formats/pgn.h"

/*
 * Do the tags alone say that it is a game? They do by one of those that every archive writes; of
 * other games the moves must be read to know.
 */
bool gamesign_in_tags(const struct pgn_game *game);
/* Is this more than prose or code with a word in it that could be a move? game is read, or it was
 * skipped since gamesign_in_tags says so. */
bool gamesign_in(const struct pgn_game *game);

/* No game showed a sign: sets err for the file that the caller names in front of it. Returns -1. */
int gamesign_missing(bool is_empty, struct error *err);

#endif
