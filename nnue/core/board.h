/* SPDX-License-Identifier: MIT */
/*
 * The library's board: which piece stands where, and whose move it is. No rules, only bookkeeping
 * that refuses what cannot be, so that no feature index ever leaves its table.
 */
#ifndef PLYNNUE_BOARD_H
#define PLYNNUE_BOARD_H

#include <stdbool.h>

#include "nnue/core/plynnue.h"

#define BOARD_EMPTY      12 /* in struct board.piece */
#define BOARD_WHITE_KING 5
#define BOARD_BLACK_KING 11

struct board {
    uint64_t occupied;
    uint8_t piece[64];
    uint8_t king[2]; /* squares */
    uint8_t count;   /* pieces, 2 .. 32 */
    uint8_t side;    /* to move */
};

/* Bare kings on e1 and e8, White to move. */
void board_reset(struct board *board);
/* 0, or PLYNNUE_EBOARD with board unchanged. */
int board_set(struct board *board, const struct plynnue_position *position);
/* to = from with a delta made and the move passed on. 0, or PLYNNUE_EBOARD: to means nothing then.
 */
int board_apply(struct board *to, const struct board *from, const struct plynnue_delta *delta);

/* Both numbers of a piece in one; and the bits that squares from 64 on and kinds from 16 on have.
 */
enum { BOARD_ITEM_KIND = 0xFF, BOARD_ITEM_SQUARE_SHIFT = 8 };
enum { BOARD_ITEM_BEYOND = 0xC0 << BOARD_ITEM_SQUARE_SHIFT | 0xF0 };

static inline unsigned board_item(struct plynnue_piece item)
{
    return item.piece | (unsigned)item.square << BOARD_ITEM_SQUARE_SHIFT;
}

/* Neither a king nor a number that stands for no piece. kind: 0 .. 15. */
static inline bool board_is_common(unsigned kind)
{
    const unsigned others = 1U << BOARD_WHITE_KING | 1U << BOARD_BLACK_KING | 0xFU << BOARD_EMPTY;
    return !(others >> kind & 1);
}

/*
 * Most deltas: a piece, no king, goes to another square, which is empty or where what it takes
 * stands, no king either. board_is_move is true for no delta that board_apply refuses; board_move
 * makes one that it is true for, as board_apply does.
 */
static inline bool board_is_move(const struct board *from, const struct plynnue_delta *delta)
{
    unsigned mover, moved, kind, square;
    if (delta->added_count != 1 || delta->removed_count < 1 || delta->removed_count > 2)
        return false;
    mover = board_item(delta->removed[0]);
    moved = board_item(delta->added[0]);
    kind = delta->added[0].piece;
    square = delta->added[0].square;
    if (((mover | moved) & BOARD_ITEM_BEYOND) || ((mover ^ moved) & BOARD_ITEM_KIND) ||
        !board_is_common(kind) || from->piece[delta->removed[0].square] != kind)
        return false;
    if (delta->removed_count == 1)
        return from->piece[square] == BOARD_EMPTY;
    return delta->removed[1].square == square && mover != moved &&
           from->piece[square] == delta->removed[1].piece && board_is_common(from->piece[square]);
}

static inline void board_move(struct board *to, const struct board *from,
                              const struct plynnue_delta *delta)
{
    const struct plynnue_piece mover = delta->removed[0], moved = delta->added[0];
    const uint64_t left = UINT64_C(1) << mover.square, reached = UINT64_C(1) << moved.square;
    const uint64_t occupied = (from->occupied ^ left) | reached;
    const uint8_t count = (uint8_t)(from->count + 1 - delta->removed_count);
    *to = *from;
    to->piece[mover.square] = BOARD_EMPTY;
    to->piece[moved.square] = moved.piece;
    to->occupied = occupied;
    to->count = count;
    to->side ^= 1;
}

/* The squares, a1 = bit 0, where two boards differ. */
uint64_t board_differences(const struct board *a, const struct board *b);
/*
 * Which of several heads a board belongs to, by its number of pieces. least: the pieces, 1 or 2,
 * that count as none. With 8 heads and 1: (pieces - 1) / 4.
 */
static inline unsigned board_head(const struct board *board, unsigned least, unsigned heads)
{
    return (board->count - least) / ((PLYNNUE_PIECES_MAX + heads - 1) / heads);
}

#endif
