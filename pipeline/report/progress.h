/* SPDX-License-Identifier: MIT */
/*
 * Progress on stderr: after a second one line that is rewritten at most five times a second on a
 * terminal, a line a minute elsewhere, nothing when quiet. The same goes to the log (log.h). Times
 * are shown to people and to schedulers, and written nowhere else.
 *
 *   labels 12,345/67,890 (18 %), 131/s, 7 min left, 1.9 of 2 cores
 *   games 812,044, 1.2/6.4 GB (18 %), 94,200/s, 47 s left, 1.9 of 2 cores
 */
#ifndef PLYMILL_PIPELINE_REPORT_PROGRESS_H
#define PLYMILL_PIPELINE_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pipeline/report/progress_rate.h"

#define PROGRESS_LINE_MAX 160 /* bytes of a line */

struct progress {
    const char *label; /* "labels": what is counted */
    uint64_t total;    /* 0: unknown */
    bool quiet, terminal, shown;
    double started, last, logged; /* seconds of a monotonic clock */
    uint64_t first;               /* what was done already when it began */
    struct progress_rate rate;    /* of what is counted */
    /* Of the bytes of files, by which the end is known where the total is not. */
    struct progress_rate part_rate;
    double part, part_total;              /* part_total 0: nothing */
    double cpu_from, cpu_time, cpu_share; /* cores in use since the line before */
};

/* Seconds that never go back. */
typedef double progress_clock(void);
/* For tests: another clock than the system's; NULL: that one again. */
void progress_use_clock(progress_clock *clock);

/* done: what an earlier run did; the rate counts from there. */
void progress_start(struct progress *progress, const char *label, uint64_t done, uint64_t total,
                    bool quiet);
/* From now on the end is known by the bytes of the files that are read (progress_files.h), which go
 * up to total; 0: it is not. */
void progress_measure(struct progress *progress, double total);
void progress_update(struct progress *progress, uint64_t done);
/* The same, with how many of these bytes were read. */
void progress_update_part(struct progress *progress, uint64_t done, double part);
/* The last line, with the final numbers. */
void progress_end(struct progress *progress, uint64_t done);
/* Takes away a line that is being rewritten, before something else is written to stderr. */
void progress_interrupt(void);

/* The text of the line, without a line end. elapsed: seconds of the whole work, at the end of it;
 * else negative. */
void progress_format(const struct progress *progress, uint64_t done, double elapsed,
                     char out[PROGRESS_LINE_MAX]);

#endif
