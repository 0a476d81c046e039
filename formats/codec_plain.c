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
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/codec.h"
#include "formats/codec_text.h"

#define PLAIN_SCORE_MAX  INT16_MAX
#define PLAIN_SCORE_NONE 32002
#define PLAIN_PLY_MAX    UINT16_MAX

enum plain_key { KEY_FEN, KEY_MOVE, KEY_SCORE, KEY_PLY, KEY_RESULT, KEY_COUNT };

static const char *const plain_keys[KEY_COUNT] = {"fen", "move", "score", "ply", "result"};

static uint16_t *chosen_move(struct record *record, const struct codec_options *options)
{
    return options->move == CODEC_MOVE_BEST ? &record->label.best_move : &record->played;
}

/* From White's view to the mover's, and back. */
static int turn_result(int result, const struct position *position)
{
    return position->side == WHITE ? result : -result;
}

/* The score as written: scaled, rounded half away from zero. */
static enum codec_misfit plain_score(const struct score *score, double scale, long *value)
{
    if (score->kind == SCORE_NONE)
        return CODEC_NO_SCORE;
    if (score->kind == SCORE_MATE)
        return CODEC_MATE_SCORE;
    double scaled = score->value * scale;
    if (!(fabs(scaled) < PLAIN_SCORE_MAX + 1.0))
        return CODEC_SCORE_RANGE;
    *value = lround(scaled);
    if (labs(*value) > PLAIN_SCORE_MAX || labs(*value) == PLAIN_SCORE_NONE)
        return CODEC_SCORE_RANGE;
    return CODEC_FITS;
}

static enum codec_misfit find_misfit(const struct record *record, uint16_t move)
{
    if (record->result < -1 || record->result > 1)
        return CODEC_NO_RESULT;
    if (move == MOVE_NONE)
        return CODEC_NO_MOVE;
    return record->ply > PLAIN_PLY_MAX ? CODEC_PLY_RANGE : CODEC_FITS;
}

static int plain_encode(const struct record *record, const struct codec_options *options,
                        struct buffer *out, enum codec_misfit *misfit, struct error *err)
{
    const struct position *position = &record->position;
    uint16_t move = options->move == CODEC_MOVE_BEST ? record->label.best_move : record->played;
    long score = 0;
    *misfit = find_misfit(record, move);
    if (*misfit == CODEC_FITS)
        *misfit =
            plain_score(record_score(record, options->last_exact), options->score_scale, &score);
    if (*misfit != CODEC_FITS)
        return 0;
    char fen[FEN_MAX], uci[UCIMOVE_MAX];
    fen_format(position, FEN_XFEN, fen);
    ucimove_format(move, position->chess960, uci);
    return buffer_printf(out, err, "fen %s\nmove %s\nscore %ld\nply %u\nresult %d\ne\n", fen, uci,
                         score, (unsigned)record->ply, turn_result(record->result, position));
}

/* One "key value" line into values. */
static int take_pair(struct text_span line, struct text_span values[KEY_COUNT], struct error *err)
{
    const char *blank = line.size > 0 ? memchr(line.text, ' ', line.size) : NULL;
    struct text_span key = {line.text, blank != NULL ? (size_t)(blank - line.text) : line.size};
    for (unsigned i = 0; i < KEY_COUNT; i++) {
        if (!text_equals(key, plain_keys[i]))
            continue;
        if (values[i].text != NULL)
            return error_set(err, ERROR_FAILED, "key '%s' twice", plain_keys[i]);
        if (blank == NULL)
            return error_set(err, ERROR_FAILED, "key '%s' without a value", plain_keys[i]);
        values[i] = (struct text_span){blank + 1, line.size - key.size - 1};
        return 0;
    }
    return error_set(err, ERROR_FAILED, "unknown key '%.*s'", text_error_size(key), key.text);
}

/* The lines of one record, in any order, up to and with "e". */
static int take_record(struct text_span *rest, struct text_span values[KEY_COUNT],
                       struct error *err)
{
    struct text_span line;
    for (unsigned number = 1; text_take_line(rest, &line); number++) {
        if (!text_equals(line, "e")) {
            if (take_pair(line, values, err) < 0)
                return error_prefix(err, "line %u of the record", number);
            continue;
        }
        for (unsigned i = 0; i < KEY_COUNT; i++)
            if (values[i].text == NULL)
                return error_set(err, ERROR_FAILED, "line %u of the record: no key '%s'", number,
                                 plain_keys[i]);
        return 0;
    }
    return error_set(err, ERROR_FAILED, "the record does not end in a line 'e'");
}

static int bad_number(enum plain_key key, struct text_span value, struct error *err)
{
    return error_set(err, ERROR_FAILED, "bad %s '%.*s'", plain_keys[key], text_error_size(value),
                     value.text);
}

static struct score read_score(int64_t written, double scale)
{
    if (written == PLAIN_SCORE_NONE)
        return (struct score){.kind = SCORE_NONE};
    return (struct score){.kind = SCORE_CP, .value = (int32_t)lround((double)written / scale)};
}

static int read_values(const struct text_span values[KEY_COUNT],
                       const struct codec_options *options, struct record *record,
                       struct error *err)
{
    int64_t score, ply, result;
    if (text_to_position(values[KEY_FEN], &record->position, err) < 0 ||
        text_to_move(values[KEY_MOVE], &record->position, chosen_move(record, options), err) < 0)
        return -1;
    if (!text_to_integer(values[KEY_SCORE], INT16_MIN, INT16_MAX, &score))
        return bad_number(KEY_SCORE, values[KEY_SCORE], err);
    if (!text_to_integer(values[KEY_PLY], 0, PLAIN_PLY_MAX, &ply))
        return bad_number(KEY_PLY, values[KEY_PLY], err);
    if (!text_to_integer(values[KEY_RESULT], -1, 1, &result))
        return bad_number(KEY_RESULT, values[KEY_RESULT], err);
    record->label.final = read_score(score, options->score_scale);
    if (options->last_exact)
        record->label.exact = record->label.final;
    record->ply = (uint32_t)ply;
    record->result = (int8_t)turn_result((int)result, &record->position);
    record->source = SOURCE_INPUT;
    return 0;
}

static long plain_decode(const char *text, size_t size, const struct codec_options *options,
                         struct record *record, struct error *err)
{
    struct text_span rest = {text, size}, values[KEY_COUNT] = {{NULL, 0}};
    *record = (struct record){.ply = 0};
    if (size == 0)
        return 0;
    if (!(options->score_scale > 1e-6 && options->score_scale < 1e6))
        return error_set(err, ERROR_USAGE, "score scale %g is out of range", options->score_scale);
    if (take_record(&rest, values, err) < 0 || read_values(values, options, record, err) < 0)
        return -1;
    return rest.text - text;
}

const struct codec codec_plain = {
    .name = "plain",
    .extension = ".plain",
    .summary = "text of Stockfish's data tools: fen, move, score, ply, result",
    .compress = true,
    .internal_unit = true,
    .encode = plain_encode,
    .decode = plain_decode,
};
