/* SPDX-License-Identifier: MIT */
/*
 * The report's pictures of records: each a figure with a caption that says what it shows.
 */
#ifndef PLYMILL_PIPELINE_REPORT_PLOTS_H
#define PLYMILL_PIPELINE_REPORT_PLOTS_H

#include "pipeline/report/html.h"
#include "pipeline/report/report_records.h"
#include "pipeline/report/svg.h"
#include "pipeline/stages/build.h"

/* Opens <figure> around a plot; plots_figure_end adds the caption and closes it. */
void plots_figure_begin(struct html *html);
void plots_figure_end(struct html *html, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* all: the sum over the splits. */
void plots_scores(struct html *html, const struct report_records *all);
void plots_win_rate(struct html *html, const struct report_records *all);
void plots_pieces(struct html *html, const struct report_records *all);
void plots_phase(struct html *html, const struct report_records *all);
void plots_plies(struct html *html, const struct report_records *all);
/* How deep labels were searched; nothing where none says so. */
void plots_depth(struct html *html, const struct report_records *all);
void plots_results(struct html *html, const struct report_records splits[BUILD_SPLITS]);

#endif
