/* SPDX-License-Identifier: MIT */
/*
 * `plymill check`: proves that a net's incremental updates are exact and its sums cannot overflow.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_CHECK_H
#define PLYMILL_PIPELINE_CLI_CMD_CHECK_H

#include "pipeline/cli/command.h"

extern const struct command command_check;

#endif
