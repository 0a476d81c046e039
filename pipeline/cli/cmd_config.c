/* SPDX-License-Identifier: MIT */
/*
 * The canonical recipe. What is printed is a recipe itself, and says the same.
 */
#include "pipeline/cli/cmd_config.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/io/file.h"
#include "pipeline/cli/recipes.h"
#include "pipeline/recipe/toml.h"

#define ALL_STAGES (~0u)

/* The recipe that the argument names: a file, or a build directory's. */
static int load(struct settings *settings, const char *argument, struct error *err)
{
    if (!file_is_directory(argument))
        return recipes_check(argument, err) < 0 ? -1 : settings_load(settings, argument, err);
    char *path = file_join(argument, "recipe.toml", err);
    int status = -1;
    if (path && !file_exists(path))
        error_set(err, ERROR_USAGE, "%s: is no build directory: it has no recipe.toml", argument);
    else if (path)
        status = settings_load(settings, path, err);
    free(path);
    return status;
}

static int run(struct invocation *invocation, struct error *err)
{
    struct settings *settings = settings_new();
    struct buffer text;
    buffer_init(&text, TOML_FILE_MAX);
    int status = settings ? 0 : error_memory(err);
    if (status == 0 && invocation->argument_count > 0)
        status = load(settings, invocation->arguments[0], err);
    if (status == 0)
        status = settings_merge(settings, invocation->settings, err);
    if (status == 0)
        status =
            settings_write(settings, ALL_STAGES, !invocation_has(invocation, "bare"), &text, err);
    if (status == 0)
        (void)fwrite(text.data, 1, text.length, stdout); /* main looks whether it arrived */
    buffer_free(&text);
    settings_free(settings);
    return status;
}

const struct command command_config = {
    .name = "config",
    .arguments = "[RECIPE|DIR]",
    .summary = "prints a recipe complete and canonical, and where each value came from",
    .details = "Behind every value stands its origin: default, file and line, or command line. "
               "What is not set stands in a comment, with its value where train.preset gives it. "
               "Without RECIPE the defaults. The output is a recipe again.",
    .sections = SECTION_ALL_BUILD | SECTION_TRAIN,
    .maximum = 1,
    .options = {{"bare", NULL, "no origins, and nothing about keys that are not set"}},
    .no_progress = true,
    .examples = {"plymill config configs/tinynnue.toml",
                 "plymill config configs/tinynnue.toml --bare --nodes 5000"},
    .run = run,
};
