/* SPDX-License-Identifier: MIT */
/*
 * The command line's grammar: options of the command, then recipe keys of the sections that apply
 * to it, then the flags that every command has.
 */
#include "pipeline/cli/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/recipe/suggest.h"
#include "pipeline/report/terminal.h"

#define OPTION_NAME_MAX 256

const struct command_option common_options[] = {
    {"quiet", NULL, "no progress on stderr, and no notes"},
    {"progress", "WHEN",
     "auto, always or never: a line that is rewritten on a terminal, a line a "
     "minute elsewhere"},
    {"log", "FILE", "append what is done as JSON lines, one event a line (in recipes: build.log)"},
    {"color", "WHEN", "auto, always or never; auto: on a terminal, unless NO_COLOR is set"},
    {0},
};

bool common_option_applies(const struct command_option *option, const struct command *command)
{
    return !command->no_progress || strcmp(option->name, "color") == 0;
}

const struct command *command_find(const char *name)
{
    for (size_t i = 0; command_table[i]; i++)
        if (strcmp(command_table[i]->name, name) == 0)
            return command_table[i];
    return NULL;
}

static int option_index(const struct command *command, const char *name)
{
    for (int i = 0; i < COMMAND_OPTIONS_MAX && command->options[i].name; i++)
        if (strcmp(command->options[i].name, name) == 0)
            return i;
    return -1;
}

struct cursor {
    int argc, at;
    char **argv;
};

/* The value behind "=", or the next argument. */
static const char *take_value(struct cursor *cursor, const char *inline_value)
{
    if (inline_value)
        return inline_value;
    return cursor->at + 1 < cursor->argc ? cursor->argv[++cursor->at] : NULL;
}

static int no_value(const char *name, struct error *err)
{
    return error_set(err, ERROR_USAGE, "--%s needs a value", name);
}

static int take_command_option(struct invocation *invocation, int index, struct cursor *cursor,
                               const char *inline_value, struct error *err)
{
    const struct command_option *option = &invocation->command->options[index];
    const char *value = "";
    if (option->argument) {
        value = take_value(cursor, inline_value);
        if (!value || !*value)
            return error_set(err, ERROR_USAGE, "%s%s needs a value", option->name[1] ? "--" : "-",
                             option->name);
    } else if (inline_value) {
        return error_set(err, ERROR_USAGE, "--%s takes no value", option->name);
    }
    invocation->values[index] = value;
    return 0;
}

static const struct command_option *common_option(const char *name)
{
    for (const struct command_option *option = common_options; option->name; option++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

static int take_common_option(struct invocation *invocation, const struct command_option *option,
                              struct cursor *cursor, const char *inline_value, struct error *err)
{
    enum terminal_when when;
    if (!option->argument) {
        invocation->quiet = true;
        return inline_value ? error_set(err, ERROR_USAGE, "--%s takes no value", option->name) : 0;
    }
    const char *value = take_value(cursor, inline_value);
    if (!value || !*value)
        return no_value(option->name, err);
    if (strcmp(option->name, "log") == 0)
        return settings_set(invocation->settings, "build.log", value, "command line", err);
    if (!terminal_when_from(value, &when))
        return error_set(err, ERROR_USAGE, "--%s: expected auto, always or never, not \"%s\"",
                         option->name, value);
    if (strcmp(option->name, "color") == 0)
        terminal_set_color(when);
    else
        terminal_set_progress(when);
    return 0;
}

static bool key_applies(const struct command *command, const char *name)
{
    if (strncmp(name, "label.options.", 14) == 0)
        return command->sections & SECTION_LABEL;
    const struct settings_key *key = settings_find(name);
    return key && (command->sections & (unsigned)key->section);
}

static int take_setting(struct invocation *invocation, const char *name, struct cursor *cursor,
                        const char *inline_value, struct error *err)
{
    const char *value = take_value(cursor, inline_value);
    if (!value)
        return no_value(name, err);
    return settings_set(invocation->settings, name, value, "command line", err);
}

/* The nearest name that the command knows; a key's last word is enough to find it. */
static const char *nearest_option(const struct command *command, const char *name)
{
    struct suggestion near = {.word = name};
    for (int i = 0; i < COMMAND_OPTIONS_MAX && command->options[i].name; i++)
        suggest_consider(&near, command->options[i].name, command->options[i].name);
    for (const struct command_option *option = common_options; option->name; option++)
        suggest_consider(&near, option->name, option->name);
    suggest_consider(&near, "help", "help");
    for (const struct settings_key *key = settings_table; key->name; key++) {
        if (!(command->sections & (unsigned)key->section))
            continue;
        suggest_consider(&near, key->name, key->name);
        suggest_consider(&near, strchr(key->name, '.') + 1, key->name);
        if (key->alias)
            suggest_consider(&near, key->alias, key->alias);
    }
    return near.answer;
}

static int unknown_option(const struct command *command, const char *text, int length,
                          const char *name, struct error *err)
{
    if (strlen(name) == 1) /* near to every short name: no likeness to go by */
        return error_set(err, ERROR_USAGE, "unknown option %.*s; usage: plymill %s [options] %s",
                         length, text, command->name, command->arguments);
    const char *near = nearest_option(command, name);
    return error_set(err, ERROR_USAGE, "unknown option %.*s%s%s (see: plymill help %s)", length,
                     text, near ? "; did you mean --" : "", near ? near : "", command->name);
}

static int take_option(struct invocation *invocation, struct cursor *cursor, struct error *err)
{
    const struct command *command = invocation->command;
    const char *text = cursor->argv[cursor->at];
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    char name[OPTION_NAME_MAX];
    const char *start = text + (text[1] == '-' ? 2 : 1);
    if (length - (size_t)(start - text) >= sizeof name)
        return error_set(err, ERROR_USAGE, "the option's name is too long: %.*s", (int)length,
                         text);
    (void)snprintf(name, sizeof name, "%.*s", (int)(length - (size_t)(start - text)), start);
    const char *value = equals ? equals + 1 : NULL;
    int index = option_index(command, name);
    bool short_allowed = strlen(name) == 1 && text[1] != '-';
    if (index >= 0 && (text[1] == '-' || short_allowed))
        return take_command_option(invocation, index, cursor, value, err);
    const struct command_option *common = common_option(name);
    if (text[1] == '-' && common)
        return take_common_option(invocation, common, cursor, value, err);
    if (text[1] == '-' && key_applies(command, name))
        return take_setting(invocation, name, cursor, value, err);
    return unknown_option(command, text, (int)length, name, err);
}

static int check_argument_count(const struct invocation *invocation, struct error *err)
{
    const struct command *command = invocation->command;
    int count = invocation->argument_count;
    if (count < command->minimum)
        return error_set(err, ERROR_USAGE, "missing argument; usage: plymill %s %s", command->name,
                         command->arguments);
    if (command->maximum >= 0 && count > command->maximum)
        return error_set(err, ERROR_USAGE, "one argument too many: \"%s\"; usage: plymill %s %s",
                         invocation->arguments[command->maximum], command->name,
                         command->arguments);
    return 0;
}

int invocation_parse(const struct command *command, int argc, char **argv,
                     struct invocation *invocation, struct error *err)
{
    *invocation = (struct invocation){.command = command, .word_count = argc, .words = argv};
    invocation->settings = settings_new();
    invocation->arguments = calloc((size_t)argc + 1, sizeof *invocation->arguments);
    if (!invocation->settings || !invocation->arguments)
        return error_memory(err);
    struct cursor cursor = {.argc = argc, .argv = argv, .at = 1};
    bool options_end = false;
    for (; cursor.at < argc; cursor.at++) {
        char *text = argv[cursor.at];
        if (!options_end && strcmp(text, "--") == 0)
            options_end = true;
        else if (text[0] == '\0')
            return error_set(err, ERROR_USAGE, "argument %d is empty", cursor.at);
        else if (options_end || text[0] != '-' || text[1] == '\0')
            invocation->arguments[invocation->argument_count++] = text;
        else if (take_option(invocation, &cursor, err) < 0)
            return -1;
    }
    return check_argument_count(invocation, err);
}

void invocation_free(struct invocation *invocation)
{
    settings_free(invocation->settings);
    free(invocation->arguments);
    *invocation = (struct invocation){0};
}

bool invocation_has(const struct invocation *invocation, const char *name)
{
    return invocation_value(invocation, name) != NULL;
}

const char *invocation_value(const struct invocation *invocation, const char *name)
{
    int index = option_index(invocation->command, name);
    if (index < 0)
        abort();
    return invocation->values[index];
}

int invocation_integer(const struct invocation *invocation, const char *name, long long low,
                       long long high, long long fallback, long long *value, struct error *err)
{
    const char *text = invocation_value(invocation, name);
    *value = fallback;
    if (!text)
        return 0;
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno == ERANGE || *value < low || *value > high)
        return error_set(err, ERROR_USAGE,
                         "--%s: expected a whole number from %lld to %lld, not \"%s\"", name, low,
                         high, text);
    return 0;
}
