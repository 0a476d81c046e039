/* SPDX-License-Identifier: MIT */
/*
 * `plymill perft`: counts the leaves of the tree of legal moves, the common proof of a move
 * generator.
 */
#ifndef PLYMILL_PIPELINE_CLI_CMD_PERFT_H
#define PLYMILL_PIPELINE_CLI_CMD_PERFT_H

#include "pipeline/cli/command.h"

extern const struct command command_perft;

#endif
