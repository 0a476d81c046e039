/* SPDX-License-Identifier: MIT */
/*
 * plymill submit DIR: labels the shards of a build on the nodes of a Slurm cluster.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_SUBMIT_H
#define PLYMILL_PIPELINE_CLI_CMD_SUBMIT_H

#include "pipeline/cli/command.h"

extern const struct command command_submit;

#endif
