/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/codec_file.h"
#include "formats/io/file.h"
#include "pipeline/report/progress.h"
#include "pipeline/stages/sampler.h"
#include "pipeline/stages/select.h"

struct export_stage {
    struct build *build;
    const struct codec *codec;
    struct codec_options options;
    int split;
    int64_t misfits[CODEC_MISFIT_COUNT]; /* records by what became of them */
    struct progress progress;
};

/* Engines of Stockfish's line whose centipawn is a fixed number of internal units. */
static const struct {
    const char *name;
    double scale;
} engine_scales[] = {{"Stockfish 15.1", 3.61}, {"Stockfish 16", 3.28}};

static bool is_engine(const char *name, const char *known)
{
    size_t length = strlen(known);
    return strncmp(name, known, length) == 0 && (name[length] == '\0' || name[length] == ' ');
}

int export_score_scale(const struct settings *settings, const struct codec *codec,
                       const char *engine_name, double *scale, struct error *err)
{
    const char *unit = settings_string(settings, "export.score_unit");
    *scale = 1;
    if (strcmp(unit, "cp") == 0 || (strcmp(unit, "auto") == 0 && !codec->internal_unit))
        return 0;
    if (settings_is_set(settings, "export.score_scale")) {
        *scale = settings_real(settings, "export.score_scale");
        return 0;
    }
    for (size_t i = 0; i < sizeof engine_scales / sizeof engine_scales[0]; i++) {
        if (is_engine(engine_name, engine_scales[i].name)) {
            *scale = engine_scales[i].scale;
            return 0;
        }
    }
    return error_set(err, ERROR_USAGE,
                     "%s wants scores in the engine's internal units, and those of %s are not "
                     "known: give export.score_scale, or export.score_unit = \"cp\"",
                     codec->name, engine_name[0] ? engine_name : "evals out of games");
}

static int engine_name(struct build *build, char name[CATALOGUE_VALUE_MAX], struct error *err)
{
    name[0] = '\0';
    return catalogue_get(build->catalogue, "engine.name", name, err) < 0 ? -1 : 0;
}

int export_check(struct build *build, struct error *err)
{
    char name[CATALOGUE_VALUE_MAX];
    double scale;
    if (engine_name(build, name, err) < 0)
        return -1;
    size_t count = settings_count(build->settings, "export.formats");
    for (size_t i = 0; i < count; i++) {
        const struct codec *codec = codec_find(settings_item(build->settings, "export.formats", i));
        if (codec && export_score_scale(build->settings, codec, name, &scale, err) < 0)
            return -1;
    }
    return 0;
}

static int write_records(struct export_stage *stage, struct record_reader *reader,
                         struct codec_writer *writer, struct error *err)
{
    struct record record;
    int status = 0;
    while (status == 0 && (status = record_reader_next(reader, &record, err)) == 1) {
        enum codec_misfit misfit;
        status = codec_writer_add(writer, &record, &misfit, err);
        if (status == 0)
            status = build_check_stop(stage->build, err);
        progress_update(&stage->progress, codec_writer_count(writer, CODEC_FITS));
    }
    for (int misfit = 0; misfit < CODEC_MISFIT_COUNT; misfit++)
        stage->misfits[misfit] = (int64_t)codec_writer_count(writer, (enum codec_misfit)misfit);
    return status;
}

static int note_file(struct export_stage *stage, const char *name,
                     const struct writer_result *result, struct error *err)
{
    struct catalogue_file row = {.stage = "export",
                                 .content_bytes = (int64_t)result->content_bytes,
                                 .file_bytes = (int64_t)result->file_bytes,
                                 .records = stage->misfits[CODEC_FITS]};
    (void)snprintf(row.name, sizeof row.name, "%s", name);
    memcpy(row.content_sha256, result->content_sha256, sizeof row.content_sha256);
    memcpy(row.file_sha256, result->file_sha256, sizeof row.file_sha256);
    if (catalogue_put_file(stage->build->catalogue, &row, err) < 0)
        return -1;
    for (int misfit = CODEC_FITS + 1; misfit < CODEC_MISFIT_COUNT; misfit++) {
        struct catalogue_count count = {
            .stage = "export", .split = stage->split, .value = stage->misfits[misfit]};
        (void)snprintf(count.name, sizeof count.name, "%s: %s", stage->codec->name,
                       codec_misfit_text((enum codec_misfit)misfit));
        if (count.value > 0 && catalogue_put_count(stage->build->catalogue, &count, err) < 0)
            return -1;
    }
    return 0;
}

static int write_file(struct export_stage *stage, bool zstd, const char *path, const char *name,
                      struct error *err)
{
    struct record_reader *reader = NULL;
    struct codec_writer *writer = NULL;
    struct writer_result result;
    char *records = select_record_path(stage->build, stage->split, err);
    int status = records ? record_reader_open(records, &reader, err) : -1;
    free(records);
    if (status == 0)
        status = codec_writer_create(path, stage->codec, &stage->options, zstd, &writer, err);
    if (status == 0)
        status = write_records(stage, reader, writer, err);
    record_reader_close(reader);
    if (status < 0) {
        codec_writer_discard(writer);
        return -1;
    }
    if (codec_writer_commit(writer, &result, err) < 0)
        return -1;
    return note_file(stage, name, &result, err);
}

static int export_split(struct build *build, const struct codec *codec, int split, double scale,
                        struct error *err)
{
    const struct settings *settings = build->settings;
    struct export_stage stage = {.build = build, .codec = codec, .split = split};
    bool played = strcmp(settings_string(settings, "export.move"), "played") == 0 ||
                  sampler_source_from(settings) == SOURCE_LICHESS_EVAL;
    stage.options.move = played ? CODEC_MOVE_PLAYED : CODEC_MOVE_BEST;
    stage.options.last_exact = strcmp(settings_string(settings, "label.score"), "last-exact") == 0;
    stage.options.score_scale = scale;
    bool zstd = codec->compress && settings_boolean(settings, "export.compress");
    char name[CATALOGUE_NAME_MAX];
    (void)snprintf(name, sizeof name, "dataset/%s%s%s", build_split_names[split], codec->extension,
                   zstd ? ".zst" : "");
    char *path = build_path(build, err, "%s", name);
    if (!path)
        return -1;
    progress_start(&stage.progress, name, 0, 0, build->quiet);
    int status = write_file(&stage, zstd, path, name, err);
    progress_end(&stage.progress, (uint64_t)stage.misfits[CODEC_FITS]);
    free(path);
    return status;
}

static int export_all(struct build *build, struct error *err)
{
    char engine[CATALOGUE_VALUE_MAX];
    size_t count = settings_count(build->settings, "export.formats");
    int status = engine_name(build, engine, err);
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct codec *codec = codec_find(settings_item(build->settings, "export.formats", i));
        double scale = 1;
        if (!codec)
            return error_set(err, ERROR_USAGE, "export.formats: no format %s",
                             settings_item(build->settings, "export.formats", i));
        status = export_score_scale(build->settings, codec, engine, &scale, err);
        for (int split = 0; split < BUILD_SPLITS && status == 0; split++)
            status = export_split(build, codec, split, scale, err);
    }
    return status;
}

int export_run(struct build *build, struct error *err)
{
    int done = build_stage_done(build, BUILD_EXPORT, err);
    if (done != 0)
        return done < 0 ? -1 : 0;
    if (build_stage_need(build, BUILD_SELECT, err) < 0)
        return -1;
    if (export_check(build, err) < 0 || build_stage_forget(build, BUILD_EXPORT, err) < 0 ||
        catalogue_begin(build->catalogue, err) < 0)
        return -1;
    int status = export_all(build, err);
    if (status == 0)
        status = build_stage_finish(build, BUILD_EXPORT, err);
    if (status == 0)
        status = catalogue_commit(build->catalogue, err);
    if (status < 0)
        catalogue_rollback(build->catalogue);
    return status;
}
