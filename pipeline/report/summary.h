/* SPDX-License-Identifier: MIT */
/*
 * The tables that a build prints: the funnel from games to records, and the plan of its stages.
 */
#ifndef PLYMILL_PIPELINE_REPORT_SUMMARY_H
#define PLYMILL_PIPELINE_REPORT_SUMMARY_H

#include <stdio.h>

#include "pipeline/stages/build.h"

/* Games by what became of them, positions likewise, samples by split and fate. */
int summary_write_funnel(struct build *build, FILE *out, struct error *err);
/* How long the engines took for labels, and their restarts; nothing where nothing is known. */
int summary_write_engine(struct build *build, FILE *out, struct error *err);
/* Each stage: done, or what is left to do. */
int summary_write_plan(struct build *build, FILE *out, struct error *err);

/* All of it as one JSON object; docs/JSON.md. */
int summary_write_json(struct build *build, FILE *out, struct error *err);

#endif
