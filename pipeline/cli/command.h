/* SPDX-License-Identifier: MIT */
/*
 * The command table: what every command is called, takes and does. Parsing, `help`, the man page
 * check and the shell completion all read this one table (and the option table of the recipe,
 * settings.h).
 */
#ifndef PLYMILL_PIPELINE_CLI_COMMAND_H
#define PLYMILL_PIPELINE_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/io/error.h"
#include "pipeline/recipe/settings.h"

#define COMMAND_OPTIONS_MAX 24
#define COMMAND_EXAMPLES    2

/* An option of one command. A recipe key is not listed here: it is one of the sections below. */
struct command_option {
    const char *name;     /* without the dashes: "json" */
    const char *argument; /* "FILE", "N", ...; NULL: a flag */
    const char *help;     /* one line */
};

struct invocation;

struct command {
    const char *name;
    const char *arguments; /* as shown in usage: "DIR", "NET [FEN...]" */
    const char *summary;   /* one line */
    const char *details;   /* a paragraph or two for help COMMAND; may be NULL */
    unsigned sections;     /* recipe keys that apply: or of enum settings_section */
    int minimum, maximum;  /* number of arguments; maximum -1: any */
    struct command_option options[COMMAND_OPTIONS_MAX]; /* ended by a NULL name */
    const char *examples[COMMAND_EXAMPLES];
    bool no_progress; /* it shows none, so that --quiet is taken but not worth a line of help */
    /* 0, or negative with err set: err->code becomes the exit status. Data goes to stdout. */
    int (*run)(struct invocation *invocation, struct error *err);
};

/*
 * Options of every command, ended by a NULL name: how a run shows itself. Those about progress are
 * told of where there is any (see no_progress), and taken everywhere.
 */
extern const struct command_option common_options[];
/* Is it told of in the help of this command? */
bool common_option_applies(const struct command_option *option, const struct command *command);

/* All commands in the order of help, ended by NULL. */
extern const struct command *const command_table[];

/* A parsed command line. */
struct invocation {
    const struct command *command;
    int argument_count;
    char **arguments; /* point into argv */
    int word_count;   /* of the command line, the command's name first */
    char **words;
    const char *values[COMMAND_OPTIONS_MAX]; /* by index in command->options; "" for a flag given */
    struct settings *settings;               /* recipe keys given as options, over the defaults */
    bool quiet;
};

/* Was the option given? */
bool invocation_has(const struct invocation *invocation, const char *name);
/* Its argument, or NULL. */
const char *invocation_value(const struct invocation *invocation, const char *name);
/* A whole number from its argument within [low, high], or fallback when not given. 0 or -1. */
int invocation_integer(const struct invocation *invocation, const char *name, long long low,
                       long long high, long long fallback, long long *value, struct error *err);

#endif
