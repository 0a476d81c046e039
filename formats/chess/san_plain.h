/* SPDX-License-Identifier: MIT */
/*
 * SAN as archives are full of it, at the cost that reading an archive allows: a letter or none, a
 * file or rank or none, x or none, the target; one piece in line with the target with nothing in
 * its way; a king that the guard of the position shows to be safe.
 *
 * It only ever says yes, and then what san_parse would say of the same text. For everything else
 * (castling, promotion, en passant, pins, errors) ask san_parse, which looks at the rules one by
 * one. What stands behind the target is for the caller to judge: a sign of check, the end of the
 * token, or more of a longer move. In line here because its caller does nothing else, which also
 * knows the side to move as a constant.
 */
#ifndef PLYMILL_FORMATS_CHESS_SAN_PLAIN_H
#define PLYMILL_FORMATS_CHESS_SAN_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "formats/chess/hints.h"
#include "formats/chess/legality.h"

/* The longest text that is looked at: "Nb1xd2". */
#define SAN_PLAIN_MAX 6

/* A legal MOVE_NORMAL. */
struct san_plain {
    unsigned type, from, to;
    uint64_t origin, target; /* from and to as sets */
};

/* KNIGHT .. KING by their letters; PAWN for any other character. */
extern const uint8_t san_plain_types[256];

/* The square at p; false if there is none. */
static inline bool san_plain_square(const char *p, unsigned *square)
{
    unsigned file = (unsigned)(p[0] - 'a'), rank = (unsigned)(p[1] - '1');
    *square = rank * 8 + file;
    return (file | rank) < 8;
}

static inline bool san_plain_is_file(char c)
{
    return (unsigned)(c - 'a') < 8;
}

/* Takes: the file is p[0], p[1] is x. */
static IN_LINE const char *san_plain_capture(const struct position *position,
                                             const struct legality_guard *guard, unsigned us,
                                             const char *p, struct san_plain *plain)
{
    unsigned to;
    if (!san_plain_square(p + 2, &to))
        return NULL;
    uint64_t target = bitboard_of(to), pawns = position->colour[us] & position->type[PAWN];
    uint64_t origin = attacks_pawn(!us, to) & bitboard_file((unsigned)(*p - 'a')) & pawns;
    if (!(origin & ~guard->pinned) ||
        !(target & position->colour[!us] & guard->targets & ~BITBOARD_EDGE_RANKS))
        return NULL;
    *plain = (struct san_plain){PAWN, bitboard_first(origin), to, origin, target};
    return p + 4;
}

static inline uint64_t san_plain_behind(unsigned us, uint64_t squares)
{
    return us == WHITE ? squares >> 8 : squares << 8;
}

/* One step or two. */
static IN_LINE const char *san_plain_push(const struct position *position,
                                          const struct legality_guard *guard, unsigned us,
                                          const char *p, struct san_plain *plain)
{
    unsigned to = (unsigned)(p[0] - 'a') + 8 * (unsigned)(p[1] - '1');
    if (to - 8 >= 48)
        return NULL;
    uint64_t target = bitboard_of(to), origin = san_plain_behind(us, target);
    uint64_t pawns = position->colour[us] & position->type[PAWN];
    uint64_t occupied = position->colour[WHITE] | position->colour[BLACK];
    unsigned from = us == WHITE ? to - 8 : to + 8;
    if (!(origin & occupied) && to >> 3 == 3 + us) {
        origin = san_plain_behind(us, origin);
        from = us == WHITE ? to - 16 : to + 16;
    }
    if (!(origin & pawns & ~guard->pinned) || !(target & guard->targets & ~occupied))
        return NULL;
    *plain = (struct san_plain){PAWN, from, to, origin, target};
    return p + 2;
}

/*
 * The move of a pawn at p, where a file stands, that does not promote: behind its text, or NULL.
 * us: the side to move.
 */
static IN_LINE const char *san_plain_pawn(const struct position *position,
                                          const struct legality_guard *guard, unsigned us,
                                          const char *p, struct san_plain *plain)
{
    return p[1] == 'x' ? san_plain_capture(position, guard, us, p, plain)
                       : san_plain_push(position, guard, us, p, plain);
}

/* Where a piece may stand that is told apart by a file or a rank; nowhere for another character. */
static inline uint64_t san_plain_origins(char c)
{
    unsigned file = (unsigned)(c - 'a'), rank = (unsigned)(c - '1');
    return file < 8 ? bitboard_file(file) : rank < 8 ? bitboard_rank(rank) : 0;
}

static OUT_OF_LINE bool san_plain_king_is_safe(const struct position *position, unsigned from,
                                               unsigned to)
{
    return legality_of_king_move(position, from, to);
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
    return bitboard_many(unblocked) ? 0 : unblocked;
}

/* The same for a piece, whose letter stands at p. */
static IN_LINE const char *san_plain_piece(const struct position *position,
                                           const struct legality_guard *guard, unsigned us,
                                           const char *p, struct san_plain *plain)
{
    unsigned type = san_plain_types[(uint8_t)*p];
    uint64_t own = position->colour[us], occupied = own | position->colour[!us];
    uint64_t candidates = own & position->type[type];
    p += 1 + (p[1] == 'x');
    unsigned to;
    if (!san_plain_square(p, &to)) {
        candidates &= san_plain_origins(*p);
        p += 1 + (p[1] == 'x');
        if (!san_plain_square(p, &to))
            return NULL;
    }
    uint64_t target = bitboard_of(to);
    candidates &= attacks_empty(type, to);
    if (bitboard_many(candidates))
        candidates = san_plain_unblocked(candidates, to, occupied);
    if (!candidates || (target & own))
        return NULL;
    unsigned from = bitboard_first(candidates);
    if (type == KING) {
        if (!san_plain_king_is_safe(position, from, to))
            return NULL;
    } else if ((attacks_between(from, to) & occupied) | (guard->pinned & candidates) |
               (target & ~guard->targets)) {
        return NULL;
    }
    *plain = (struct san_plain){type, from, to, candidates, target};
    return p + 2;
}

#endif
