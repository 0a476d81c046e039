/* SPDX-License-Identifier: MIT */
/*
 * The features of 769-H1-H2-1 nets: 64 * piece + square from White's side, never flipped, and one
 * bit that is set when White is to move.
 */
#ifndef PLYNNUE_FEATURE769_H
#define PLYNNUE_FEATURE769_H

#include "nnue/core/arch.h"

#define FEATURE769_COUNT      769
#define FEATURE769_WHITE_MOVE 768
#define FEATURE769_ACTIVE_MAX 33 /* 32 pieces and the bit */

static inline uint16_t feature769_index(unsigned piece, unsigned square)
{
    return (uint16_t)(64 * piece + square);
}

/* All active features as rows to add, in order of square, the bit last. */
void feature769_active(const struct board *board, struct row_list *rows);
/* Features that a change removes and adds: the bit goes when White moved, comes when Black did. */
void feature769_changes(const struct change *change, struct row_list *rows);

/* The same without the bit. */
void feature769_active_pieces(const struct board *board, struct row_list *rows);
static inline void feature769_changed_pieces(const struct plynnue_delta *delta,
                                             struct row_list *rows)
{
    for (unsigned i = 0; i < delta->removed_count; i++)
        rows->removed[i] = feature769_index(delta->removed[i].piece, delta->removed[i].square);
    for (unsigned i = 0; i < delta->added_count; i++)
        rows->added[i] = feature769_index(delta->added[i].piece, delta->added[i].square);
    rows->removed_count = delta->removed_count;
    rows->added_count = delta->added_count;
}

#endif
