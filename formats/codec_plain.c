/* SPDX-License-Identifier: MIT */
/*
 * The `.plain` text format, which Stockfish's data tools and nnue-pytorch read:
 *
 *   fen <FEN, six fields, X-FEN castling letters>
 *   move <UCI; castling is the king's two squares (e1g1), king takes rook in Chess960>
 *   score <integer, -32767 .. 32767 but not +-32002, from the side to move>
 *   ply <half-moves from the start of the game, 0 .. 65535>
 *   result <1 the side to move wins, 0, -1>
 *   e
 *
 * The field widths are those of the binary formats that such files are converted into, whose tools
 * wrap without a word. 32002 means "no score" to them, and they skip the position. Their reader
 * takes a missing key from the record before; ours refuses the record.
 */
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/codec.h"
#include "formats/codec_text.h"

#define PLAIN_PLY_MAX   UINT16_MAX
#define PLAIN_VALUE_MAX 128 /* no value that can be right is longer */

enum plain_key { KEY_FEN, KEY_MOVE, KEY_SCORE, KEY_PLY, KEY_RESULT, KEY_COUNT };

static const char *const plain_keys[KEY_COUNT] = {"fen", "move", "score", "ply", "result"};

struct plain_values {
    char text[KEY_COUNT][PLAIN_VALUE_MAX];
    struct text_span span[KEY_COUNT]; /* into text; NULL: not seen yet */
};

static enum codec_misfit find_misfit(const struct record *record, uint16_t move)
{
    if (!codec_result_is_known(record))
        return CODEC_NO_RESULT;
    if (move == MOVE_NONE)
        return CODEC_NO_MOVE;
    return record->ply > PLAIN_PLY_MAX ? CODEC_PLY_RANGE : CODEC_FITS;
}

static int plain_encode(void *state, const struct record *record,
                        const struct codec_options *options, struct buffer *out,
                        enum codec_misfit *misfit, struct error *err)
{
    const struct position *position = &record->position;
    uint16_t move = codec_chosen_move(record, options);
    long score = 0;
    (void)state;
    *misfit = find_misfit(record, move);
    if (*misfit == CODEC_FITS)
        *misfit = codec_sfen_score(record, options, &score);
    if (*misfit != CODEC_FITS)
        return 0;
    char fen[FEN_MAX], uci[UCIMOVE_MAX];
    fen_format(position, FEN_XFEN, fen);
    ucimove_format(move, position->chess960, uci);
    return buffer_printf(out, err, "fen %s\nmove %s\nscore %ld\nply %u\nresult %d\ne\n", fen, uci,
                         score, (unsigned)record->ply, codec_turn_result(record->result, position));
}

/* Lines do not stay where they are while others are read: so the value is copied. */
static int keep_value(struct plain_values *values, enum plain_key key, struct text_span value,
                      struct error *err)
{
    if (value.size > PLAIN_VALUE_MAX)
        return error_set(err, ERROR_FAILED, "key '%s': a value of over %d bytes", plain_keys[key],
                         PLAIN_VALUE_MAX);
    memcpy(values->text[key], value.text, value.size);
    values->span[key] = (struct text_span){values->text[key], value.size};
    return 0;
}

/* One "key value" line into values. */
static int take_pair(struct text_span line, struct plain_values *values, struct error *err)
{
    const char *blank = line.size > 0 ? memchr(line.text, ' ', line.size) : NULL;
    struct text_span key = {line.text, blank != NULL ? (size_t)(blank - line.text) : line.size};
    for (unsigned i = 0; i < KEY_COUNT; i++) {
        if (!text_equals(key, plain_keys[i]))
            continue;
        if (values->span[i].text != NULL)
            return error_set(err, ERROR_FAILED, "key '%s' twice", plain_keys[i]);
        if (blank == NULL)
            return error_set(err, ERROR_FAILED, "key '%s' without a value", plain_keys[i]);
        return keep_value(values, (enum plain_key)i,
                          (struct text_span){blank + 1, line.size - key.size - 1}, err);
    }
    return error_set(err, ERROR_FAILED, "unknown key '%.*s'", text_error_size(key), key.text);
}

static int check_complete(const struct plain_values *values, struct error *err)
{
    for (unsigned i = 0; i < KEY_COUNT; i++)
        if (values->span[i].text == NULL)
            return error_set(err, ERROR_FAILED, "no key '%s'", plain_keys[i]);
    return 0;
}

/* The lines of one record, in any order, up to and with "e": 1, 0 at the end of the data, -1. */
static int take_record(struct codec_source *source, struct plain_values *values, struct error *err)
{
    struct text_span line;
    int status;
    for (unsigned number = 1; (status = codec_source_line(source, &line, err)) == 1; number++) {
        bool last = text_equals(line, "e");
        if ((last ? check_complete(values, err) : take_pair(line, values, err)) < 0)
            return error_prefix(err, "line %u of the record", number);
        if (last)
            return 1;
        if (!codec_source_line_ended(source))
            break;
    }
    if (status == 0 && codec_source_offset(source) == codec_source_marked(source))
        return 0;
    return status < 0 ? -1 : error_set(err, ERROR_FAILED, "the record does not end in a line 'e'");
}

static int bad_number(enum plain_key key, struct text_span value, struct error *err)
{
    return error_set(err, ERROR_FAILED, "bad %s '%.*s'", plain_keys[key], text_error_size(value),
                     value.text);
}

static int read_values(const struct text_span values[KEY_COUNT],
                       const struct codec_options *options, struct record *record,
                       struct error *err)
{
    int64_t score, ply, result;
    uint16_t move;
    if (text_to_position(values[KEY_FEN], &record->position, err) < 0 ||
        text_to_move(values[KEY_MOVE], &record->position, &move, err) < 0)
        return -1;
    if (!text_to_integer(values[KEY_SCORE], INT16_MIN, INT16_MAX, &score))
        return bad_number(KEY_SCORE, values[KEY_SCORE], err);
    if (!text_to_integer(values[KEY_PLY], 0, PLAIN_PLY_MAX, &ply))
        return bad_number(KEY_PLY, values[KEY_PLY], err);
    if (!text_to_integer(values[KEY_RESULT], -1, 1, &result))
        return bad_number(KEY_RESULT, values[KEY_RESULT], err);
    codec_set_move(record, options, move);
    codec_set_score(record, options, codec_sfen_score_read(score, options));
    record->ply = (uint32_t)ply;
    record->result = (int8_t)codec_turn_result((int)result, &record->position);
    record->source = SOURCE_INPUT;
    return 0;
}

static int plain_decode(void *state, struct codec_source *source,
                        const struct codec_options *options, struct record *record,
                        struct error *err)
{
    struct plain_values values;
    (void)state;
    *record = (struct record){.ply = 0};
    memset(values.span, 0, sizeof values.span);
    int status = take_record(source, &values, err);
    if (status == 1 && read_values(values.span, options, record, err) < 0)
        return -1;
    return status;
}

const struct codec codec_plain = {
    .name = "plain",
    .extension = ".plain",
    .summary = "text of Stockfish's data tools: fen, move, score, ply, result",
    .fields = CODEC_HOLDS_SIDE | CODEC_HOLDS_CASTLING | CODEC_HOLDS_CHESS960 | CODEC_HOLDS_EP |
              CODEC_HOLDS_HALFMOVE | CODEC_HOLDS_FULLMOVE | CODEC_HOLDS_PLY | CODEC_HOLDS_RESULT |
              CODEC_HOLDS_MOVE | CODEC_HOLDS_SCORE,
    .compress = true,
    .internal_unit = true,
    .encode = plain_encode,
    .decode = plain_decode,
};
