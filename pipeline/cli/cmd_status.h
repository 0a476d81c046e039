/* SPDX-License-Identifier: MIT */
/*
 * status DIR: what is done, what is left.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_STATUS_H
#define PLYMILL_PIPELINE_CLI_CMD_STATUS_H

#include "pipeline/cli/command.h"

extern const struct command command_status;

#endif
