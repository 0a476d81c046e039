/* SPDX-License-Identifier: MIT */
/*
 * Help texts. Nothing here knows a command or a key: the two tables do.
 */
#include "pipeline/cli/help.h"

#include <string.h>

#include "pipeline/cli/parse.h"

#define NAME_WIDTH 28

void help_write_overview(FILE *out)
{
    fprintf(out, "plymill turns chess game archives into training sets for NNUE nets, and trains,\n"
                 "quantises, proves and scores such nets.\n\n"
                 "usage: plymill COMMAND [options] ARGUMENTS\n\ncommands:\n");
    for (size_t i = 0; command_table[i]; i++)
        fprintf(out, "  %-10s %s\n", command_table[i]->name, command_table[i]->summary);
    fprintf(out, "\nplymill help COMMAND describes a command, plymill help recipe the keys of a "
                 "recipe.\n"
                 "Exit codes: 0 done; 1 failed; 2 wrong usage or recipe; 3 a verification found a\n"
                 "difference; 75 try again later, the work can be resumed.\n");
}

static void write_option(FILE *out, const char *name, const char *argument, const char *help)
{
    char left[96];
    const char *dashes = strlen(name) == 1 ? "-" : "--";
    (void)snprintf(left, sizeof left, "%s%s%s%s", dashes, name, argument ? " " : "",
                   argument ? argument : "");
    fprintf(out, "  %-*s %s\n", NAME_WIDTH, left, help);
}

static const char *type_argument(const struct settings_key *key)
{
    switch (key->type) {
    case SETTING_STRING:
        return key->choices ? "WORD" : "TEXT";
    case SETTING_STRINGS:
    case SETTING_INTEGERS:
        return "LIST";
    case SETTING_REAL:
        return "X";
    case SETTING_BOOLEAN:
        return "BOOL";
    case SETTING_COUNT_OR_ALL:
        return "N|all";
    case SETTING_INTEGER:
        break;
    }
    return "N";
}

static void write_key(FILE *out, const struct settings_key *key, const char *dashes)
{
    char left[96];
    (void)snprintf(left, sizeof left, "%s%s %s", dashes, key->name, type_argument(key));
    fprintf(out, "  %-*s %s", NAME_WIDTH, left, key->help);
    if (key->choices && key->type == SETTING_STRING)
        fprintf(out, "; one of %s", key->choices);
    if (key->alias && *dashes)
        fprintf(out, "; short: --%s", key->alias);
    if (key->initial)
        fprintf(out, " [%s]", key->initial);
    fputc('\n', out);
}

static void write_keys(FILE *out, unsigned sections, const char *dashes)
{
    unsigned section = 0;
    for (const struct settings_key *key = settings_table; key->name; key++) {
        if (!(sections & (unsigned)key->section))
            continue;
        if (key->section != section)
            fprintf(out, "\n[%s]\n", settings_section_name(key->section));
        section = key->section;
        write_key(out, key, dashes);
    }
}

void help_write_command(const struct command *command, FILE *out)
{
    fprintf(out, "usage: plymill %s [options] %s\n\n%s.\n", command->name, command->arguments,
            command->summary);
    if (command->details)
        fprintf(out, "\n%s\n", command->details);
    fprintf(out, "\noptions:\n");
    for (const struct command_option *option = command->options; option->name; option++)
        write_option(out, option->name, option->argument, option->help);
    write_option(out, "quiet", NULL, "no progress on stderr");
    if (command->sections) {
        fprintf(out, "\nkeys of the recipe, over what a recipe says:\n");
        write_keys(out, command->sections, "--");
    }
    fprintf(out, "\nexamples:\n");
    for (size_t i = 0; i < COMMAND_EXAMPLES && command->examples[i]; i++)
        fprintf(out, "  %s\n", command->examples[i]);
}

void help_write_recipe(FILE *out)
{
    fprintf(out,
            "A recipe is a TOML file: [section], key = value, strings, numbers, true or false,\n"
            "one-line arrays, # comments. On the command line: --section.key VALUE, lists\n"
            "separated by commas. Defaults stand in brackets behind the text.\n");
    write_keys(out, ~0u, "");
    fprintf(out,
            "\n[label.options]\n  \"Skill Level\" = 3 %*s further UCI options by their own names\n",
            NAME_WIDTH - 18, "");
}

static int run_help(struct invocation *invocation, struct error *err)
{
    if (invocation->argument_count == 0) {
        help_write_overview(stdout);
        return 0;
    }
    const char *name = invocation->arguments[0];
    const struct command *command = command_find(name);
    if (command)
        help_write_command(command, stdout);
    else if (strcmp(name, "recipe") == 0)
        help_write_recipe(stdout);
    else
        return error_set(err, ERROR_USAGE, "no command \"%s\" (see: plymill help)", name);
    return 0;
}

const struct command command_help = {
    .name = "help",
    .arguments = "[COMMAND|recipe]",
    .summary = "describes a command or the keys of a recipe",
    .maximum = 1,
    .examples = {"plymill help build", "plymill help recipe"},
    .run = run_help,
};
