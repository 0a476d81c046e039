/* SPDX-License-Identifier: MIT */
/*
 * Writes the man pages from the command table and the recipe's option table: one page a command,
 * one for the program, one for recipes.
 *
 *   manpages FOLDER
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/cli/command.h"
#include "pipeline/cli/help.h"
#include "pipeline/cli/parse.h"

/* Text as mdoc wants it: no line begins with a control character, backslashes doubled. */
static void put_text(FILE *out, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
    }
}

static void put_upper(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), out);
}

static void put_head(FILE *out, const char *name, const char *summary)
{
    fputs(".\\\" Written by `make man` from the command table; do not edit.\n.Dd November 29, "
          "2026\n.Dt ",
          out);
    put_upper(out, name);
    fputs(" 1\n.Os\n.Sh NAME\n.Nm ", out);
    fputs(name, out);
    fputs("\n.Nd ", out);
    put_text(out, summary);
    fputc('\n', out);
}

static void put_option(FILE *out, const char *name, const char *argument, const char *help)
{
    fputs(".It Fl ", out);
    if (strlen(name) > 1)
        fputs("\\-", out);
    put_text(out, name);
    if (argument) {
        fputs(" Ar ", out);
        put_text(out, argument);
    }
    fputc('\n', out);
    put_text(out, help);
    fputs(".\n", out);
}

static void put_key(FILE *out, const struct settings_key *key, bool as_option)
{
    struct buffer text;
    buffer_init(&text, HELP_KEY_TEXT_MAX);
    fputs(as_option ? ".It Fl \\-" : ".It Cm ", out);
    put_text(out, key->name);
    fputs(as_option ? " Ar " : " No = Ar ", out);
    put_text(out, help_key_argument(key));
    fputc('\n', out);
    if (help_key_text(key, as_option, &text, NULL) == 0)
        put_text(out, text.data);
    fputs(".\n", out);
    buffer_free(&text);
}

static void put_keys(FILE *out, unsigned sections, bool as_option)
{
    unsigned section = 0;
    for (const struct settings_key *key = settings_table; key->name; key++) {
        if (!(sections & (unsigned)key->section))
            continue;
        if (key->section != section) {
            if (section)
                fputs(".El\n", out);
            fprintf(out, ".Ss %s\n.Bl -tag -width Ds\n", settings_section_name(key->section));
        }
        section = key->section;
        put_key(out, key, as_option);
    }
    fputs(".El\n", out);
}

static void put_exit_status(FILE *out)
{
    fputs(".Sh EXIT STATUS\n.Bl -tag -width Ds\n.It 0\ndone\n.It 1\nfailed\n.It 2\nwrong usage or "
          "recipe\n.It 3\na verification found a difference\n.It 75\ntry again later; the work can "
          "be "
          "resumed\n.El\n",
          out);
}

static void put_options(FILE *out, const struct command *command)
{
    fputs(".Sh OPTIONS\n.Bl -tag -width Ds\n", out);
    for (const struct command_option *option = command->options; option->name; option++)
        put_option(out, option->name, option->argument, option->help);
    for (const struct command_option *option = common_options; option->name; option++)
        if (common_option_applies(option, command))
            put_option(out, option->name, option->argument, option->help);
    fputs(".El\n", out);
}

static void write_command(FILE *out, const struct command *command)
{
    char name[64];
    (void)snprintf(name, sizeof name, "plymill-%s", command->name);
    put_head(out, name, command->summary);
    fprintf(out, ".Sh SYNOPSIS\n.Nm plymill %s\n.Op options\n", command->name);
    if (*command->arguments) {
        put_text(out, command->arguments);
        fputc('\n', out);
    }
    fputs(".Sh DESCRIPTION\n", out);
    put_text(out, command->details ? command->details : command->summary);
    fputs(command->details ? "\n" : ".\n", out);
    put_options(out, command);
    if (command->sections) {
        fputs(".Sh RECIPE KEYS\nOver what a recipe says; plymill-recipe(1) describes them.\n", out);
        put_keys(out, command->sections, true);
    }
    put_exit_status(out);
    fputs(".Sh EXAMPLES\n.Bd -literal\n", out);
    for (size_t i = 0; i < COMMAND_EXAMPLES && command->examples[i]; i++) {
        put_text(out, command->examples[i]);
        fputc('\n', out);
    }
    fputs(".Ed\n.Sh SEE ALSO\n.Xr plymill 1 ,\n.Xr plymill-recipe 1\n", out);
}

static void write_program(FILE *out)
{
    put_head(out, "plymill", "training sets for NNUE nets from chess game archives");
    fputs(".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op options\n.Ar arguments\n.Sh DESCRIPTION\n"
          "Turns chess game archives into training sets for NNUE nets, and trains, quantises,\n"
          "proves and scores such nets.\n.Sh COMMANDS\n.Bl -tag -width Ds\n",
          out);
    for (size_t i = 0; command_table[i]; i++) {
        fprintf(out, ".It Xr plymill-%s 1\n", command_table[i]->name);
        put_text(out, command_table[i]->summary);
        fputs(".\n", out);
    }
    fputs(".El\n.Sh OPTIONS\n.Bl -tag -width Ds\n", out);
    put_option(out, "version", NULL, "says version, compiler, libraries and kernels");
    fputs(".El\n", out);
    fputs(
        ".Sh ENVIRONMENT\n.Bl -tag -width Ds\n.It Ev PLYMILL_ENGINE\nthe UCI engine where neither "
        "the recipe nor the command line names one.\n.El\n",
        out);
    put_exit_status(out);
}

static void write_recipe(FILE *out)
{
    put_head(out, "plymill-recipe", "the keys of a recipe");
    fputs(
        ".Sh DESCRIPTION\nA recipe is a TOML file: [section], key = value, strings, numbers, true "
        "or false, one\\-line\narrays, # comments. On the command line a key is an option,\n"
        ".Fl \\-section.key Ar value ,\nwith lists separated by commas.\n.Sh KEYS\n",
        out);
    put_keys(out, ~0u, false);
    fputs(".Ss label.options\nFurther UCI options by their own names, as in \"Skill Level\" = 3.\n",
          out);
}

static FILE *create(const char *folder, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s.1", folder, name);
    FILE *out = fopen(path, "w");
    if (!out)
        fprintf(stderr, "manpages: %s: %s\n", path, strerror(errno));
    return out;
}

static int finish(FILE *out)
{
    return fclose(out) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    int status = 0;
    for (size_t i = 0; command_table[i] && status == 0; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "plymill-%s", command_table[i]->name);
        FILE *out = create(argv[1], name);
        if (!out)
            return 1;
        write_command(out, command_table[i]);
        status = finish(out);
    }
    FILE *program = create(argv[1], "plymill"), *recipe = create(argv[1], "plymill-recipe");
    if (!program || !recipe)
        return 1;
    write_program(program);
    write_recipe(recipe);
    return finish(program) < 0 || finish(recipe) < 0 || status < 0;
}
