/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/moved.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"

#define DIGEST_KEY      "input.digest " /* with the path behind it: bytes and SHA-256 */
#define DIGEST_TEXT_MAX (DIGEST_HEX_SIZE + 24)

struct moved_file {
    char *path;
    char digest[DIGEST_TEXT_MAX];
};

struct moved {
    struct moved_file *files; /* owned */
    size_t count;
};

/* An input as it was sampled. */
struct sampled {
    char *path, digest[DIGEST_TEXT_MAX];
    uint64_t bytes;
    bool named; /* it is one of the inputs, under its own path or another */
};

struct sampled_list {
    struct sampled *rows; /* in order of path */
    size_t count, capacity;
};

void moved_free(struct moved *moved)
{
    for (size_t i = 0; moved && i < moved->count; i++)
        free(moved->files[i].path);
    if (moved)
        free(moved->files);
    free(moved);
}

static void digest_text(char text[DIGEST_TEXT_MAX], uint64_t bytes, const char *sha256)
{
    (void)snprintf(text, DIGEST_TEXT_MAX, "%" PRIu64 " %s", bytes, sha256);
}

static int collect(void *context, const struct catalogue_input *input, struct error *err)
{
    struct sampled_list *list = context;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        struct sampled *rows = realloc(list->rows, capacity * sizeof *rows);
        if (!rows)
            return error_memory(err);
        list->rows = rows;
        list->capacity = capacity;
    }
    struct sampled *row = &list->rows[list->count];
    *row = (struct sampled){.path = strdup(input->path), .bytes = (uint64_t)input->bytes};
    digest_text(row->digest, row->bytes, input->sha256);
    if (!row->path)
        return error_memory(err);
    list->count++;
    return 0;
}

static void free_list(struct sampled_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->rows[i].path);
    free(list->rows);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct sampled *)a)->path, ((const struct sampled *)b)->path);
}

static int is_path(const void *path, const void *row)
{
    return strcmp(path, ((const struct sampled *)row)->path);
}

static struct sampled *find_path(const struct sampled_list *list, const char *path)
{
    if (list->count == 0)
        return NULL;
    return bsearch(path, list->rows, list->count, sizeof *list->rows, is_path);
}

static bool any_of_size(const struct sampled_list *list, uint64_t bytes)
{
    for (size_t i = 0; i < list->count; i++)
        if (!list->rows[i].named && bytes > 0 && list->rows[i].bytes == bytes)
            return true;
    return false;
}

static struct sampled *find_digest(const struct sampled_list *list, const char *digest)
{
    for (size_t i = 0; i < list->count; i++)
        if (!list->rows[i].named && strcmp(list->rows[i].digest, digest) == 0)
            return &list->rows[i];
    return NULL;
}

static int remember(struct build *build, const char *path, const char *digest, struct error *err)
{
    if (!build->moved && !(build->moved = calloc(1, sizeof *build->moved)))
        return error_memory(err);
    struct moved *moved = build->moved;
    struct moved_file *files = realloc(moved->files, (moved->count + 1) * sizeof *files);
    if (!files)
        return error_memory(err);
    moved->files = files;
    struct moved_file *file = &files[moved->count];
    if (!(file->path = strdup(path)))
        return error_memory(err);
    (void)snprintf(file->digest, sizeof file->digest, "%s", digest);
    moved->count++;
    return 0;
}

/* The digest that was noted for a path, of whatever size it had then: 1, 0, -1. */
static int recall_digest(const struct build *build, const char *path, char text[DIGEST_TEXT_MAX],
                         struct error *err)
{
    char value[CATALOGUE_VALUE_MAX];
    for (size_t i = 0; build->moved && i < build->moved->count; i++)
        if (strcmp(build->moved->files[i].path, path) == 0) {
            memcpy(text, build->moved->files[i].digest, DIGEST_TEXT_MAX);
            return 1;
        }
    char *key = file_name_format(err, DIGEST_KEY "%s", path);
    int found = key ? catalogue_get(build->catalogue, key, value, err) : -1;
    free(key);
    if (found == 1)
        (void)snprintf(text, DIGEST_TEXT_MAX, "%.*s", DIGEST_TEXT_MAX - 1, value);
    return found;
}

/* The digest of a file that may be one of the list: 1, 0 when it cannot be one, -1. */
static int take_digest(struct build *build, const struct sampled_list *list, const char *path,
                       char text[DIGEST_TEXT_MAX], struct error *err)
{
    char hex[DIGEST_HEX_SIZE];
    uint64_t bytes = 0;
    bool there = file_exists(path);
    if (there && file_size(path, &bytes, err) < 0)
        return -1;
    if (there && !any_of_size(list, bytes))
        return 0;
    int found = recall_digest(build, path, text, err);
    if (found < 0 || !there || (found && strtoull(text, NULL, 10) == bytes))
        return found;
    if (!build->quiet)
        fprintf(stderr, "plymill: %s: is it an input that was moved? Reading it\n", path);
    if (digest_file(path, hex, &bytes, err) < 0)
        return -1;
    digest_text(text, bytes, hex);
    return remember(build, path, text, err) < 0 ? -1 : 1;
}

static int trace_input(struct build *build, struct sampled_list *list, struct input_path *input,
                       struct error *err)
{
    char digest[DIGEST_TEXT_MAX];
    int found = take_digest(build, list, input->path, digest, err);
    struct sampled *row = found == 1 ? find_digest(list, digest) : NULL;
    if (!row)
        return found < 0 ? -1 : 0;
    row->named = true;
    input->known_as = strdup(row->path);
    return input->known_as ? 0 : error_memory(err);
}

int moved_trace(struct build *build, struct inputs *inputs, struct error *err)
{
    struct sampled_list list = {0};
    int status = catalogue_each_input(build->catalogue, collect, &list, err);
    if (status < 0)
        goto out;
    if (list.count > 0)
        qsort(list.rows, list.count, sizeof *list.rows, by_path);
    for (size_t i = 0; i < inputs->count; i++) {
        struct sampled *row = find_path(&list, inputs->items[i].path);
        if (row)
            row->named = true;
    }
    for (size_t i = 0; i < inputs->count && status == 0; i++)
        if (!find_path(&list, inputs->items[i].path))
            status = trace_input(build, &list, &inputs->items[i], err);
out:
    free_list(&list);
    return status;
}

static int note_digests(const struct build *build, struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < build->moved->count && status == 0; i++) {
        const struct moved_file *file = &build->moved->files[i];
        char *key = file_name_format(err, DIGEST_KEY "%s", file->path);
        status = key ? catalogue_set(build->catalogue, key, file->digest, err) : -1;
        free(key);
    }
    return status;
}

int moved_note(struct build *build, struct error *err)
{
    struct inputs inputs = {0};
    int status = inputs_recall(build, &inputs, err);
    if (status == 0)
        status = moved_trace(build, &inputs, err);
    inputs_free(&inputs);
    if (status < 0 || !build->moved)
        return status;
    if (catalogue_begin(build->catalogue, err) == 0 && note_digests(build, err) == 0 &&
        inputs_note(build, err) == 0 && catalogue_commit(build->catalogue, err) == 0)
        return 0;
    catalogue_rollback(build->catalogue);
    return -1;
}
