/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/codec_file.h"
#include "formats/record.h"
#include "pipeline/stages/export_internal.h"
#include "pipeline/stages/sampler.h"
#include "pipeline/stages/select.h"

static int engine_name(struct build *build, char name[CATALOGUE_VALUE_MAX], struct error *err)
{
    name[0] = '\0';
    return catalogue_get(build->catalogue, "engine.name", name, err) < 0 ? -1 : 0;
}

/* The move that datasets hold: of labels out of Lichess evals no best one is known. */
static enum codec_move chosen_move(const struct settings *settings)
{
    bool played = strcmp(settings_string(settings, "export.move"), "played") == 0 ||
                  sampler_source_from(settings) == SOURCE_LICHESS_EVAL;
    return played ? CODEC_MOVE_PLAYED : CODEC_MOVE_BEST;
}

/* What keeps games from lying in the records one after the other and whole; NULL: nothing. */
static const char *what_breaks_chains(const struct settings *settings)
{
    if (chosen_move(settings) != CODEC_MOVE_PLAYED)
        return "export.move is \"best\"";
    if (settings_integer(settings, "sample.per_game") != 0)
        return "sample.per_game is a number";
    if (strcmp(settings_string(settings, "shuffle.by"), "game") != 0)
        return "shuffle.by is \"record\"";
    return NULL;
}

static int check_chains(const struct settings *settings, const struct codec *codec,
                        struct error *err)
{
    const char *reason = codec->games ? what_breaks_chains(settings) : NULL;
    if (reason == NULL)
        return 0;
    return error_set(err, ERROR_USAGE,
                     "%s holds whole games, move by move: it needs export.move = \"played\", "
                     "sample.per_game = \"all\" and shuffle.by = \"game\"; here %s",
                     codec->name, reason);
}

static const struct codec *codec_at(const struct settings *settings, size_t index,
                                    struct error *err)
{
    const char *name = settings_item(settings, "export.formats", index);
    const struct codec *codec = codec_find(name);
    if (codec == NULL)
        error_set(err, ERROR_USAGE, "export.formats: no format %s", name);
    return codec;
}

int export_check(struct build *build, struct error *err)
{
    char name[CATALOGUE_VALUE_MAX];
    double scale;
    if (engine_name(build, name, err) < 0)
        return -1;
    size_t count = settings_count(build->settings, "export.formats");
    for (size_t i = 0; i < count; i++) {
        const struct codec *codec = codec_at(build->settings, i, err);
        if (codec == NULL || check_chains(build->settings, codec, err) < 0 ||
            export_score_scale(build->settings, codec, name, &scale, err) < 0)
            return -1;
    }
    return 0;
}

/* Under export.strict the first record that does not fit ends it all. */
static int check_strict(const struct export_stage *stage, const struct record *record,
                        enum codec_misfit misfit, struct error *err)
{
    if (!stage->strict || misfit == CODEC_FITS)
        return 0;
    return error_set(err, ERROR_FAILED,
                     "%s: record %" PRIu64 " (game %s, ply %" PRIu32
                     ") does not fit the format %s: %s; without export.strict such records are "
                     "left out and counted",
                     build_split_names[stage->split], stage->taken, record->game_id, record->ply,
                     stage->codec->name, codec_misfit_text(misfit));
}

int export_look_ahead(struct export_stage *stage, struct error *err)
{
    if (stage->has_next)
        return 1;
    int status = record_reader_next(stage->records, &stage->next, err);
    stage->has_next = status == 1;
    return status;
}

bool export_is_full(const struct export_stage *stage, const char *last_game)
{
    if (stage->list.count < stage->per_file)
        return false;
    return !stage->options.chains || strcmp(stage->next.game_id, last_game) != 0;
}

static int write_records(struct export_stage *stage, struct codec_writer *writer, struct error *err)
{
    char last_game[GAMEID_MAX] = "";
    int status;
    while ((status = export_look_ahead(stage, err)) == 1 && !export_is_full(stage, last_game)) {
        enum codec_misfit misfit;
        const struct record *record = &stage->next;
        stage->has_next = false;
        stage->taken++;
        if (codec_writer_add(writer, record, &misfit, err) < 0 ||
            check_strict(stage, record, misfit, err) < 0 ||
            readback_list_add(&stage->list, misfit != CODEC_FITS, err) < 0 ||
            build_check_stop(stage->build, err) < 0)
            return -1;
        stage->misfits[misfit]++;
        memcpy(last_game, record->game_id, sizeof last_game);
        progress_update(&stage->progress, stage->taken);
    }
    return status < 0 ? -1 : 0;
}

static int note_file(struct export_stage *stage, const char *name, uint64_t records,
                     const struct writer_result *result, struct error *err)
{
    struct catalogue_file row = {.stage = "export",
                                 .content_bytes = (int64_t)result->content_bytes,
                                 .file_bytes = (int64_t)result->file_bytes,
                                 .records = (int64_t)records};
    (void)snprintf(row.name, sizeof row.name, "%s", name);
    memcpy(row.content_sha256, result->content_sha256, sizeof row.content_sha256);
    memcpy(row.file_sha256, result->file_sha256, sizeof row.file_sha256);
    return catalogue_put_file(stage->build->catalogue, &row, err);
}

static int note_misfits(struct export_stage *stage, struct error *err)
{
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

static int read_back(struct export_stage *stage, const char *path, struct error *err)
{
    struct readback job = {.path = path,
                           .codec = stage->codec,
                           .options = &stage->options,
                           .list = &stage->list,
                           .records = stage->again,
                           .build = stage->build};
    return readback_file(&job, err);
}

/* The next file, under its final name only when what is in it was read back. */
static int write_file(struct export_stage *stage, const char *path, const char *name,
                      struct error *err)
{
    struct codec_writer *writer;
    struct writer_result result;
    readback_list_clear(&stage->list);
    if (codec_writer_create(path, stage->codec, &stage->options, stage->zstd, &writer, err) < 0)
        return -1;
    if (write_records(stage, writer, err) < 0 || codec_writer_finish(writer, &result, err) < 0 ||
        read_back(stage, codec_writer_path(writer), err) < 0) {
        codec_writer_discard(writer);
        return -1;
    }
    uint64_t records = codec_writer_count(writer, CODEC_FITS);
    if (codec_writer_publish(writer, err) < 0)
        return -1;
    return note_file(stage, name, records, &result, err);
}

void export_name_file(const struct export_stage *stage, unsigned number,
                      char name[CATALOGUE_NAME_MAX])
{
    char suffix[16] = "";
    if (stage->per_file != UINT64_MAX)
        (void)snprintf(suffix, sizeof suffix, "-%04u", number);
    (void)snprintf(name, CATALOGUE_NAME_MAX, "dataset/%s%s%s%s", build_split_names[stage->split],
                   suffix, stage->codec->extension, stage->zstd ? ".zst" : "");
}

/* At least one file, be it empty. */
static int write_files(struct export_stage *stage, struct error *err)
{
    int status;
    unsigned number = 0;
    do {
        char name[CATALOGUE_NAME_MAX];
        export_name_file(stage, number++, name);
        char *path = build_path(stage->build, err, "%s", name);
        status = path != NULL ? write_file(stage, path, name, err) : -1;
        free(path);
    } while (status == 0 && (status = export_look_ahead(stage, err)) == 1);
    return status < 0 ? -1 : note_misfits(stage, err);
}

int export_open_records(struct export_stage *stage, struct error *err)
{
    readback_list_init(&stage->list);
    char *path = select_record_path(stage->build, stage->split, err);
    int status = path != NULL ? record_reader_open(path, &stage->records, err) : -1;
    if (status == 0)
        status = record_reader_open(path, &stage->again, err);
    free(path);
    return status;
}

void export_close_records(struct export_stage *stage)
{
    record_reader_close(stage->records);
    record_reader_close(stage->again);
    readback_list_free(&stage->list);
}

static int export_split(struct export_stage *stage, void *context, struct error *err)
{
    (void)context;
    char label[64];
    (void)snprintf(label, sizeof label, "%s %s", stage->codec->name,
                   build_split_names[stage->split]);
    int status = export_open_records(stage, err);
    if (status == 0) {
        progress_start(&stage->progress, label, 0, record_reader_count(stage->records),
                       stage->build->quiet);
        status = write_files(stage, err);
        progress_end(&stage->progress, stage->taken);
    }
    export_close_records(stage);
    return status;
}

static void init_stage(struct export_stage *stage, struct build *build, const struct codec *codec,
                       double scale)
{
    const struct settings *settings = build->settings;
    bool limited = settings_is_set(settings, "export.positions_per_file");
    *stage = (struct export_stage){.build = build, .codec = codec};
    stage->options = (struct codec_options){
        .move = chosen_move(settings),
        .last_exact = strcmp(settings_string(settings, "label.score"), "last-exact") == 0,
        .score_scale = scale,
        .chains = what_breaks_chains(settings) == NULL};
    stage->zstd = codec->compress && settings_boolean(settings, "export.compress");
    stage->strict = settings_boolean(settings, "export.strict");
    stage->per_file =
        limited ? (uint64_t)settings_integer(settings, "export.positions_per_file") : UINT64_MAX;
}

static int export_format(struct build *build, const struct codec *codec,
                         export_split_function *function, void *context, struct error *err)
{
    char engine[CATALOGUE_VALUE_MAX];
    double scale = 1;
    int status = engine_name(build, engine, err);
    if (status == 0)
        status = export_score_scale(build->settings, codec, engine, &scale, err);
    for (int split = 0; split < BUILD_SPLITS && status == 0; split++) {
        struct export_stage stage;
        init_stage(&stage, build, codec, scale);
        stage.split = split;
        status = function(&stage, context, err);
    }
    return status;
}

int export_each_split(struct build *build, export_split_function *function, void *context,
                      struct error *err)
{
    size_t count = settings_count(build->settings, "export.formats");
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct codec *codec = codec_at(build->settings, i, err);
        status = codec != NULL ? export_format(build, codec, function, context, err) : -1;
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
    int status = export_each_split(build, export_split, NULL, err);
    if (status == 0)
        status = build_stage_finish(build, BUILD_EXPORT, err);
    if (status == 0)
        status = catalogue_commit(build->catalogue, err);
    if (status < 0)
        catalogue_rollback(build->catalogue);
    return status;
}
