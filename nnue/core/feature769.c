/* SPDX-License-Identifier: MIT */
/*
 * Features of 769-H1-H2-1 nets, see feature769.h.
 */
#include "nnue/core/feature769.h"

void feature769_active(const struct board *board, struct row_list *rows)
{
    rows->removed_count = rows->added_count = 0;
    for (uint64_t left = board->occupied; left; left &= left - 1) {
        unsigned square = (unsigned)__builtin_ctzll(left);
        rows->added[rows->added_count++] = feature769_index(board->piece[square], square);
    }
    if (board->side == 0)
        rows->added[rows->added_count++] = FEATURE769_WHITE_MOVE;
}

void feature769_changes(const struct change *change, struct row_list *rows)
{
    const struct plynnue_delta *delta = change->delta;
    rows->removed_count = rows->added_count = 0;
    for (unsigned i = 0; i < delta->removed_count; i++)
        rows->removed[rows->removed_count++] =
            feature769_index(delta->removed[i].piece, delta->removed[i].square);
    for (unsigned i = 0; i < delta->added_count; i++)
        rows->added[rows->added_count++] =
            feature769_index(delta->added[i].piece, delta->added[i].square);
    if (change->before->side == 0)
        rows->removed[rows->removed_count++] = FEATURE769_WHITE_MOVE;
    else
        rows->added[rows->added_count++] = FEATURE769_WHITE_MOVE;
}
