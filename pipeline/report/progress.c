/* SPDX-License-Identifier: MIT */
#include "pipeline/report/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define TERMINAL_INTERVAL 0.2
#define LINE_INTERVAL     60.0
#define FIRST_AFTER       1.0

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void progress_start(struct progress *progress, const char *label, uint64_t done, uint64_t total,
                    bool quiet)
{
    *progress = (struct progress){.label = label, .total = total, .first = done, .quiet = quiet};
    progress->terminal = isatty(STDERR_FILENO) == 1;
    progress->started = progress->last = now();
}

static void write_duration(double seconds)
{
    if (seconds < 120)
        fprintf(stderr, "%.0f s", seconds);
    else if (seconds < 7200)
        fprintf(stderr, "%.0f min", seconds / 60);
    else
        fprintf(stderr, "%.1f h", seconds / 3600);
}

static void show(struct progress *progress, uint64_t done, double time)
{
    double elapsed = time - progress->started;
    double rate = elapsed > 0 ? (double)(done - progress->first) / elapsed : 0;
    fprintf(stderr, "%s%s %" PRIu64, progress->terminal ? "\r\033[K" : "", progress->label, done);
    if (progress->total)
        fprintf(stderr, "/%" PRIu64 " (%.0f %%)", progress->total,
                100.0 * (double)done / (double)progress->total);
    fprintf(stderr, ", %.0f/s", rate);
    if (progress->total > done && rate > 0) {
        fprintf(stderr, ", ");
        write_duration((double)(progress->total - done) / rate);
        fprintf(stderr, " left");
    }
    if (!progress->terminal)
        fputc('\n', stderr);
    (void)fflush(stderr);
    progress->shown = true;
    progress->last = time;
}

void progress_update(struct progress *progress, uint64_t done)
{
    if (progress->quiet)
        return;
    double time = now();
    double interval = progress->terminal ? TERMINAL_INTERVAL : LINE_INTERVAL;
    if (time - progress->started >= FIRST_AFTER && time - progress->last >= interval)
        show(progress, done, time);
}

void progress_end(struct progress *progress, uint64_t done)
{
    if (progress->quiet || !progress->shown)
        return;
    show(progress, done, now());
    if (progress->terminal)
        fputc('\n', stderr);
}
