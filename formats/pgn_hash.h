/* SPDX-License-Identifier: MIT */
/*
 * A hash of what is on the board: pieces and side to move, nothing else. The sum over every
 * position after a move lets any two readers of an archive prove that they saw the same boards; it
 * has no other use, and it is no key (poskey.h has those).
 */
#ifndef PLYMILL_FORMATS_PGN_HASH_H
#define PLYMILL_FORMATS_PGN_HASH_H

#include <stdint.h>

#include "formats/chess/position.h"

static inline uint64_t pgn_hash_board(const struct position *position)
{
    uint64_t x = position->colour[WHITE] * UINT64_C(0x9E3779B97F4A7C15) +
                 position->colour[BLACK] * UINT64_C(0xC2B2AE3D27D4EB4F) +
                 position->type[PAWN] * UINT64_C(0x165667B19E3779F9) +
                 position->type[KNIGHT] * UINT64_C(0xD6E8FEB86659FD93) +
                 position->type[BISHOP] * UINT64_C(0xA0761D6478BD642F) +
                 position->type[ROOK] * UINT64_C(0xE7037ED1A0B428DB) +
                 position->type[QUEEN] * UINT64_C(0x8EBC6AF09C88C6E3) +
                 position->type[KING] * UINT64_C(0x589965CC75374CC3);
    x ^= x >> 32;
    x *= UINT64_C(0x9FB21C651E98DF25);
    if (position->side == BLACK)
        x += UINT64_C(0x2545F4914F6CDD1D);
    return x ^ x >> 29;
}

#endif
