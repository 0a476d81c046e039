/* SPDX-License-Identifier: MIT */
/*
 * build and its stages as commands.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_STAGES_H
#define PLYMILL_PIPELINE_CLI_CMD_STAGES_H

#include "pipeline/cli/command.h"

extern const struct command command_build, command_sample, command_label, command_select,
    command_export;

#endif
