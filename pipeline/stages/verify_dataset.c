/* SPDX-License-Identifier: MIT */
/*
 * Verify, last part: every record is decoded, and every dataset file is decoded and compared with
 * the records that went into it. Which those are is found by encoding them once more, which also
 * gives the bytes that the file must hold.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/codec_file.h"
#include "pipeline/stages/export_internal.h"
#include "pipeline/stages/select.h"
#include "pipeline/stages/verify_internal.h"

#define NOWHERE "/dev/null"

struct lookup {
    const char *name;
    struct catalogue_file row;
    bool found;
};

static int find_row(void *context, const struct catalogue_file *file, struct error *err)
{
    struct lookup *lookup = context;
    (void)err;
    if (strcmp(lookup->name, file->name) == 0) {
        lookup->row = *file;
        lookup->found = true;
    }
    return 0;
}

static int look_up(const struct verify *verify, const char *name, struct lookup *lookup,
                   struct error *err)
{
    *lookup = (struct lookup){.name = name};
    if (catalogue_each_file(verify->build->catalogue, find_row, lookup, err) < 0)
        return -1;
    return lookup->found ? 0
                         : error_set(err, ERROR_DIFFERS, "%s: build.db lists no such file", name);
}

static int read_records(struct verify *verify, int split, uint64_t *count, struct error *err)
{
    struct record_reader *reader = NULL;
    struct record record;
    char *path = select_record_path(verify->build, split, err);
    int status = path ? record_reader_open(path, &reader, err) : -1;
    while (status == 0 && (status = record_reader_next(reader, &record, err)) == 1) {
        ++*count;
        status = verify_check_stop(verify, err);
    }
    record_reader_close(reader);
    free(path);
    return status;
}

static int check_records(struct verify *verify, int split, struct error *err)
{
    struct lookup lookup;
    char name[CATALOGUE_NAME_MAX];
    uint64_t count = 0;
    (void)snprintf(name, sizeof name, "records/%s.rec", build_split_names[split]);
    if (look_up(verify, name, &lookup, err) < 0 || read_records(verify, split, &count, err) < 0)
        return -1;
    verify->counts->records += count;
    if (count != (uint64_t)lookup.row.records)
        return error_set(err, ERROR_DIFFERS,
                         "%s: holds %" PRIu64 " records, and by build.db %" PRId64, name, count,
                         lookup.row.records);
    return 0;
}

int verify_records(struct verify *verify, struct error *err)
{
    for (int split = 0; split < BUILD_SPLITS; split++)
        if (check_records(verify, split, err) < 0 && verify_take(verify, err) < 0)
            return -1;
    return 0;
}

/* The records of the next file, encoded once more: fills the list of what is left out. */
static int encode_again(struct export_stage *stage, struct codec_writer *writer, struct error *err)
{
    char last_game[GAMEID_MAX] = "";
    int status;
    while ((status = export_look_ahead(stage, err)) == 1 && !export_is_full(stage, last_game)) {
        enum codec_misfit misfit;
        stage->has_next = false;
        memcpy(last_game, stage->next.game_id, sizeof last_game);
        if (codec_writer_add(writer, &stage->next, &misfit, err) < 0 ||
            readback_list_add(&stage->list, misfit != CODEC_FITS, err) < 0 ||
            build_check_stop(stage->build, err) < 0)
            return -1;
    }
    return status < 0 ? -1 : 0;
}

static int encode_file(struct export_stage *stage, struct writer_result *result, uint64_t *records,
                       struct error *err)
{
    struct codec_writer *writer;
    readback_list_clear(&stage->list);
    if (codec_writer_create(NOWHERE, stage->codec, &stage->options, false, &writer, err) < 0)
        return -1;
    int status = encode_again(stage, writer, err);
    if (status == 0)
        status = codec_writer_finish(writer, result, err);
    *records = codec_writer_count(writer, CODEC_FITS);
    codec_writer_discard(writer);
    return status;
}

static int check_row(const struct catalogue_file *row, const struct writer_result *result,
                     uint64_t records, struct error *err)
{
    if (records != (uint64_t)row->records)
        return error_set(err, ERROR_DIFFERS,
                         "%s: %" PRIu64 " records go into it, and by build.db it holds %" PRId64,
                         row->name, records, row->records);
    if (strcmp(result->content_sha256, row->content_sha256) != 0)
        return error_set(err, ERROR_DIFFERS,
                         "%s: the records written again have the SHA-256 %s, and by build.db the "
                         "file's content has %s",
                         row->name, result->content_sha256, row->content_sha256);
    return 0;
}

static int check_file(struct verify *verify, struct export_stage *stage, unsigned number,
                      struct error *err)
{
    char name[CATALOGUE_NAME_MAX];
    struct lookup lookup;
    struct writer_result result;
    uint64_t records;
    export_name_file(stage, number, name);
    if (encode_file(stage, &result, &records, err) < 0 || look_up(verify, name, &lookup, err) < 0 ||
        check_row(&lookup.row, &result, records, err) < 0)
        return -1;
    char *path = build_path(verify->build, err, "%s", name);
    struct readback job = {.path = path,
                           .codec = stage->codec,
                           .options = &stage->options,
                           .list = &stage->list,
                           .records = stage->again,
                           .build = stage->build};
    int status = path ? readback_file(&job, err) : -1;
    free(path);
    verify->counts->dataset_files++;
    verify->counts->dataset_records += records;
    return status;
}

static int check_split(struct export_stage *stage, void *context, struct error *err)
{
    struct verify *verify = context;
    unsigned number = 0;
    int status = export_open_records(stage, err);
    if (status == 0) {
        do
            status = check_file(verify, stage, number++, err);
        while (status == 0 && (status = export_look_ahead(stage, err)) == 1);
    }
    export_close_records(stage);
    return status < 0 ? verify_take(verify, err) : 0;
}

int verify_dataset(struct verify *verify, struct error *err)
{
    return export_each_split(verify->build, check_split, verify, err);
}
