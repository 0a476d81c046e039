/* SPDX-License-Identifier: MIT */
/*
 * The plain loops with the flags named below, which the Makefile gives this file.
 */
#define PLAIN_TABLE plain_o2
#define PLAIN_TEXT  "-O2"
#include "pipeline/cli/bench_plain_loops.h"
