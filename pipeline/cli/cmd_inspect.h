/* SPDX-License-Identifier: MIT */
/*
 * `plymill inspect`: what a dataset file is.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_INSPECT_H
#define PLYMILL_PIPELINE_CLI_CMD_INSPECT_H

#include "pipeline/cli/command.h"

extern const struct command command_inspect;

#endif
