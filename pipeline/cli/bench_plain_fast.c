/* SPDX-License-Identifier: MIT */
/*
 * The plain loops with the flags named below, which the Makefile gives this file.
 */
#define PLAIN_TABLE plain_fast
#define PLAIN_TEXT  "-O3 -march=native -ffast-math"
#include "pipeline/cli/bench_plain_loops.h"
