/* SPDX-License-Identifier: MIT */
/*
 * The rarer questions of king safety: en passant, which takes two pawns off one rank at once, and
 * castling, standard and Chess960.
 */
#include "formats/chess/legality.h"

bool legality_of_en_passant(const struct position *position, unsigned from, unsigned to)
{
    unsigned us = position->side;
    uint64_t taken = us == WHITE ? bitboard_of(to) >> 8 : bitboard_of(to) << 8;
    uint64_t own = position->colour[us], enemies = position->colour[!us];
    uint64_t occupied = ((own | enemies) ^ bitboard_of(from) ^ taken) | bitboard_of(to);
    unsigned king = bitboard_first(own & position->type[KING]);
    return !legality_is_attacked(position, king, enemies ^ taken, occupied);
}

static bool attacked_with_king(const struct position *position, unsigned square, uint64_t occupied)
{
    uint64_t enemies = position->colour[!position->side];
    return (attacks_king(square) & position->type[KING] & enemies) ||
           legality_is_attacked(position, square, enemies, occupied);
}

bool legality_of_castling(const struct position *position, enum castling_side side)
{
    unsigned us = position->side, rook = position->rook[us][side];
    if (rook == SQUARE_NONE)
        return false;

    unsigned king = position_king(position, us);
    unsigned king_to = legality_castling_king_to(us, side);
    unsigned rook_to = legality_castling_rook_to(us, side);
    uint64_t both = bitboard_of(king) | bitboard_of(rook);
    uint64_t others = (position->colour[WHITE] | position->colour[BLACK]) & ~both;
    uint64_t king_way = attacks_between(king, king_to) | bitboard_of(king_to);
    uint64_t rook_way = attacks_between(rook, rook_to) | bitboard_of(rook_to);
    if ((king_way | rook_way) & others)
        return false;

    /* The rook still stands where it was while the king is on its way ... */
    uint64_t way = king_way | bitboard_of(king);
    while (way) {
        if (attacked_with_king(position, bitboard_pop(&way), others | bitboard_of(rook)))
            return false;
    }
    /* ... but in Chess960 it may have been a shield that is gone when both have arrived. */
    return !attacked_with_king(position, king_to, others | bitboard_of(rook_to));
}
