/* SPDX-License-Identifier: MIT */
/*
 * Pawn pair features of Stockfish 19 (PP_3Wide): one row for every two pawns, of any colours, on
 * the same or on neighbouring files.
 *
 *     id = 48 * theirs + square' - 8, 0 .. 95; row = hi * (hi - 1) / 2 + lo, hi > lo
 *
 * squares' are oriented, see sf_rows.h. Pawns on the first and last rank, which no game has, make
 * no pairs.
 */
#ifndef PLYNNUE_SF_PAIRS_H
#define PLYNNUE_SF_PAIRS_H

#include "nnue/core/sf_rows.h"

#define SF_PAIRS_ROWS 4560 /* 96 * 95 / 2 */

/* Adds all rows of a board in a view, each plus first, to rows->added. */
void sf_pairs_active(const struct board *board, unsigned view, uint32_t first,
                     struct row_list *rows);
/* Adds the rows that differ; as sf_threats_changes. */
void sf_pairs_changes(const struct board *before, const struct board *after, uint64_t changed,
                      unsigned view, uint32_t first, struct row_list *rows);

#endif
