/* SPDX-License-Identifier: MIT */
/*
 * The tables and the rare case of pgn_hash.h.
 */
#include "formats/pgn_hash.h"

#include <stddef.h>

const uint64_t pgn_hash_pieces[PIECE_NONE + 1] = {
    PGN_HASH_WHITE + PGN_HASH_PAWNS,
    PGN_HASH_WHITE + PGN_HASH_KNIGHTS,
    PGN_HASH_WHITE + PGN_HASH_BISHOPS,
    PGN_HASH_WHITE + PGN_HASH_ROOKS,
    PGN_HASH_WHITE + PGN_HASH_QUEENS,
    PGN_HASH_WHITE + PGN_HASH_KINGS,
    PGN_HASH_BLACK + PGN_HASH_PAWNS,
    PGN_HASH_BLACK + PGN_HASH_KNIGHTS,
    PGN_HASH_BLACK + PGN_HASH_BISHOPS,
    PGN_HASH_BLACK + PGN_HASH_ROOKS,
    PGN_HASH_BLACK + PGN_HASH_QUEENS,
    PGN_HASH_BLACK + PGN_HASH_KINGS,
    0,
};

uint64_t pgn_hash_special_move(const struct position *before, uint16_t move)
{
    struct position after = *before;
    position_make(&after, move, NULL);
    return pgn_hash_sum(&after);
}
