/* SPDX-License-Identifier: MIT */
/*
 * FEN in and out: six fields, standard castling letters, X-FEN and Shredder-FEN.
 *
 * Accepted: four fields (EPD: clocks 0 and 1) or six; runs of blanks between fields. The half-move
 * clock and the full-move number are decimal; a full-move number of 0 is read as 1 (it occurs).
 * Positions must have one king a side, no pawn on the first or last rank, at most 32 pieces and 16
 * a side, and the side that is not to move must not be in check. More than two checkers is refused.
 * Marks of other variants (the "~" and pockets of Crazyhouse) are bad syntax.
 */
#ifndef PLYMILL_FORMATS_CHESS_FEN_H
#define PLYMILL_FORMATS_CHESS_FEN_H

#include <stddef.h>

#include "formats/chess/position.h"

#define FEN_MAX 128 /* longest FEN written, with the zero */

enum fen_status {
    FEN_OK = 0,
    FEN_BAD_SYNTAX,   /* a field is missing or unreadable, or something follows */
    FEN_BAD_BOARD,    /* kings, pawns on the edge, too many pieces */
    FEN_BAD_CASTLING, /* a right without king or rook in place; only where it is not dropped */
    FEN_OPPONENT_IN_CHECK,
    FEN_BAD_CHECK /* impossible: more than two checkers */
};

enum fen_castling_rule {
    FEN_REJECT_BAD_CASTLING, /* PGN FEN tags */
    FEN_DROP_BAD_CASTLING    /* FEN lists: the letter is dropped and counted */
};

enum fen_style { FEN_XFEN, FEN_SHREDDER };

/*
 * Reads size bytes. *dropped (may be NULL) gets the number of castling letters dropped. KQkq mean
 * the outermost rook of that side. position->chess960 becomes true when a right cannot be standard
 * castling (king not on the e file or rook not on a or h). An en passant square that no legal
 * capture can use is dropped silently, as the format's readers do.
 */
enum fen_status fen_parse(const char *text, size_t size, enum fen_castling_rule rule,
                          struct position *position, unsigned *dropped);

/* The words for a status, for error texts: "bad castling", ... */
const char *fen_status_text(enum fen_status status);

/* Six fields; X-FEN writes KQkq wherever that names the rook, else its file letter. */
void fen_format(const struct position *position, enum fen_style style, char out[FEN_MAX]);

/* As it goes to an engine: full-move number 1 (DESIGN: the label key). */
void fen_format_label_key(const struct position *position, char out[FEN_MAX]);

#endif
