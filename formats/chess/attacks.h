/* SPDX-License-Identifier: MIT */
/*
 * Which squares a piece attacks, and which squares lie between two. A leaf: types and bitboards
 * only.
 *
 * All tables are constants of the program: nothing is set up at run time and nothing can be shared
 * wrongly. Two ways to look at a slider exist. Going out from it, attacks_rook and its like give
 * every square it sees. Coming from a square of interest, the rays name the sliders that stand in
 * line, and attacks_between tells whether the way is free: that is cheaper when few are in line.
 */
#ifndef PLYMILL_FORMATS_CHESS_ATTACKS_H
#define PLYMILL_FORMATS_CHESS_ATTACKS_H

#include <stdint.h>

#include "formats/chess/bitboard.h"
#include "formats/chess/types.h"

enum attacks_line { LINE_RANK, LINE_FILE, LINE_DIAGONAL, LINE_ANTIDIAGONAL };

/* By piece type, on an empty board; nothing for pawns. */
extern const uint64_t attacks_empty_table[6][64];
extern const uint64_t attacks_pawn_table[2][64];
/* The lines through a square to the edges, without it. */
extern const uint64_t attacks_line_table[64][4];
extern const uint64_t attacks_between_table[64][64];

/* What any piece but a pawn attacks on an empty board. */
static inline uint64_t attacks_empty(unsigned type, unsigned square)
{
    return attacks_empty_table[type][square];
}

static inline uint64_t attacks_knight(unsigned square)
{
    return attacks_empty(KNIGHT, square);
}

static inline uint64_t attacks_king(unsigned square)
{
    return attacks_empty(KING, square);
}

/* What a pawn of that colour attacks; from the target, the pawns of the OTHER colour attack it. */
static inline uint64_t attacks_pawn(unsigned colour, unsigned square)
{
    return attacks_pawn_table[colour][square];
}

/* On an empty board. */
static inline uint64_t attacks_rook_rays(unsigned square)
{
    return attacks_empty(ROOK, square);
}

static inline uint64_t attacks_bishop_rays(unsigned square)
{
    return attacks_empty(BISHOP, square);
}

/* The squares strictly between two on one line; empty when they are neighbours or not in line. */
static inline uint64_t attacks_between(unsigned a, unsigned b)
{
    return attacks_between_table[a][b];
}

/*
 * The squares seen along a line, blockers included. With u the lowest blocker above the square and
 * l the highest below it, 2u - l has exactly the bits from l to u set (no blocker: up to the edge).
 */
static inline uint64_t attacks_along(unsigned square, uint64_t occupied, enum attacks_line line)
{
    uint64_t squares = attacks_line_table[square][line];
    uint64_t below = bitboard_of(square) - 1;
    uint64_t blockers = squares & occupied;
    uint64_t upper = blockers & ~below, lower = (blockers & below) | 1;
    uint64_t highest_lower = UINT64_C(1) << (63 - __builtin_clzll(lower));
    return squares & (2 * (upper & (0 - upper)) - highest_lower);
}

static inline uint64_t attacks_rook(unsigned square, uint64_t occupied)
{
    return attacks_along(square, occupied, LINE_RANK) | attacks_along(square, occupied, LINE_FILE);
}

static inline uint64_t attacks_bishop(unsigned square, uint64_t occupied)
{
    return attacks_along(square, occupied, LINE_DIAGONAL) |
           attacks_along(square, occupied, LINE_ANTIDIAGONAL);
}

static inline uint64_t attacks_queen(unsigned square, uint64_t occupied)
{
    return attacks_rook(square, occupied) | attacks_bishop(square, occupied);
}

/* Of any piece code; an empty square attacks nothing. */
static inline uint64_t attacks_of(unsigned piece, unsigned square, uint64_t occupied)
{
    if (piece >= PIECE_NONE)
        return 0;
    switch (piece_type_of(piece)) {
    case PAWN:
        return attacks_pawn(piece_colour(piece), square);
    case KNIGHT:
        return attacks_knight(square);
    case BISHOP:
        return attacks_bishop(square, occupied);
    case ROOK:
        return attacks_rook(square, occupied);
    case QUEEN:
        return attacks_queen(square, occupied);
    default:
        return attacks_king(square);
    }
}

#endif
