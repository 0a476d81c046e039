/* SPDX-License-Identifier: MIT */
/*
 * What a match manager (cutechess, fastchess) writes behind a move: how the engine that played it
 * judged the position in which it had to move, from its own view.
 *
 *   {+0.31/18 1.2s}   31 centipawns at depth 18       {-M18/13 0.14s}   mated in 9 moves
 *   {0.00/31 48s}     {+M35/23 0.14s, White mates}    {book}, {0.00/0 0.2s}: nothing
 *
 * Mates are counted in half-moves there, odd for the side that gives it and even for the other; a
 * struct score holds moves. Depth 0 means that the engine said nothing.
 */
#ifndef PLYMILL_FORMATS_ENGINECOMMENT_H
#define PLYMILL_FORMATS_ENGINECOMMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/label.h"

#define ENGINECOMMENT_PAWNS_MAX 9999 /* beyond is no score */
#define ENGINECOMMENT_DEPTH_MAX 999

/* text: behind the '{', with a '}' or a zero at its end. False, and nothing set, if it is not one.
 */
bool enginecomment_read(const char *text, struct score *score, uint16_t *depth);

#endif
