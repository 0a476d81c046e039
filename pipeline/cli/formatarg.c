/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/formatarg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/codec_detect.h"
#include "formats/codec_file.h"
#include "pipeline/recipe/shell_quote.h"
#include "pipeline/stages/inputs.h"

#define NAMES_MAX 256

static int unknown_format(const char *name, struct error *err)
{
    char names[NAMES_MAX] = "";
    size_t at = 0;
    for (size_t i = 0; codec_table[i] && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "",
                               codec_table[i]->name);
    return error_set(err, ERROR_USAGE, "no format \"%s\"; there are %s", name, names);
}

/* By an option: 1, 0 when it is not given and the name must tell, -1. */
static int find_named(const struct invocation *invocation, const char *option, const char *path,
                      const struct codec **codec, struct error *err)
{
    const char *name = invocation_value(invocation, option);
    *codec = NULL;
    if (name) {
        *codec = codec_find(name);
        return *codec ? 1 : unknown_format(name, err);
    }
    if (strcmp(path, "-") == 0)
        return error_set(err, ERROR_USAGE, "- has no name to tell its format: give --%s FORMAT",
                         option);
    return 0;
}

static int refuse_games(const char *path, struct error *err)
{
    char *quoted = shell_quote(path);
    if (!quoted)
        return error_memory(err);
    error_set(
        err, ERROR_USAGE,
        "%s: is an archive of games, no dataset: plymill scan %s looks into it, plymill build "
        "makes a dataset of it",
        path, quoted);
    free(quoted);
    return -1;
}

int formatarg_input(const struct invocation *invocation, const char *path,
                    const struct codec **codec, struct error *err)
{
    int named = find_named(invocation, "from", path, codec, err);
    if (named != 0)
        return named < 0 ? -1 : 0;
    if (strcmp(path, "-") != 0 && access(path, F_OK) != 0)
        return error_system(err, errno, "%s", path);
    if (inputs_is_archive_name(path))
        return refuse_games(path, err);
    return codec_detect(path, codec, err);
}

int formatarg_output(const struct invocation *invocation, const char *path,
                     const struct codec **codec, struct error *err)
{
    int named = find_named(invocation, "to", path, codec, err);
    if (named == 0)
        named = codec_of_path_or_error(path, codec, err);
    if (named < 0 || !*codec)
        return -1;
    if (!(*codec)->encode)
        return error_set(err, ERROR_USAGE, "%s can be read, not written", (*codec)->name);
    return 0;
}
