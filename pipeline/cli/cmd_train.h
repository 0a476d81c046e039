/* SPDX-License-Identifier: MIT */
/*
 * `plymill train`: a net out of the records of a build directory.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_TRAIN_H
#define PLYMILL_PIPELINE_CLI_CMD_TRAIN_H

#include "pipeline/cli/command.h"

extern const struct command command_train;

#endif
