/* SPDX-License-Identifier: MIT */
/*
 * Moves in UCI notation: e2e4, e7e8q, castling e1g1 in standard chess and e1h1 in Chess960.
 */
#ifndef PLYMILL_FORMATS_CHESS_UCIMOVE_H
#define PLYMILL_FORMATS_CHESS_UCIMOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/chess/position.h"

#define UCIMOVE_MAX 6 /* with the zero */

/*
 * The legal move that text names, or MOVE_NONE. Both forms of castling are understood: e1g1 (king
 * two squares, where no legal king move is meant) and e1h1 (king takes own rook). A promotion's
 * letter may be a capital.
 */
uint16_t ucimove_parse(const struct position *position, const char *text, size_t size);
/* king_takes_rook: how castling is written. MOVE_NONE gives "0000". */
void ucimove_format(uint16_t move, bool king_takes_rook, char out[UCIMOVE_MAX]);

#endif
