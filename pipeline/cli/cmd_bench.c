/* SPDX-License-Identifier: MIT */
/*
 * See cmd_bench.h. Times differ from run to run: nothing that is printed here goes into a build.
 */
#include "pipeline/cli/cmd_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/cli/bench_scan.h"

#define DEFAULT_FILE "configs/demo.pgn.zst"
#define DEFAULT_RUNS 5

static const char *const descriptions[BENCH_SCAN_ROWS] = {
    [BENCH_ZSTD] = "libzstd alone, archive to text",
    [BENCH_SKIP] = "text, every game refused by its tags",
    [BENCH_TEXT] = "text, every move checked and hashed",
    [BENCH_ARCHIVE] = "archive, every move checked and hashed",
};

/* Bytes in nanoseconds are GB/s. */
static double megabytes_per_second(const struct bench_scan *scan, double ns)
{
    return (double)scan->text_bytes * 1000 / ns;
}

static void print_table(const char *path, unsigned runs, const struct bench_scan *scan)
{
    printf("%s: %" PRIu64 " games, %" PRIu64 " half-moves, %.1f MB of text, %.1f bytes each\n",
           path, scan->games, scan->plies, (double)scan->text_bytes / 1e6,
           (double)scan->text_bytes / (double)scan->plies);
    printf("%u runs, one thread, all in memory; processor time per half-move%s\n\n", runs,
           scan->repacked ? "; packed by zstd at level 3 first" : "");
    printf("%-40s %10s %10s %10s\n", "", "median ns", "p95 ns", "MB/s");
    for (int row = 0; row < BENCH_SCAN_ROWS; row++) {
        const struct bench_time *time = &scan->rows[row];
        printf("%-40s %10.1f %10.1f %10.0f\n", descriptions[row],
               time->median / (double)scan->plies, time->p95 / (double)scan->plies,
               megabytes_per_second(scan, time->median));
    }
}

static void print_json(unsigned runs, const struct bench_scan *scan)
{
    printf("{\"bench\": \"scan\", \"games\": %" PRIu64 ", \"plies\": %" PRIu64
           ", \"hash\": \"%016" PRIx64 "\", \"text_bytes\": %" PRIu64
           ", \"archive_bytes\": %" PRIu64 ", \"repacked\": %s, \"runs\": %u,\n \"rows\": [",
           scan->games, scan->plies, scan->hash, scan->text_bytes, scan->archive_bytes,
           scan->repacked ? "true" : "false", runs);
    for (int row = 0; row < BENCH_SCAN_ROWS; row++) {
        const struct bench_time *time = &scan->rows[row];
        printf("%s\n  {\"name\": \"%s\", \"median_ns\": %.2f, \"p95_ns\": %.2f, "
               "\"megabytes_per_second\": %.1f}",
               row ? "," : "", bench_scan_name((enum bench_scan_row)row),
               time->median / (double)scan->plies, time->p95 / (double)scan->plies,
               megabytes_per_second(scan, time->median));
    }
    printf("\n]}\n");
}

static int run(struct invocation *invocation, struct error *err)
{
    const char *path = invocation->argument_count > 1 ? invocation->arguments[1] : DEFAULT_FILE;
    struct bench_scan scan;
    long long runs;
    if (strcmp(invocation->arguments[0], "scan") != 0)
        return error_set(err, ERROR_USAGE, "there is no benchmark \"%s\", only scan",
                         invocation->arguments[0]);
    if (invocation_integer(invocation, "runs", 1, BENCH_RUNS_MAX, DEFAULT_RUNS, &runs, err) < 0 ||
        bench_scan_run(path, (unsigned)runs, &scan, err) < 0)
        return -1;
    if (invocation_has(invocation, "json"))
        print_json((unsigned)runs, &scan);
    else
        print_table(path, (unsigned)runs, &scan);
    return 0;
}

const struct command command_bench = {
    .name = "bench",
    .arguments = "scan [FILE]",
    .summary = "measures how fast games are read",
    .details =
        "Reads FILE (" DEFAULT_FILE " unless given) into memory and times on one thread, in turn: "
        "libzstd decoding it; its text with every game refused by its tags, as a filter of the "
        "recipe does; its text and the archive itself with every move checked and every position "
        "hashed. Processor time per half-move of the games that could be read.",
    .minimum = 1,
    .maximum = 2,
    .options = {{"runs", "N", "how often each is timed [5]"},
                {"json", NULL, "the same numbers as JSON"}},
    .examples = {"plymill bench scan", "plymill bench scan --runs 15 --json games.pgn.zst"},
    .no_progress = true,
    .run = run,
};
