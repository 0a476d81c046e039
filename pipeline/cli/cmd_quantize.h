/* SPDX-License-Identifier: MIT */
/*
 * `plymill quantize`: a float net to an integer net, and what the rounding costs.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_QUANTIZE_H
#define PLYMILL_PIPELINE_CLI_CMD_QUANTIZE_H

#include "pipeline/cli/command.h"

extern const struct command command_quantize;

#endif
