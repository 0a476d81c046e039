/* SPDX-License-Identifier: MIT */
/*
 * What the two feature sets that relate two pieces (threats and pawn pairs) have in common: the
 * orientation of the board, and how long their lists of rows can get.
 */
#ifndef PLYNNUE_SF_ROWS_H
#define PLYNNUE_SF_ROWS_H

#include <stdbool.h>

#include "nnue/core/board.h"
#include "nnue/core/kernels.h"

/*
 * A piece attacks at most 8 others. A pawn has at most 17 others on its file and the two beside it,
 * and each pair is counted once. So no list of all rows of one board outgrows its room.
 */
#define SF_THREATS_MAX (PLYNNUE_PIECES_MAX * 8)
#define SF_PAIRS_MAX   ((PLYNNUE_PIECES_MAX - 2) * 17 / 2)
_Static_assert(SF_THREATS_MAX + SF_PAIRS_MAX <= ROW_LIST_MAX, "a list holds all rows");

/* xor this into a square: ranks turned for Black, files so that the own king ends on a-d. */
static inline unsigned sf_rows_flip(unsigned view, unsigned king)
{
    return (view ? 56U : 0U) ^ ((king & 7) >= 4 ? 7U : 0U);
}

/* Is the orientation the same after the own king went from before to after? */
static inline bool sf_rows_follow(unsigned before, unsigned after)
{
    return ((before ^ after) & 4) == 0;
}

#endif
