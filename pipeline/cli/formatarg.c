/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/formatarg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/codec_detect.h"
#include "formats/codec_file.h"
#include "formats/io/file.h"

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

int formatarg_input(const struct invocation *invocation, const char *path,
                    const struct codec **codec, struct error *err)
{
    int named = find_named(invocation, "from", path, codec, err);
    if (named != 0)
        return named < 0 ? -1 : 0;
    if (strcmp(path, "-") != 0 && !file_exists(path))
        return error_system(err, ENOENT, "%s", path);
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
