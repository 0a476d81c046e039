/* SPDX-License-Identifier: MIT */
/*
 * From the lines of a search to a label: which score counts, and what a best move may be.
 *
 * At a node limit a quarter to a half of all searches end in a lower or upper bound, so both the
 * last score with its bound and the last exact one are kept. Lines of further variations do not
 * count.
 */
#ifndef PLYMILL_LABELER_ANSWER_H
#define PLYMILL_LABELER_ANSWER_H

#include "formats/chess/position.h"
#include "formats/io/error.h"
#include "formats/label.h"

#define ANSWER_REASON_MAX 256

struct answer {
    struct label label;
    char reason[ANSWER_REASON_MAX]; /* "" for LABEL_OK */
};

/* Forgets the last search. limit_kind: enum label_limit. */
void answer_begin(struct answer *answer, uint8_t limit_kind, uint64_t limit);

/* line: an `info` line behind that word. -1: a number in it is none. */
int answer_take_info(struct answer *answer, const char *line, struct error *err);

/*
 * text: what follows `bestmove`. Completes the label: LABEL_OK; LABEL_NO_MOVE when the position has
 * no legal move, whatever the engine says then; LABEL_FAILED for a move that is not legal, or "no
 * move" where there are some. -1: a legal move without any score, which is no answer.
 */
int answer_take_best_move(struct answer *answer, const struct position *position, const char *text,
                          struct error *err);

/* Makes it a LABEL_FAILED with this reason. */
void answer_fail(struct answer *answer, const char *reason);

#endif
