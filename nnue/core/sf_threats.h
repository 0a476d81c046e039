/* SPDX-License-Identifier: MIT */
/*
 * Threat features of Stockfish 18 and 19: one row for every piece that attacks another, friend or
 * enemy, along lines that are really open.
 *
 *     row = start[attacker] + (theirs(target) * T + column(target)) * size(attacker)
 *         + rank of (from', to') among all empty-board attacks of such a piece
 *
 * squares' are oriented, see sf_rows.h. T is the number of types that the attacker may see. Two
 * pieces of one type attack each other: only the row with from' > to' exists (pawns of one side do
 * not, theirs do).
 *
 *     attacker      sees (Stockfish 18, 79,856 rows)   (Stockfish 19, 59,808 rows)
 *     pawn          P N R                              N R
 *     knight        P N B R Q K                        P N B R Q
 *     bishop, rook  P N B R K                          P N B R
 *     queen         P N B R Q K                        P N B R Q
 *     king          P N B R                            -
 *
 * A pawn on the first or last rank, which no game has, attacks nothing here.
 */
#ifndef PLYNNUE_SF_THREATS_H
#define PLYNNUE_SF_THREATS_H

#include "nnue/core/sf_rows.h"

enum sf_threat_set { SF_THREATS_18, SF_THREATS_19 };

#define SF_THREATS_18_ROWS 79856
#define SF_THREATS_19_ROWS 59808

/* Pawns of the two sides go opposite ways, so that their attacks are tabled apart. */
#define SF_THREAT_SHAPES 7

/* How rows are numbered; made once for a net. */
struct sf_threats {
    uint32_t rows;
    bool kings; /* do kings attack and are they attacked? */
    /* [theirs][type of attacker][theirs][type of target]: first row, or UINT32_MAX: none */
    uint32_t base[2][6][2][6];
    /* [P N B R Q K, their P][from'][to'] */
    uint16_t rank[SF_THREAT_SHAPES][64][64];
};

void sf_threats_init(struct sf_threats *threats, enum sf_threat_set set);
/* Adds all rows of a board in a view to rows->added. */
void sf_threats_active(const struct sf_threats *threats, const struct board *board, unsigned view,
                       struct row_list *rows);
/*
 * Adds the rows that differ to rows->removed and rows->added. The own king must not have crossed
 * the middle (sf_rows_follow). changed: the squares on which the boards differ.
 */
void sf_threats_changes(const struct sf_threats *threats, const struct board *before,
                        const struct board *after, uint64_t changed, unsigned view,
                        struct row_list *rows);

#endif
