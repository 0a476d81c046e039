/* SPDX-License-Identifier: MIT */
/*
 * Help texts. Nothing here knows a command or a key: the two tables do.
 */
#include "pipeline/cli/help.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/cli/parse.h"
#include "pipeline/recipe/suggest.h"
#include "pipeline/report/terminal.h"

#define TEXT_COLUMN   31  /* where texts begin */
#define WIDTH         100 /* columns of a line */
#define HELP_LINE_MAX 256 /* bytes of one that is made up */

static void write_heading(FILE *out, const char *text)
{
    fprintf(out, "%s%s%s\n", terminal_bold(out), text, terminal_plain(out));
}

void help_write_overview(FILE *out)
{
    fprintf(out, "plymill turns chess game archives into training sets for NNUE nets, and trains,\n"
                 "quantises, proves and scores such nets.\n\n"
                 "usage: plymill COMMAND [options] ARGUMENTS\n\n");
    write_heading(out, "most people need:");
    fprintf(out,
            "  plymill build configs/lichess-month.toml --input games.pgn.zst -o jan13\n"
            "  plymill train jan13 -o jan13/net.safetensors\n"
            "  plymill quantize jan13/net.safetensors -o jan13/net-int8.safetensors\n"
            "  plymill score jan13/net.safetensors jan13/net-int8.safetensors jan13\n"
            "  plymill report jan13 --nets jan13/net.safetensors,jan13/net-int8.safetensors\n\n");
    write_heading(out, "commands:");
    for (size_t i = 0; command_table[i]; i++)
        fprintf(out, "  %-10s %s\n", command_table[i]->name, command_table[i]->summary);
    fprintf(out, "\nplymill help COMMAND describes a command, plymill help recipe the keys of a "
                 "recipe,\nplymill help KEY one of them, plymill --version the version, compiler "
                 "and libraries.\n"
                 "Exit codes: 0 done; 1 failed; 2 wrong usage or recipe; 3 a verification found a\n"
                 "difference; 75 try again later, the work can be resumed.\n");
}

/* Words of text from a column on, broken before WIDTH; where text has a line end there is one. */
static void write_wrapped(FILE *out, size_t start, const char *text)
{
    size_t column = start;
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (column > start && column + length >= WIDTH) {
            fprintf(out, "\n%*s", (int)start, "");
            column = start;
        }
        column += (size_t)fprintf(out, "%s%.*s", column > start ? " " : "", (int)length, text);
        text += length;
        if (*text == '\n') {
            fprintf(out, "\n%*s", (int)start, "");
            column = start;
        }
        text += *text != '\0';
    }
    fputc('\n', out);
}

/* "  --name ARGUMENT   text": a name that is too long has a line of its own. */
static void write_entry(FILE *out, const char *dashes, const char *name, const char *argument,
                        const char *text)
{
    int written =
        fprintf(out, "  %s%s%s%s", dashes, name, argument ? " " : "", argument ? argument : "");
    if (written >= TEXT_COLUMN) {
        fputc('\n', out);
        written = 0;
    }
    fprintf(out, "%*s", TEXT_COLUMN - written, "");
    write_wrapped(out, TEXT_COLUMN, text);
}

static void write_option(FILE *out, const char *name, const char *argument, const char *text)
{
    write_entry(out, name[1] ? "--" : "-", name, argument, text);
}

const char *help_key_argument(const struct settings_key *key)
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

/* A default as one would say it: "standard, from-position", not ["standard", "from-position"]. */
static int append_default(const char *initial, struct buffer *out, struct error *err)
{
    if (strspn(initial, "[]\" ") == strlen(initial))
        return 0;
    if (buffer_printf(out, err, "; default: "))
        return -1;
    for (; *initial; initial++)
        if (!strchr("[]\"", *initial) && buffer_printf(out, err, "%c", *initial))
            return -1;
    return 0;
}

/* "a|b|c" as "a, b, c". */
static int append_choices(const struct settings_key *key, struct buffer *out, struct error *err)
{
    if (buffer_printf(out, err, key->type == SETTING_STRINGS ? "; any of " : "; one of "))
        return -1;
    for (const char *at = key->choices; *at; at++)
        if (*at == '|' ? buffer_printf(out, err, ", ") : buffer_printf(out, err, "%c", *at))
            return -1;
    return 0;
}

int help_key_text(const struct settings_key *key, bool as_option, struct buffer *out,
                  struct error *err)
{
    if (buffer_printf(out, err, "%s", key->help))
        return -1;
    if (key->choices && append_choices(key, out, err))
        return -1;
    if (key->alias && as_option && buffer_printf(out, err, "; short: --%s", key->alias))
        return -1;
    return key->initial ? append_default(key->initial, out, err) : 0;
}

static void write_key(FILE *out, const struct settings_key *key, bool as_option)
{
    struct buffer text;
    buffer_init(&text, HELP_KEY_TEXT_MAX);
    if (help_key_text(key, as_option, &text, NULL) == 0)
        write_entry(out, as_option ? "--" : "", key->name, help_key_argument(key), text.data);
    buffer_free(&text);
}

static void write_keys(FILE *out, unsigned sections, bool as_option)
{
    unsigned section = 0;
    for (const struct settings_key *key = settings_table; key->name; key++) {
        if (!(sections & (unsigned)key->section))
            continue;
        if (key->section != section)
            fprintf(out, "\n[%s]\n", settings_section_name(key->section));
        section = key->section;
        write_key(out, key, as_option);
    }
}

void help_write_command(const struct command *command, FILE *out)
{
    fprintf(out, "usage: plymill %s [options]%s%s\n\n%s.\n", command->name,
            command->arguments[0] ? " " : "", command->arguments, command->summary);
    if (command->details) {
        fputc('\n', out);
        write_wrapped(out, 0, command->details);
    }
    fputc('\n', out);
    write_heading(out, "options:");
    for (const struct command_option *option = command->options; option->name; option++)
        write_option(out, option->name, option->argument, option->help);
    for (const struct command_option *option = common_options; option->name; option++)
        if (common_option_applies(option, command))
            write_option(out, option->name, option->argument, option->help);
    if (command->sections) {
        fputc('\n', out);
        write_heading(out, "keys of the recipe, over what a recipe says:");
        write_keys(out, command->sections, true);
    }
    fputc('\n', out);
    write_heading(out, "examples:");
    for (size_t i = 0; i < COMMAND_EXAMPLES && command->examples[i]; i++)
        fprintf(out, "  %s\n", command->examples[i]);
}

static void write_uci_options(FILE *out)
{
    fprintf(out, "\n[label.options]\n");
    write_entry(out, "", "\"Skill Level\" = 3", NULL, "further UCI options by their own names");
}

void help_write_recipe(FILE *out)
{
    fprintf(out,
            "A recipe is a TOML file: [section], key = value, strings, numbers, true or false,\n"
            "one-line arrays, # comments. On the command line: --section.key VALUE, lists\n"
            "separated by commas.\n");
    write_keys(out, ~0u, false);
    write_uci_options(out);
}

static void write_section(FILE *out, unsigned section)
{
    write_heading(out, "keys of a recipe:");
    write_keys(out, section, false);
    if (section == SECTION_LABEL)
        write_uci_options(out);
}

/* One key, and what its line in the list of all does not say. */
static void write_key_alone(FILE *out, const struct settings_key *key)
{
    char text[HELP_LINE_MAX];
    bool number = key->low < key->high;
    write_key(out, key, false);
    (void)snprintf(text, sizeof text, number ? "%s from %.16g to %.16g" : "%s",
                   settings_type_words(key), key->low, key->high);
    write_entry(out, "", "type", NULL, text);
    if (!key->initial)
        write_entry(out, "", "default", NULL,
                    key->section == SECTION_TRAIN ? "by train.preset" : "not set");
    (void)snprintf(text, sizeof text, "--%s %s%s%s", key->name, help_key_argument(key),
                   key->alias ? ", short: --" : "", key->alias ? key->alias : "");
    write_entry(out, "", "option", NULL, text);
}

/* A section, or a key by its name or short form. Is it one? */
static bool write_topic_of_recipe(FILE *out, const char *name)
{
    unsigned section = settings_section_find(name);
    const struct settings_key *key = settings_find(name);
    bool uci = strcmp(name, "label.options") == 0;
    if (section)
        write_section(out, section);
    else if (key)
        write_key_alone(out, key);
    else if (uci)
        write_uci_options(out);
    return section || key || uci;
}

static int unknown_topic(const char *name, bool of_recipe, struct error *err)
{
    struct suggestion near = {.word = name};
    for (size_t i = 0; !of_recipe && command_table[i]; i++)
        suggest_consider(&near, command_table[i]->name, command_table[i]->name);
    if (!of_recipe)
        suggest_consider(&near, "recipe", "recipe");
    for (const struct settings_key *key = settings_table; key->name; key++) {
        const char *section = settings_section_name(key->section);
        suggest_consider(&near, section, section);
        suggest_consider(&near, key->name, key->name);
        suggest_consider(&near, strchr(key->name, '.') + 1, key->name);
        if (key->alias)
            suggest_consider(&near, key->alias, key->name);
    }
    const char *recipe = of_recipe ? " recipe" : "";
    return error_set(err, ERROR_USAGE, "no %s or key \"%s\"%s%s%s%s (see: plymill help%s)",
                     of_recipe ? "section" : "command", name,
                     near.answer ? "; did you mean plymill help" : "", near.answer ? recipe : "",
                     near.answer ? " " : "", near.answer ? near.answer : "", recipe);
}

static int run_help(struct invocation *invocation, struct error *err)
{
    if (invocation->argument_count == 0) {
        help_write_overview(stdout);
        return 0;
    }
    const char *name = invocation->arguments[invocation->argument_count - 1];
    bool recipe = strcmp(invocation->arguments[0], "recipe") == 0;
    const struct command *command = recipe ? NULL : command_find(name);
    if (!recipe && invocation->argument_count > 1)
        return error_set(err, ERROR_USAGE, "one argument too many: \"%s\"; usage: plymill help %s",
                         name, invocation->command->arguments);
    if (command)
        help_write_command(command, stdout);
    else if (recipe && invocation->argument_count == 1)
        help_write_recipe(stdout);
    else if (!write_topic_of_recipe(stdout, name))
        return unknown_topic(name, recipe, err);
    return 0;
}

const struct command command_help = {
    .name = "help",
    .arguments = "[COMMAND|KEY|SECTION|recipe [KEY|SECTION]]",
    .summary = "describes a command or the keys of a recipe",
    .details = "KEY is a key of a recipe, by its name or short form; SECTION is one of its "
               "sections. Where a section is called as a command is, help SECTION describes the "
               "command and help recipe SECTION the section's keys.",
    .maximum = 2,
    .no_progress = true,
    .examples = {"plymill help build", "plymill help label.nodes"},
    .run = run_help,
};
