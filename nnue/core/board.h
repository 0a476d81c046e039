/* SPDX-License-Identifier: MIT */
/*
 * The library's board: which piece stands where, and whose move it is. No rules, only bookkeeping
 * that refuses what cannot be, so that no feature index ever leaves its table.
 */
#ifndef PLYNNUE_BOARD_H
#define PLYNNUE_BOARD_H

#include "nnue/core/plynnue.h"

#define BOARD_EMPTY 12 /* in struct board.piece */

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
