/* SPDX-License-Identifier: MIT */
/*
 * Comma-separated values with every field of a record, for people, pandas and DuckDB. One header
 * line, one row a record, LF line ends; no field ever holds a comma, so nothing is quoted.
 *
 *   game_id, ply        empty and 0 where unknown (read from a format without them)
 *   fen                 six fields, X-FEN castling letters
 *   side                w or b, to move
 *   played, best        UCI (castling as king takes rook in Chess960 only), empty for none
 *   score_kind          cp, mate or none; likewise exact_kind
 *   score, exact        as the engine gave it: from the side to move; empty for none
 *   bound               exact, lower or upper
 *   exact_depth, depth, nodes
 *   limit_kind, limit   nodes, depth or none
 *   result              1-0, 0-1, 1/2-1/2 or *
 *   white_elo, black_elo  empty when unknown
 *   source              engine, lichess-eval, pgn-comment or input
 *   white_cp            the score that the dataset uses (final or last exact) in centipawns from
 *                       White's view; empty for mates. The one column that repeats another.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/codec.h"
#include "formats/codec_text.h"
#include "formats/codec_words.h"

#define CSV_NUMBER_MAX 24

enum csv_column {
    COLUMN_GAME_ID,
    COLUMN_PLY,
    COLUMN_FEN,
    COLUMN_SIDE,
    COLUMN_PLAYED,
    COLUMN_BEST,
    COLUMN_SCORE_KIND,
    COLUMN_SCORE,
    COLUMN_BOUND,
    COLUMN_EXACT_KIND,
    COLUMN_EXACT,
    COLUMN_EXACT_DEPTH,
    COLUMN_DEPTH,
    COLUMN_NODES,
    COLUMN_LIMIT_KIND,
    COLUMN_LIMIT,
    COLUMN_RESULT,
    COLUMN_WHITE_ELO,
    COLUMN_BLACK_ELO,
    COLUMN_SOURCE,
    COLUMN_WHITE_CP,
    COLUMN_COUNT
};

static const char csv_header[] =
    "game_id,ply,fen,side,played,best,score_kind,score,bound,exact_kind,exact,exact_depth,depth,"
    "nodes,limit_kind,limit,result,white_elo,black_elo,source,white_cp";

struct csv_decoder {
    bool header_read;
};

static int csv_begin(void *state, struct buffer *out, struct error *err)
{
    (void)state;
    return buffer_printf(out, err, "%s\n", csv_header);
}

static void format_move(uint16_t move, const struct position *position, char out[UCIMOVE_MAX])
{
    out[0] = '\0';
    if (move != MOVE_NONE)
        ucimove_format(move, position->chess960, out);
}

static void format_score(const struct score *score, char out[CSV_NUMBER_MAX])
{
    out[0] = '\0';
    if (score->kind != SCORE_NONE)
        snprintf(out, CSV_NUMBER_MAX, "%" PRId32, score->value);
}

static void format_rating(uint16_t rating, char out[CSV_NUMBER_MAX])
{
    out[0] = '\0';
    if (rating != 0)
        snprintf(out, CSV_NUMBER_MAX, "%u", (unsigned)rating);
}

static void format_white_cp(const struct score *score, const struct position *position,
                            char out[CSV_NUMBER_MAX])
{
    int64_t value;
    out[0] = '\0';
    if (codec_white_cp(score, position, &value))
        snprintf(out, CSV_NUMBER_MAX, "%" PRId64, value);
}

static int encode_label(const struct label *label, struct buffer *out, struct error *err)
{
    char score[CSV_NUMBER_MAX], exact[CSV_NUMBER_MAX];
    format_score(&label->final, score);
    format_score(&label->exact, exact);
    return buffer_printf(out, err, ",%s,%s,%s,%s,%s,%u,%u,%" PRIu64 ",%s,%" PRIu64,
                         codec_words_kind[label->final.kind], score,
                         codec_words_bound[label->bound], codec_words_kind[label->exact.kind],
                         exact, (unsigned)label->exact_depth, (unsigned)label->depth, label->nodes,
                         codec_words_limit[label->limit_kind], label->limit);
}

static int csv_encode(void *state, const struct record *record, const struct codec_options *options,
                      struct buffer *out, enum codec_misfit *misfit, struct error *err)
{
    (void)state;
    const struct position *position = &record->position;
    char fen[FEN_MAX], played[UCIMOVE_MAX], best[UCIMOVE_MAX];
    char white[CSV_NUMBER_MAX], black[CSV_NUMBER_MAX], white_cp[CSV_NUMBER_MAX];
    *misfit = CODEC_FITS;
    fen_format(position, FEN_XFEN, fen);
    format_move(record->played, position, played);
    format_move(record->label.best_move, position, best);
    format_rating(record->white_rating, white);
    format_rating(record->black_rating, black);
    format_white_cp(record_score(record, options->last_exact), position, white_cp);
    if (buffer_printf(out, err, "%s,%" PRIu32 ",%s,%s,%s,%s", record->game_id, record->ply, fen,
                      codec_words_side[position->side], played, best) < 0 ||
        encode_label(&record->label, out, err) < 0)
        return -1;
    return buffer_printf(out, err, ",%s,%s,%s,%s,%s\n", codec_words_result[record->result + 1],
                         white, black, codec_words_source[record->source], white_cp);
}

static int bad_column(enum csv_column column, const struct text_span *fields, struct error *err)
{
    const char *name = csv_header;
    for (unsigned i = 0; i < (unsigned)column; i++)
        name = strchr(name, ',') + 1;
    return error_set(err, ERROR_FAILED, "column %.*s: bad value '%.*s'", (int)strcspn(name, ","),
                     name, text_error_size(fields[column]), fields[column].text);
}

static int split_fields(struct text_span line, struct text_span fields[COLUMN_COUNT],
                        struct error *err)
{
    unsigned count = 0;
    for (;;) {
        const char *comma = line.size > 0 ? memchr(line.text, ',', line.size) : NULL;
        size_t size = comma != NULL ? (size_t)(comma - line.text) : line.size;
        if (count < COLUMN_COUNT)
            fields[count] = (struct text_span){line.text, size};
        count++;
        if (comma == NULL)
            break;
        line.text += size + 1;
        line.size -= size + 1;
    }
    if (count == COLUMN_COUNT)
        return 0;
    return error_set(err, ERROR_FAILED, "%u columns, not %d", count, (int)COLUMN_COUNT);
}

static int read_word(const struct text_span *fields, enum csv_column column,
                     const char *const *words, unsigned *value, struct error *err)
{
    if (codec_words_find(words, fields[column], value))
        return 0;
    return bad_column(column, fields, err);
}

static int read_unsigned(const struct text_span *fields, enum csv_column column, uint64_t max,
                         uint64_t *value, struct error *err)
{
    if (text_to_unsigned(fields[column], max, value))
        return 0;
    return bad_column(column, fields, err);
}

/* A 16-bit number; empty, where that is allowed, is 0. */
static int read_u16(const struct text_span *fields, enum csv_column column, bool empty_allowed,
                    uint16_t *value, struct error *err)
{
    uint64_t number = 0;
    bool empty = fields[column].size == 0 && empty_allowed;
    if (!empty && read_unsigned(fields, column, UINT16_MAX, &number, err) < 0)
        return -1;
    *value = (uint16_t)number;
    return 0;
}

static int read_move(const struct text_span *fields, enum csv_column column,
                     const struct position *position, uint16_t *move, struct error *err)
{
    *move = MOVE_NONE;
    if (fields[column].size > 0 && text_to_move(fields[column], position, move, err) < 0)
        return bad_column(column, fields, err);
    return 0;
}

/* The kind in one column, the value in the next. */
static int read_score(const struct text_span *fields, enum csv_column column, struct score *score,
                      struct error *err)
{
    unsigned kind;
    int64_t value = 0;
    if (read_word(fields, column, codec_words_kind, &kind, err) < 0)
        return -1;
    bool good = kind == SCORE_NONE
                    ? fields[column + 1].size == 0
                    : text_to_integer(fields[column + 1], INT32_MIN, INT32_MAX, &value);
    if (!good)
        return bad_column((enum csv_column)(column + 1), fields, err);
    *score = (struct score){.kind = (uint8_t)kind, .value = (int32_t)value};
    return 0;
}

static int read_game(const struct text_span *fields, struct record *record, struct error *err)
{
    unsigned side, result, source;
    uint64_t ply;
    struct text_span id = fields[COLUMN_GAME_ID];
    if (id.size > 0 && !gameid_is_valid(id.text, id.size))
        return bad_column(COLUMN_GAME_ID, fields, err);
    memcpy(record->game_id, id.text, id.size);
    if (text_to_position(fields[COLUMN_FEN], &record->position, err) < 0)
        return error_prefix(err, "column fen");
    if (read_unsigned(fields, COLUMN_PLY, UINT32_MAX, &ply, err) < 0 ||
        read_word(fields, COLUMN_SIDE, codec_words_side, &side, err) < 0 ||
        read_word(fields, COLUMN_RESULT, codec_words_result, &result, err) < 0 ||
        read_u16(fields, COLUMN_WHITE_ELO, true, &record->white_rating, err) < 0 ||
        read_u16(fields, COLUMN_BLACK_ELO, true, &record->black_rating, err) < 0 ||
        read_word(fields, COLUMN_SOURCE, codec_words_source, &source, err) < 0 ||
        read_move(fields, COLUMN_PLAYED, &record->position, &record->played, err) < 0)
        return -1;
    if (side != record->position.side)
        return bad_column(COLUMN_SIDE, fields, err);
    record->ply = (uint32_t)ply;
    record->result = (int8_t)((int)result - 1);
    record->source = (uint8_t)source;
    return 0;
}

static int read_label(const struct text_span *fields, const struct position *position,
                      struct label *label, struct error *err)
{
    unsigned bound, limit_kind;
    if (read_move(fields, COLUMN_BEST, position, &label->best_move, err) < 0 ||
        read_score(fields, COLUMN_SCORE_KIND, &label->final, err) < 0 ||
        read_word(fields, COLUMN_BOUND, codec_words_bound, &bound, err) < 0 ||
        read_score(fields, COLUMN_EXACT_KIND, &label->exact, err) < 0 ||
        read_u16(fields, COLUMN_EXACT_DEPTH, false, &label->exact_depth, err) < 0 ||
        read_u16(fields, COLUMN_DEPTH, false, &label->depth, err) < 0 ||
        read_unsigned(fields, COLUMN_NODES, UINT64_MAX, &label->nodes, err) < 0 ||
        read_word(fields, COLUMN_LIMIT_KIND, codec_words_limit, &limit_kind, err) < 0 ||
        read_unsigned(fields, COLUMN_LIMIT, UINT64_MAX, &label->limit, err) < 0)
        return -1;
    label->status = LABEL_OK;
    label->bound = (uint8_t)bound;
    label->limit_kind = (uint8_t)limit_kind;
    return 0;
}

/* white_cp must be what either score gives: which one the file uses does not stand in it. */
static int check_white_cp(const struct text_span *fields, const struct record *record,
                          struct error *err)
{
    char final[CSV_NUMBER_MAX], exact[CSV_NUMBER_MAX];
    format_white_cp(&record->label.final, &record->position, final);
    format_white_cp(&record->label.exact, &record->position, exact);
    if (text_equals(fields[COLUMN_WHITE_CP], final) || text_equals(fields[COLUMN_WHITE_CP], exact))
        return 0;
    return bad_column(COLUMN_WHITE_CP, fields, err);
}

static int read_header(struct codec_source *source, struct error *err)
{
    struct text_span line;
    int status = codec_source_line(source, &line, err);
    if (status < 0)
        return -1;
    if (status == 0)
        return error_set(err, ERROR_FAILED, "an empty file: not even a header");
    if (!text_equals(line, csv_header))
        return error_set(err, ERROR_FAILED,
                         "bad header '%.*s': not the columns that plymill writes",
                         text_error_size(line), line.text);
    codec_source_mark(source, codec_source_offset(source));
    return 0;
}

static int csv_decode(void *state, struct codec_source *source, const struct codec_options *options,
                      struct record *record, struct error *err)
{
    struct csv_decoder *decoder = state;
    struct text_span line, fields[COLUMN_COUNT];
    (void)options;
    *record = (struct record){.ply = 0};
    if (!decoder->header_read && read_header(source, err) < 0)
        return -1;
    decoder->header_read = true;
    int status = codec_source_line(source, &line, err);
    if (status != 1)
        return status;
    if (!codec_source_line_ended(source))
        return error_set(err, ERROR_FAILED, "the row does not end in a line end");
    if (split_fields(line, fields, err) < 0 || read_game(fields, record, err) < 0 ||
        read_label(fields, &record->position, &record->label, err) < 0 ||
        check_white_cp(fields, record, err) < 0)
        return -1;
    return 1;
}

const struct codec codec_csv = {
    .name = "csv",
    .extension = ".csv",
    .summary = "every field, one row a record",
    .fields = CODEC_HOLDS_ALL,
    .compress = true,
    .centipawns = true,
    .decoder_size = sizeof(struct csv_decoder),
    .begin = csv_begin,
    .encode = csv_encode,
    .decode = csv_decode,
};
