/* SPDX-License-Identifier: MIT */
/*
 * `plymill config`: a recipe as plymill reads it, complete, and where each value came from.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_CONFIG_H
#define PLYMILL_PIPELINE_CLI_CMD_CONFIG_H

#include "pipeline/cli/command.h"

extern const struct command command_config;

#endif
