/* SPDX-License-Identifier: MIT */
/*
 * Opening nets, see net_open.h.
 */
#include "pipeline/report/net_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/digest.h"
#include "formats/io/file.h"
#include "nnue/core/container.h"

enum { MARK_SIZE = 16 };

/*
 * Nets whose files do not say whose arithmetic they want, or say it of another one: official nets
 * are named by the first digits of their SHA-256. The third is a test net made from the second.
 */
static const struct {
    const char *digits, *arch;
} known_nets[] = {{"6877cd24400e", "sf15"},
                  {"ad9b42354671", "sf15.1"},
                  {"72bf941bf04a", "sf15.1"},
                  {"baff1ede1f90", "sf16.1"}};

/* Does the file begin like one of the kind that the table is about? */
static bool is_container(const char *path)
{
    char mark[MARK_SIZE];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t size = fread(mark, 1, sizeof mark, file);
    (void)fclose(file);
    return container_detect(mark, size);
}

static bool has_side_file(const char *path)
{
    size_t size = strlen(path) + sizeof ".arch";
    char *name = malloc(size);
    bool found = false;
    if (name) {
        (void)snprintf(name, size, "%s.arch", path);
        found = file_exists(name);
    }
    free(name);
    return found;
}

/* The arch of a file that is one of the above, or NULL. */
static const char *known_arch(const char *path)
{
    char hex[DIGEST_HEX_SIZE];
    if (!is_container(path) || has_side_file(path) || digest_file(path, hex, NULL, NULL))
        return NULL;
    for (size_t i = 0; i < sizeof known_nets / sizeof *known_nets; i++)
        if (!strncmp(hex, known_nets[i].digits, strlen(known_nets[i].digits)))
            return known_nets[i].arch;
    return NULL;
}

int net_open(const char *path, const char *arch, enum plynnue_isa isa, plynnue_net **net,
             struct error *err)
{
    struct plynnue_options options = {.size = sizeof options, .arch = arch, .isa = isa};
    struct plynnue_error error = {.code = 0};
    *net = NULL;
    if (file_is_directory(path))
        return error_set(err, ERROR_FAILED, "%s: not a net, but a directory", path);
    if (!arch)
        options.arch = known_arch(path);
    if (!plynnue_net_open(path, &options, net, &error))
        return 0;
    if (error.offset)
        return error_set(err, ERROR_FAILED, "%s: byte %llu: %s", path,
                         (unsigned long long)error.offset, error.text);
    return error_set(err, ERROR_FAILED, "%s: %s", path, error.text);
}
