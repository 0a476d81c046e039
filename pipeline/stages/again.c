/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/again.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/recipe/difference.h"
#include "pipeline/recipe/toml.h"

#define KEY_STAGES                                                                                 \
    (1u << STAGE_SAMPLE | 1u << STAGE_LABEL | 1u << STAGE_SELECT | 1u << STAGE_EXPORT)

/* The stages, separated by commas: their number, or -1. */
static int list_stages(struct build *build, char text[AGAIN_TEXT_MAX], struct error *err)
{
    int count = 0;
    text[0] = '\0';
    for (int stage = 0; stage < BUILD_STAGES; stage++) {
        char name[64], key[CATALOGUE_VALUE_MAX];
        (void)snprintf(name, sizeof name, "stage.%s", build_stage_names[stage]);
        int was = catalogue_get(build->catalogue, name, key, err);
        int is = was == 1 ? build_stage_done(build, (enum build_stage)stage, err) : 0;
        if (was < 0 || is < 0)
            return -1;
        size_t length = strlen(text);
        if (was && !is)
            (void)snprintf(text + length, AGAIN_TEXT_MAX - length, "%s%s", count++ > 0 ? ", " : "",
                           build_stage_names[stage]);
    }
    return count;
}

static int find_reason(struct build *build, char *why, size_t size, struct error *err)
{
    struct buffer was, now;
    buffer_init(&was, TOML_FILE_MAX);
    buffer_init(&now, TOML_FILE_MAX);
    char *path = build_path(build, err, "recipe.toml");
    struct settings *old = path ? settings_new() : NULL;
    int status = -1;
    if (path && !old)
        error_memory(err);
    else if (path && settings_load(old, path, err) == 0 &&
             settings_write(old, KEY_STAGES, false, &was, err) == 0 &&
             settings_write(build->settings, KEY_STAGES, false, &now, err) == 0)
        status = 0;
    if (status == 0 && !difference_describe(was.data, now.data, why, size))
        (void)snprintf(why, size, "the inputs changed, or files are missing");
    settings_free(old);
    free(path);
    buffer_free(&was);
    buffer_free(&now);
    return status;
}

int again_describe(struct build *build, char text[AGAIN_TEXT_MAX], struct error *err)
{
    char why[AGAIN_TEXT_MAX / 2];
    int count = list_stages(build, text, err);
    if (count <= 0)
        return count;
    if (find_reason(build, why, sizeof why, err) < 0)
        return -1;
    size_t length = strlen(text);
    (void)snprintf(text + length, AGAIN_TEXT_MAX - length, ": done again, since %s", why);
    return 1;
}
