/* SPDX-License-Identifier: MIT */
/*
 * What the commands about nets share, see netarg.h.
 */
#include "pipeline/cli/netarg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "nnue/core/kernels.h"
#include "nnue/core/safetensors.h"
#include "pipeline/report/net_open.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/report/trained_on.h"
#include "pipeline/stages/select.h"

enum { MAGIC_SIZE = 9, LEVELS_SIZE = 96 };

static const char *const isa_names[] = {"auto", "scalar", "avx2", "avxvnni", "avx512vnni", "neon"};

enum { ISA_COUNT = sizeof isa_names / sizeof *isa_names };

const char *netarg_isa_name(enum plynnue_isa isa)
{
    return isa_names[isa];
}

/* "auto, scalar": what can be asked for. */
static const char *usable_levels(char out[LEVELS_SIZE])
{
    size_t length = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < ISA_COUNT; i++)
        if (kernels_find((enum plynnue_isa)i))
            length += (size_t)snprintf(out + length, LEVELS_SIZE - length, "%s%s",
                                       length ? ", " : "", isa_names[i]);
    return out;
}

int netarg_isa(const struct invocation *invocation, enum plynnue_isa *isa, struct error *err)
{
    const char *text = invocation_value(invocation, "isa");
    char levels[LEVELS_SIZE];
    unsigned found = 0;
    *isa = PLYNNUE_ISA_AUTO;
    if (!text)
        return 0;
    while (found < ISA_COUNT && strcmp(text, isa_names[found]) != 0)
        found++;
    if (found == ISA_COUNT)
        return error_set(err, ERROR_USAGE, "--isa: expected one of %s, not \"%s\"",
                         usable_levels(levels), text);
    *isa = (enum plynnue_isa)found;
    if (!kernels_find(*isa))
        return error_set(err, ERROR_FAILED, "--isa %s: this CPU does not have it; there are %s",
                         text, usable_levels(levels));
    return 0;
}

/* Does the file begin like a .safetensors file? False for folders and what cannot be read. */
static bool is_net(const char *path)
{
    char magic[MAGIC_SIZE];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t size = fread(magic, 1, sizeof magic, file);
    (void)fclose(file);
    return safetensors_detect(magic, size);
}

int netarg_open_as(const char *path, const char *arch, enum plynnue_isa isa, plynnue_net **net,
                   struct error *err)
{
    return net_open(path, arch, isa, net, err);
}

int netarg_open(const char *path, enum plynnue_isa isa, plynnue_net **net, struct error *err)
{
    return netarg_open_as(path, NULL, isa, net, err);
}

const char *netarg_output(const struct invocation *invocation, struct error *err)
{
    const char *path = invocation_value(invocation, "o");
    size_t tail = sizeof NETARG_SUFFIX - 1, length = path ? strlen(path) : 0;
    if (!path)
        error_set(err, ERROR_USAGE, "-o NET is missing: where the net shall be written");
    else if (length <= tail || strcmp(path + length - tail, NETARG_SUFFIX) != 0 ||
             path[length - tail - 1] == '/')
        error_set(err, ERROR_USAGE, "-o %s: the name of a net ends in " NETARG_SUFFIX, path);
    else if (file_exists(path) && !is_net(path))
        error_set(err, ERROR_FAILED, "-o %s: is there and no net, and is not replaced", path);
    else
        return path;
    return NULL;
}

static int check_build(const char *directory, struct error *err)
{
    char *catalogue = file_join(directory, "build.db", err);
    int result = catalogue ? 0 : -1;
    if (!result && !file_exists(catalogue))
        result = error_set(err, ERROR_FAILED, "%s: not a build directory", directory);
    free(catalogue);
    return result;
}

int netarg_build(const struct invocation *invocation, const char *directory, struct build **build,
                 struct error *err)
{
    struct settings *settings = settings_new();
    *build = NULL;
    if (!settings)
        return error_memory(err);
    if (check_build(directory, err) < 0 ||
        settings_merge(settings, invocation->settings, err) < 0 ||
        build_open(directory, BUILD_LOOK, settings, build, err) < 0) {
        settings_free(settings);
        return -1;
    }
    if (report_facts_need(*build, BUILD_SELECT, err) == 0)
        return 0;
    build_close(*build);
    *build = NULL;
    return -1;
}

int netarg_samples(const struct build *build, int split, struct samples *samples, struct error *err)
{
    bool last_exact = !strcmp(settings_string(build->settings, "label.score"), "last-exact");
    char *path = select_record_path(build, split, err);
    int result = path ? samples_load(path, last_exact, samples, err) : -1;
    free(path);
    return result;
}

int netarg_warn(struct build *build, const char *const *nets, size_t count, struct error *err)
{
    struct origin origin;
    char line[TRAINED_ON_LINE_MAX];
    if (trained_on_build(build, &origin, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (trained_on_other(nets[i], nets[i], &origin, line, err) < 0)
            return -1;
        if (*line)
            fprintf(stderr, "warning: %s\n", line);
    }
    return 0;
}
