/* SPDX-License-Identifier: MIT */
/*
 * The identity of a game (docs/REPRODUCE.md): its Lichess id where it has one, else a hash of its
 * start position and moves, else (a lone position) a hash of its board.
 */
#ifndef PLYMILL_FORMATS_GAMEID_H
#define PLYMILL_FORMATS_GAMEID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/chess/position.h"

#define GAMEID_MAX 18 /* 'x' or 'p' and 16 hex digits, or 8 characters; with the zero */

/*
 * From a Site, GameId or LichessId value: host lichess.org or *.lichess.org (any scheme or none),
 * or bare; the first path segment is exactly 8 letters or digits, or 12 of which the first 8 count;
 * after it only "/white", "/black", "#n" (n digits) may stand. False if it is anything else.
 */
bool gameid_from_reference(const char *text, size_t size, char id[GAMEID_MAX]);
/*
 * The same for the Site tag, which by the PGN standard names a place: a bare word of letters that
 * are all capitals, or small behind the first, is one. "Budapest" has eight letters, and all games
 * played there would become one game. (One Lichess id in 500 looks so too; its Site has a host.)
 */
bool gameid_from_site(const char *text, size_t size, char id[GAMEID_MAX]);
/* 1 to 17 letters and digits: what records and datasets may hold. */
bool gameid_is_valid(const char *text, size_t size);
/*
 * 'x' and the first 8 bytes in hex of SHA-256 over the start FEN, a newline, and the moves in UCI
 * notation joined by single spaces (castling as king takes rook in Chess960 only). 0 or -1
 * (memory).
 */
int gameid_from_moves(const struct position *start, const uint16_t *moves, size_t count,
                      char id[GAMEID_MAX]);
/* 'p' and the same of the board key written as the first four FEN fields. */
void gameid_from_position(const struct position *position, char id[GAMEID_MAX]);

#endif
