/* SPDX-License-Identifier: MIT */
/*
 * The third part of the stage select: record files, quarantine.tsv, counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/io/file.h"
#include "pipeline/stages/select_internal.h"
#include "pipeline/stages/select_item.h"

char *select_record_path(const struct build *build, int split, struct error *err)
{
    return build_path(build, err, "records/%s.rec", build_split_names[split]);
}

static int note_file(struct select_stage *stage, int split, const struct writer_result *result,
                     struct error *err)
{
    struct catalogue_file row = {.stage = "select",
                                 .content_bytes = (int64_t)result->content_bytes,
                                 .file_bytes = (int64_t)result->file_bytes,
                                 .records = stage->fates[split][FATE_KEPT]};
    (void)snprintf(row.name, sizeof row.name, "records/%s.rec", build_split_names[split]);
    memcpy(row.content_sha256, result->content_sha256, sizeof row.content_sha256);
    memcpy(row.file_sha256, result->file_sha256, sizeof row.file_sha256);
    return catalogue_put_file(stage->build->catalogue, &row, err);
}

/* The next record of the shuffle, which must be of that split. */
static int next_record(struct select_stage *stage, int split, struct record *record,
                       struct error *err)
{
    struct extsort_item item = {0};
    uint8_t encoded[RECORD_SIZE];
    int status = build_check_stop(stage->build, err);
    if (status == 0)
        status = extsort_next(stage->shuffled, &item, err);
    if (status < 0)
        return -1;
    if (status == 0 || item.key_size != SELECT_SHUFFLE_KEY_SIZE || item.key[0] != split ||
        select_untrim(item.data, item.data_size, encoded) < 0 || record_decode(encoded, record) < 0)
        return select_damaged(err);
    return 0;
}

/* Takes the records of one split from the front of the shuffle. */
static int write_split(struct select_stage *stage, int split, struct error *err)
{
    struct record_writer *writer = NULL;
    struct writer_result result;
    char *path = select_record_path(stage->build, split, err);
    uint64_t count = (uint64_t)stage->fates[split][FATE_KEPT];
    int status = path ? record_writer_create(path, count, &writer, err) : -1;
    free(path);
    for (uint64_t i = 0; i < count && status == 0; i++) {
        struct record record;
        status = next_record(stage, split, &record, err);
        if (status == 0)
            status = record_writer_add(writer, &record, err);
    }
    if (status < 0) {
        record_writer_discard(writer);
        return -1;
    }
    if (record_writer_commit(writer, &result, err) < 0)
        return -1;
    return note_file(stage, split, &result, err);
}

int select_write_records(struct select_stage *stage, struct error *err)
{
    int status = 0;
    for (int split = 0; split < BUILD_SPLITS && status == 0; split++)
        status = write_split(stage, split, err);
    return status;
}

static int put_count(struct select_stage *stage, const char *name, int split, int64_t value,
                     struct error *err)
{
    struct catalogue_count row = {.stage = "select", .split = split, .value = value};
    (void)snprintf(row.name, sizeof row.name, "%s", name);
    return catalogue_put_count(stage->build->catalogue, &row, err);
}

static int put_fates(struct select_stage *stage, struct error *err)
{
    int64_t sum = 0;
    for (int split = 0; split < BUILD_SPLITS; split++) {
        for (int fate = 0; fate < FATE_COUNT; fate++) {
            int64_t value = stage->fates[split][fate];
            sum += value;
            if (put_count(stage, fate_text((enum fate)fate), split, value, err) < 0)
                return -1;
        }
    }
    if (sum != stage->samples)
        return error_set(err, ERROR_FAILED,
                         "fates add up to %" PRId64 ", not to the %" PRId64 " samples", sum,
                         stage->samples);
    return 0;
}

static int put_repeats(struct select_stage *stage, bool after, const struct repeat_counts *counts,
                       struct error *err)
{
    int status = 0;
    for (int key = 0; key < REPEAT_KEYS && status == 0; key++) {
        char name[REPEATS_NAME_SIZE];
        repeats_name((enum repeat_key)key, after, false, name);
        status = put_count(stage, name, CATALOGUE_SPLIT_NONE, counts->shared[key], err);
        repeats_name((enum repeat_key)key, after, true, name);
        for (int split = 0; split < BUILD_SPLITS && status == 0; split++)
            status = put_count(stage, name, split, counts->each[key][split], err);
    }
    return status;
}

int select_put_counts(struct select_stage *stage, struct error *err)
{
    if (put_fates(stage, err) < 0 || put_repeats(stage, false, &stage->before, err) < 0)
        return -1;
    return put_repeats(stage, true, &stage->after, err);
}

/* What stands in a path or comes from an engine may hold what ends a column or a line. */
static void make_column(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = '?';
}

static int put_reject_line(void *context, const struct catalogue_reject *row, struct error *err)
{
    struct catalogue_reject clean = *row, *reject = &clean;
    make_column(reject->path);
    return writer_printf(context, err, "game\t%s:%" PRId64 "\t%" PRId64 "\t%s\t%s\n", reject->path,
                         reject->game, reject->ply, reject->reason, reject->text);
}

int select_begin_quarantine(struct select_stage *stage, struct error *err)
{
    char *path = build_path(stage->build, err, "quarantine.tsv");
    int status = path ? writer_create(path, false, &stage->quarantine, err) : -1;
    free(path);
    if (status == 0)
        status = writer_printf(stage->quarantine, err, "kind\twhere\tply\treason\ttext\n");
    if (status == 0)
        status =
            catalogue_each_reject(stage->build->catalogue, put_reject_line, stage->quarantine, err);
    return status;
}

int select_note_failure(struct select_stage *stage, const char *game_id, uint32_t ply,
                        const struct position *position, const char *reason, struct error *err)
{
    char fen[FEN_MAX], clean[256];
    fen_format(position, FEN_XFEN, fen);
    (void)snprintf(clean, sizeof clean, "%s", reason);
    make_column(clean);
    return writer_printf(stage->quarantine, err, "position\t%s\t%" PRIu32 "\t%s\t%s\n", game_id,
                         ply, clean, fen);
}

int select_end_quarantine(struct select_stage *stage, struct error *err)
{
    struct writer *writer = stage->quarantine;
    struct writer_result result;
    stage->quarantine = NULL;
    if (writer_commit(writer, &result, err) < 0)
        return -1;
    return catalogue_set(stage->build->catalogue, BUILD_QUARANTINE_DIGEST, result.file_sha256, err);
}
