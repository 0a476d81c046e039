/* SPDX-License-Identifier: MIT */
/*
 * Loading a net: bytes into memory, which container it is, which architecture, and the handle.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/core/arch.h"
#include "nnue/core/fail.h"

enum { ARCH_TEXT = 128, READ_STEP = 1 << 16 };

/* The options that hold when the caller's struct is older and shorter, or not there. */
static struct plynnue_options complete_options(const struct plynnue_options *given)
{
    struct plynnue_options options = {.size = sizeof options};
    if (given)
        memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    return options;
}

static int load_safetensors(struct plynnue_net *net, const struct safetensors *file,
                            const char *asked, struct plynnue_error *error)
{
    char arch[ARCH_TEXT];
    bool named = safetensors_text(file, "arch", arch, sizeof arch);
    if (asked && named && strcmp(asked, arch) != 0)
        return core_fail(error, PLYNNUE_EARCH, 0, "the file says arch %.80s, asked for %.80s", arch,
                         asked);
    if (!asked && !named)
        return core_fail(error, PLYNNUE_EARCH, 0, "the file has no arch in its metadata: name one");
    if (!asked)
        asked = arch;
    if (!strncmp(asked, "769->", 5))
        return tinynnue_load(net, file, asked, error);
    return core_fail(error, PLYNNUE_EARCH, 0, "architecture %.80s is not known", asked);
}

/* The version says which reader; the hash, which follows from the shape, what is to be read. */
static int load_container(struct plynnue_net *net, const void *data, size_t size, const char *asked,
                          struct plynnue_error *error)
{
    struct container c;
    int code = container_open(&c, data, size, error);
    (void)net, (void)asked;
    if (code)
        return code;
    return core_fail(error, PLYNNUE_EARCH, 0,
                     "a Stockfish net (version %08x, hash %08x) of a kind that is not known",
                     c.version, c.hash);
}

static int load_bytes(struct plynnue_net *net, const void *data, size_t size, const char *asked,
                      struct plynnue_error *error)
{
    struct safetensors *file;
    int code;
    if (container_detect(data, size))
        return load_container(net, data, size, asked, error);
    if (!safetensors_detect(data, size))
        return core_fail(error, PLYNNUE_EFORMAT, 0, "not a net file that is known");
    file = malloc(sizeof *file);
    if (!file)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    code = safetensors_parse(data, size, file, error);
    if (!code)
        code = load_safetensors(net, file, asked, error);
    free(file);
    return code;
}

int plynnue_net_from_memory(const void *data, size_t size, const struct plynnue_options *options,
                            plynnue_net **net, struct plynnue_error *error)
{
    struct plynnue_options o = complete_options(options);
    const struct kernels *kernels = kernels_find(o.isa);
    int code;
    *net = NULL;
    if (!kernels)
        return core_fail(error, PLYNNUE_EISA, 0,
                         "this CPU or this build lacks the instruction set asked for");
    *net = calloc(1, sizeof **net);
    if (!*net)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    (*net)->kernels = kernels;
    code = load_bytes(*net, data, size, o.arch, error);
    if (code) {
        free(*net);
        *net = NULL;
    }
    return code;
}

/* The whole file into *data, growing as bytes come: a size that a file claims is never trusted. */
static int read_stream(FILE *stream, uint8_t **data, size_t *size, struct plynnue_error *error)
{
    size_t capacity = 0;
    for (;;) {
        if (*size == capacity) {
            uint8_t *grown;
            if (capacity >= PLYNNUE_FILE_MAX)
                return core_fail(error, PLYNNUE_EFORMAT, capacity, "file over %d bytes",
                                 PLYNNUE_FILE_MAX);
            capacity = capacity ? 2 * capacity : READ_STEP;
            grown = realloc(*data, capacity);
            if (!grown)
                return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
            *data = grown;
        }
        *size += fread(*data + *size, 1, capacity - *size, stream);
        if (ferror(stream))
            return core_fail(error, PLYNNUE_EIO, *size, "cannot be read: %s", strerror(errno));
        if (feof(stream))
            return PLYNNUE_OK;
    }
}

int plynnue_net_open(const char *path, const struct plynnue_options *options, plynnue_net **net,
                     struct plynnue_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0;
    int code;
    FILE *stream = fopen(path, "rb");
    *net = NULL;
    if (!stream)
        return core_fail(error, PLYNNUE_EIO, 0, "%s", strerror(errno));
    code = read_stream(stream, &data, &size, error);
    if (!code)
        code = plynnue_net_from_memory(data, size, options, net, error);
    free(data);
    fclose(stream);
    return code;
}

void plynnue_net_info(const plynnue_net *net, struct plynnue_info *info)
{
    struct plynnue_info full = {.size = info->size, .isa = net->kernels->isa};
    net->arch->info(net, &full);
    memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
}

void plynnue_net_close(plynnue_net *net)
{
    if (!net)
        return;
    net->arch->destroy(net->model);
    free(net);
}
