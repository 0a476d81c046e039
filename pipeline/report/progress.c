/* SPDX-License-Identifier: MIT */
#include "pipeline/report/progress.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "formats/io/cores.h"
#include "pipeline/report/cpu_time.h"
#include "pipeline/report/html.h"
#include "pipeline/report/log.h"
#include "pipeline/report/terminal.h"

#define TERMINAL_INTERVAL 0.2
#define LINE_INTERVAL     60.0
#define FIRST_AFTER       1.0
#define CPU_INTERVAL      2.0 /* over which cores in use are measured */

/* The line that stands on the terminal without a line end: there is one stderr. */
static struct {
    const struct progress *owner; /* never looked into; NULL: there is none */
    unsigned columns, length;     /* of the terminal when it was written, of the line */
} standing;

static double monotonic(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static progress_clock *now = monotonic;

void progress_use_clock(progress_clock *clock)
{
    now = clock ? clock : monotonic;
}

void progress_start(struct progress *progress, const char *label, uint64_t done, uint64_t total,
                    bool quiet)
{
    enum terminal_when when = terminal_progress();
    *progress = (struct progress){.label = label, .total = total, .first = done};
    progress->quiet = quiet || when == TERMINAL_NEVER;
    progress->terminal = when == TERMINAL_ALWAYS || isatty(STDERR_FILENO) == 1;
    progress->started = progress->last = progress->logged = progress->cpu_time = now();
    progress->cpu_from = cpu_time();
    progress_rate_start(&progress->rate, progress->started, (double)done);
    log_event("begin", "s:s, s:I, s:I", "what", label, "done", (json_int_t)done, "total",
              (json_int_t)total);
}

void progress_measure(struct progress *progress, double total)
{
    progress->part_total = total;
    progress_rate_start(&progress->part_rate, now(), 0);
}

static void append(char out[PROGRESS_LINE_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(char out[PROGRESS_LINE_MAX], const char *format, ...)
{
    size_t length = strlen(out);
    va_list list;
    va_start(list, format);
    (void)vsnprintf(out + length, PROGRESS_LINE_MAX - length, format, list);
    va_end(list);
}

static void append_count(char out[PROGRESS_LINE_MAX], const char *before, double count,
                         const char *behind)
{
    char number[HTML_NUMBER_SIZE];
    html_format_integer((int64_t)(count + 0.5), number);
    append(out, "%s%s%s", before, number, behind);
}

/* "3.1/18.4 GB": decimal units, as disks and downloads have them. */
static void append_bytes(char out[PROGRESS_LINE_MAX], double part, double total)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    size_t unit = 0;
    double size = 1e3;
    for (; unit + 1 < sizeof units / sizeof *units && total >= 999.95 * size; unit++)
        size *= 1e3;
    append(out, ", %.1f/%.1f %s", part / size, total / size, units[unit]);
}

static void append_duration(char out[PROGRESS_LINE_MAX], double seconds, const char *behind)
{
    if (seconds < 99.5)
        append(out, ", %.0f s%s", seconds, behind);
    else if (seconds < 5970)
        append(out, ", %.0f min%s", seconds / 60, behind);
    else if (seconds < 48 * 3600.0)
        append(out, ", %.1f h%s", seconds / 3600, behind);
    else
        append(out, ", %.1f days%s", seconds / 86400, behind);
}

/* 0 to 1, negative when the end is not known. */
static double share_done(const struct progress *progress, uint64_t done)
{
    if (progress->total)
        return (double)done / (double)progress->total;
    return progress->part_total > 0 ? progress->part / progress->part_total : -1;
}

static double seconds_left(const struct progress *progress)
{
    if (progress->total)
        return progress_rate_left(&progress->rate, (double)progress->total);
    if (progress->part_total > 0)
        return progress_rate_left(&progress->part_rate, progress->part_total);
    return -1;
}

void progress_format(const struct progress *progress, uint64_t done, double elapsed,
                     char out[PROGRESS_LINE_MAX])
{
    double share = share_done(progress, done), left = seconds_left(progress);
    double rate = progress_rate_get(&progress->rate);
    out[0] = '\0';
    append(out, "%s", progress->label);
    append_count(out, " ", (double)done, "");
    if (progress->total)
        append_count(out, "/", (double)progress->total, "");
    else if (progress->part_total > 0)
        append_bytes(out, progress->part, progress->part_total);
    if (share >= 0 && share <= 1)
        append(out, " (%d %%)", (int)(100 * share));
    if (elapsed > 0)
        rate = (double)(done - progress->first) / elapsed;
    if (rate >= 10)
        append_count(out, ", ", rate, "/s");
    else if (rate > 0)
        append(out, ", %.1f/s", rate);
    if (elapsed > 0)
        append_duration(out, elapsed, "");
    else if (left >= 0)
        append_duration(out, left, " left");
    if (progress->cpu_share > 0)
        append(out, ", %.1f of %u cores", progress->cpu_share, cores_available());
}

/* Takes the line away, also when a terminal that became narrower has broken it. */
static void erase(void)
{
    unsigned columns = terminal_columns();
    if (columns < standing.columns && standing.length > columns)
        fprintf(stderr, "\033[%uA", (standing.length - 1) / columns);
    fprintf(stderr, "\r\033[J");
    standing.owner = NULL;
}

static void draw(const struct progress *progress, const char *line)
{
    if (!progress->terminal) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    if (standing.owner)
        erase();
    unsigned columns = terminal_columns();
    int length = fprintf(stderr, "%.*s", columns > 1 ? (int)columns - 1 : 1, line);
    standing.columns = columns;
    standing.length = length > 0 ? (unsigned)length : 0;
    standing.owner = progress;
    (void)fflush(stderr);
}

static void show(struct progress *progress, uint64_t done, double time, double elapsed)
{
    char line[PROGRESS_LINE_MAX];
    progress_format(progress, done, elapsed, line);
    draw(progress, line);
    progress->shown = true;
    progress->last = time;
}

static json_t *bytes_json(const struct progress *progress, double bytes)
{
    return progress->part_total > 0 ? json_integer((json_int_t)bytes) : json_null();
}

static void log_progress(struct progress *progress, const char *event, uint64_t done, double time)
{
    double left = seconds_left(progress);
    double rate = progress_rate_get(&progress->rate), elapsed = time - progress->started;
    progress->logged = time;
    if (!log_is_open())
        return;
    if (strcmp(event, "end") == 0)
        rate = elapsed > 0 ? (double)(done - progress->first) / elapsed : 0;
    log_event(event, "s:s, s:I, s:I, s:f, s:o, s:f, s:f, s:o, s:o", "what", progress->label, "done",
              (json_int_t)done, "total", (json_int_t)progress->total, "per_second", rate,
              "seconds_left", left >= 0 ? json_real(left) : json_null(), "seconds", elapsed,
              "cpu_seconds", cpu_time(), "bytes", bytes_json(progress, progress->part),
              "bytes_total", bytes_json(progress, progress->part_total));
}

static void measure_cpu(struct progress *progress, double time)
{
    double interval = time - progress->cpu_time;
    if (interval < (progress->cpu_share > 0 ? CPU_INTERVAL : FIRST_AFTER / 2))
        return;
    double used = cpu_time();
    progress->cpu_share = (used - progress->cpu_from) / interval;
    progress->cpu_from = used;
    progress->cpu_time = time;
}

void progress_update_part(struct progress *progress, uint64_t done, double part)
{
    double time = now();
    double interval = progress->terminal ? TERMINAL_INTERVAL : LINE_INTERVAL;
    progress->part = part;
    progress_rate_note(&progress->rate, time, (double)done);
    progress_rate_note(&progress->part_rate, time, part);
    if (time - progress->logged >= LINE_INTERVAL)
        log_progress(progress, "progress", done, time);
    if (progress->quiet || time - progress->started < FIRST_AFTER ||
        time - progress->last < interval)
        return;
    measure_cpu(progress, time);
    show(progress, done, time, -1);
}

void progress_update(struct progress *progress, uint64_t done)
{
    progress_update_part(progress, done, progress->part);
}

void progress_end(struct progress *progress, uint64_t done)
{
    double time = now();
    log_progress(progress, "end", done, time);
    if (!progress->quiet && progress->shown) {
        progress->cpu_share = 0;
        show(progress, done, time, time - progress->started);
        if (progress->terminal)
            fputc('\n', stderr);
    }
    if (standing.owner == progress)
        standing.owner = NULL;
}

void progress_interrupt(void)
{
    if (!standing.owner)
        return;
    erase();
    (void)fflush(stderr);
}
