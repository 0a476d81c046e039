/* SPDX-License-Identifier: MIT */
/*
 * `plymill init`: a recipe to begin with.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_INIT_H
#define PLYMILL_PIPELINE_CLI_CMD_INIT_H

#include "pipeline/cli/command.h"

extern const struct command command_init;

#endif
