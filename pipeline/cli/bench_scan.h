/* SPDX-License-Identifier: MIT */
/*
 * The benchmark of reading games. Everything is in memory and runs on one thread, so the processor
 * time is that of the reader (or of libzstd) and not of the system.
 */
#ifndef PLYMILL_PIPELINE_CLI_BENCH_SCAN_H
#define PLYMILL_PIPELINE_CLI_BENCH_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/io/error.h"
#include "pipeline/cli/bench_spread.h"

#define BENCH_RUNS_MAX 1000

enum bench_scan_row {
    BENCH_ZSTD,    /* libzstd alone, the archive to its text, which is thrown away */
    BENCH_SKIP,    /* the text, every game refused by the caller's tag test */
    BENCH_TEXT,    /* the text, every move checked, every position hashed */
    BENCH_ARCHIVE, /* the same from the archive */
    BENCH_SCAN_ROWS
};

struct bench_scan {
    uint64_t games, plies, hash; /* plies of games that could be read */
    uint64_t text_bytes, archive_bytes;
    bool repacked; /* the file was no zstd archive: its text was compressed for the comparison */
    struct bench_spread rows[BENCH_SCAN_ROWS]; /* nanoseconds of processor time, whole file */
};

/* "zstd", "skip", "text", "archive" */
const char *bench_scan_name(enum bench_scan_row row);
/* runs: 1 .. BENCH_RUNS_MAX. An error if the file holds no half-move that can be read. */
int bench_scan_run(const char *path, unsigned runs, struct bench_scan *result, struct error *err);

#endif
