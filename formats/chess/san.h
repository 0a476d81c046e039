/* SPDX-License-Identifier: MIT */
/*
 * SAN moves in and out.
 *
 * Reading resolves a text against the LEGAL moves, without generating them: candidates by reverse
 * lookup from the target square, then a test of legality. Accepted beyond the standard: 0-0 and
 * o-o, promotions without '=', in brackets or behind '/', any disambiguation that leaves one move,
 * missing or wrong 'x', ':' for 'x', check and annotation suffixes (+ # ! ?), "e.p." behind the
 * move, long forms (e2-e4, Ng1-f3, Ng1xf3) and UCI forms (e2e4, e7e8q). Castling written as a king
 * move is accepted in UCI form only. 'b' is a pawn, 'B' a bishop.
 */
#ifndef PLYMILL_FORMATS_CHESS_SAN_H
#define PLYMILL_FORMATS_CHESS_SAN_H

#include <stddef.h>
#include <stdint.h>

#include "formats/chess/position.h"

#define SAN_MAX 12 /* longest SAN written ("Qa1xb2#", "exd8=Q+", "O-O-O+"), with the zero */

enum san_status {
    SAN_OK = 0,
    SAN_SYNTAX,    /* not a move at all */
    SAN_ILLEGAL,   /* no legal move fits */
    SAN_AMBIGUOUS, /* more than one does */
    SAN_NULL_MOVE  /* "--", "Z0", "null", "@@@@", "0000" */
};

enum san_status san_parse(const struct position *position, const char *text, size_t size,
                          uint16_t *move);
/* Standard SAN of a legal move with the least disambiguation, with + or #. */
void san_format(const struct position *position, uint16_t move, char out[SAN_MAX]);

#endif
