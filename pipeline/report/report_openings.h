/* SPDX-License-Identifier: MIT */
/*
 * How varied the openings of a build's games are: how many games share the board that opening.h
 * calls their opening.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_OPENINGS_H
#define PLYMILL_PIPELINE_REPORT_REPORT_OPENINGS_H

#include "pipeline/report/html.h"
#include "pipeline/stages/build.h"

#define REPORT_OPENINGS 20 /* that are drawn */

struct report_openings {
    int64_t games, openings;
    int64_t top[REPORT_OPENINGS]; /* games of the most frequent ones, descending */
};

/* Takes in an opening with so many games. */
void report_openings_add(struct report_openings *openings, int64_t games);
/* Reads the games out of the sealed samples of all shards, in bounded memory. */
int report_openings_read(struct build *build, struct report_openings *openings, struct error *err);
/* Nothing is drawn without games. */
void report_openings_plot(struct html *html, const struct report_openings *openings);

#endif
