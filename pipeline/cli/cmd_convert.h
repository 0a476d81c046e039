/* SPDX-License-Identifier: MIT */
/*
 * `plymill convert`: from one dataset format to another, record by record.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_CONVERT_H
#define PLYMILL_PIPELINE_CLI_CMD_CONVERT_H

#include "pipeline/cli/command.h"

extern const struct command command_convert;

#endif
