/* SPDX-License-Identifier: MIT */
/*
 * The table of pgn_hash.h: the colour's constant and the type's.
 */
#include "formats/pgn_hash.h"

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
