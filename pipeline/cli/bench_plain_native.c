/* SPDX-License-Identifier: MIT */
/*
 * The plain loops with the flags named below, which the Makefile gives this file.
 */
#define PLAIN_TABLE plain_native
#define PLAIN_TEXT  "-O3 -march=native"
#include "pipeline/cli/bench_plain_loops.h"
