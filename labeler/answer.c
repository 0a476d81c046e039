/* SPDX-License-Identifier: MIT */
/*
 * The rules of what counts as an answer.
 */
#include "labeler/answer.h"

#include <stdio.h>
#include <string.h>

#include "formats/chess/movegen.h"
#include "formats/chess/ucimove.h"
#include "labeler/text.h"
#include "labeler/uci.h"

#define QUOTED_MOVE_MAX 16

void answer_begin(struct answer *answer, uint8_t limit_kind, uint64_t limit)
{
    memset(answer, 0, sizeof *answer);
    answer->label.limit_kind = limit_kind;
    answer->label.limit = limit;
}

int answer_take_info(struct answer *answer, const char *line, struct error *err)
{
    struct label *label = &answer->label;
    struct uci_info info;
    if (uci_parse_info(line, &info) != 0) {
        return error_set(err, ERROR_FAILED, "an info line with a broken number");
    }
    if (!info.has_score || info.multipv != 1) {
        return 0;
    }
    label->final = info.score;
    label->bound = info.bound;
    if (info.has_depth) {
        label->depth = info.depth;
    }
    if (info.has_nodes) {
        label->nodes = info.nodes;
    }
    if (info.bound == BOUND_EXACT) {
        label->exact = info.score;
        label->exact_depth = label->depth;
    }
    return 0;
}

/* Nothing but the limit and the status is left of the label. */
static void answer_refuse(struct answer *answer, enum label_status status)
{
    answer_begin(answer, answer->label.limit_kind, answer->label.limit);
    answer->label.status = (uint8_t)status;
}

void answer_fail(struct answer *answer, const char *reason)
{
    answer_refuse(answer, LABEL_FAILED);
    text_copy_printable(answer->reason, sizeof answer->reason, reason);
}

int answer_take_best_move(struct answer *answer, const struct position *position, const char *text,
                          struct error *err)
{
    size_t length = uci_move_length(text);
    uint16_t move = ucimove_parse(position, text, length);
    if (move == MOVE_NONE && !movegen_has_legal(position)) {
        answer_refuse(answer, LABEL_NO_MOVE);
        snprintf(answer->reason, sizeof answer->reason, "no legal move (%s)",
                 position_checkers(position) != 0 ? "checkmate" : "stalemate");
        return 0;
    }
    if (move == MOVE_NONE) {
        char quoted[QUOTED_MOVE_MAX];
        text_copy_printable(quoted, length < sizeof quoted ? length + 1 : sizeof quoted, text);
        answer_refuse(answer, LABEL_FAILED);
        snprintf(answer->reason, sizeof answer->reason, "impossible best move %s", quoted);
        return 0;
    }
    if (answer->label.final.kind == SCORE_NONE) {
        return error_set(err, ERROR_FAILED, "a bestmove without a score");
    }
    answer->label.best_move = move;
    return 0;
}
