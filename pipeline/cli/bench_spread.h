/* SPDX-License-Identifier: MIT */
/*
 * What benchmarks say about a series of times: its median and its 95th percentile, nearest ranks.
 */
#ifndef PLYMILL_PIPELINE_CLI_BENCH_SPREAD_H
#define PLYMILL_PIPELINE_CLI_BENCH_SPREAD_H

#include <stddef.h>

struct bench_spread {
    double median, p95;
};

/* Sorts values. count >= 1. */
struct bench_spread bench_spread_of(double *values, size_t count);

#endif
