/* SPDX-License-Identifier: MIT */
/*
 * plymill verify DIR: is a finished build what it was?
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_VERIFY_H
#define PLYMILL_PIPELINE_CLI_CMD_VERIFY_H

#include "pipeline/cli/command.h"

extern const struct command command_verify;

#endif
