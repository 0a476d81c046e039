/* SPDX-License-Identifier: MIT */
/*
 * position_make for what nearly all moves are: one piece from square to square, with or without a
 * capture (MOVE_NORMAL). In line here because reading an archive does it for every half-move.
 */
#ifndef PLYMILL_FORMATS_CHESS_POSITION_PLAIN_H
#define PLYMILL_FORMATS_CHESS_POSITION_PLAIN_H

#include "formats/chess/attacks.h"
#include "formats/chess/hints.h"
#include "formats/chess/position.h"

/* Where the clocks stay. */
#define POSITION_CLOCK_MAX UINT16_MAX

static inline void position_drop_rook_right(struct position *position, unsigned colour,
                                            unsigned square)
{
    uint8_t *rook = position->rook[colour];
    if (rook[KING_SIDE] == square)
        rook[KING_SIDE] = SQUARE_NONE;
    else if (rook[QUEEN_SIDE] == square)
        rook[QUEEN_SIDE] = SQUARE_NONE;
}

static inline void position_drop_king_rights(struct position *position, unsigned colour)
{
    position->rook[colour][KING_SIDE] = position->rook[colour][QUEEN_SIDE] = SQUARE_NONE;
}

static inline uint16_t position_next_clock(uint16_t clock)
{
    return (uint16_t)(clock + (clock < POSITION_CLOCK_MAX));
}

/* The move goes to the other side; ep is the square that a double push has jumped over, if any. */
static inline void position_pass_turn(struct position *position, uint8_t ep)
{
    if (position->side == BLACK)
        position->fullmove = position_next_clock(position->fullmove);
    position->side ^= 1;
    position->ep = ep;
}

static inline void position_take_plain(struct position *position, unsigned captured, unsigned to)
{
    unsigned them = position->side ^ 1u, type = captured - 6 * them;
    position->colour[them] ^= bitboard_of(to);
    position->type[type] ^= bitboard_of(to);
    if (type == ROOK)
        position_drop_rook_right(position, them, to);
}

/* The square between, if a pawn of the other side stands where it could take there. */
static inline uint8_t position_find_ep(const struct position *position, unsigned from, unsigned to)
{
    unsigned us = position->side, middle = (from + to) / 2;
    uint64_t pawns = position->colour[us ^ 1] & position->type[PAWN];
    return (from ^ to) == 16 && attacks_pawn(us, middle) & pawns ? (uint8_t)middle : SQUARE_NONE;
}

static IN_LINE void position_make_plain(struct position *position, unsigned from, unsigned to)
{
    unsigned us = position->side;
    uint8_t piece = position->board[from], captured = position->board[to], ep = SQUARE_NONE;
    unsigned type = piece - 6 * us;
    uint64_t both = bitboard_of(from) | bitboard_of(to);

    position->colour[us] ^= both;
    position->type[type] ^= both;
    position->board[from] = PIECE_NONE;
    position->board[to] = piece;
    if (captured != PIECE_NONE)
        position_take_plain(position, captured, to);
    if (type == PAWN)
        ep = position_find_ep(position, from, to);
    else if (type == ROOK)
        position_drop_rook_right(position, us, from);
    else if (type == KING)
        position_drop_king_rights(position, us);
    position->halfmove =
        type == PAWN || captured != PIECE_NONE ? 0 : position_next_clock(position->halfmove);
    position_pass_turn(position, ep);
    if (ep != SQUARE_NONE)
        position_normalise_ep(position);
}

#endif
