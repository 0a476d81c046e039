/* SPDX-License-Identifier: MIT */
/*
 * The benchmark of nets: the time of one evaluation through the library, on one thread, at every
 * instruction set that this CPU has, on positions of real games; beside it TinyNNUE in plain
 * C. All take turns, run by run, so that ratios hold on a machine that others use too.
 *
 *   refresh + forward   scattered positions, 64 in a call of plynnue_eval_batch
 *   update + forward    the moves of a game: plynnue_acc_push and plynnue_acc_eval
 *   forward only        plynnue_acc_eval of accumulators that are up to date
 *
 * The values are added up: no time is given for a level whose values differ from another's.
 */
#ifndef PLYMILL_PIPELINE_CLI_BENCH_NNUE_H
#define PLYMILL_PIPELINE_CLI_BENCH_NNUE_H

#include <stdbool.h>

#include "formats/io/error.h"
#include "nnue/core/plynnue.h"
#include "pipeline/cli/bench_plain.h"
#include "pipeline/cli/bench_spread.h"

#define BENCH_NNUE_NETS_MAX   16
#define BENCH_NNUE_ROWS_MAX   (5 * (BENCH_NNUE_NETS_MAX + 3))
#define BENCH_NNUE_RUNS_MAX   1000
#define BENCH_NNUE_CHUNKS_MAX 4096 /* of 64 positions */

struct bench_nnue_options {
    const char *games; /* an archive */
    const char *const *nets;
    size_t net_count;
    const char *arch;     /* what the files do not say, or NULL */
    enum plynnue_isa isa; /* AUTO: all that this CPU has, but for the scalar one */
    unsigned runs;
    size_t chunks;
};

enum bench_nnue_column { BENCH_REFRESH, BENCH_UPDATE, BENCH_FORWARD, BENCH_COLUMNS };

/* Nanoseconds per evaluation, over chunks and runs. */
struct bench_nnue_row {
    char name[64];
    char arch[128];
    enum plynnue_isa isa;
    bool is_float;
    struct bench_spread ns[BENCH_COLUMNS];
};

struct bench_nnue_plain {
    const char *flags;
    struct bench_spread float_ns[2], int_ns[2]; /* BENCH_REFRESH, BENCH_UPDATE */
};

struct bench_nnue {
    size_t games, chunks;
    double processor_share; /* of the time that passed, the part with a processor */
    struct bench_nnue_plain plain[PLAIN_FLAGS];
    struct bench_nnue_row rows[BENCH_NNUE_ROWS_MAX]; /* TinyNNUE first */
    size_t row_count;
};

int bench_nnue_run(const struct bench_nnue_options *options, struct bench_nnue *result,
                   struct error *err);

/* The table and what it shows, or all numbers as JSON, to stdout. */
void bench_nnue_print(const struct bench_nnue_options *options, const struct bench_nnue *result);
void bench_nnue_print_json(const struct bench_nnue_options *options,
                           const struct bench_nnue *result);

#endif
