/* SPDX-License-Identifier: MIT */
/*
 * `plymill scan`: reads games and checks every move. It is how one finds out what an archive holds
 * and what of it cannot be read.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_SCAN_H
#define PLYMILL_PIPELINE_CLI_CMD_SCAN_H

#include "pipeline/cli/command.h"

extern const struct command command_scan;

#endif
