/* SPDX-License-Identifier: MIT */
/*
 * A bound of the accumulators of threats and pawn pairs, see bounds_rows.h.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/chess/attacks.h"
#include "formats/chess/types.h"
#include "nnue/core/sf_pairs.h"
#include "nnue/tools/bounds_rows.h"

enum { SQUARES = 64, TYPES = 6, SIDES = 2, THEIR_PAWN = 6, MEN = 30, LINES_MAX = 9 };

#define NO_ROW UINT32_MAX

/* The squares that a piece of a side on `from` attacks on an empty board, oriented. */
static uint64_t sees(unsigned side, unsigned type, unsigned from)
{
    if (type != PAWN)
        return attacks_empty(type, from);
    return bitboard_of(from) & BITBOARD_EDGE_RANKS ? 0 : attacks_pawn(side, from);
}

static int sign_of(int x)
{
    return (x > 0) - (x < 0);
}

/* Squares of one line share a number: a piece sees one of them at most. */
static unsigned line_of(unsigned from, unsigned to)
{
    int files = (int)(to & 7) - (int)(from & 7), ranks = (int)(to >> 3) - (int)(from >> 3);
    return (unsigned)(3 * (sign_of(files) + 1) + sign_of(ranks) + 1);
}

/* The best target on `to` for an attacker there. */
static int best_target(const struct sf_relations *r, unsigned side, unsigned type, unsigned from,
                       unsigned to, size_t unit, int sign)
{
    const struct sf_threats *threats = r->threats;
    uint32_t rank = threats->rank[type == PAWN && side ? THEIR_PAWN : type][from][to];
    int best = 0;
    for (unsigned side_to = 0; side_to < SIDES; side_to++)
        for (unsigned type_to = 0; type_to < TYPES; type_to++) {
            uint32_t base = threats->base[side][type][side_to][type_to];
            bool twice = type == type_to && (type != PAWN || side != side_to);
            if (base == NO_ROW || (twice && from < to))
                continue;
            int value = sign * r->weights[(size_t)(base + rank) * r->width + unit];
            if (value > best)
                best = value;
        }
    return best;
}

/* The most that an attacker there adds: knights hit all their squares, sliders one on each line. */
static int attacker_worth(const struct sf_relations *r, unsigned side, unsigned type, unsigned from,
                          size_t unit, int sign)
{
    int lines[LINES_MAX] = {0}, sum = 0;
    for (uint64_t left = sees(side, type, from); left;) {
        unsigned to = bitboard_pop(&left), line = line_of(from, to);
        int value = best_target(r, side, type, from, to, unit, sign);
        if (type == KNIGHT)
            sum += value;
        else if (value > lines[line])
            lines[line] = value;
    }
    for (unsigned i = 0; i < LINES_MAX; i++)
        sum += lines[i];
    return sum;
}

static int descending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x < y) - (x > y);
}

static int64_t sum_of_best(int values[SQUARES], unsigned count)
{
    int64_t sum = 0;
    qsort(values, SQUARES, sizeof *values, descending);
    for (unsigned i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static int64_t threats_most(const struct sf_relations *r, size_t unit, int sign)
{
    int worth[SQUARES] = {0};
    for (unsigned from = 0; from < SQUARES; from++)
        for (unsigned side = 0; side < SIDES; side++)
            for (unsigned type = 0; type < TYPES; type++) {
                int value = attacker_worth(r, side, type, from, unit, sign);
                if (value > worth[from])
                    worth[from] = value;
            }
    return sum_of_best(worth, PLYNNUE_PIECES_MAX);
}

/* The row of two pawns, and what it is worth. */
static int pair_worth(const struct sf_relations *r, unsigned id, unsigned other, size_t unit,
                      int sign)
{
    uint32_t high = id > other ? id : other, low = id > other ? other : id;
    uint32_t row = r->threats->rows + high * (high - 1) / 2 + low;
    return sign * r->weights[(size_t)row * r->width + unit];
}

/* The most that a pawn's pairs add, with the best pawn on each square near it. */
static int pawn_worth(const struct sf_relations *r, unsigned side, unsigned square, size_t unit,
                      int sign)
{
    enum { FIRST = 8, LAST = 55, IDS = 48 };
    int sum = 0;
    for (unsigned other = FIRST; other <= LAST; other++) {
        int files = (int)(square & 7) - (int)(other & 7), best = 0;
        if (other == square || files > 1 || files < -1)
            continue;
        for (unsigned theirs = 0; theirs < SIDES; theirs++) {
            int value = pair_worth(r, IDS * side + square - FIRST, IDS * theirs + other - FIRST,
                                   unit, sign);
            if (value > best)
                best = value;
        }
        sum += best;
    }
    return sum;
}

/* Every pair is counted by both of its pawns. */
static int64_t pairs_most(const struct sf_relations *r, size_t unit, int sign)
{
    int worth[SQUARES] = {0};
    for (unsigned square = 0; square < SQUARES; square++)
        for (unsigned side = 0; side < SIDES && !(bitboard_of(square) & BITBOARD_EDGE_RANKS);
             side++) {
            int value = pawn_worth(r, side, square, unit, sign);
            if (value > worth[square])
                worth[square] = value;
        }
    return sum_of_best(worth, MEN) / 2;
}

struct range row_bounds_relations(const struct sf_relations *r)
{
    struct range out = {0, 0};
    for (size_t unit = 0; unit < r->width; unit++) {
        int64_t high = threats_most(r, unit, 1) + (r->pairs ? pairs_most(r, unit, 1) : 0);
        int64_t low = -threats_most(r, unit, -1) - (r->pairs ? pairs_most(r, unit, -1) : 0);
        if (high > out.high)
            out.high = high;
        if (low < out.low)
            out.low = low;
    }
    return out;
}
