/* SPDX-License-Identifier: MIT */
/*
 * Legal moves, the slow and sure way, and perft, which proves them.
 */
#ifndef PLYMILL_FORMATS_CHESS_MOVEGEN_H
#define PLYMILL_FORMATS_CHESS_MOVEGEN_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/chess/position.h"

/* All legal moves, in a fixed order; their number. */
unsigned movegen_legal(const struct position *position, uint16_t moves[MOVES_MAX]);
bool movegen_has_legal(const struct position *position);
/* Any 16-bit value is safe to ask. */
bool movegen_is_legal(const struct position *position, uint16_t move);
/* Leaf nodes at depth (0 gives 1). */
uint64_t movegen_perft(const struct position *position, unsigned depth);

#endif
