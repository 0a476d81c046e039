/* SPDX-License-Identifier: MIT */
/*
 * The positions that a net gets most wrong, drawn as boards: a fault of labels, of the reading of
 * games, or of the net is often seen at a glance.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_BOARDS_H
#define PLYMILL_PIPELINE_REPORT_REPORT_BOARDS_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/record.h"
#include "pipeline/report/html.h"

#define REPORT_BOARDS 20

/* A position and what is said about it. */
struct report_board {
    struct record record;
    double cp;    /* the net's, White's view */
    double error; /* report_net_error */
};

/* The worst positions, the worst first; of equal ones that which came first. */
struct report_worst {
    size_t count;
    struct report_board boards[REPORT_BOARDS];
};

/* Keeps the position if it is among the worst so far. label: cp, White's view. */
void report_worst_add(struct report_worst *worst, const struct record *record, double cp,
                      double label);
/*
 * Reads the file that score_set_load made its set from; cp: the net's say on each of its count
 * positions. Fails when the file holds another number of labeled records.
 */
int report_worst_read(const char *path, bool last_exact, const double *cp, size_t count,
                      struct report_worst *worst, struct error *err);

/*
 * The boards in a grid under a heading; number: of the net on the page, from 0. Games with an id of
 * Lichess are linked to: the page's only references, which nothing follows but a click.
 */
void report_boards_write(struct html *html, size_t number, const char *name, bool last_exact,
                         const struct report_worst *worst);

#endif
