/* SPDX-License-Identifier: MIT */
/*
 * Progress on stderr: one line that is rewritten at most five times a second on a terminal, a line
 * a minute elsewhere, nothing when quiet. Times are shown to people and written nowhere else.
 */
#ifndef PLYMILL_PIPELINE_REPORT_PROGRESS_H
#define PLYMILL_PIPELINE_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *label; /* "labels": what is counted */
    uint64_t total;    /* 0: unknown */
    bool quiet, terminal, shown;
    double started, last; /* seconds of a monotonic clock */
    uint64_t first;       /* what was done already when it began */
};

/* done: what an earlier run did; the rate counts from there. */
void progress_start(struct progress *progress, const char *label, uint64_t done, uint64_t total,
                    bool quiet);
void progress_update(struct progress *progress, uint64_t done);
/* The last line, with the final numbers. */
void progress_end(struct progress *progress, uint64_t done);

#endif
