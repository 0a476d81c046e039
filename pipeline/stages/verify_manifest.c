/* SPDX-License-Identifier: MIT */
/*
 * Verify, second part: do build.db, manifest.json and SHA256SUMS say the same, and is there nothing
 * that they do not list?
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/stages/manifest.h"
#include "pipeline/stages/sums.h"
#include "pipeline/stages/verify_internal.h"

#define WHERE_SIZE 512
#define DEPTH_MAX  8

static void describe(const json_t *value, char out[WHERE_SIZE])
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    (void)snprintf(out, WHERE_SIZE, "%.100s", text ? text : "nothing");
    free(text);
}

static void differ_at(struct verify *verify, const char *where, const json_t *have,
                      const json_t *want)
{
    char was[WHERE_SIZE], is[WHERE_SIZE];
    describe(have, is);
    describe(want, was);
    verify_differs(verify, "manifest.json: %s is %s, and by build.db it is %s", where, is, was);
}

static void compare_json(struct verify *verify, const char *where, const json_t *have,
                         const json_t *want, int depth);

static void compare_objects(struct verify *verify, const char *where, json_t *have, json_t *want,
                            int depth)
{
    const char *key;
    json_t *value;
    char inner[WHERE_SIZE];
    json_object_foreach(want, key, value)
    {
        (void)snprintf(inner, sizeof inner, "%.200s%s%.200s", where, *where ? "." : "", key);
        compare_json(verify, inner, json_object_get(have, key), value, depth + 1);
    }
    json_object_foreach(have, key, value)
    {
        (void)snprintf(inner, sizeof inner, "%.200s%s%.200s", where, *where ? "." : "", key);
        if (!json_object_get(want, key))
            differ_at(verify, inner, value, NULL);
    }
}

/* Says at which places two values differ. Which plymill wrote it is no matter. */
static void compare_json(struct verify *verify, const char *where, const json_t *have,
                         const json_t *want, int depth)
{
    char inner[WHERE_SIZE];
    if (strcmp(where, "plymill") == 0 || json_equal(have, want))
        return;
    if (depth < DEPTH_MAX && json_is_object(have) && json_is_object(want)) {
        compare_objects(verify, where, (json_t *)(uintptr_t)have, (json_t *)(uintptr_t)want, depth);
    } else if (depth < DEPTH_MAX && json_is_array(have) && json_is_array(want) &&
               json_array_size(have) == json_array_size(want)) {
        for (size_t i = 0; i < json_array_size(want); i++) {
            (void)snprintf(inner, sizeof inner, "%.200s[%zu]", where, i);
            compare_json(verify, inner, json_array_get(have, i), json_array_get(want, i),
                         depth + 1);
        }
    } else {
        differ_at(verify, where, have, want);
    }
}

static int check_manifest(struct verify *verify, const char *id, struct error *err)
{
    struct buffer text;
    buffer_init(&text, SUMS_MAX);
    char *path = build_path(verify->build, err, "manifest.json");
    int status = path ? manifest_render(verify->build, id, &text, err) : -1;
    json_error_t fault;
    json_t *have = status == 0 ? json_load_file(path, 0, &fault) : NULL;
    json_t *want = status == 0 ? json_loadb(text.data, text.length, 0, NULL) : NULL;
    if (status == 0 && !want)
        status = error_memory(err);
    else if (status == 0 && !have)
        verify_differs(verify, "manifest.json: line %d: %s", fault.line, fault.text);
    else if (status == 0)
        compare_json(verify, "", have, want, 0);
    json_decref(have);
    json_decref(want);
    buffer_free(&text);
    free(path);
    return status;
}

static int check_id(struct verify *verify, struct error *err)
{
    char id[DIGEST_HEX_SIZE], noted[CATALOGUE_VALUE_MAX] = "none";
    if (manifest_build_id(verify->build, id, err) < 0 ||
        catalogue_get(verify->build->catalogue, "build_id", noted, err) < 0)
        return verify_take(verify, err);
    if (strcmp(id, noted) != 0)
        verify_differs(verify,
                       "the build id of recipe, engine, counts and files is %s, and build.db says "
                       "%s",
                       id, noted);
    return check_manifest(verify, noted, err);
}

static int check_stages(struct verify *verify, struct error *err)
{
    for (int stage = 0; stage < BUILD_STAGES; stage++) {
        int done = build_stage_done(verify->build, (enum build_stage)stage, err);
        if (done < 0 && verify_take(verify, err) < 0)
            return -1;
        if (done == 0) {
            verify_differs(verify,
                           "recipe.toml or its inputs are not those that the stage %s was "
                           "done with",
                           build_stage_names[stage]);
            return 0;
        }
    }
    return 0;
}

/* The lines as they should be against those that are there. */
static void compare_sums(struct verify *verify, const struct buffer *have,
                         const struct buffer *want)
{
    struct sums_line one = {0}, other = {0};
    size_t at = 0, with = 0;
    for (uint64_t number = 1;; number++) {
        int left = sums_next(have, &at, &one), right = sums_next(want, &with, &other);
        bool same =
            left == right &&
            (left <= 0 || (strcmp(one.hex, other.hex) == 0 && strcmp(one.name, other.name) == 0));
        if (!same)
            verify_differs(verify, SUMS_NAME ": line %" PRIu64 " is of %s, and should be of %s",
                           number, left == 1 ? one.name : "nothing",
                           right == 1 ? other.name : "nothing");
        if (!same || left <= 0)
            return;
    }
}

/* report.html is listed when it is there, with what it holds: its bytes were compared before. */
static int check_sums(struct verify *verify, struct error *err)
{
    struct buffer have, want;
    char report[DIGEST_HEX_SIZE];
    buffer_init(&have, SUMS_MAX);
    buffer_init(&want, SUMS_MAX);
    char *path = build_path(verify->build, err, SUMS_NAME);
    char *page = build_path(verify->build, err, SUMS_REPORT);
    int status = path && page ? file_read_all(path, &have, err) : -1;
    bool listed = status == 0 && file_exists(page);
    if (listed)
        status = digest_file(page, report, NULL, err);
    if (status == 0)
        status = sums_render(verify->build, listed ? report : NULL, &want, err);
    if (status == 0 &&
        (have.length != want.length || memcmp(have.data, want.data, have.length) != 0))
        compare_sums(verify, &have, &want);
    free(page);
    free(path);
    buffer_free(&have);
    buffer_free(&want);
    return status;
}

struct search {
    const char *name;
    bool found;
};

static int match_file(void *context, const struct catalogue_file *file, struct error *err)
{
    struct search *search = context;
    (void)err;
    search->found = search->found || strcmp(search->name, file->name) == 0;
    return 0;
}

/* Somebody's notes are no difference; what would be taken for a part of the build is. */
static bool may_be_taken_for_ours(const char *folder, const char *entry)
{
    size_t length = strlen(entry);
    if (strcmp(folder, "shards") == 0)
        return length > 3 && strcmp(entry + length - 3, ".db") == 0;
    for (int split = 0; split < BUILD_SPLITS; split++)
        if (strncmp(entry, build_split_names[split], strlen(build_split_names[split])) == 0)
            return true;
    return false;
}

static int check_entry(struct verify *verify, const char *folder, const char *entry,
                       struct error *err)
{
    char name[CATALOGUE_NAME_MAX + 256];
    if (!may_be_taken_for_ours(folder, entry))
        return 0;
    (void)snprintf(name, sizeof name, "%s/%s", folder, entry);
    struct search search = {.name = name};
    if (catalogue_each_file(verify->build->catalogue, match_file, &search, err) < 0)
        return -1;
    if (!search.found)
        verify_differs(verify, "%s: is no file of this build", name);
    return 0;
}

static int check_folder(struct verify *verify, const char *folder, struct error *err)
{
    char *path = build_path(verify->build, err, "%s", folder);
    if (!path)
        return -1;
    DIR *dir = opendir(path);
    int status = dir ? 0 : error_system(err, errno, "%s", path);
    for (struct dirent *entry; status == 0 && (entry = readdir(dir));)
        status = check_entry(verify, folder, entry->d_name, err);
    if (dir)
        closedir(dir);
    free(path);
    return status;
}

int verify_manifest(struct verify *verify, struct error *err)
{
    static const char *const folders[] = {"shards", "records", "dataset"};
    if (check_stages(verify, err) < 0 || check_id(verify, err) < 0 || check_sums(verify, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (check_folder(verify, folders[i], err) < 0)
            return -1;
    return 0;
}
