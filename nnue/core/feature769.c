/* SPDX-License-Identifier: MIT */
/*
 * Features of 769-H1-H2-1 nets, see feature769.h.
 */
#include "nnue/core/feature769.h"

void feature769_active_pieces(const struct board *board, struct row_list *rows)
{
    unsigned count = 0;
    for (uint64_t left = board->occupied; left; left &= left - 1) {
        unsigned square = (unsigned)__builtin_ctzll(left);
        rows->added[count++] = feature769_index(board->piece[square], square);
    }
    rows->removed_count = 0;
    rows->added_count = count;
}

void feature769_active(const struct board *board, struct row_list *rows)
{
    feature769_active_pieces(board, rows);
    if (board->side == 0)
        rows->added[rows->added_count++] = FEATURE769_WHITE_MOVE;
}

void feature769_changes(const struct change *change, struct row_list *rows)
{
    feature769_changed_pieces(change->delta, rows);
    if (change->before->side == 0)
        rows->removed[rows->removed_count++] = FEATURE769_WHITE_MOVE;
    else
        rows->added[rows->added_count++] = FEATURE769_WHITE_MOVE;
}
