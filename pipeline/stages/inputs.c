/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/io/file.h"

static bool is_listed(const struct inputs *inputs, const char *canonical)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (strcmp(inputs->items[i].canonical, canonical) == 0)
            return true;
    return false;
}

static int grow(struct inputs *inputs, struct error *err)
{
    size_t capacity = inputs->capacity ? 2 * inputs->capacity : 16;
    struct input_path *items = realloc(inputs->items, capacity * sizeof *items);
    if (!items)
        return error_memory(err);
    inputs->items = items;
    inputs->capacity = capacity;
    return 0;
}

/* Lists a path unless its file is listed already. */
static int add_path(struct inputs *inputs, const char *path, struct error *err)
{
    char *canonical = strcmp(path, "-") == 0 ? NULL : realpath(path, NULL);
    if (!canonical && !(canonical = strdup(path)))
        return error_memory(err);
    char *copy = NULL;
    int status = 0;
    if (is_listed(inputs, canonical))
        goto out;
    if (inputs->count == inputs->capacity)
        status = grow(inputs, err);
    if (status == 0 && !(copy = strdup(path)))
        status = error_memory(err);
    if (status == 0) {
        inputs->items[inputs->count++] = (struct input_path){copy, canonical, NULL};
        return 0;
    }
out:
    free(canonical);
    return status;
}

void inputs_free(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->items[i].path);
        free(inputs->items[i].canonical);
        free(inputs->items[i].known_as);
    }
    free(inputs->items);
    *inputs = (struct inputs){0};
}

bool inputs_is_archive_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    static const char *const ends[] = {".pgn", ".pgn.zst", ".pgn.gz"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && strcmp(name + length - end, ends[i]) == 0)
            return name[0] != '.';
    }
    return false;
}

static int select_archive(const struct dirent *entry)
{
    return inputs_is_archive_name(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* What an item names: the number of files, 0 with err set when there is none, -1. */
static int find_in_folder(struct inputs *inputs, const char *folder, struct error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, select_archive, by_name), status = 0, found = 0;
    if (count < 0)
        return error_system(err, errno, "%s", folder);
    for (int i = 0; i < count; i++) {
        char *path = status == 0 ? file_join(folder, entries[i]->d_name, err) : NULL;
        bool is_file = path && !file_is_directory(path);
        if (status == 0)
            status = !path ? -1 : is_file ? add_path(inputs, path, err) : 0;
        found += is_file;
        free(path);
        free(entries[i]);
    }
    free(entries);
    if (status == 0 && found == 0)
        (void)error_set(err, ERROR_FAILED, "%s: holds no .pgn, .pgn.zst or .pgn.gz file", folder);
    return status < 0 ? -1 : found;
}

static int find_by_pattern(struct inputs *inputs, const char *pattern, struct error *err)
{
    glob_t matches = {0};
    int code = glob(pattern, GLOB_ERR, NULL, &matches), status = 0, found = 0;
    if (code == GLOB_NOSPACE)
        status = error_memory(err);
    else if (code == GLOB_ABORTED)
        status = error_system(err, errno, "%s", pattern);
    for (size_t i = 0; code == 0 && i < matches.gl_pathc && status == 0; i++) {
        if (file_is_directory(matches.gl_pathv[i]))
            continue;
        status = add_path(inputs, matches.gl_pathv[i], err);
        found++;
    }
    globfree(&matches);
    if (status == 0 && found == 0)
        (void)error_set(err, ERROR_FAILED, "%s: no file matches this pattern", pattern);
    return status < 0 ? -1 : found;
}

static int find_item(struct inputs *inputs, const char *item, struct error *err)
{
    if (strcmp(item, "-") == 0)
        return add_path(inputs, item, err) < 0 ? -1 : 1;
    if (file_is_directory(item))
        return find_in_folder(inputs, item, err);
    if (access(item, R_OK) == 0)
        return add_path(inputs, item, err) < 0 ? -1 : 1;
    if (errno == ENOENT && strpbrk(item, "*?["))
        return find_by_pattern(inputs, item, err);
    (void)error_system(err, errno, "%s", item);
    return 0;
}

/* The catalogue's key for the index-th file that an item stood for. */
static char *note_key(const char *item, size_t index, struct error *err)
{
    return file_name_format(err, "input.file %zu of %s", index, item);
}

/* Where games of this very path were sampled before, it may have been moved. */
static int explain_missing(const struct build *build, const char *item, struct error *err)
{
    char size[CATALOGUE_VALUE_MAX];
    char *note = note_key(item, 0, err);
    char *key = file_name_format(err, BUILD_INPUT_SIZE "%s", item);
    bool before = key && note && err &&
                  (catalogue_get(build->catalogue, key, size, NULL) == 1 ||
                   catalogue_get(build->catalogue, note, size, NULL) == 1);
    if (before) {
        size_t length = strlen(err->text);
        (void)snprintf(err->text + length, sizeof err->text - length,
                       "; it was read before: put it back, or name its new path with --input or "
                       "in input.files of %s/recipe.toml",
                       build->directory);
    }
    free(key);
    free(note);
    return -1;
}

int inputs_find(const struct build *build, struct inputs *inputs, struct error *err)
{
    size_t count = settings_count(build->settings, "input.files");
    if (count == 0)
        return error_set(err, ERROR_USAGE,
                         "no input: give input.files in the recipe or --input FILE");
    for (size_t i = 0; i < count; i++) {
        const char *item = settings_item(build->settings, "input.files", i);
        int found = find_item(inputs, item, err);
        if (found <= 0)
            return found < 0 ? -1 : explain_missing(build, item, err);
    }
    for (size_t i = 0; i < inputs->count; i++)
        if (strlen(inputs->items[i].path) >= CATALOGUE_VALUE_MAX)
            return error_set(err, ERROR_USAGE, "the input's path is over %d bytes: %.200s...",
                             CATALOGUE_VALUE_MAX - 1, inputs->items[i].path);
    return 0;
}

/* What an item stood for when it was sampled; itself if that was never noted. */
static int recall_item(const struct build *build, struct inputs *inputs, const char *item,
                       struct error *err)
{
    char path[CATALOGUE_VALUE_MAX];
    int found = 1;
    for (size_t i = 0; found == 1; i++) {
        char *key = note_key(item, i, err);
        found = key ? catalogue_get(build->catalogue, key, path, err) : -1;
        free(key);
        if (found == 1 && add_path(inputs, path, err) < 0)
            return -1;
        if (found == 0 && i == 0)
            return add_path(inputs, item, err);
    }
    return found;
}

int inputs_recall(const struct build *build, struct inputs *inputs, struct error *err)
{
    size_t count = settings_count(build->settings, "input.files");
    for (size_t i = 0; i < count; i++) {
        const char *item = settings_item(build->settings, "input.files", i);
        struct error missing = {0};
        if (find_item(inputs, item, &missing) <= 0 && recall_item(build, inputs, item, err) < 0)
            return -1;
    }
    return 0;
}

static int note(const struct build *build, const char *item, size_t index, const char *path,
                struct error *err)
{
    char *key = note_key(item, index, err);
    int status = key ? catalogue_set(build->catalogue, key, path, err) : -1;
    free(key);
    return status;
}

static int note_item(const struct build *build, const char *item, struct error *err)
{
    struct inputs inputs = {0};
    struct error missing = {0};
    int found = find_item(&inputs, item, &missing), status = 0;
    if (found < 0)
        status = error_set(err, missing.code, "%s", missing.text);
    if (found <= 0) {
        inputs_free(&inputs);
        return status; /* what is missing keeps what was noted before */
    }
    if (inputs.count == 1 && strcmp(inputs.items[0].path, item) == 0)
        inputs_free(&inputs);
    for (size_t i = 0; i < inputs.count && status == 0; i++)
        status = note(build, item, i, inputs.items[i].path, err);
    if (status == 0)
        status = note(build, item, inputs.count, NULL, err); /* the end of the list */
    inputs_free(&inputs);
    return status;
}

int inputs_note(const struct build *build, struct error *err)
{
    size_t count = settings_count(build->settings, "input.files");
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        status = note_item(build, settings_item(build->settings, "input.files", i), err);
    return status;
}
