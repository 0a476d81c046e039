/* SPDX-License-Identifier: MIT */
/*
 * The plain loops with the flags named below, which the Makefile gives this file.
 */
#if defined(__AVX512BW__)

#define PLAIN_TABLE plain_native_zen
#define PLAIN_TEXT  "-O3 -march=native"
#include "pipeline/cli/bench_plain_loops.h"

#else
/* For AMD's processors with AVX-512 alone. */
#include "pipeline/cli/bench_plain.h"
#endif
