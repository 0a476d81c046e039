/* SPDX-License-Identifier: MIT */
/*
 * Pawn pair features, see sf_pairs.h.
 */
#include "nnue/core/sf_pairs.h"

#include "formats/chess/bitboard.h"
#include "formats/chess/types.h"

enum { IDS_OF_SIDE = 48, FIRST_SQUARE = 8 };

static bool is_pawn(const struct board *board, unsigned square)
{
    return board->piece[square] == PAWN || board->piece[square] == PAWN + 6;
}

/* The squares of a set on which pawns stand that count. */
static uint64_t pawns_among(const struct board *board, uint64_t squares)
{
    uint64_t pawns = 0;
    for (uint64_t left = squares & board->occupied & ~BITBOARD_EDGE_RANKS; left;) {
        unsigned square = bitboard_pop(&left);
        if (is_pawn(board, square))
            pawns |= bitboard_of(square);
    }
    return pawns;
}

static uint32_t pawn_id(const struct board *board, unsigned square, unsigned view, unsigned flip)
{
    bool theirs = piece_colour(board->piece[square]) != view;
    return (theirs ? IDS_OF_SIDE : 0) + (square ^ flip) - FIRST_SQUARE;
}

/* The file of a square and its neighbours. */
static uint64_t near_files(unsigned square)
{
    uint64_t file = bitboard_file(square_file(square));
    uint64_t left = file & ~bitboard_file(0), right = file & ~bitboard_file(7);
    return file | left >> 1 | right << 1;
}

/*
 * Appends the pairs of which at least one pawn is among `first_pawns` (a subset of pawns); gives
 * the list's new length.
 */
static unsigned append(const struct board *board, uint64_t first_pawns, uint64_t pawns,
                       unsigned view, unsigned flip, uint32_t first, uint32_t *list, unsigned count)
{
    while (first_pawns) {
        unsigned square = bitboard_pop(&first_pawns);
        uint32_t id = pawn_id(board, square, view, flip);
        pawns &= ~bitboard_of(square);
        for (uint64_t left = pawns & near_files(square); left;) {
            uint32_t other = pawn_id(board, bitboard_pop(&left), view, flip);
            uint32_t high = id > other ? id : other, low = id > other ? other : id;
            list[count++] = first + high * (high - 1) / 2 + low;
        }
    }
    return count;
}

void sf_pairs_active(const struct board *board, unsigned view, uint32_t first,
                     struct row_list *rows)
{
    uint64_t pawns = pawns_among(board, board->occupied);
    rows->added_count = append(board, pawns, pawns, view, sf_rows_flip(view, board->king[view]),
                               first, rows->added, rows->added_count);
}

void sf_pairs_changes(const struct board *before, const struct board *after, uint64_t changed,
                      unsigned view, uint32_t first, struct row_list *rows)
{
    unsigned flip = sf_rows_flip(view, after->king[view]);
    uint64_t gone = pawns_among(before, changed), come = pawns_among(after, changed);
    if (gone)
        rows->removed_count = append(before, gone, pawns_among(before, before->occupied), view,
                                     flip, first, rows->removed, rows->removed_count);
    if (come)
        rows->added_count = append(after, come, pawns_among(after, after->occupied), view, flip,
                                   first, rows->added, rows->added_count);
}
