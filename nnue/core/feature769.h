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

#endif
