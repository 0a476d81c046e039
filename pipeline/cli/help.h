/* SPDX-License-Identifier: MIT */
/*
 * `plymill help`, written from the command table and the recipe's option table.
 */
#ifndef PLYMILL_PIPELINE_CLI_HELP_H
#define PLYMILL_PIPELINE_CLI_HELP_H

#include <stdio.h>

#include "formats/io/buffer.h"
#include "pipeline/cli/command.h"

#define HELP_KEY_TEXT_MAX 4096 /* bytes of the text of a key */

/* All commands. */
void help_write_overview(FILE *out);
/* One command: usage, what it does, its options, the recipe keys that apply, examples. */
void help_write_command(const struct command *command, FILE *out);
/* All keys of the recipe. */
void help_write_recipe(FILE *out);

/* What stands behind a key: "N", "LIST", ... */
const char *help_key_argument(const struct settings_key *key);
/* What it does, what may be chosen, its short form (as_option) and default; no full stop. */
int help_key_text(const struct settings_key *key, bool as_option, struct buffer *out,
                  struct error *err);

extern const struct command command_help;

#endif
