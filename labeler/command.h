/* SPDX-License-Identifier: MIT */
/*
 * An engine's command line: split into arguments, and the program found before anything is started,
 * so that "not found" and "not executable" are said in words and not learnt from a dead child.
 *
 * Words are separated by blanks; '...' and "..." quote, also in the middle of a word. A backslash
 * is an ordinary character.
 */
#ifndef PLYMILL_LABELER_COMMAND_H
#define PLYMILL_LABELER_COMMAND_H

#include <stddef.h>

#include "formats/io/error.h"

struct command {
    char **argv; /* owned, NULL at the end */
    size_t argc;
    char *program; /* owned: the file that argv[0] names, with its folder */
};

/* Splits text and finds the program (PATH is searched for a name without '/'). */
int command_parse(const char *text, struct command *command, struct error *err);
void command_free(struct command *command);

/*
 * The file that runs as `name`, in a fresh string, or NULL with err saying whether it is missing, a
 * folder, or not executable.
 */
char *command_find_program(const char *name, struct error *err);

#endif
