/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/build.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/io/buffer.h"
#include "formats/io/file.h"
#include "pipeline/recipe/shell_quote.h"
#include "pipeline/recipe/toml.h"
#include "pipeline/stages/clean.h"
#include "pipeline/stages/inputs.h"
#include "pipeline/stages/moved.h"

#define KEY_TEXT_MAX (16u << 20)

const char *const build_split_names[BUILD_SPLITS] = {"train", "validation", "test"};
const char *const build_stage_names[BUILD_STAGES] = {"sample", "label", "select", "export"};

static const char *const folders[] = {"shards", "records", "dataset"};

char *build_path(const struct build *build, struct error *err, const char *format, ...)
{
    char name[512];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(name, sizeof name, format, list);
    va_end(list);
    if (length < 0 || (size_t)length >= sizeof name) {
        error_set(err, ERROR_FAILED, "a file name is too long");
        return NULL;
    }
    return file_join(build->directory, name, err);
}

char *build_samples_path(const struct build *build, unsigned shard, struct error *err)
{
    return build_path(build, err, "shards/%04u.samples.db", shard);
}

char *build_labels_path(const struct build *build, unsigned shard, struct error *err)
{
    return build_path(build, err, "shards/%04u.labels.db", shard);
}

int build_note_shard(struct build *build, enum build_stage stage, unsigned shard, int64_t rows,
                     struct error *err)
{
    struct catalogue_file file = {.records = rows};
    uint64_t bytes = 0;
    (void)snprintf(file.stage, sizeof file.stage, "%s", build_stage_names[stage]);
    (void)snprintf(file.name, sizeof file.name, "shards/%04u.%s.db", shard,
                   stage == BUILD_SAMPLE ? "samples" : "labels");
    char *path = build_path(build, err, "%s", file.name);
    int status = path ? digest_file(path, file.file_sha256, &bytes, err) : -1;
    free(path);
    if (status < 0)
        return -1;
    memcpy(file.content_sha256, file.file_sha256, sizeof file.content_sha256);
    file.content_bytes = file.file_bytes = (int64_t)bytes;
    return catalogue_put_file(build->catalogue, &file, err);
}

static int lock_directory(struct build *build, struct error *err)
{
    char *path = build_path(build, err, "build.lock");
    if (!path)
        return -1;
    int status = 0;
    build->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (build->lock_fd < 0)
        status = error_system(err, errno, "%s", path);
    else if (flock(build->lock_fd, LOCK_EX | LOCK_NB) != 0)
        status = error_set(err, ERROR_RETRY,
                           "%s: another plymill works on this build; try again when it is done",
                           build->directory);
    free(path);
    return status;
}

/* A folder that holds something but no build.db is somebody else's. */
static int check_foreign(const char *directory, enum build_mode mode, struct error *err)
{
    DIR *dir = opendir(directory);
    if (!dir)
        return error_system(err, errno, "%s", directory);
    bool other = false, ours = false;
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (strcmp(name, "build.db") == 0 || strcmp(name, "build.lock") == 0)
            ours = true;
        else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            other = true;
    }
    closedir(dir);
    if (other && !ours)
        return error_set(err, ERROR_FAILED,
                         "%s: is not empty and no build directory; name a%s directory", directory,
                         mode == BUILD_CREATE || mode == BUILD_PLAN ? " new" : " build");
    return 0;
}

static int prepare_directory(struct build *build, enum build_mode mode, struct error *err)
{
    const char *directory = build->directory;
    struct stat status;
    if (stat(directory, &status) == 0) {
        if (!S_ISDIR(status.st_mode))
            return error_set(err, ERROR_FAILED, "%s: is a file, not a directory", directory);
        return check_foreign(directory, mode, err);
    }
    if (errno != ENOENT)
        return error_system(err, errno, "%s", directory);
    if (mode != BUILD_CREATE)
        return error_set(err, ERROR_FAILED, "%s: no such build directory", directory);
    build->created = true;
    return file_make_directory(directory, err);
}

static int make_folders(struct build *build, struct error *err)
{
    int status = clean_rests(build->directory, err);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && status == 0; i++) {
        char *path = build_path(build, err, "%s", folders[i]);
        status = path ? file_make_directory(path, err) : -1;
        if (status == 0)
            status = clean_rests(path, err);
        free(path);
    }
    return status;
}

/* The directory's own recipe with what was given explicitly over it. */
static int load_own_recipe(struct build *build, struct error *err)
{
    char *path = build_path(build, err, "recipe.toml");
    struct settings *own = settings_new();
    int status = -1;
    if (!path || !own)
        error_memory(err);
    else if (!file_exists(path))
        error_set(err, ERROR_FAILED,
                  "%s: no recipe.toml, so no build directory; make one with: plymill build RECIPE "
                  "-o %s",
                  build->directory, build->directory);
    else if (settings_load(own, path, err) == 0 && settings_merge(own, build->settings, err) == 0)
        status = 0;
    free(path);
    if (status == 0) {
        settings_free(build->settings);
        build->settings = own;
    } else {
        settings_free(own);
    }
    return status;
}

int build_save_recipe(struct build *build, struct error *err)
{
    struct buffer text, old;
    buffer_init(&text, TOML_FILE_MAX);
    buffer_init(&old, TOML_FILE_MAX);
    char *path = build_path(build, err, "recipe.toml");
    int status = -1;
    if (!path || settings_write(build->settings, ~0u, false, &text, err) < 0)
        goto out;
    bool same = file_exists(path) && file_read_all(path, &old, err) == 0 &&
                old.length == text.length && memcmp(old.data, text.data, text.length) == 0;
    status = same ? 0 : file_write_all(path, text.data, text.length, err);
out:
    free(path);
    buffer_free(&text);
    buffer_free(&old);
    return status;
}

/* A new build has its recipe at once, so that its directory alone is enough to go on. */
static int save_first_recipe(struct build *build, struct error *err)
{
    char *path = build_path(build, err, "recipe.toml");
    int status = -1;
    if (path)
        status = file_exists(path) ? 0 : build_save_recipe(build, err);
    free(path);
    return status;
}

/* The number of shards is fixed when a build begins. */
static int fix_shards(struct build *build, bool look, struct error *err)
{
    char value[CATALOGUE_VALUE_MAX], wanted[32];
    (void)snprintf(wanted, sizeof wanted, "%" PRId64,
                   settings_integer(build->settings, "build.shards"));
    int found = catalogue_get(build->catalogue, "shards", value, err);
    if (found < 0)
        return -1;
    if (found && strcmp(value, wanted) != 0) {
        if (strcmp(settings_origin(build->settings, "build.shards"), "default") != 0)
            return error_set(err, ERROR_USAGE,
                             "%s: this build began with %s shards, which cannot be changed to %s",
                             build->directory, value, wanted);
        if (settings_set(build->settings, "build.shards", value, "default", err) < 0)
            return -1;
    }
    if (!found && !look && catalogue_set(build->catalogue, "shards", wanted, err) < 0)
        return -1;
    build->shards = (unsigned)settings_integer(build->settings, "build.shards");
    return 0;
}

static int open_catalogue(struct build *build, bool read_only, struct error *err)
{
    char *path = build_path(build, err, "build.db");
    int status = -1;
    uint64_t size = 0;
    if (path && read_only && (file_size(path, &size, NULL) < 0 || size == 0))
        error_set(err, ERROR_FAILED, "%s: no build.db: nothing was built here yet",
                  build->directory);
    else if (path)
        status = catalogue_open(path, read_only, &build->catalogue, err);
    free(path);
    return status;
}

static int open_all(struct build *build, enum build_mode mode, struct error *err)
{
    if (prepare_directory(build, mode, err) < 0)
        return -1;
    bool own_recipe = mode == BUILD_RESUME || mode == BUILD_LOOK || mode == BUILD_TASK;
    if (own_recipe && load_own_recipe(build, err) < 0)
        return -1;
    if (mode == BUILD_TASK) {
        build->shards = (unsigned)settings_integer(build->settings, "build.shards");
        return 0;
    }
    if (mode == BUILD_LOOK || mode == BUILD_PLAN)
        return open_catalogue(build, true, err) < 0 ? -1 : fix_shards(build, true, err);
    if (lock_directory(build, err) < 0 || make_folders(build, err) < 0 ||
        open_catalogue(build, false, err) < 0 || fix_shards(build, false, err) < 0 ||
        moved_note(build, err) < 0)
        return -1;
    return save_first_recipe(build, err);
}

int build_open(const char *directory, enum build_mode mode, struct settings *settings,
               struct build **out, struct error *err)
{
    struct build *build = calloc(1, sizeof *build);
    if (!build)
        return error_memory(err);
    build->lock_fd = -1;
    build->directory = strdup(directory);
    build->shell_name = shell_quote(directory);
    build->settings = settings_new();
    if (!build->directory || !build->shell_name || !build->settings)
        error_memory(err);
    else if (settings_merge(build->settings, settings, err) == 0 &&
             open_all(build, mode, err) == 0) {
        settings_free(settings);
        *out = build;
        return 0;
    }
    build_close(build);
    return -1;
}

void build_close(struct build *build)
{
    if (!build)
        return;
    catalogue_close(build->catalogue);
    moved_free(build->moved);
    if (build->lock_fd >= 0)
        close(build->lock_fd);
    settings_free(build->settings);
    free(build->shell_name);
    free(build->directory);
    free(build);
}

void build_discard_blank(struct build *build)
{
    static const char *const files[] = {"recipe.toml", "build.db", "build.lock"};
    bool blank = build->created;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && blank; i++) {
        char *path = build_path(build, NULL, "%s", folders[i]);
        blank = path && rmdir(path) == 0;
        free(path);
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0] && blank; i++) {
        char *path = build_path(build, NULL, "%s", files[i]);
        blank = path && file_remove(path, NULL) == 0;
        free(path);
    }
    if (blank)
        (void)rmdir(build->directory);
}

static const char *known_path(const struct input_path *input)
{
    return input->known_as ? input->known_as : input->path;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(known_path(a), known_path(b));
}

static int append_meta(struct build *build, const char *key, struct buffer *text, struct error *err)
{
    char value[CATALOGUE_VALUE_MAX] = "";
    if (catalogue_get(build->catalogue, key, value, err) < 0)
        return -1;
    return buffer_printf(text, err, "%s %s\n", key, value);
}

/* An input's size as it is, or as it was when it was read if it is no longer there. */
static int append_input(struct build *build, const struct input_path *input, struct buffer *text,
                        struct error *err)
{
    char key[CATALOGUE_VALUE_MAX + 32];
    uint64_t size;
    if (!file_exists(input->path)) {
        (void)snprintf(key, sizeof key, BUILD_INPUT_SIZE "%s", known_path(input));
        return append_meta(build, key, text, err);
    }
    if (file_size(input->path, &size, err) < 0)
        return -1;
    return buffer_printf(text, err, BUILD_INPUT_SIZE "%s %" PRIu64 "\n", known_path(input), size);
}

/*
 * Paths and sizes of the inputs as they were sampled, in an order that does not depend on how they
 * were given.
 */
static int append_inputs(struct build *build, struct buffer *text, struct error *err)
{
    struct inputs inputs = {0};
    int status = inputs_recall(build, &inputs, err);
    if (status == 0)
        status = moved_trace(build, &inputs, err);
    if (status == 0 && inputs.count > 0)
        qsort(inputs.items, inputs.count, sizeof *inputs.items, compare_paths);
    for (size_t i = 0; i < inputs.count && status == 0; i++)
        status = append_input(build, &inputs.items[i], text, err);
    inputs_free(&inputs);
    return status;
}

static int append_sample(struct build *build, struct buffer *text, struct error *err)
{
    if (buffer_printf(text, err, "shards %u seed %" PRId64 "\n", build->shards,
                      settings_integer(build->settings, "build.shard_seed")) < 0)
        return -1;
    return append_inputs(build, text, err);
}

static int append_engine(struct build *build, struct buffer *text, struct error *err)
{
    static const char *const keys[] = {"engine.name", "engine.net", "engine.options",
                                       "engine.signature"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (append_meta(build, keys[i], text, err) < 0)
            return -1;
    return 0;
}

int build_stage_key(struct build *build, enum build_stage stage, char key[DIGEST_HEX_SIZE],
                    struct error *err)
{
    static const unsigned stages[] = {STAGE_SAMPLE, STAGE_LABEL, STAGE_SELECT, STAGE_EXPORT};
    struct buffer text;
    buffer_init(&text, KEY_TEXT_MAX);
    int status = 0;
    for (int i = 0; i <= (int)stage && status == 0; i++) {
        status = settings_write(build->settings, 1u << stages[i], false, &text, err);
        if (status == 0 && i == BUILD_SAMPLE)
            status = append_sample(build, &text, err);
        if (status == 0 && i == BUILD_LABEL)
            status = append_engine(build, &text, err);
    }
    if (status == 0) {
        uint8_t digest[DIGEST_SIZE];
        digest_bytes(text.data, text.length, digest);
        digest_to_hex(digest, DIGEST_SIZE, key);
    }
    buffer_free(&text);
    return status;
}

struct check {
    struct build *build;
    const char *stage;
    bool whole;
};

static int check_file(void *context, const struct catalogue_file *file, struct error *err)
{
    struct check *check = context;
    if (strcmp(file->stage, check->stage) != 0)
        return 0;
    uint64_t size = 0;
    char *path = build_path(check->build, err, "%s", file->name);
    if (!path)
        return -1;
    bool there = file_exists(path) && file_size(path, &size, NULL) == 0;
    bool whole = there && size == (uint64_t)file->file_bytes;
    check->whole = check->whole && whole;
    int status = 0;
    if (there && !whole && catalogue_file_is_shard(file))
        status = error_set(err, ERROR_FAILED,
                           "%s: is damaged (%" PRIu64 " bytes, not %" PRId64
                           "); remove it, and it is made again",
                           path, size, file->file_bytes);
    free(path);
    return status;
}

static int check_shard(void *context, const struct catalogue_shard *shard, struct error *err)
{
    struct check *check = context;
    bool labels = strcmp(check->stage, "label") == 0;
    char *path = labels ? build_labels_path(check->build, (unsigned)shard->id, err)
                        : build_samples_path(check->build, (unsigned)shard->id, err);
    if (!path)
        return -1;
    if ((labels && shard->labels < 0) || !file_exists(path))
        check->whole = false;
    free(path);
    return 0;
}

/* quarantine.tsv names inputs by their paths, so it is no file of the catalogue and the build id.
 */
static int check_quarantine(struct check *check, struct error *err)
{
    char *path = build_path(check->build, err, "quarantine.tsv");
    if (!path)
        return -1;
    check->whole = check->whole && file_exists(path);
    free(path);
    return 0;
}

int build_stage_done(struct build *build, enum build_stage stage, struct error *err)
{
    char name[64], have[CATALOGUE_VALUE_MAX], want[DIGEST_HEX_SIZE];
    (void)snprintf(name, sizeof name, "stage.%s", build_stage_names[stage]);
    int found = catalogue_get(build->catalogue, name, have, err);
    if (found <= 0)
        return found;
    if (build_stage_key(build, stage, want, err) < 0)
        return -1;
    if (strcmp(have, want) != 0)
        return 0;
    struct check check = {build, build_stage_names[stage], true};
    if (stage <= BUILD_LABEL &&
        catalogue_each_shard(build->catalogue, check_shard, &check, err) < 0)
        return -1;
    if (catalogue_each_file(build->catalogue, check_file, &check, err) < 0 ||
        (stage == BUILD_SELECT && check_quarantine(&check, err) < 0))
        return -1;
    return check.whole;
}

int build_stage_need(struct build *build, enum build_stage stage, struct error *err)
{
    static const char *const words[] = {"not sampled yet", "not all positions are labeled yet",
                                        "no records yet", "no dataset yet"};
    int done = build_stage_done(build, stage, err);
    if (done != 0)
        return done < 0 ? -1 : 0;
    return error_set(err, ERROR_FAILED, "%s: %s; run: plymill %s %s", build->directory,
                     words[stage], build_stage_names[stage], build->shell_name);
}

int build_stage_finish(struct build *build, enum build_stage stage, struct error *err)
{
    char name[64], key[DIGEST_HEX_SIZE];
    (void)snprintf(name, sizeof name, "stage.%s", build_stage_names[stage]);
    if (build_stage_key(build, stage, key, err) < 0)
        return -1;
    return catalogue_set(build->catalogue, name, key, err);
}

int build_stage_forget(struct build *build, enum build_stage stage, struct error *err)
{
    if (clean_outputs(build, stage, err) < 0 || build_save_recipe(build, err) < 0 ||
        catalogue_begin(build->catalogue, err) < 0)
        return -1;
    int status = catalogue_set(build->catalogue, "build_id", NULL, err);
    for (int i = (int)stage; i < BUILD_STAGES && status == 0; i++)
        status = catalogue_forget(build->catalogue, build_stage_names[i], err);
    if (status == 0 && catalogue_commit(build->catalogue, err) == 0)
        return 0;
    catalogue_rollback(build->catalogue);
    return -1;
}

int build_check_stop(const struct build *build, struct error *err)
{
    if (!build->stop || !*build->stop)
        return 0;
    return error_set(err, ERROR_RETRY, "stopped by a signal");
}
