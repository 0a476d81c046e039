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
#include "nnue/core/parts.h"
#include "nnue/core/sf_net.h"

enum { ARCH_TEXT = 512, READ_STEP = 1 << 16 };

/* The options that hold when the caller's struct is older and shorter, or not there. */
static struct plynnue_options complete_options(const struct plynnue_options *given)
{
    struct plynnue_options options = {.size = sizeof options};
    if (given)
        memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    return options;
}

/* Are both the same as far as the first blank? What follows it only adds to the shape. */
static bool same_shape(const char *a, const char *b)
{
    size_t length = strcspn(a, " ");
    return length == strcspn(b, " ") && !strncmp(a, b, length);
}

/* The string that holds: what was asked for and what the file says must not disagree. */
static int settle_arch(const struct safetensors *file, const char *asked, char arch[ARCH_TEXT],
                       struct plynnue_error *error)
{
    char named[ARCH_TEXT];
    bool has_name = safetensors_text(file, "arch", named, sizeof named);
    if (!asked && !has_name)
        return core_fail(error, PLYNNUE_EARCH, 0, "the file has no arch in its metadata: name one");
    if (asked && strlen(asked) >= ARCH_TEXT)
        return core_fail(error, PLYNNUE_EARCH, 0, "an arch of over %d letters", ARCH_TEXT - 1);
    if (asked && has_name &&
        (!same_shape(asked, named) ||
         (strchr(asked, ' ') && strchr(named, ' ') && strcmp(asked, named) != 0)))
        return core_fail(error, PLYNNUE_EARCH, 0, "the file says arch %.80s, asked for %.80s",
                         named, asked);
    (void)snprintf(arch, ARCH_TEXT, "%s",
                   asked && (!has_name || strchr(asked, ' ')) ? asked : named);
    return PLYNNUE_OK;
}

/* Floats or integers? The features' weights decide. */
static bool has_floats(const struct safetensors *file)
{
    const struct safetensors_tensor *tensor = safetensors_find(file, "ft.weight");
    return tensor && !strcmp(tensor->dtype, "F32");
}

static int load_safetensors(struct plynnue_net *net, const struct safetensors *file,
                            const char *asked, struct plynnue_error *error)
{
    char arch[ARCH_TEXT];
    int code = settle_arch(file, asked, arch, error);
    if (code)
        return code;
    if (!strncmp(arch, "769->", 5))
        return tinynnue_load(net, file, arch, error);
    if (!strncmp(arch, "halfka(", 7) && !has_floats(file))
        return halfka_load(net, file, arch, error);
    if (!strncmp(arch, "halfka(", 7) || !strncmp(arch, "halfkp(", 7) || !strncmp(arch, "(768", 4))
        return floatnet_load(net, file, arch, error);
    return core_fail(error, PLYNNUE_EARCH, 0, "architecture %.80s is not known", arch);
}

/* The version says which reader; the hash, which follows from the shape, what is to be read. */
static int load_container(struct plynnue_net *net, const void *data, size_t size, const char *asked,
                          struct plynnue_error *error)
{
    struct container c;
    int code = container_open(&c, data, size, error);
    if (code)
        return code;
    if (c.version == CONTAINER_VERSION_12)
        return halfkp_load(net, &c, asked, error);
    return sf_net_load(net, &c, asked, error);
}

static int parse_safetensors(struct plynnue_net *net, const void *data, size_t size,
                             const char *asked, struct plynnue_error *error)
{
    struct safetensors *file = malloc(sizeof *file);
    int code;
    if (!file)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    code = safetensors_parse(data, size, file, error);
    if (!code)
        code = load_safetensors(net, file, asked, error);
    free(file);
    return code;
}

/* Which container? quantised.bin has no mark: only the arch that is asked for tells. */
static int load_bytes(struct plynnue_net *net, const void *data, size_t size, const char *asked,
                      struct plynnue_error *error)
{
    if (size == 0)
        return core_fail(error, PLYNNUE_EFORMAT, 0,
                         "the file is empty: whatever wrote it has failed");
    if (container_detect(data, size))
        return load_container(net, data, size, asked, error);
    if (safetensors_detect(data, size))
        return parse_safetensors(net, data, size, asked, error);
    if (asked && !strncmp(asked, "(768", 4)) /* it has no header */
        return bullet_load(net, data, size, asked, error);
    return core_fail(error, PLYNNUE_EFORMAT, 0,
                     "not a net: neither a .nnue nor a safetensors header, and a quantised.bin "
                     "needs its arch");
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

/* The first line of the file PATH.arch into arch; "" when there is no such file. */
static int read_side_file(const char *path, char arch[ARCH_TEXT], struct plynnue_error *error)
{
    static const char suffix[] = ".arch";
    size_t length = strlen(path);
    char *name = malloc(length + sizeof suffix);
    FILE *stream;
    arch[0] = '\0';
    if (!name)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    (void)snprintf(name, length + sizeof suffix, "%s%s", path, suffix);
    stream = fopen(name, "rb");
    free(name);
    if (!stream)
        return PLYNNUE_OK;
    length = fread(arch, 1, ARCH_TEXT, stream);
    fclose(stream);
    if (length == ARCH_TEXT && !memchr(arch, '\n', length))
        return core_fail(error, PLYNNUE_EARCH, 0, "its side file .arch has over %d letters",
                         ARCH_TEXT - 1);
    arch[length < ARCH_TEXT ? length : ARCH_TEXT - 1] = '\0';
    arch[strcspn(arch, "\r\n")] = '\0';
    return PLYNNUE_OK;
}

static int open_stream(FILE *stream, const struct plynnue_options *options, plynnue_net **net,
                       struct plynnue_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0;
    int code = read_stream(stream, &data, &size, error);
    if (!code)
        code = plynnue_net_from_memory(data, size, options, net, error);
    free(data);
    return code;
}

int plynnue_net_open(const char *path, const struct plynnue_options *options, plynnue_net **net,
                     struct plynnue_error *error)
{
    struct plynnue_options o = complete_options(options);
    char arch[ARCH_TEXT];
    FILE *stream = fopen(path, "rb");
    int code = PLYNNUE_OK;
    *net = NULL;
    if (!stream)
        return core_fail(error, PLYNNUE_EIO, 0, "%s", strerror(errno));
    if (!o.arch) {
        code = read_side_file(path, arch, error);
        o.arch = arch[0] ? arch : NULL;
    }
    o.size = sizeof o;
    if (!code)
        code = open_stream(stream, &o, net, error);
    fclose(stream);
    return code;
}

void plynnue_net_info(const plynnue_net *net, struct plynnue_info *info)
{
    struct plynnue_info full = {.size = info->size, .isa = net->kernels->isa};
    net->arch->info(net, &full);
    if (full.cp_den)
        full.cp_per_unit = (double)full.cp_num / full.cp_den;
    memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
}

void net_parts(const struct plynnue_net *net, struct net_parts *parts)
{
    memset(parts, 0, sizeof *parts);
    net->arch->parts(net, parts);
    if (parts->squares)
        parts->map = &parts->squares->map;
}

void plynnue_net_close(plynnue_net *net)
{
    if (!net)
        return;
    net->arch->destroy(net->model);
    free(net);
}
