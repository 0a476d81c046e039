/* SPDX-License-Identifier: MIT */
/*
 * `plymill eval`: what a net says about positions.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_EVAL_H
#define PLYMILL_PIPELINE_CLI_CMD_EVAL_H

#include "pipeline/cli/command.h"

extern const struct command command_eval;

#endif
