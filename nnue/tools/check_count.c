/* SPDX-License-Identifier: MIT */
/*
 * Counts of traces, see check_count.h.
 */
#include "nnue/tools/check_count.h"

#include "nnue/core/sf_pairs.h"

static const char *const count_texts[CHECK_COUNTS] = {
    [CHECK_QUIET] = "quiet moves",
    [CHECK_CAPTURE] = "captures",
    [CHECK_EN_PASSANT_WHITE] = "en passant, White",
    [CHECK_EN_PASSANT_BLACK] = "en passant, Black",
    [CHECK_CASTLING_WHITE_KING_SIDE] = "castling O-O, White",
    [CHECK_CASTLING_WHITE_QUEEN_SIDE] = "castling O-O-O, White",
    [CHECK_CASTLING_BLACK_KING_SIDE] = "castling O-O, Black",
    [CHECK_CASTLING_BLACK_QUEEN_SIDE] = "castling O-O-O, Black",
    [CHECK_CASTLING_CHESS960] = "  of these in Chess960",
    [CHECK_PROMOTION_QUEEN] = "promotions to a queen",
    [CHECK_PROMOTION_UNDER] = "under-promotions",
    [CHECK_PROMOTION_CAPTURE] = "  of these with capture",
    [CHECK_NULL] = "null moves",
    [CHECK_UNDO] = "moves taken back",
};

const char *check_count_text(enum check_count count)
{
    return count_texts[count];
}

static void count_move(uint64_t *counts, const struct trace_step *step)
{
    const struct position *before = step->before;
    unsigned side = before->side;
    bool captures = position_captured(before, step->move) != PIECE_NONE;
    switch (move_kind(step->move)) {
    case MOVE_CASTLING:
        counts[CHECK_CASTLING_WHITE_KING_SIDE + 2 * side +
               (move_to(step->move) < move_from(step->move))]++;
        counts[CHECK_CASTLING_CHESS960] += before->chess960;
        break;
    case MOVE_EN_PASSANT:
        counts[side == WHITE ? CHECK_EN_PASSANT_WHITE : CHECK_EN_PASSANT_BLACK]++;
        break;
    case MOVE_PROMOTION:
        counts[move_promotion(step->move) == QUEEN ? CHECK_PROMOTION_QUEEN
                                                   : CHECK_PROMOTION_UNDER]++;
        counts[CHECK_PROMOTION_CAPTURE] += captures;
        break;
    default:
        counts[captures ? CHECK_CAPTURE : CHECK_QUIET]++;
        break;
    }
}

static void count_rows(struct check_result *result, bool follows, const struct row_list *rows)
{
    result->updates += follows;
    result->refreshes += !follows;
    if (follows)
        result->changes += rows->removed_count + rows->added_count;
}

/* What a move changes in one view of threats and pawn pairs. */
static void count_relations(struct check_result *result, const struct change *change, unsigned view,
                            const struct sf_relations *relations)
{
    uint64_t changed = board_differences(change->before, change->after);
    struct row_list rows;
    rows.removed_count = rows.added_count = 0;
    if (sf_relations_follow(change, view)) {
        sf_threats_changes(relations->threats, change->before, change->after, changed, view, &rows);
        if (relations->pairs)
            sf_pairs_changes(change->before, change->after, changed, view, relations->threats->rows,
                             &rows);
    }
    count_rows(result, sf_relations_follow(change, view), &rows);
}

static void count_changes(struct check_result *result, const struct change *change,
                          const struct net_parts *parts)
{
    struct row_list rows;
    result->moves++;
    if (!parts->map) {
        feature769_changes(change, &rows);
        count_rows(result, true, &rows);
        return;
    }
    for (unsigned view = 0; view < 2; view++) {
        bool follows = feature_map_follows(parts->map, change, view);
        if (follows)
            feature_map_changes(parts->map, change, view, &rows);
        count_rows(result, follows, &rows);
        if (parts->relations)
            count_relations(result, change, view, parts->relations);
    }
}

static void count_active(struct check_result *result, const struct board *board,
                         const struct net_parts *parts)
{
    struct row_list rows;
    result->positions++;
    result->views += parts->map ? 2 : 1;
    if (!parts->map) {
        feature769_active(board, &rows);
        result->active += rows.added_count;
        return;
    }
    for (unsigned view = 0; view < 2; view++) {
        feature_map_active(parts->map, board, view, &rows);
        if (parts->relations)
            sf_threats_active(parts->relations->threats, board, view, &rows);
        if (parts->relations && parts->relations->pairs)
            sf_pairs_active(board, view, parts->relations->threats->rows, &rows);
        result->active += rows.added_count;
    }
}

void check_count_step(struct check_result *result, const struct trace_step *step,
                      const struct change *change, const struct net_parts *parts)
{
    count_active(result, change->after, parts);
    if (step->kind == TRACE_SET)
        return;
    result->steps++;
    if (step->kind == TRACE_UNDO) {
        result->counts[CHECK_UNDO]++;
    } else if (step->kind == TRACE_NULL) {
        result->counts[CHECK_NULL]++;
    } else {
        count_move(result->counts, step);
        count_changes(result, change, parts);
    }
}
