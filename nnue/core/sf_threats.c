/* SPDX-License-Identifier: MIT */
/*
 * Threat features, see sf_threats.h.
 */
#include "nnue/core/sf_threats.h"

#include <string.h>

#include "formats/chess/attacks.h"

enum { TYPES = 6, THEIR_PAWN = 6, SEE_NONE = -1 };

#define NO_ROW UINT32_MAX

/* Column of the target's type (P N B R Q K), by set and attacker; SEE_NONE: not seen. */
static const int16_t columns[2][TYPES][TYPES] = {
    [SF_THREATS_18] = {{0, 1, -1, 2, -1, -1},
                       {0, 1, 2, 3, 4, 5},
                       {0, 1, 2, 3, -1, 4},
                       {0, 1, 2, 3, -1, 4},
                       {0, 1, 2, 3, 4, 5},
                       {0, 1, 2, 3, -1, -1}},
    [SF_THREATS_19] = {{-1, 0, -1, 1, -1, -1},
                       {0, 1, 2, 3, 4, -1},
                       {0, 1, 2, 3, -1, -1},
                       {0, 1, 2, 3, -1, -1},
                       {0, 1, 2, 3, 4, -1},
                       {-1, -1, -1, -1, -1, -1}},
};

static uint64_t shape_attacks(unsigned shape, unsigned square)
{
    if (shape != PAWN && shape != THEIR_PAWN)
        return attacks_empty(shape, square);
    if (bitboard_of(square) & BITBOARD_EDGE_RANKS)
        return 0;
    return attacks_pawn(shape == THEIR_PAWN, square);
}

/* Numbers all attacks of a shape from a1 on; gives how many there are. */
static uint32_t number_attacks(uint16_t rank[64][64], unsigned shape)
{
    uint16_t count = 0;
    for (unsigned from = 0; from < 64; from++)
        for (uint64_t left = shape_attacks(shape, from); left;)
            rank[from][bitboard_pop(&left)] = count++;
    return count;
}

static unsigned seen_types(const int16_t row[TYPES])
{
    unsigned count = 0;
    for (unsigned type = 0; type < TYPES; type++)
        count += row[type] != SEE_NONE;
    return count;
}

void sf_threats_init(struct sf_threats *threats, enum sf_threat_set set)
{
    uint32_t size[SF_THREAT_SHAPES], next = 0;
    memset(threats, 0, sizeof *threats);
    threats->kings = set == SF_THREATS_18;
    for (unsigned shape = 0; shape < SF_THREAT_SHAPES; shape++)
        size[shape] = number_attacks(threats->rank[shape], shape);
    for (unsigned piece = 0; piece < 2 * TYPES; piece++) {
        unsigned type = piece_type_of(piece), theirs = piece_colour(piece);
        const int16_t *seen = columns[set][type];
        for (unsigned target = 0; target < 2 * TYPES; target++) {
            int column = seen[piece_type_of(target)];
            threats->base[theirs][type][piece_colour(target)][piece_type_of(target)] =
                column == SEE_NONE
                    ? NO_ROW
                    : next +
                          (piece_colour(target) * seen_types(seen) + (unsigned)column) * size[type];
        }
        next += 2 * seen_types(seen) * size[type];
    }
    threats->rows = next;
}

/* One attacker and what it stands for in a view. */
struct attacker {
    const uint32_t (*base)[TYPES]; /* [theirs][type of target] */
    const uint16_t (*rank)[64];
    unsigned view, flip, from; /* from: oriented */
    unsigned type;
    bool theirs;
};

static struct attacker describe(const struct sf_threats *threats, uint8_t piece, unsigned square,
                                unsigned view, unsigned flip)
{
    struct attacker out = {.view = view, .flip = flip, .from = square ^ flip};
    out.type = piece_type_of(piece);
    out.theirs = piece_colour(piece) != view;
    out.base = threats->base[out.theirs][out.type];
    out.rank = threats->rank[out.type == PAWN && out.theirs ? THEIR_PAWN : out.type];
    return out;
}

/* Appends the rows of an attacker's targets to list; gives the list's new length. */
static unsigned append(const struct attacker *attacker, const struct board *board, uint64_t targets,
                       uint32_t *list, unsigned count)
{
    while (targets) {
        unsigned square = bitboard_pop(&targets), to = square ^ attacker->flip;
        unsigned piece = board->piece[square], type = piece_type_of(piece);
        bool theirs = piece_colour(piece) != attacker->view;
        uint32_t base = attacker->base[theirs][type];
        bool twice = type == attacker->type && (type != PAWN || theirs != attacker->theirs);
        if (base != NO_ROW && !(twice && attacker->from < to))
            list[count++] = base + attacker->rank[attacker->from][to];
    }
    return count;
}

/* The occupied squares that the piece on square attacks and that may matter. */
static uint64_t targets_of(const struct sf_threats *threats, const struct board *board,
                           unsigned square)
{
    uint8_t piece = board->piece[square];
    uint64_t kings = bitboard_of(board->king[0]) | bitboard_of(board->king[1]);
    if (piece == BOARD_EMPTY)
        return 0;
    if (piece_type_of(piece) == PAWN && (bitboard_of(square) & BITBOARD_EDGE_RANKS))
        return 0;
    if (threats->kings)
        return attacks_of(piece, square, board->occupied) & board->occupied;
    if (piece_type_of(piece) == KING)
        return 0;
    return attacks_of(piece, square, board->occupied) & board->occupied & ~kings;
}

void sf_threats_active(const struct sf_threats *threats, const struct board *board, unsigned view,
                       struct row_list *rows)
{
    unsigned flip = sf_rows_flip(view, board->king[view]);
    for (uint64_t left = board->occupied; left;) {
        unsigned square = bitboard_pop(&left);
        struct attacker attacker = describe(threats, board->piece[square], square, view, flip);
        rows->added_count = append(&attacker, board, targets_of(threats, board, square),
                                   rows->added, rows->added_count);
    }
}

/*
 * The changed squares, and those whose pieces see one of them. Of the pieces in line with a changed
 * square and those a knight's move away the ones that cannot look that way drop out.
 */
static uint64_t find_attackers(const struct board *board, uint64_t changed)
{
    uint64_t near = 0, found = changed;
    for (uint64_t left = changed; left;) {
        unsigned square = bitboard_pop(&left);
        near |= attacks_queen(square, board->occupied) | attacks_knight(square);
    }
    for (near &= board->occupied & ~changed; near;) {
        unsigned square = bitboard_pop(&near), piece = board->piece[square];
        unsigned type = piece_type_of(piece);
        uint64_t seen =
            type == PAWN ? attacks_pawn(piece_colour(piece), square) : attacks_empty(type, square);
        if (seen & changed)
            found |= bitboard_of(square);
    }
    return found;
}

void sf_threats_changes(const struct sf_threats *threats, const struct board *before,
                        const struct board *after, uint64_t changed, unsigned view,
                        struct row_list *rows)
{
    unsigned flip = sf_rows_flip(view, after->king[view]);
    /*
     * Whoever sees a changed square now, sees other things than before, or may. Whoever saw one
     * before and sees none now would have a new piece in between: but that stands on one.
     */
    uint64_t attackers = find_attackers(after, changed);
    while (attackers) {
        unsigned square = bitboard_pop(&attackers);
        uint64_t old = targets_of(threats, before, square),
                 new = targets_of(threats, after, square);
        uint64_t kept = changed & bitboard_of(square) ? 0 : old & new & ~changed;
        struct attacker attacker;
        if (old & ~kept) {
            attacker = describe(threats, before->piece[square], square, view, flip);
            rows->removed_count =
                append(&attacker, before, old & ~kept, rows->removed, rows->removed_count);
        }
        if (new & ~kept) {
            attacker = describe(threats, after->piece[square], square, view, flip);
            rows->added_count =
                append(&attacker, after, new & ~kept, rows->added, rows->added_count);
        }
    }
}
