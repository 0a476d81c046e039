/* SPDX-License-Identifier: MIT */
/*
 * `plymill help`, written from the command table and the recipe's option table.
 */
#ifndef PLYMILL_PIPELINE_CLI_HELP_H
#define PLYMILL_PIPELINE_CLI_HELP_H

#include <stdio.h>

#include "pipeline/cli/command.h"

/* All commands, a line each. */
void help_write_overview(FILE *out);
/* One command: usage, what it does, its options, the recipe keys that apply, examples. */
void help_write_command(const struct command *command, FILE *out);
/* All keys of the recipe. */
void help_write_recipe(FILE *out);

extern const struct command command_help, command_version;

#endif
