/* SPDX-License-Identifier: MIT */
/*
 * The report's table on what rounding a float net to integers costs, step by step.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_ROUNDING_H
#define PLYMILL_PIPELINE_REPORT_REPORT_ROUNDING_H

#include "nnue/tools/samples.h"
#include "pipeline/report/html.h"

/*
 * Writes the table of a net, called name, over labeled positions. Nothing for nets of integers and
 * those that cannot be rounded.
 */
void report_rounding_write(struct html *html, const char *path, const char *name,
                           const struct samples *samples);

#endif
