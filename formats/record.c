/* SPDX-License-Identifier: MIT */
/*
 * See record.h.
 */
#include "formats/record.h"

#include <stdlib.h>
#include <string.h>

#include "formats/chess/movegen.h"
#include "formats/chess/poskey.h"
#include "formats/io/bytes.h"
#include "formats/io/fault.h"
#include "formats/io/reader.h"

#define RECORD_VERSION        1
#define RECORD_RESULT_UNKNOWN 2
#define RECORD_MAGIC          "plymrec\n"
#define RECORD_MAGIC_SIZE     8

/* Offsets in a record; the layout is drawn in record.h. */
enum record_offset {
    AT_POSITION = 0,
    AT_GAME_ID = 36,
    AT_PLAYED = 54,
    AT_PLY = 56,
    AT_RESULT = 60,
    AT_SOURCE = 61,
    AT_WHITE_RATING = 62,
    AT_BLACK_RATING = 64,
    AT_FINAL_KIND = 66,
    AT_FINAL_BOUND = 67,
    AT_FINAL_VALUE = 68,
    AT_EXACT_KIND = 72,
    AT_LIMIT_KIND = 73,
    AT_EXACT_DEPTH = 74,
    AT_EXACT_VALUE = 76,
    AT_BEST_MOVE = 80,
    AT_DEPTH = 82,
    AT_ZERO = 84,
    AT_NODES = 88,
    AT_LIMIT = 96,
    AT_ZERO_END = 104
};

const struct score *record_score(const struct record *record, bool last_exact)
{
    return last_exact ? &record->label.exact : &record->label.final;
}

static void put_game_id(uint8_t *out, const char *game_id)
{
    memcpy(out, game_id, strnlen(game_id, GAMEID_MAX - 1));
}

/* The offsets are those in a record. */
static void put_label(const struct label *label, uint8_t *out)
{
    out[AT_FINAL_KIND] = label->final.kind;
    out[AT_FINAL_BOUND] = label->bound;
    bytes_put_u32(out + AT_FINAL_VALUE, (uint32_t)label->final.value);
    out[AT_EXACT_KIND] = label->exact.kind;
    out[AT_LIMIT_KIND] = label->limit_kind;
    bytes_put_u16(out + AT_EXACT_DEPTH, label->exact_depth);
    bytes_put_u32(out + AT_EXACT_VALUE, (uint32_t)label->exact.value);
    bytes_put_u16(out + AT_BEST_MOVE, label->best_move);
    bytes_put_u16(out + AT_DEPTH, label->depth);
    bytes_put_u64(out + AT_NODES, label->nodes);
    bytes_put_u64(out + AT_LIMIT, label->limit);
}

void record_encode(const struct record *record, uint8_t out[RECORD_SIZE])
{
    memset(out, 0, RECORD_SIZE);
    poskey_pack(&record->position, out + AT_POSITION);
    put_game_id(out + AT_GAME_ID, record->game_id);
    bytes_put_u16(out + AT_PLAYED, record->played);
    bytes_put_u32(out + AT_PLY, record->ply);
    out[AT_RESULT] = (uint8_t)record->result;
    out[AT_SOURCE] = record->source;
    bytes_put_u16(out + AT_WHITE_RATING, record->white_rating);
    bytes_put_u16(out + AT_BLACK_RATING, record->black_rating);
    put_label(&record->label, out);
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* The id and its padding: nothing but zeros behind the first zero, and one at the end. */
static bool get_game_id(const uint8_t *in, char game_id[GAMEID_MAX])
{
    memcpy(game_id, in, GAMEID_MAX);
    size_t length = strnlen(game_id, GAMEID_MAX);
    return gameid_is_valid(game_id, length) && all_zero(in + length, GAMEID_MAX - length);
}

static bool is_score(const struct score *score)
{
    return score->kind <= SCORE_MATE && (score->kind != SCORE_NONE || score->value == 0);
}

static bool is_move_or_none(const struct position *position, uint16_t move)
{
    return move == MOVE_NONE || movegen_is_legal(position, move);
}

static bool label_is_valid(const struct label *label)
{
    return label->bound <= BOUND_UPPER && label->limit_kind <= LIMIT_DEPTH &&
           is_score(&label->final) && is_score(&label->exact);
}

static bool record_is_valid(const struct record *record)
{
    const struct label *label = &record->label;
    return record->result >= -1 && record->result <= RECORD_RESULT_UNKNOWN &&
           record->source <= SOURCE_INPUT && label_is_valid(label) &&
           is_move_or_none(&record->position, label->best_move) &&
           is_move_or_none(&record->position, record->played);
}

static void get_label(const uint8_t *in, struct label *label)
{
    label->status = LABEL_OK;
    label->final.kind = in[AT_FINAL_KIND];
    label->bound = in[AT_FINAL_BOUND];
    label->final.value = (int32_t)bytes_get_u32(in + AT_FINAL_VALUE);
    label->exact.kind = in[AT_EXACT_KIND];
    label->limit_kind = in[AT_LIMIT_KIND];
    label->exact_depth = bytes_get_u16(in + AT_EXACT_DEPTH);
    label->exact.value = (int32_t)bytes_get_u32(in + AT_EXACT_VALUE);
    label->best_move = bytes_get_u16(in + AT_BEST_MOVE);
    label->depth = bytes_get_u16(in + AT_DEPTH);
    label->nodes = bytes_get_u64(in + AT_NODES);
    label->limit = bytes_get_u64(in + AT_LIMIT);
}

int record_decode(const uint8_t in[RECORD_SIZE], struct record *record)
{
    *record = (struct record){.ply = bytes_get_u32(in + AT_PLY)};
    if (poskey_unpack(in + AT_POSITION, &record->position) < 0 ||
        !get_game_id(in + AT_GAME_ID, record->game_id) ||
        !all_zero(in + AT_ZERO, AT_NODES - AT_ZERO) ||
        !all_zero(in + AT_ZERO_END, RECORD_SIZE - AT_ZERO_END))
        return -1;
    record->played = bytes_get_u16(in + AT_PLAYED);
    record->result = (int8_t)in[AT_RESULT];
    record->source = in[AT_SOURCE];
    record->white_rating = bytes_get_u16(in + AT_WHITE_RATING);
    record->black_rating = bytes_get_u16(in + AT_BLACK_RATING);
    get_label(in, &record->label);
    return record_is_valid(record) ? 0 : -1;
}

void record_label_encode(const struct label *label, uint8_t out[RECORD_LABEL_SIZE])
{
    uint8_t record[RECORD_SIZE] = {0};
    put_label(label, record);
    memcpy(out, record + AT_FINAL_KIND, RECORD_LABEL_SIZE);
}

int record_label_decode(const uint8_t in[RECORD_LABEL_SIZE], struct label *label)
{
    uint8_t record[RECORD_SIZE] = {0};
    memcpy(record + AT_FINAL_KIND, in, RECORD_LABEL_SIZE);
    get_label(record, label);
    return label_is_valid(label) ? 0 : -1;
}

int record_header_read(const uint8_t header[RECORD_HEADER_SIZE], uint64_t *count, struct error *err)
{
    if (memcmp(header, RECORD_MAGIC, RECORD_MAGIC_SIZE) != 0)
        return error_set(err, ERROR_FAILED, "no record file");
    if (bytes_get_u32(header + 8) != RECORD_VERSION || bytes_get_u32(header + 12) != RECORD_SIZE ||
        !all_zero(header + 24, RECORD_HEADER_SIZE - 24))
        return error_set(err, ERROR_FAILED, "record file of an unknown version");
    *count = bytes_get_u64(header + 16);
    return 0;
}

struct record_writer {
    struct writer *writer;
    uint64_t promised, added;
};

int record_writer_create(const char *path, uint64_t count, struct record_writer **writer,
                         struct error *err)
{
    *writer = NULL;
    struct record_writer *made = fault_malloc(sizeof *made);
    if (made == NULL)
        return error_memory(err);
    *made = (struct record_writer){.promised = count};
    uint8_t header[RECORD_HEADER_SIZE] = {0};
    memcpy(header, RECORD_MAGIC, RECORD_MAGIC_SIZE);
    bytes_put_u32(header + 8, RECORD_VERSION);
    bytes_put_u32(header + 12, RECORD_SIZE);
    bytes_put_u64(header + 16, count);
    if (writer_create(path, false, &made->writer, err) < 0 ||
        writer_write(made->writer, header, sizeof header, err) < 0) {
        record_writer_discard(made);
        return -1;
    }
    *writer = made;
    return 0;
}

int record_writer_add(struct record_writer *writer, const struct record *record, struct error *err)
{
    uint8_t bytes[RECORD_SIZE];
    record_encode(record, bytes);
    writer->added++;
    return writer_write(writer->writer, bytes, sizeof bytes, err);
}

int record_writer_commit(struct record_writer *writer, struct writer_result *result,
                         struct error *err)
{
    if (writer->added != writer->promised) {
        error_set(err, ERROR_FAILED, "%s: %llu records added where %llu were promised",
                  writer_path(writer->writer), (unsigned long long)writer->added,
                  (unsigned long long)writer->promised);
        record_writer_discard(writer);
        return -1;
    }
    int status = writer_commit(writer->writer, result, err);
    free(writer);
    return status;
}

void record_writer_discard(struct record_writer *writer)
{
    if (writer == NULL)
        return;
    writer_discard(writer->writer);
    free(writer);
}

struct record_reader {
    struct reader *reader;
    uint64_t count, next; /* next: records given out so far */
};

/* Fills data: 1, 0 when the file ends before the first byte, -1 when it ends later. */
static int read_full(struct record_reader *reader, uint8_t *data, size_t size, struct error *err)
{
    size_t total = 0;
    while (total < size) {
        ssize_t got = reader_read(reader->reader, data + total, size - total, err);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        total += (size_t)got;
    }
    if (total == 0)
        return 0;
    if (total < size)
        return error_set(err, ERROR_FAILED, "%s: truncated at byte %llu",
                         reader_path(reader->reader),
                         (unsigned long long)reader_position(reader->reader));
    return 1;
}

static int check_header(struct record_reader *reader, const uint8_t *header, struct error *err)
{
    const char *path = reader_path(reader->reader);
    if (record_header_read(header, &reader->count, err) < 0)
        return error_prefix(err, "%s", path);
    uint64_t size = reader_file_size(reader->reader);
    if (size < RECORD_HEADER_SIZE || (size - RECORD_HEADER_SIZE) % RECORD_SIZE != 0 ||
        (size - RECORD_HEADER_SIZE) / RECORD_SIZE != reader->count)
        return error_set(err, ERROR_FAILED, "%s: %llu bytes do not hold the promised %llu records",
                         path, (unsigned long long)size, (unsigned long long)reader->count);
    return 0;
}

int record_reader_open(const char *path, struct record_reader **reader, struct error *err)
{
    *reader = NULL;
    struct record_reader *made = fault_malloc(sizeof *made);
    if (made == NULL)
        return error_memory(err);
    *made = (struct record_reader){.reader = NULL};
    uint8_t header[RECORD_HEADER_SIZE] = {0};
    if (reader_open(path, false, &made->reader, err) < 0 ||
        read_full(made, header, sizeof header, err) < 0 || check_header(made, header, err) < 0) {
        record_reader_close(made);
        return -1;
    }
    *reader = made;
    return 0;
}

uint64_t record_reader_count(const struct record_reader *reader)
{
    return reader->count;
}

int record_reader_next(struct record_reader *reader, struct record *record, struct error *err)
{
    if (reader->next == reader->count)
        return 0;
    uint8_t bytes[RECORD_SIZE];
    int got = read_full(reader, bytes, sizeof bytes, err);
    if (got < 0)
        return -1;
    reader->next++;
    if (got == 0 || record_decode(bytes, record) < 0)
        return error_set(err, ERROR_FAILED, "%s: record %llu is damaged",
                         reader_path(reader->reader), (unsigned long long)reader->next);
    return 1;
}

int record_reader_rewind(struct record_reader *reader, struct error *err)
{
    struct record_reader *again;
    if (record_reader_open(reader_path(reader->reader), &again, err) < 0)
        return -1;
    struct record_reader old = *reader;
    *reader = *again;
    *again = old;
    record_reader_close(again);
    return 0;
}

void record_reader_close(struct record_reader *reader)
{
    if (reader == NULL)
        return;
    reader_close(reader->reader);
    free(reader);
}
