/* SPDX-License-Identifier: MIT */
/*
 * --log FILE, or build.log of a recipe: what a run does, as JSON lines for schedulers and scripts;
 * docs/JSON.md lists the events. A process has one log, as it has one stderr: this is kept here and
 * not handed around.
 */
#ifndef PLYMILL_PIPELINE_REPORT_LOG_H
#define PLYMILL_PIPELINE_REPORT_LOG_H

#include <jansson.h>
#include <stdbool.h>

#include "formats/io/error.h"

/* Appends to path, which several processes may share: an event is one write. */
int log_open(const char *path, struct error *err);
/* Is there one? Arguments of log_event that are made for it are made only then. */
bool log_is_open(void);
/*
 * One line: {"time": UTC, "pid": N, "event": event, and the pairs of format as of json_pack without
 * the braces ("s:s, s:I", "key", text, "key", (json_int_t)number). Does nothing without a log. A
 * log that cannot be written any more ends no work: that is said once on stderr.
 */
void log_event(const char *event, const char *format, ...);
/* A string for an event, whatever bytes it has: where it is no UTF-8 these become "?". */
json_t *log_text(const char *text);
void log_close(void);

#endif
