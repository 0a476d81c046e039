/* SPDX-License-Identifier: MIT */
/*
 * plymill bench: how fast the parts are on this machine, beside what they cannot be faster than.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_BENCH_H
#define PLYMILL_PIPELINE_CLI_CMD_BENCH_H

#include "pipeline/cli/command.h"

extern const struct command command_bench;

#endif
