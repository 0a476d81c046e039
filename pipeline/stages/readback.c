/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/readback.h"

#include <inttypes.h>

#include "formats/codec_compare.h"
#include "formats/codec_file.h"

#define LIST_BYTES_MAX (1u << 30) /* bits for 8.6 thousand million records */

void readback_list_init(struct readback_list *list)
{
    list->count = 0;
    buffer_init(&list->bits, LIST_BYTES_MAX);
}

void readback_list_free(struct readback_list *list)
{
    buffer_free(&list->bits);
}

void readback_list_clear(struct readback_list *list)
{
    list->count = 0;
    buffer_clear(&list->bits);
}

int readback_list_add(struct readback_list *list, bool left_out, struct error *err)
{
    unsigned bit = list->count % 8;
    if (bit == 0 && buffer_append(&list->bits, "", 1, err) < 0)
        return -1;
    if (left_out)
        list->bits.data[list->count / 8] |= (char)(1u << bit);
    list->count++;
    return 0;
}

static bool is_left_out(const struct readback_list *list, uint64_t index)
{
    return (unsigned char)list->bits.data[index / 8] >> index % 8 & 1;
}

/* The next record of the file must be this one. */
static int compare_next(const struct readback *job, struct codec_reader *reader,
                        const struct record *written, struct error *err)
{
    struct record read;
    int status = codec_reader_next(reader, &read, err);
    if (status < 0)
        return error_prefix(err, "reading back");
    uint64_t number = codec_reader_count(reader);
    if (status == 0)
        return error_set(err, ERROR_DIFFERS,
                         "%s: reading back: it ends after %" PRIu64
                         " records, where more were written",
                         job->path, number);
    const char *name = codec_find_difference(written, &read, job->codec->fields, job->options);
    if (name == NULL)
        return 0;
    return error_set(err, ERROR_DIFFERS,
                     "%s: reading back: record %" PRIu64 " (game %s, ply %" PRIu32
                     "): %s is not what was written",
                     job->path, number, written->game_id, written->ply, name);
}

static int compare_all(const struct readback *job, struct codec_reader *reader, struct error *err)
{
    struct record record;
    for (uint64_t i = 0; i < job->list->count; i++) {
        int status = record_reader_next(job->records, &record, err);
        if (status < 0)
            return -1;
        if (status == 0)
            return error_set(err, ERROR_FAILED, "%s: reading back: the records end early",
                             job->path);
        if (!is_left_out(job->list, i) && compare_next(job, reader, &record, err) < 0)
            return -1;
        if (job->build != NULL && build_check_stop(job->build, err) < 0)
            return -1;
    }
    int status = codec_reader_next(reader, &record, err);
    if (status < 0)
        return error_prefix(err, "reading back");
    return status == 0
               ? 0
               : error_set(err, ERROR_DIFFERS,
                           "%s: reading back: it holds more records than were written", job->path);
}

int readback_file(const struct readback *job, struct error *err)
{
    struct codec_reader *reader;
    struct codec_options checked = *job->options;
    checked.validate = true;
    if (codec_reader_open(job->path, job->codec, &checked, &reader, err) < 0)
        return -1;
    int status = compare_all(job, reader, err);
    codec_reader_close(reader);
    return status;
}
