/* SPDX-License-Identifier: MIT */
/*
 * A hash of what is on the board: pieces and side to move, nothing else. The sum over every
 * position after a move lets any two readers of an archive prove that they saw the same boards; it
 * has no other use, and it is no key (poskey.h has those).
 */
#ifndef PLYMILL_FORMATS_PGN_HASH_H
#define PLYMILL_FORMATS_PGN_HASH_H

#include <stdint.h>

#include "formats/chess/bitboard.h"
#include "formats/chess/position.h"

#define PGN_HASH_WHITE   UINT64_C(0x9E3779B97F4A7C15)
#define PGN_HASH_BLACK   UINT64_C(0xC2B2AE3D27D4EB4F)
#define PGN_HASH_PAWNS   UINT64_C(0x165667B19E3779F9)
#define PGN_HASH_KNIGHTS UINT64_C(0xD6E8FEB86659FD93)
#define PGN_HASH_BISHOPS UINT64_C(0xA0761D6478BD642F)
#define PGN_HASH_ROOKS   UINT64_C(0xE7037ED1A0B428DB)
#define PGN_HASH_QUEENS  UINT64_C(0x8EBC6AF09C88C6E3)
#define PGN_HASH_KINGS   UINT64_C(0x589965CC75374CC3)

/* The part that is linear in the bitboards. */
static inline uint64_t pgn_hash_sum(const struct position *position)
{
    const uint64_t *type = position->type;
    return position->colour[WHITE] * PGN_HASH_WHITE + position->colour[BLACK] * PGN_HASH_BLACK +
           type[PAWN] * PGN_HASH_PAWNS + type[KNIGHT] * PGN_HASH_KNIGHTS +
           type[BISHOP] * PGN_HASH_BISHOPS + type[ROOK] * PGN_HASH_ROOKS +
           type[QUEEN] * PGN_HASH_QUEENS + type[KING] * PGN_HASH_KINGS;
}

/* The hash from its sum and the side to move. */
static inline uint64_t pgn_hash_mix(uint64_t sum, unsigned side)
{
    sum ^= sum >> 32;
    sum *= UINT64_C(0x9FB21C651E98DF25);
    if (side == BLACK)
        sum += UINT64_C(0x2545F4914F6CDD1D);
    return sum ^ sum >> 29;
}

static inline uint64_t pgn_hash_board(const struct position *position)
{
    return pgn_hash_mix(pgn_hash_sum(position), position->side);
}

/*
 * What a piece adds to the sum, times its square's bit: a sum modulo 2^64 changes by what a move
 * takes from the board and puts on it.
 */
extern const uint64_t pgn_hash_pieces[PIECE_NONE];

#endif
