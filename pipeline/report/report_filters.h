/* SPDX-License-Identifier: MIT */
/*
 * What a build leaves out, in words, and which positions stand in several splits.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_FILTERS_H
#define PLYMILL_PIPELINE_REPORT_REPORT_FILTERS_H

#include <stdio.h>

#include "formats/io/buffer.h"
#include "pipeline/report/html.h"
#include "pipeline/report/report_facts.h"

/*
 * Appends "positions where the score is a mate, or the best move captures; thinned out to ...",
 * what the recipe's [filter] leaves out; or that it leaves out nothing.
 */
int report_filters_text(const struct settings *settings, struct buffer *out, struct error *err);

/* Positions in several splits by each key, at first and in the end: as a table, and as lines. */
void report_write_repeats(struct html *html, const struct report_facts *facts);
void report_print_repeats(const struct report_facts *facts, FILE *out);

#endif
