/* SPDX-License-Identifier: MIT */
/*
 * A commented recipe with every key: the defaults, or what the command line says in their place.
 */
#include "pipeline/cli/cmd_init.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/recipe/shell_quote.h"
#include "pipeline/recipe/toml.h"

static const char head[] =
    "# A recipe of plymill: from games to a training set and a net. Every key is here with its\n"
    "# default; what you do not change you may as well delete. `plymill config FILE` prints what\n"
    "# plymill reads in it, `plymill build FILE -o DIR` makes it.\n\n";

/* What comes next: the command as a shell takes it, in a folder that has a blank too. */
static int say_next(const char *path, bool has_games, struct error *err)
{
    char *quoted = shell_quote(path);
    if (!quoted)
        return error_memory(err);
    if (has_games)
        fprintf(stderr, "next: plymill build %s -o DIR\n", quoted);
    else
        fprintf(stderr, "%s: name your games in input.files, then: plymill build %s -o DIR\n", path,
                quoted);
    free(quoted);
    return 0;
}

static int write_file(const char *path, bool has_games, const struct buffer *text,
                      struct error *err)
{
    if (file_exists(path))
        return error_set(err, ERROR_FAILED, "%s: is there already; name another file, or remove it",
                         path);
    if (file_write_all(path, text->data, text->length, err) < 0)
        return -1;
    return say_next(path, has_games, err);
}

static int run(struct invocation *invocation, struct error *err)
{
    const char *path = invocation->argument_count > 0 ? invocation->arguments[0] : "-";
    struct buffer text;
    buffer_init(&text, TOML_FILE_MAX);
    int status = buffer_append(&text, head, sizeof head - 1, err);
    if (status == 0)
        status = settings_write_commented(invocation->settings, &text, err);
    if (status == 0 && strcmp(path, "-") != 0)
        status = write_file(path, settings_is_set(invocation->settings, "input.files"), &text, err);
    else if (status == 0)
        (void)fwrite(text.data, 1, text.length, stdout); /* main looks whether it arrived */
    buffer_free(&text);
    return status;
}

const struct command command_init = {
    .name = "init",
    .arguments = "[FILE]",
    .summary = "writes a commented recipe with every key and its default",
    .details = "To standard output without FILE. Keys given as options stand in it instead of "
               "their defaults.",
    .sections = SECTION_ALL_BUILD | SECTION_TRAIN,
    .maximum = 1,
    .options = {{0}},
    .no_progress = true,
    .examples = {"plymill init my.toml", "plymill init my.toml --input games.pgn.zst --nodes 5000"},
    .run = run,
};
