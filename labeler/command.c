/* SPDX-License-Identifier: MIT */
/*
 * Splitting command lines and finding programs.
 */
#include "labeler/command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/io/file.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/*
 * Copies one word to out without its quotes and ends it with a zero. Returns where the text goes
 * on, NULL for a quote without an end.
 */
static const char *word_copy(const char *text, char **out)
{
    char quote = 0;
    for (; *text != 0 && (quote != 0 || !is_blank(*text)); text++) {
        if (quote == 0 && (*text == '\'' || *text == '"')) {
            quote = *text;
        } else if (quote != 0 && *text == quote) {
            quote = 0;
        } else {
            *(*out)++ = *text;
        }
    }
    *(*out)++ = 0;
    return quote == 0 ? text : NULL;
}

/* One block of memory: the pointers, then the words, which are never longer than the text. */
static int command_split(const char *text, struct command *command, struct error *err)
{
    size_t size = strlen(text) + 2;
    size_t words_max = size / 2 + 1;
    command->argv = calloc(words_max * sizeof *command->argv + size, 1);
    if (command->argv == NULL) {
        return error_memory(err);
    }
    char *out = (char *)(command->argv + words_max);
    for (;;) {
        while (is_blank(*text)) {
            text++;
        }
        if (*text == 0) {
            break;
        }
        command->argv[command->argc++] = out;
        text = word_copy(text, &out);
        if (text == NULL) {
            return error_set(err, ERROR_FAILED, "a quote has no end");
        }
    }
    if (command->argv[0] == NULL) {
        return error_set(err, ERROR_FAILED, "the command is empty");
    }
    return 0;
}

/* 0 when path can be run, else an errno; EISDIR for a folder. */
static int program_check(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return errno;
    }
    if (S_ISDIR(status.st_mode)) {
        return EISDIR;
    }
    return access(path, X_OK) == 0 ? 0 : errno;
}

static char *program_at_path(const char *name, struct error *err)
{
    int fault = program_check(name);
    if (fault == ENOENT || fault == ENOTDIR) {
        error_set(err, ERROR_FAILED, "%s: no such file (docs/ENGINES.md: engines and their names)",
                  name);
    } else if (fault == EISDIR) {
        error_set(err, ERROR_FAILED, "%s is a folder, not a program", name);
    } else if (fault == EACCES) {
        error_set(err, ERROR_FAILED, "%s is not executable (chmod +x?)", name);
    } else if (fault != 0) {
        error_system(err, fault, "%s", name);
    } else {
        return file_name_format(err, "%s", name);
    }
    return NULL;
}

static char *program_in_path(const char *name, const char *path, struct error *err)
{
    bool seen = false;
    while (path != NULL) {
        size_t length = strcspn(path, ":");
        char *candidate = length == 0 ? file_name_format(err, "./%s", name)
                                      : file_name_format(err, "%.*s/%s", (int)length, path, name);
        if (candidate == NULL) {
            return NULL;
        }
        int fault = program_check(candidate);
        if (fault == 0) {
            return candidate;
        }
        seen = seen || fault == EACCES;
        free(candidate);
        path = path[length] == ':' ? path + length + 1 : NULL;
    }
    error_set(err, ERROR_FAILED,
              seen ? "%s in PATH is not executable"
                   : "%s: not found in PATH: apt-get install stockfish, or name an engine with its "
                     "folder (docs/ENGINES.md)",
              name);
    return NULL;
}

char *command_find_program(const char *name, struct error *err)
{
    if (*name == 0 || strchr(name, '/') != NULL) {
        return program_at_path(name, err);
    }
    return program_in_path(name, getenv("PATH"), err);
}

int command_parse(const char *text, struct command *command, struct error *err)
{
    memset(command, 0, sizeof *command);
    if (command_split(text, command, err) == 0) {
        command->program = command_find_program(command->argv[0], err);
        if (command->program != NULL) {
            return 0;
        }
    }
    command_free(command);
    return -1;
}

void command_free(struct command *command)
{
    free(command->argv);
    free(command->program);
    memset(command, 0, sizeof *command);
}
