/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary of a board: colours, pieces, squares, moves. A leaf: it includes nothing of ours.
 *
 * Squares: a1 = 0, b1 = 1, ... h1 = 7, a2 = 8, ... h8 = 63. Pieces: P0 N1 B2 R3 Q4 K5, +6 for
 * black.
 *
 * A move is 16 bits, as in Stockfish's packed sfen files:
 *
 *   bits 0-5 to, 6-11 from, 12-13 promotion piece (0 N, 1 B, 2 R, 3 Q), 14-15 kind
 *
 * Castling is stored as king takes own rook (e1h1), for standard chess and Chess960 alike.
 */
#ifndef PLYMILL_FORMATS_CHESS_TYPES_H
#define PLYMILL_FORMATS_CHESS_TYPES_H

#include <stdbool.h>
#include <stdint.h>

enum colour { WHITE = 0, BLACK = 1 };
enum piece_type { PAWN = 0, KNIGHT, BISHOP, ROOK, QUEEN, KING };
enum castling_side { KING_SIDE = 0, QUEEN_SIDE = 1 };
enum move_kind { MOVE_NORMAL = 0, MOVE_PROMOTION = 1, MOVE_EN_PASSANT = 2, MOVE_CASTLING = 3 };

#define PIECE_NONE  12 /* an empty square */
#define SQUARE_NONE 64
#define MOVE_NONE   0   /* a1 to a1: never a move */
#define MOVES_MAX   256 /* no legal position has more than 218 moves */

static inline uint8_t piece_make(unsigned colour, unsigned type)
{
    return (uint8_t)(type + 6 * colour);
}

static inline unsigned piece_colour(unsigned piece)
{
    return piece >= 6;
}

static inline unsigned piece_type_of(unsigned piece)
{
    return piece >= 6 ? piece - 6 : piece;
}

static inline unsigned square_file(unsigned square)
{
    return square & 7;
}

static inline unsigned square_rank(unsigned square)
{
    return square >> 3;
}

static inline uint8_t square_make(unsigned file, unsigned rank)
{
    return (uint8_t)(rank * 8 + file);
}

static inline uint16_t move_make(unsigned from, unsigned to, enum move_kind kind)
{
    return (uint16_t)(to | from << 6 | (unsigned)kind << 14);
}

/* type: KNIGHT .. QUEEN */
static inline uint16_t move_make_promotion(unsigned from, unsigned to, unsigned type)
{
    return (uint16_t)(to | from << 6 | (type - KNIGHT) << 12 | (unsigned)MOVE_PROMOTION << 14);
}

static inline unsigned move_to(uint16_t move)
{
    return move & 63;
}

static inline unsigned move_from(uint16_t move)
{
    return move >> 6 & 63;
}

static inline enum move_kind move_kind(uint16_t move)
{
    return (enum move_kind)(move >> 14);
}

/* Only for MOVE_PROMOTION. */
static inline unsigned move_promotion(uint16_t move)
{
    return (move >> 12 & 3) + KNIGHT;
}

#endif
