/* SPDX-License-Identifier: MIT */
/*
 * `plymill score`: the error of nets on held-out games, beside counting material.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_SCORE_H
#define PLYMILL_PIPELINE_CLI_CMD_SCORE_H

#include "pipeline/cli/command.h"

extern const struct command command_score;

#endif
