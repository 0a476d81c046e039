/* SPDX-License-Identifier: MIT */
/*
 * Does a move leave the own king safe? One question, asked by the move generator, the SAN reader
 * and the en passant rule, for moves that are otherwise right (pseudo-legal).
 *
 * It is answered from the king's side: the enemy sliders in line with the king are looked at one by
 * one on the board as it will be. So pins, checks and their answers are one case. Who asks about
 * more than one move of a position, or wants to know of check anyway, looks once at the board as it
 * is: the guard that comes out of it settles most moves. In line here because it is what reading a
 * game mostly does.
 */
#ifndef PLYMILL_FORMATS_CHESS_LEGALITY_H
#define PLYMILL_FORMATS_CHESS_LEGALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/chess/attacks.h"
#include "formats/chess/hints.h"
#include "formats/chess/position.h"

/*
 * Is square attacked by one of `enemies` (of the side that is not to move) with that occupancy? The
 * enemy king does not count here.
 */
static inline bool legality_is_attacked(const struct position *position, unsigned square,
                                        uint64_t enemies, uint64_t occupied)
{
    const uint64_t *type = position->type;
    uint64_t leapers = (attacks_knight(square) & type[KNIGHT]) |
                       (attacks_pawn(position->side, square) & type[PAWN]);
    uint64_t sliders = (attacks_rook_rays(square) & (type[ROOK] | type[QUEEN])) |
                       (attacks_bishop_rays(square) & (type[BISHOP] | type[QUEEN]));

    if (leapers & enemies)
        return true;
    sliders &= enemies;
    while (sliders) {
        if (!(attacks_between(square, bitboard_pop(&sliders)) & occupied))
            return true;
    }
    return false;
}

/* Any piece but the king; no en passant. */
static inline bool legality_of_piece_move(const struct position *position, unsigned from,
                                          unsigned to)
{
    uint64_t own = position->colour[position->side], enemies = position->colour[position->side ^ 1];
    unsigned king = bitboard_first(own & position->type[KING]);
    uint64_t occupied = ((own | enemies) ^ bitboard_of(from)) | bitboard_of(to);
    return !legality_is_attacked(position, king, enemies & ~bitboard_of(to), occupied);
}

/* What bears on the king of the side to move, found in one loop over the sliders in line with it.
 */
struct legality_guard {
    uint64_t checkers; /* enemy pieces that give check */
    uint64_t pinned;   /* own pieces that alone shield the king from a slider; enemy ones alike */
    uint64_t targets;  /* where a piece that is not pinned may go: in check only what answers it */
};

/* A piece takes the checker or goes between; of two it can answer but one. */
static OUT_OF_LINE uint64_t legality_find_answers(unsigned king, uint64_t checkers)
{
    uint64_t answers = checkers | attacks_between(king, bitboard_first(checkers));
    return bitboard_many(checkers) ? 0 : answers;
}

/* us: the side to move, where that is known as a constant. */
static IN_LINE struct legality_guard legality_find_guard_of(const struct position *position,
                                                            unsigned us)
{
    const uint64_t *type = position->type;
    uint64_t own = position->colour[us], enemies = position->colour[us ^ 1];
    unsigned king = bitboard_first(own & type[KING]);
    uint64_t sliders = (attacks_rook_rays(king) & (type[ROOK] | type[QUEEN])) |
                       (attacks_bishop_rays(king) & (type[BISHOP] | type[QUEEN]));
    uint64_t leapers =
        (attacks_knight(king) & type[KNIGHT]) | (attacks_pawn(us, king) & type[PAWN]);
    struct legality_guard guard = {leapers & enemies, 0, ~UINT64_C(0)};

    sliders &= enemies;
    while (sliders) {
        unsigned slider = bitboard_pop(&sliders);
        uint64_t shield = attacks_between(king, slider) & (own | enemies);
        if (!shield)
            guard.checkers |= bitboard_of(slider);
        else if (!bitboard_many(shield))
            guard.pinned |= shield;
    }
    if (guard.checkers)
        guard.targets = legality_find_answers(king, guard.checkers);
    return guard;
}

static inline struct legality_guard legality_find_guard(const struct position *position)
{
    return legality_find_guard_of(position, position->side);
}

/* The king, not castling. */
static inline bool legality_of_king_move(const struct position *position, unsigned from,
                                         unsigned to)
{
    uint64_t enemies = position->colour[!position->side];
    uint64_t occupied = (position->colour[position->side] | enemies) ^ bitboard_of(from);
    return !(attacks_king(to) & position->type[KING] & enemies) &&
           !legality_is_attacked(position, to, enemies & ~bitboard_of(to), occupied);
}

/* A pawn beside the one that has just moved two squares takes it on the square `to`. */
bool legality_of_en_passant(const struct position *position, unsigned from, unsigned to);

/* Everything about castling: the right, the empty squares, the king's way. */
bool legality_of_castling(const struct position *position, enum castling_side side);

/* Where king and rook arrive. */
static inline uint8_t legality_castling_king_to(unsigned colour, enum castling_side side)
{
    return (uint8_t)((side == KING_SIDE ? 6 : 2) + 56 * colour);
}

static inline uint8_t legality_castling_rook_to(unsigned colour, enum castling_side side)
{
    return (uint8_t)((side == KING_SIDE ? 5 : 3) + 56 * colour);
}

#endif
