/* SPDX-License-Identifier: MIT */
/*
 * The benchmark of convert: every format into every other, with and without the check of positions
 * and moves. Everything is in memory and on one thread, so the processor time is that of the
 * formats and not of the disk; reading back is not part of it.
 */
#ifndef PLYMILL_PIPELINE_CLI_BENCH_CONVERT_H
#define PLYMILL_PIPELINE_CLI_BENCH_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/codec.h"
#include "formats/io/error.h"
#include "pipeline/cli/bench_spread.h"

#define BENCH_CONVERT_RUNS_MAX      1000
#define BENCH_CONVERT_POSITIONS_MAX 1000000
#define BENCH_CONVERT_FORMATS       16 /* at most */

struct bench_convert_options {
    const char *games; /* an archive: whole games are taken until there are enough positions */
    size_t positions;
    unsigned runs;
};

/* From a format to another: positions a second of processor time. */
struct bench_convert_pair {
    struct bench_spread rate; /* median, and the rate that 95 % of the runs reach */
    uint64_t positions;       /* what the second format could hold of the first one's */
};

struct bench_convert {
    size_t positions, games;
    size_t count; /* formats */
    const struct codec *formats[BENCH_CONVERT_FORMATS];
    size_t bytes[BENCH_CONVERT_FORMATS]; /* of all positions in that format */
    /* [validate][from][to] */
    struct bench_convert_pair pairs[2][BENCH_CONVERT_FORMATS][BENCH_CONVERT_FORMATS];
};

int bench_convert_run(const struct bench_convert_options *options, struct bench_convert *result,
                      struct error *err);
void bench_convert_print(const struct bench_convert_options *options,
                         const struct bench_convert *result);
void bench_convert_print_json(const struct bench_convert_options *options,
                              const struct bench_convert *result);

#endif
