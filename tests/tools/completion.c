/* SPDX-License-Identifier: MIT */
/*
 * Writes the completion for bash from the command table and the recipe's option table.
 *
 *   completion > docs/completion/plymill
 *
 * What stands before the cursor decides: the first word is a command; behind a key with choices
 * come these (in lists the part behind the last comma); a word that begins with '-' is an option of
 * the command; anything else is left to bash, that is the name of a file.
 */
#include <stdio.h>
#include <string.h>

#include "pipeline/cli/command.h"
#include "pipeline/cli/parse.h"

static void put_choices(const char *choices)
{
    for (; *choices; choices++)
        putchar(*choices == '|' ? ' ' : *choices);
}

static void put_commands(void)
{
    printf("    local commands=\"");
    for (size_t i = 0; command_table[i]; i++)
        printf("%s%s", i ? " " : "", command_table[i]->name);
    printf("\"\n");
}

/* What help knows beside commands: sections that are not called as one is, and keys. */
static void put_topics(void)
{
    printf("    local topics=\"recipe");
    for (const struct settings_key *key = settings_table; key->name; key++) {
        const char *section = settings_section_name(key->section);
        bool first = key == settings_table || key[-1].section != key->section;
        if (first && !command_find(section))
            printf(" %s", section);
        printf(" %s", key->name);
    }
    printf("\"\n");
}

/* What may stand behind a key. */
static void put_key(const struct settings_key *key)
{
    const char *words = key->type == SETTING_BOOLEAN ? "true|false" : key->choices;
    if (!words)
        return;
    printf("    --%s", key->name);
    if (key->alias)
        printf("|--%s", key->alias);
    printf(") %s=\"", key->type == SETTING_STRINGS ? "items" : "words");
    put_choices(words);
    printf("\" ;;\n");
}

static void put_values(void)
{
    printf("    case $before in\n");
    for (const struct settings_key *key = settings_table; key->name; key++)
        put_key(key);
    printf("    --progress|--color) words=\"auto always never\" ;;\n"
           "    --isa) words=\"auto scalar avx2 avxvnni avx512vnni neon\" ;;\n"
           "    --split) words=\"train validation test\" ;;\n"
           "    --from|--to) words=\"");
    put_choices(settings_find("export.formats")->choices);
    printf(" rec safetensors bullet nnue\" ;;\n"
           "    esac\n");
}

static void put_option(const char *name)
{
    printf(" %s%s", name[1] ? "--" : "-", name);
}

static void put_options_of(const struct command *command)
{
    printf("    %s) words=\"--help", command->name);
    for (const struct command_option *option = command->options; option->name; option++)
        put_option(option->name);
    for (const struct command_option *option = common_options; option->name; option++)
        if (common_option_applies(option, command))
            put_option(option->name);
    for (const struct settings_key *key = settings_table; key->name; key++) {
        if (!(command->sections & (unsigned)key->section))
            continue;
        put_option(key->name);
        if (key->alias)
            put_option(key->alias);
    }
    printf("\" ;;\n");
}

static const char head[] =
    "# bash completion for plymill. Written by `make completion` from the command table; do not "
    "edit.\n"
    "_plymill() {\n"
    "    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= items=\n"
    "    # bash takes --key=value for three words.\n"
    "    if [[ $now == = ]]; then now=; fi\n"
    "    if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "    COMPREPLY=()\n";

static const char first_word[] =
    "    if ((COMP_CWORD == 1)); then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version\" -- \"$now\")\n"
    "        return\n"
    "    fi\n";

static const char middle[] =
    "    if [[ -n $items ]]; then\n"
    "        local done=\n"
    "        if [[ $now == *,* ]]; then done=${now%,*},; fi\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"$done\" -W \"$items\" -- \"${now##*,}\")\n"
    "        return\n"
    "    fi\n"
    "    if [[ -z $words && ${COMP_WORDS[1]} == help ]]; then words=\"$commands $topics\"; fi\n"
    "    if [[ -z $words && $now == -* ]]; then\n"
    "    case ${COMP_WORDS[1]} in\n";

static const char tail[] = "    esac\n"
                           "    fi\n"
                           "    if [[ -n $words ]]; then\n"
                           "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$now\")\n"
                           "    fi\n"
                           "}\n"
                           "complete -o default -F _plymill plymill\n";

int main(void)
{
    fputs(head, stdout);
    put_commands();
    put_topics();
    fputs(first_word, stdout);
    put_values();
    fputs(middle, stdout);
    for (size_t i = 0; command_table[i]; i++)
        put_options_of(command_table[i]);
    fputs(tail, stdout);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
