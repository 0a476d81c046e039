/* SPDX-License-Identifier: MIT */
/*
 * SAN as archives are full of it, at the cost that reading an archive allows: a letter or none, a
 * file or rank or none, x or none, the target, a check sign or none; one piece in line with the
 * target with nothing in its way; a king that the guard of the position shows to be safe.
 *
 * It only ever says yes, and then what san_parse would say. For everything else (castling,
 * promotion, en passant, pins, errors) ask san_parse, which looks at the rules one by one. In line
 * here because its caller does nothing else.
 */
#ifndef PLYMILL_FORMATS_CHESS_SAN_PLAIN_H
#define PLYMILL_FORMATS_CHESS_SAN_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "formats/chess/hints.h"
#include "formats/chess/legality.h"

/* KNIGHT .. KING, else PAWN. */
static inline unsigned san_plain_type(char letter)
{
    static const uint8_t types[32] = {['N' - '@'] = KNIGHT,
                                      ['B' - '@'] = BISHOP,
                                      ['R' - '@'] = ROOK,
                                      ['Q' - '@'] = QUEEN,
                                      ['K' - '@'] = KING};
    unsigned index = (unsigned)(letter - '@');
    return index < 32 ? types[index] : PAWN;
}

/* Of one that does not promote. The text before the target is [p, target). */
static inline uint16_t san_plain_pawn(const struct position *position,
                                      const struct legality_guard *guard, const char *p,
                                      const char *target, unsigned to)
{
    unsigned us = position->side, pawn = us * 6, captured = position->board[to];
    unsigned step = us * 16 - 8, from = to + step;

    if (bitboard_of(to) & BITBOARD_EDGE_RANKS)
        return MOVE_NONE;
    if (p == target) {
        if (captured != PIECE_NONE)
            return MOVE_NONE;
        if (square_rank(to) == 3 + us && position->board[from] == PIECE_NONE)
            from += step;
    } else {
        unsigned file = (unsigned)(*p - 'a');
        if (target - p != 2 || p[1] != 'x' || file > 7 || captured == PIECE_NONE ||
            piece_colour(captured) == us)
            return MOVE_NONE;
        uint64_t origin = attacks_pawn(us ^ 1, to) & bitboard_file(file);
        if (!origin)
            return MOVE_NONE;
        from = bitboard_first(origin);
    }
    if (position->board[from] != pawn || (guard->pinned & bitboard_of(from)) ||
        !(guard->targets & bitboard_of(to)))
        return MOVE_NONE;
    return move_make(from, to, MOVE_NORMAL);
}

/* Where a piece may stand that is told apart by a file or a rank; nowhere for another character. */
static inline uint64_t san_plain_origins(char c)
{
    unsigned file = (unsigned)(c - 'a'), rank = (unsigned)(c - '1');
    return file < 8 ? bitboard_file(file) : rank < 8 ? bitboard_rank(rank) : 0;
}

static OUT_OF_LINE uint16_t san_plain_king(const struct position *position, unsigned from,
                                           unsigned to)
{
    bool blocked = position->colour[position->side] & bitboard_of(to);
    return !blocked && legality_of_king_move(position, from, to) ? move_make(from, to, MOVE_NORMAL)
                                                                 : MOVE_NONE;
}

/* Of several pieces in line with a square those that nothing keeps from it. */
static OUT_OF_LINE uint64_t san_plain_unblocked(uint64_t candidates, unsigned to, uint64_t occupied)
{
    uint64_t unblocked = 0;
    while (candidates) {
        unsigned from = bitboard_pop(&candidates);
        if (!(attacks_between(from, to) & occupied))
            unblocked |= bitboard_of(from);
    }
    return unblocked;
}

static inline uint16_t san_plain_piece(const struct position *position,
                                       const struct legality_guard *guard, unsigned type,
                                       const char *p, const char *target, unsigned to)
{
    uint64_t own = position->colour[position->side];
    uint64_t occupied = position->colour[WHITE] | position->colour[BLACK];
    uint64_t candidates = own & position->type[type] & attacks_empty(type, to);

    if (p != target) {
        target -= target[-1] == 'x';
        if (p != target)
            candidates &= p + 1 == target ? san_plain_origins(*p) : 0;
    }
    if (bitboard_many(candidates))
        candidates = san_plain_unblocked(candidates, to, occupied);
    if (!candidates || bitboard_many(candidates))
        return MOVE_NONE;
    unsigned from = bitboard_first(candidates);
    if (type == KING)
        return san_plain_king(position, from, to);
    if ((attacks_between(from, to) & occupied) || (guard->pinned & candidates) ||
        !(guard->targets & bitboard_of(to) & ~own))
        return MOVE_NONE;
    return move_make(from, to, MOVE_NORMAL);
}

/* The move, or MOVE_NONE. */
static inline uint16_t san_parse_plain(const struct position *position,
                                       const struct legality_guard *guard, const char *text,
                                       size_t size)
{
    if (size < 2)
        return MOVE_NONE;
    const char *end = text + size;
    end -= size > 2 && (end[-1] == '+' || end[-1] == '#');
    unsigned file = (unsigned)(end[-2] - 'a'), rank = (unsigned)(end[-1] - '1');
    if ((file | rank) > 7)
        return MOVE_NONE;
    unsigned to = square_make(file, rank), type = san_plain_type(*text);
    return type == PAWN ? san_plain_pawn(position, guard, text, end - 2, to)
                        : san_plain_piece(position, guard, type, text + 1, end - 2, to);
}

#endif
