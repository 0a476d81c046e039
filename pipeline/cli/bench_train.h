/* SPDX-License-Identifier: MIT */
/*
 * The benchmark of training: steps (forward, backward, Adam) on positions of real games, at every
 * instruction set that this CPU has. Processor time of one thread, batch by batch; beside it, by
 * the clock on the wall, what more threads gain.
 *
 *   plain   as the preset tinynnue trains
 *   best    with augmentation, dropout and weight decay too
 *
 * The nets that come out are compared: a level whose net differs from another's is an error.
 */
#ifndef PLYMILL_PIPELINE_CLI_BENCH_TRAIN_H
#define PLYMILL_PIPELINE_CLI_BENCH_TRAIN_H

#include "formats/io/error.h"
#include "nnue/core/plynnue.h"
#include "nnue/tools/train_arch.h"
#include "pipeline/cli/bench_spread.h"

#define BENCH_TRAIN_ROWS_MAX      3
#define BENCH_TRAIN_RUNS_MAX      1000
#define BENCH_TRAIN_POSITIONS_MAX 1000000

struct bench_train_options {
    const char *games; /* an archive */
    struct train_arch arch;
    enum plynnue_isa isa; /* AUTO: all that this CPU has */
    unsigned runs, threads;
    size_t positions, batch;
};

/* Positions a second: the median batch, and what 95 % of the batches reach. */
struct bench_train_row {
    const char *name; /* of the kernels */
    struct bench_spread plain, best;
};

struct bench_train {
    size_t positions; /* of a run */
    size_t count;
    struct bench_train_row rows[BENCH_TRAIN_ROWS_MAX]; /* fastest level first */
    /* Positions a second by the clock, the fastest run: one thread, options->threads of them. */
    double one_thread, all_threads;
};

int bench_train_run(const struct bench_train_options *options, struct bench_train *result,
                    struct error *err);
/* The table, or all numbers as JSON, to stdout. */
void bench_train_print(const struct bench_train_options *options, const struct bench_train *result);
void bench_train_print_json(const struct bench_train_options *options,
                            const struct bench_train *result);

#endif
