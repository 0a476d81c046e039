/* SPDX-License-Identifier: MIT */
/*
 * What the commands about nets share, see netarg.h.
 */
#include "pipeline/cli/netarg.h"

#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "nnue/core/kernels.h"

static const char *const isa_names[] = {"auto", "scalar", "avx2", "avxvnni", "avx512vnni", "neon"};

enum { ISA_COUNT = sizeof isa_names / sizeof *isa_names };

const char *netarg_isa_name(enum plynnue_isa isa)
{
    return isa_names[isa];
}

int netarg_isa(const struct invocation *invocation, enum plynnue_isa *isa, struct error *err)
{
    const char *text = invocation_value(invocation, "isa");
    unsigned found = 0;
    *isa = PLYNNUE_ISA_AUTO;
    if (!text)
        return 0;
    while (found < ISA_COUNT && strcmp(text, isa_names[found]) != 0)
        found++;
    if (found == ISA_COUNT)
        return error_set(
            err, ERROR_USAGE,
            "--isa: expected auto, scalar, avx2, avxvnni, avx512vnni or neon, not \"%s\"", text);
    *isa = (enum plynnue_isa)found;
    if (!kernels_find(*isa))
        return error_set(err, ERROR_FAILED,
                         "--isa %s: this CPU or this build of plymill lacks it; auto always works",
                         text);
    return 0;
}

int netarg_open(const char *path, enum plynnue_isa isa, plynnue_net **net, struct error *err)
{
    struct plynnue_options options = {.size = sizeof options, .isa = isa};
    struct plynnue_error error = {.code = 0};
    if (plynnue_net_open(path, &options, net, &error))
        return error_set(err, ERROR_FAILED, "%s: %s", path, error.text);
    return 0;
}

int netarg_settings(const struct invocation *invocation, const char *directory,
                    struct settings **settings, struct error *err)
{
    char *recipe = NULL;
    int result = -1;
    *settings = NULL;
    if (!file_is_directory(directory))
        return error_set(err, ERROR_FAILED, "%s: not a build directory", directory);
    recipe = file_join(directory, "recipe.toml", err);
    if (!recipe)
        return -1;
    *settings = settings_new();
    if (!*settings) {
        error_memory(err);
        goto out;
    }
    if (file_exists(recipe) && settings_load(*settings, recipe, err))
        goto out;
    result = settings_merge(*settings, invocation->settings, err);
out:
    free(recipe);
    if (result) {
        settings_free(*settings);
        *settings = NULL;
    }
    return result;
}

int netarg_samples(const char *directory, const char *split, const struct settings *settings,
                   struct samples *samples, struct error *err)
{
    bool last_exact = !strcmp(settings_string(settings, "label.score"), "last-exact");
    char *path = file_name_format(err, "%s/records/%s.rec", directory, split);
    int result = -1;
    if (!path)
        return -1;
    if (file_exists(path))
        result = samples_load(path, last_exact, samples, err);
    else
        error_set(err, ERROR_FAILED,
                  "%s: no such file; `plymill build` or `plymill select` makes it", path);
    free(path);
    return result;
}
