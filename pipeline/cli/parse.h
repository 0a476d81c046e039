/* SPDX-License-Identifier: MIT */
/*
 * From argv to an invocation, by the command table and the recipe's option table alone.
 */
#ifndef PLYMILL_PIPELINE_CLI_PARSE_H
#define PLYMILL_PIPELINE_CLI_PARSE_H

#include "pipeline/cli/command.h"

/* By name, or NULL. */
const struct command *command_find(const char *name);

/*
 * argv[0] is the command's name. Options may stand anywhere; "--" ends them; "-" is an argument;
 * --name VALUE and --name=VALUE are the same. Fills *invocation, whose lists live until
 * invocation_free. ERROR_USAGE names the option and the command whose help to read.
 */
int invocation_parse(const struct command *command, int argc, char **argv,
                     struct invocation *invocation, struct error *err);
void invocation_free(struct invocation *invocation);

#endif
