/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/manifest.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/codec.h"
#include "formats/io/file.h"
#include "pipeline/stages/export.h"

#define TEXT_MAX (64u << 20)
#define KEY_STAGES                                                                                 \
    (1u << STAGE_SAMPLE | 1u << STAGE_LABEL | 1u << STAGE_SELECT | 1u << STAGE_EXPORT)

static int id_count(void *context, const struct catalogue_count *count, struct error *err)
{
    return buffer_printf(context, err, "count %s %s %d %" PRId64 "\n", count->stage, count->name,
                         count->split, count->value);
}

/* The name without .zst, which is a matter of storage. */
static int id_file(void *context, const struct catalogue_file *file, struct error *err)
{
    if (catalogue_file_is_shard(file))
        return 0;
    size_t length = strlen(file->name);
    if (length > 4 && strcmp(file->name + length - 4, ".zst") == 0)
        length -= 4;
    return buffer_printf(context, err, "file %.*s %s\n", (int)length, file->name,
                         file->content_sha256);
}

static int id_engine(struct build *build, struct buffer *text, struct error *err)
{
    static const char *const keys[] = {"engine.name", "engine.net", "engine.options",
                                       "engine.signature"};
    int status = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && status == 0; i++) {
        char value[CATALOGUE_VALUE_MAX] = "";
        if (catalogue_get(build->catalogue, keys[i], value, err) < 0)
            return -1;
        status = buffer_printf(text, err, "%s %s\n", keys[i], value);
    }
    return status;
}

/* Labels of several engines make another dataset, whichever of them was the last. */
static int id_mixed(struct build *build, struct buffer *text, struct error *err)
{
    char list[CATALOGUE_VALUE_MAX];
    int mixed = catalogue_get(build->catalogue, "label.mixed", list, err);
    return mixed == 1 ? buffer_printf(text, err, "mixed %s\n", list) : mixed;
}

int manifest_build_id(struct build *build, char id[DIGEST_HEX_SIZE], struct error *err)
{
    struct buffer text;
    buffer_init(&text, TEXT_MAX);
    int status = buffer_printf(&text, err, "plymill output %d\n", PLYMILL_OUTPUT_VERSION);
    if (status == 0)
        status = settings_write(build->settings, KEY_STAGES, false, &text, err);
    if (status == 0)
        status = id_engine(build, &text, err);
    if (status == 0)
        status = id_mixed(build, &text, err);
    if (status == 0)
        status = catalogue_each_count(build->catalogue, id_count, &text, err);
    if (status == 0)
        status = catalogue_each_file(build->catalogue, id_file, &text, err);
    if (status == 0) {
        uint8_t digest[DIGEST_SIZE];
        digest_bytes(text.data, text.length, digest);
        digest_to_hex(digest, DIGEST_SIZE, id);
    }
    buffer_free(&text);
    return status;
}

static int json_failed(struct error *err)
{
    return error_set(err, ERROR_FAILED, "cannot write manifest.json: out of memory or bad text");
}

/* A string that may hold bytes which are no UTF-8: they become '?'. */
static json_t *text_json(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = strdup(text);
    for (char *at = copy; at && *at; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

static int add_count(void *context, const struct catalogue_count *count, struct error *err)
{
    json_t *stage = json_object_get(context, count->stage);
    if (!stage) {
        stage = json_object();
        if (json_object_set_new(context, count->stage, stage) < 0)
            return json_failed(err);
    }
    if (count->split == CATALOGUE_SPLIT_NONE)
        return json_object_set_new(stage, count->name, json_integer(count->value)) < 0
                   ? json_failed(err)
                   : 0;
    const char *name = build_split_names[count->split];
    json_t *split = json_object_get(stage, name);
    if (!split) {
        split = json_object();
        if (json_object_set_new(stage, name, split) < 0)
            return json_failed(err);
    }
    return json_object_set_new(split, count->name, json_integer(count->value)) < 0
               ? json_failed(err)
               : 0;
}

static int add_input(void *context, const struct catalogue_input *input, struct error *err)
{
    json_t *row = json_pack("{s:o, s:s, s:I, s:I, s:I, s:I}", "path", text_json(input->path),
                            "sha256", input->sha256, "bytes", (json_int_t)input->bytes, "games",
                            (json_int_t)input->games, "plies", (json_int_t)input->plies, "rejected",
                            (json_int_t)input->rejected);
    return json_array_append_new(context, row) < 0 ? json_failed(err) : 0;
}

/* context: the manifest's arrays of files and of shards. */
struct file_lists {
    json_t *files, *shards;
};

static int add_file(void *context, const struct catalogue_file *file, struct error *err)
{
    const struct file_lists *lists = context;
    json_t *row = json_pack("{s:s, s:I, s:s, s:I, s:s, s:I}", "name", file->name, "records",
                            (json_int_t)file->records, "content_sha256", file->content_sha256,
                            "content_bytes", (json_int_t)file->content_bytes, "file_sha256",
                            file->file_sha256, "file_bytes", (json_int_t)file->file_bytes);
    json_t *list = catalogue_file_is_shard(file) ? lists->shards : lists->files;
    return json_array_append_new(list, row) < 0 ? json_failed(err) : 0;
}

/* null where labels come from the games. */
static json_t *engine_json(struct build *build, struct error *err)
{
    static const char *const keys[] = {"name", "net", "options", "files", "signature"};
    if (strcmp(settings_string(build->settings, "label.source"), "engine") != 0)
        return json_null();
    json_t *engine = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char name[64], value[CATALOGUE_VALUE_MAX] = "";
        (void)snprintf(name, sizeof name, "engine.%s", keys[i]);
        if (catalogue_get(build->catalogue, name, value, err) < 0 ||
            json_object_set_new(engine, keys[i], text_json(value)) < 0) {
            json_decref(engine);
            return NULL;
        }
    }
    return engine;
}

static json_t *number_json(struct build *build, const char *key)
{
    char value[CATALOGUE_VALUE_MAX] = "0";
    (void)catalogue_get(build->catalogue, key, value, NULL);
    return json_integer(strtoll(value, NULL, 10));
}

/* How labels came about; none of it is part of the build id, but "mixed_with". */
static json_t *labels_json(struct build *build)
{
    char list[CATALOGUE_VALUE_MAX], name[CATALOGUE_VALUE_MAX], text[CATALOGUE_VALUE_MAX + 128];
    json_t *labels = json_pack("{s:o, s:o, s:o}", "equal", number_json(build, "label.equal"),
                               "reused", number_json(build, "label.reused"), "audited",
                               number_json(build, "label.audited"));
    if (catalogue_get(build->catalogue, "engine.name", name, NULL) == 1) {
        (void)snprintf(text, sizeof text,
                       "UCI centipawns from the side to move, as %s normalises them; another "
                       "version's are not the same",
                       name);
        json_object_set_new(labels, "scores", text_json(text));
    }
    if (catalogue_get(build->catalogue, "label.mixed", list, NULL) == 1)
        json_object_set_new(labels, "mixed_with", text_json(list));
    return labels;
}

/* Which unit the scores of each exported format are in. */
static json_t *units_json(struct build *build, const char *engine_name, struct error *err)
{
    json_t *units = json_object();
    size_t count = settings_count(build->settings, "export.formats");
    for (size_t i = 0; i < count; i++) {
        const struct codec *codec = codec_find(settings_item(build->settings, "export.formats", i));
        struct export_unit unit;
        if (!codec || export_find_unit(build, codec, engine_name, &unit, err) < 0)
            continue;
        json_t *row =
            json_pack("{s:s, s:f}", "unit", unit.scale == 1 ? "centipawn" : "engine internal",
                      "units_per_centipawn", unit.scale);
        if (unit.fitted != 0)
            json_object_set_new(row, "fitted_sigmoid_scale", json_integer(unit.fitted));
        json_object_set_new(units, codec->name, row);
    }
    return units;
}

static json_t *recipe_json(struct build *build, struct error *err)
{
    struct buffer text;
    buffer_init(&text, TEXT_MAX);
    json_t *value = NULL;
    if (settings_write(build->settings, KEY_STAGES, false, &text, err) == 0)
        value = text_json(text.data);
    buffer_free(&text);
    return value;
}

static json_t *manifest_json(struct build *build, const char *id, struct error *err)
{
    json_t *counts = json_object(), *inputs = json_array();
    struct file_lists lists = {json_array(), json_array()};
    json_t *engine = engine_json(build, err), *recipe = recipe_json(build, err);
    bool failed = !engine || !recipe ||
                  catalogue_each_count(build->catalogue, add_count, counts, err) < 0 ||
                  catalogue_each_input(build->catalogue, add_input, inputs, err) < 0 ||
                  catalogue_each_file(build->catalogue, add_file, &lists, err) < 0;
    if (failed) {
        json_decref(counts);
        json_decref(inputs);
        json_decref(lists.files);
        json_decref(lists.shards);
        json_decref(engine);
        json_decref(recipe);
        return NULL;
    }
    const char *name = json_string_value(json_object_get(engine, "name"));
    json_t *units = units_json(build, name ? name : "", err);
    return json_pack("{s:s, s:i, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "build_id", id,
                     "output_version", PLYMILL_OUTPUT_VERSION, "plymill", PLYMILL_VERSION, "recipe",
                     recipe, "label_source", settings_string(build->settings, "label.source"),
                     "engine", engine, "labels", labels_json(build), "score_units", units, "counts",
                     counts, "inputs", inputs, "files", lists.files, "shards", lists.shards);
}

int manifest_render(struct build *build, const char *id, struct buffer *out, struct error *err)
{
    json_t *manifest = manifest_json(build, id, err);
    if (!manifest)
        return err && err->code ? -1 : json_failed(err);
    char *text = json_dumps(manifest, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(manifest);
    int status = text ? buffer_printf(out, err, "%s\n", text) : json_failed(err);
    free(text);
    return status;
}

static int write_manifest(struct build *build, const char *id, char sha256[DIGEST_HEX_SIZE],
                          struct error *err)
{
    uint8_t digest[DIGEST_SIZE];
    char *path = build_path(build, err, "manifest.json");
    struct buffer out;
    buffer_init(&out, TEXT_MAX);
    int status = path ? manifest_render(build, id, &out, err) : -1;
    if (status == 0)
        status = file_write_all(path, out.data, out.length, err);
    if (status == 0) {
        digest_bytes(out.data, out.length, digest);
        digest_to_hex(digest, DIGEST_SIZE, sha256);
    }
    buffer_free(&out);
    free(path);
    return status;
}

/* Is it there, and of this build? */
static int is_written(struct build *build, const char *id, struct error *err)
{
    char have[CATALOGUE_VALUE_MAX], digest[CATALOGUE_VALUE_MAX];
    int found = catalogue_get(build->catalogue, "build_id", have, err);
    int noted = catalogue_get(build->catalogue, BUILD_MANIFEST_DIGEST, digest, err);
    if (found < 0 || noted < 0)
        return -1;
    char *path = build_path(build, err, "manifest.json");
    if (!path)
        return -1;
    bool same = found && noted && strcmp(have, id) == 0 && file_exists(path);
    free(path);
    return same;
}

static int note_written(struct build *build, const char *id, const char *sha256, struct error *err)
{
    if (catalogue_begin(build->catalogue, err) == 0 &&
        catalogue_set(build->catalogue, "build_id", id, err) == 0 &&
        catalogue_set(build->catalogue, BUILD_MANIFEST_DIGEST, sha256, err) == 0 &&
        catalogue_commit(build->catalogue, err) == 0)
        return 0;
    catalogue_rollback(build->catalogue);
    return -1;
}

int manifest_run(struct build *build, struct error *err)
{
    char id[DIGEST_HEX_SIZE], sha256[DIGEST_HEX_SIZE];
    for (int stage = 0; stage < BUILD_STAGES; stage++) {
        int done = build_stage_done(build, (enum build_stage)stage, err);
        if (done <= 0)
            return done;
    }
    int written = manifest_build_id(build, id, err) < 0 ? -1 : is_written(build, id, err);
    if (written != 0)
        return written < 0 ? -1 : 0;
    return write_manifest(build, id, sha256, err) < 0 ? -1 : note_written(build, id, sha256, err);
}
