/* SPDX-License-Identifier: MIT */
/*
 * A chess position, and moves made on it and taken back.
 *
 * Making a move also gives its delta, the list of pieces that leave and enter squares: that is what
 * an incrementally updated net needs, and the only thing it needs.
 */
#ifndef PLYMILL_FORMATS_CHESS_POSITION_H
#define PLYMILL_FORMATS_CHESS_POSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/chess/types.h"

struct position {
    uint64_t colour[2]; /* bitboards of each side */
    uint64_t type[6];   /* bitboards of each piece type, both sides */
    uint8_t board[64];  /* piece on each square or PIECE_NONE */
    uint8_t side;       /* to move */
    uint8_t ep;         /* en passant target; SQUARE_NONE unless an en passant capture is LEGAL */
    uint8_t rook[2]
                [2];   /* [colour][castling_side]: castling rook's square, SQUARE_NONE = no right */
    bool chess960;     /* castling moves are written king takes rook, UCI_Chess960 is needed */
    uint16_t halfmove; /* clock since the last capture or pawn move, 0 .. 65535 */
    uint16_t fullmove; /* 1 .. 65535 */
};

struct piece_on {
    uint8_t piece, square;
};

/*
 * Removals come before additions. Castling in Chess960 may list one square on both sides (king or
 * rook stays, or they swap); a pair that would cancel is left out. At most 2 and 2.
 */
struct delta {
    uint8_t removed_count, added_count;
    struct piece_on removed[2], added[2];
};

/* What position_unmake needs. */
struct undo {
    uint16_t move;
    uint8_t captured; /* PIECE_NONE if none */
    uint8_t ep;
    uint8_t rook[2][2];
    uint16_t halfmove, fullmove;
    struct delta delta; /* of the move as made */
};

/* The standard start position. */
void position_start(struct position *position);

/* An empty board, White to move, no rights, clocks 0 and 1. */
void position_clear(struct position *position);
void position_put(struct position *position, uint8_t piece, unsigned square);
void position_remove(struct position *position, unsigned square);

/*
 * Makes a LEGAL move (any other is undefined). Sets ep only when the reply may legally take. Clocks
 * stay at 65535 when they get there. undo may be NULL.
 */
void position_make(struct position *position, uint16_t move, struct undo *undo);
void position_unmake(struct position *position, const struct undo *undo);

/* The delta of a legal move without making it. */
void position_delta(const struct position *position, uint16_t move, struct delta *delta);

/* Enemy pieces that give check to the side to move. */
uint64_t position_checkers(const struct position *position);
/* Pieces of colour `by` that attack square, with the given occupancy. */
uint64_t position_attackers(const struct position *position, unsigned square, unsigned by,
                            uint64_t occupied);
unsigned position_king(const struct position *position, unsigned colour);

/* The piece a move takes, or PIECE_NONE: en passant takes, castling does not. */
uint8_t position_captured(const struct position *position, uint16_t move);

/* Fields equal in everything (all fields of struct position). */
bool position_equal(const struct position *a, const struct position *b);

/* What is wrong with a position, if anything: what no reader lets in. */
enum position_fault {
    POSITION_OK = 0,
    POSITION_BAD_BOARD,         /* kings, pawns on the edge, too many pieces */
    POSITION_OPPONENT_IN_CHECK, /* the side to move could take the king */
    POSITION_BAD_CHECK          /* more than two checkers */
};

#define POSITION_SIDE_MAX 16 /* pieces of one colour */

/* One king a side, no pawn on the first or last rank, at most 16 pieces a side. */
bool position_board_is_sane(const struct position *position);
/* The above, then the two faults of check. */
enum position_fault position_find_fault(const struct position *position);

/*
 * Does a right need Chess960 castling? The king does not stand on the e file or the rook not in its
 * corner.
 */
bool position_castling_is_odd(const struct position *position);

/*
 * Has the other side just pushed a pawn over this square, as far as the board shows? Any value may
 * be asked.
 */
bool position_ep_fits(const struct position *position, unsigned ep);
/*
 * Drops the en passant square unless a legal en passant capture exists. fen.h and position_make
 * call it; others that build a position by hand must.
 */
void position_normalise_ep(struct position *position);

#endif
