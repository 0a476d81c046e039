/* SPDX-License-Identifier: MIT */
/*
 * The benchmark of labeling: what does plymill cost beside the engine? The same questions go to the
 * engine through the pool and through a plain pipe with blocking reads; compared is the processor
 * time of the engine, which does not depend on what else the machine does (as wall time does).
 */
#ifndef PLYMILL_PIPELINE_CLI_BENCH_LABEL_H
#define PLYMILL_PIPELINE_CLI_BENCH_LABEL_H

#include <stdint.h>

#include "formats/io/error.h"
#include "labeler/engine_config.h"
#include "pipeline/cli/bench_spread.h"

#define BENCH_LABEL_POSITIONS_MAX 600
#define BENCH_LABEL_RUNS_MAX      100
#define BENCH_STORE_RATE          500 /* labels a second, for the share of a core */

struct bench_label_options {
    const struct engine_config *config; /* reset: ucinewgame */
    uint64_t nodes;
    unsigned positions, runs, workers;
};

struct bench_label {
    char engine[256];
    unsigned positions;
    struct bench_spread pipe_us, pool_us;   /* engine processor time per label, without the start */
    struct bench_spread own_us;             /* processor time of plymill per label, one worker */
    struct bench_spread one_rate, all_rate; /* labels per second of wall time, 1 and all workers */
    double ratio;    /* labels per engine-second of the pool to that of the pipe, best runs */
    double scaling;  /* rate of all workers to that of one, per worker, best runs */
    double store_us; /* processor time to store a label, sealing included */
};

int bench_label_run(const struct bench_label_options *options, struct bench_label *result,
                    struct error *err);

#endif
