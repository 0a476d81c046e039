/* SPDX-License-Identifier: MIT */
/*
 * What the records of a split look like: one pass over a .rec file into counts, from which the
 * report draws its distributions. Scores are turned to White's view here, once.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_RECORDS_H
#define PLYMILL_PIPELINE_REPORT_REPORT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/io/error.h"
#include "formats/record.h"
#include "nnue/tools/scale_fit.h"

#define REPORT_SCORE_CLIP  2000                        /* cp: what lies beyond counts as this */
#define REPORT_SCORE_CELLS (2 * REPORT_SCORE_CLIP + 1) /* one for each cp */
#define REPORT_PIECES      33                          /* 0 .. 32 pieces on the board */
#define REPORT_PHASES      25                          /* 0 .. 24, see report_phase */
#define REPORT_PLY_WIDTH   10                          /* plies in one column */
#define REPORT_PLIES       30                          /* columns; the last holds all later plies */
#define REPORT_DEPTHS      64                          /* 0 .. 63; the last holds all deeper ones */

enum report_result { RESULT_WHITE_WINS, RESULT_DRAW, RESULT_BLACK_WINS, RESULT_NONE, RESULT_KINDS };

struct report_records {
    int64_t count;
    int64_t white_moves; /* White is to move */
    int64_t clipped;     /* beyond +-REPORT_SCORE_CLIP, or a mate */
    int64_t mates;       /* of these, mates */
    int64_t bounds;      /* the score used is a bound */
    int64_t results[RESULT_KINDS];
    int64_t score[REPORT_SCORE_CELLS]; /* by cp + REPORT_SCORE_CLIP, White's view */
    struct scale_cells games;          /* scores beside results */
    int64_t pieces[REPORT_PIECES];
    int64_t phase[REPORT_PHASES];
    int64_t ply[REPORT_PLIES];
    /* Of the labels that say how deep the search went, how many nodes it took: */
    int64_t depth[REPORT_DEPTHS];
    int64_t searches, depth_sum; /* with a depth */
    int64_t counted, nodes_sum;  /* with nodes */
    int64_t nodes_most;
    int64_t ply_sum, pieces_sum, score_size_sum; /* for means; |cp| as clipped */
};

/* Minor pieces 1, rooks 2, queens 4, both sides: 24 at the start of a game, at most 24. */
unsigned report_phase(const struct position *position);

void report_records_add(struct report_records *records, const struct record *record,
                        bool last_exact);
/* Adds all records of a file; records starts as {0} or goes on. */
int report_records_read(const char *path, bool last_exact, struct report_records *records,
                        struct error *err);
/* Adds one to another. */
void report_records_sum(struct report_records *sum, const struct report_records *part);

/* The middle score in cp, White's view; 0 without records. */
int report_median_score(const struct report_records *records);

#endif
