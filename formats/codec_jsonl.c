/* SPDX-License-Identifier: MIT */
/*
 * JSON Lines with every field of a record, one object a line: what pandas, DuckDB and Hugging Face
 * read as a table. Keys always stand in this order, all of them; what is unknown is null.
 *
 *   game_id, ply        string or null, integer
 *   fen                 six fields, X-FEN castling letters
 *   side                "w" or "b", to move
 *   played, best        UCI (castling as king takes rook in Chess960 only), or null
 *   score_kind          "cp", "mate" or "none"; likewise exact_kind
 *   score, exact        as the engine gave it: from the side to move; null for none
 *   bound               "exact", "lower" or "upper"
 *   exact_depth, depth, nodes
 *   limit_kind, limit   "nodes", "depth" or "none"
 *   result              "1-0", "0-1", "1/2-1/2" or "*"
 *   white_elo, black_elo  null when unknown
 *   source              "engine", "lichess-eval", "pgn-comment" or "input"
 *   white_cp            the score that the dataset uses (final or last exact) in centipawns from
 *                       White's view; null for mates. The one key that repeats others.
 *
 * Integers are at most 2^63 - 1, as JSON readers want them: a record with more nodes does not fit.
 * Keys may be read in any order, and integers written like 31.0 too, as data frames do with columns
 * that hold nulls. An unknown, missing or doubled key is an error.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/codec.h"
#include "formats/codec_text.h"
#include "formats/codec_words.h"

#define VALUE_MAX    24                 /* a quoted move or id, a number, "null" */
#define REAL_INT_MAX 9007199254740992.0 /* 2^53: up to here a double holds every integer */

enum jsonl_key {
    KEY_GAME_ID,
    KEY_PLY,
    KEY_FEN,
    KEY_SIDE,
    KEY_PLAYED,
    KEY_BEST,
    KEY_SCORE_KIND,
    KEY_SCORE,
    KEY_BOUND,
    KEY_EXACT_KIND,
    KEY_EXACT,
    KEY_EXACT_DEPTH,
    KEY_DEPTH,
    KEY_NODES,
    KEY_LIMIT_KIND,
    KEY_LIMIT,
    KEY_RESULT,
    KEY_WHITE_ELO,
    KEY_BLACK_ELO,
    KEY_SOURCE,
    KEY_WHITE_CP,
    KEY_COUNT
};

static const char *const jsonl_keys[KEY_COUNT] = {
    "game_id",    "ply",   "fen",        "side",      "played",      "best",   "score_kind",
    "score",      "bound", "exact_kind", "exact",     "exact_depth", "depth",  "nodes",
    "limit_kind", "limit", "result",     "white_elo", "black_elo",   "source", "white_cp"};

enum jsonl_kind { KIND_MISSING, KIND_NULL, KIND_TEXT, KIND_INTEGER, KIND_OTHER };

struct jsonl_value {
    enum jsonl_kind kind;
    struct text_span text;
    int64_t integer;    /* reals that are one, too */
    const json_t *json; /* borrowed; NULL: scanned */
};

struct jsonl_values {
    struct jsonl_value of[KEY_COUNT];
};

static void quote_text(const char *text, char out[VALUE_MAX])
{
    if (text[0] == '\0')
        snprintf(out, VALUE_MAX, "null");
    else
        snprintf(out, VALUE_MAX, "\"%s\"", text);
}

static void quote_move(uint16_t move, const struct position *position, char out[VALUE_MAX])
{
    char uci[UCIMOVE_MAX] = "";
    if (move != MOVE_NONE)
        ucimove_format(move, position->chess960, uci);
    quote_text(uci, out);
}

static void put_integer(bool known, int64_t value, char out[VALUE_MAX])
{
    if (known)
        snprintf(out, VALUE_MAX, "%" PRId64, value);
    else
        snprintf(out, VALUE_MAX, "null");
}

static int encode_label(const struct label *label, struct buffer *out, struct error *err)
{
    char score[VALUE_MAX], exact[VALUE_MAX];
    put_integer(label->final.kind != SCORE_NONE, label->final.value, score);
    put_integer(label->exact.kind != SCORE_NONE, label->exact.value, exact);
    return buffer_printf(
        out, err,
        "\"score_kind\":\"%s\",\"score\":%s,\"bound\":\"%s\",\"exact_kind\":\"%s\",\"exact\":%s,"
        "\"exact_depth\":%u,\"depth\":%u,\"nodes\":%" PRIu64 ",\"limit_kind\":\"%s\","
        "\"limit\":%" PRIu64 ",",
        codec_words_kind[label->final.kind], score, codec_words_bound[label->bound],
        codec_words_kind[label->exact.kind], exact, (unsigned)label->exact_depth,
        (unsigned)label->depth, label->nodes, codec_words_limit[label->limit_kind], label->limit);
}

static int encode_position(const struct record *record, struct buffer *out, struct error *err)
{
    const struct position *position = &record->position;
    char id[VALUE_MAX], played[VALUE_MAX], best[VALUE_MAX], fen[FEN_MAX];
    quote_text(record->game_id, id);
    quote_move(record->played, position, played);
    quote_move(record->label.best_move, position, best);
    fen_format(position, FEN_XFEN, fen);
    return buffer_printf(out, err,
                         "{\"game_id\":%s,\"ply\":%" PRIu32 ",\"fen\":\"%s\",\"side\":\"%s\","
                         "\"played\":%s,\"best\":%s,",
                         id, record->ply, fen, codec_words_side[position->side], played, best);
}

static int encode_game(const struct record *record, const struct score *used, struct buffer *out,
                       struct error *err)
{
    char white[VALUE_MAX], black[VALUE_MAX], white_cp[VALUE_MAX];
    int64_t value;
    bool known = codec_white_cp(used, &record->position, &value);
    put_integer(known, value, white_cp);
    put_integer(record->white_rating != 0, record->white_rating, white);
    put_integer(record->black_rating != 0, record->black_rating, black);
    return buffer_printf(out, err,
                         "\"result\":\"%s\",\"white_elo\":%s,\"black_elo\":%s,\"source\":\"%s\","
                         "\"white_cp\":%s}\n",
                         codec_words_result[record->result + 1], white, black,
                         codec_words_source[record->source], white_cp);
}

static int jsonl_encode(void *state, const struct record *record,
                        const struct codec_options *options, struct buffer *out,
                        enum codec_misfit *misfit, struct error *err)
{
    (void)state;
    *misfit = CODEC_FITS;
    if (record->label.nodes > INT64_MAX || record->label.limit > INT64_MAX) {
        *misfit = CODEC_NODES_RANGE;
        return 0;
    }
    if (encode_position(record, out, err) < 0 || encode_label(&record->label, out, err) < 0)
        return -1;
    return encode_game(record, record_score(record, options->last_exact), out, err);
}

static int bad_value(const struct jsonl_values *values, enum jsonl_key key, struct error *err)
{
    char text[VALUE_MAX * 3];
    const json_t *json = values->of[key].json;
    size_t size =
        json != NULL ? json_dumpb(json, text, sizeof text, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : 0;
    if (size > sizeof text)
        size = 0;
    return error_set(err, ERROR_FAILED, "key '%s': bad value %.*s", jsonl_keys[key], (int)size,
                     text);
}

static bool to_integer(const struct jsonl_value *value, int64_t min, int64_t max, int64_t *number)
{
    *number = value->integer;
    return value->kind == KIND_INTEGER && *number >= min && *number <= max;
}

static int read_integer(const struct jsonl_values *values, enum jsonl_key key, int64_t max,
                        uint64_t *number, struct error *err)
{
    int64_t value;
    if (!to_integer(&values->of[key], 0, max, &value))
        return bad_value(values, key, err);
    *number = (uint64_t)value;
    return 0;
}

/* A 16-bit number; null, where that is allowed, is 0. */
static int read_u16(const struct jsonl_values *values, enum jsonl_key key, bool null_allowed,
                    uint16_t *number, struct error *err)
{
    uint64_t value = 0;
    bool null = null_allowed && values->of[key].kind == KIND_NULL;
    if (!null && read_integer(values, key, UINT16_MAX, &value, err) < 0)
        return -1;
    *number = (uint16_t)value;
    return 0;
}

static int read_word(const struct jsonl_values *values, enum jsonl_key key,
                     const char *const *words, unsigned *index, struct error *err)
{
    const struct jsonl_value *value = &values->of[key];
    if (value->kind == KIND_TEXT && codec_words_find(words, value->text, index))
        return 0;
    return bad_value(values, key, err);
}

static int read_move(const struct jsonl_values *values, enum jsonl_key key,
                     const struct position *position, uint16_t *move, struct error *err)
{
    const struct jsonl_value *value = &values->of[key];
    *move = MOVE_NONE;
    if (value->kind == KIND_NULL)
        return 0;
    if (value->kind != KIND_TEXT || text_to_move(value->text, position, move, NULL) < 0)
        return bad_value(values, key, err);
    return 0;
}

/* The kind under one key, the value under the next. */
static int read_score(const struct jsonl_values *values, enum jsonl_key key, struct score *score,
                      struct error *err)
{
    unsigned kind = SCORE_NONE;
    int64_t number = 0;
    const struct jsonl_value *value = &values->of[key + 1];
    if (read_word(values, key, codec_words_kind, &kind, err) < 0)
        return -1;
    bool good = kind == SCORE_NONE ? value->kind == KIND_NULL
                                   : to_integer(value, INT32_MIN, INT32_MAX, &number);
    if (!good)
        return bad_value(values, (enum jsonl_key)(key + 1), err);
    *score = (struct score){.kind = (uint8_t)kind, .value = (int32_t)number};
    return 0;
}

static int read_id(const struct jsonl_values *values, char game_id[GAMEID_MAX], struct error *err)
{
    const struct jsonl_value *value = &values->of[KEY_GAME_ID];
    if (value->kind == KIND_NULL)
        return 0;
    if (value->kind != KIND_TEXT || !gameid_is_valid(value->text.text, value->text.size))
        return bad_value(values, KEY_GAME_ID, err);
    memcpy(game_id, value->text.text, value->text.size);
    return 0;
}

static int read_position(const struct jsonl_values *values, struct position *position,
                         struct error *err)
{
    const struct jsonl_value *fen = &values->of[KEY_FEN];
    unsigned side = WHITE;
    if (fen->kind != KIND_TEXT)
        return bad_value(values, KEY_FEN, err);
    if (text_to_position(fen->text, position, err) < 0)
        return error_prefix(err, "key 'fen'");
    if (read_word(values, KEY_SIDE, codec_words_side, &side, err) < 0)
        return -1;
    return side == position->side ? 0 : bad_value(values, KEY_SIDE, err);
}

static int read_game(const struct jsonl_values *values, struct record *record, struct error *err)
{
    unsigned result = 0, source = 0;
    uint64_t ply = 0;
    if (read_id(values, record->game_id, err) < 0 ||
        read_position(values, &record->position, err) < 0 ||
        read_integer(values, KEY_PLY, UINT32_MAX, &ply, err) < 0 ||
        read_word(values, KEY_RESULT, codec_words_result, &result, err) < 0 ||
        read_u16(values, KEY_WHITE_ELO, true, &record->white_rating, err) < 0 ||
        read_u16(values, KEY_BLACK_ELO, true, &record->black_rating, err) < 0 ||
        read_word(values, KEY_SOURCE, codec_words_source, &source, err) < 0 ||
        read_move(values, KEY_PLAYED, &record->position, &record->played, err) < 0)
        return -1;
    record->ply = (uint32_t)ply;
    record->result = (int8_t)((int)result - 1);
    record->source = (uint8_t)source;
    return 0;
}

static int read_label(const struct jsonl_values *values, const struct position *position,
                      struct label *label, struct error *err)
{
    unsigned bound = 0, limit_kind = 0;
    if (read_move(values, KEY_BEST, position, &label->best_move, err) < 0 ||
        read_score(values, KEY_SCORE_KIND, &label->final, err) < 0 ||
        read_word(values, KEY_BOUND, codec_words_bound, &bound, err) < 0 ||
        read_score(values, KEY_EXACT_KIND, &label->exact, err) < 0 ||
        read_u16(values, KEY_EXACT_DEPTH, false, &label->exact_depth, err) < 0 ||
        read_u16(values, KEY_DEPTH, false, &label->depth, err) < 0 ||
        read_integer(values, KEY_NODES, INT64_MAX, &label->nodes, err) < 0 ||
        read_word(values, KEY_LIMIT_KIND, codec_words_limit, &limit_kind, err) < 0 ||
        read_integer(values, KEY_LIMIT, INT64_MAX, &label->limit, err) < 0)
        return -1;
    label->status = LABEL_OK;
    label->bound = (uint8_t)bound;
    label->limit_kind = (uint8_t)limit_kind;
    return 0;
}

static bool is_white_cp(const struct jsonl_value *value, const struct score *score,
                        const struct position *position)
{
    int64_t expected, number;
    if (!codec_white_cp(score, position, &expected))
        return value->kind == KIND_NULL;
    return to_integer(value, expected, expected, &number);
}

/* white_cp must be what either score gives: which one the file uses does not stand in it. */
static int check_white_cp(const struct jsonl_values *values, const struct record *record,
                          struct error *err)
{
    const struct jsonl_value *value = &values->of[KEY_WHITE_CP];
    if (is_white_cp(value, &record->label.final, &record->position) ||
        is_white_cp(value, &record->label.exact, &record->position))
        return 0;
    return bad_value(values, KEY_WHITE_CP, err);
}

static int read_record(const struct jsonl_values *values, struct record *record, struct error *err)
{
    *record = (struct record){.ply = 0};
    if (read_game(values, record, err) < 0 ||
        read_label(values, &record->position, &record->label, err) < 0)
        return -1;
    return check_white_cp(values, record, err);
}

/* The index of the key, looked for from `near` on; KEY_COUNT: there is none. */
static unsigned find_key(struct text_span name, unsigned near)
{
    for (unsigned i = 0; i < KEY_COUNT; i++) {
        unsigned key = (near + i) % KEY_COUNT;
        if (text_equals(name, jsonl_keys[key]))
            return key;
    }
    return KEY_COUNT;
}

static bool are_all_there(const struct jsonl_values *values, unsigned *missing)
{
    for (*missing = 0; *missing < KEY_COUNT; ++*missing)
        if (values->of[*missing].kind == KIND_MISSING)
            return false;
    return true;
}

static void skip_blanks(struct text_span *rest)
{
    while (rest->size > 0 && (*rest->text == ' ' || *rest->text == '\t')) {
        rest->text++;
        rest->size--;
    }
}

static bool take_char(struct text_span *rest, char wanted)
{
    skip_blanks(rest);
    if (rest->size == 0 || *rest->text != wanted)
        return false;
    rest->text++;
    rest->size--;
    return true;
}

/* Behind the opening quote. Only what stands for itself: printable ASCII without backslashes. */
static bool scan_string(struct text_span *rest, struct text_span *string)
{
    size_t size = 0;
    while (size < rest->size && rest->text[size] >= ' ' && rest->text[size] <= '~' &&
           rest->text[size] != '"' && rest->text[size] != '\\')
        size++;
    if (size == rest->size || rest->text[size] != '"')
        return false;
    *string = (struct text_span){rest->text, size};
    rest->text += size + 1;
    rest->size -= size + 1;
    return true;
}

/* A string, null or an integer. */
static bool scan_value(struct text_span *rest, struct jsonl_value *value)
{
    if (take_char(rest, '"')) {
        value->kind = KIND_TEXT;
        return scan_string(rest, &value->text);
    }
    struct text_span word = {rest->text, 0};
    while (word.size < rest->size && strchr(",} \t", word.text[word.size]) == NULL)
        word.size++;
    rest->text += word.size;
    rest->size -= word.size;
    value->kind = text_equals(word, "null") ? KIND_NULL : KIND_INTEGER;
    bool zeros =
        word.size > 1 && (word.text[0] == '0' || (word.text[0] == '-' && word.text[1] == '0'));
    return value->kind == KIND_NULL ||
           (!zeros && text_to_integer(word, -INT64_MAX, INT64_MAX, &value->integer));
}

/*
 * Lines as they are mostly written, all keys once, read without making objects of them: five times
 * as fast. False for any other line, right or wrong: jansson tells.
 */
static bool scan_line(struct text_span line, struct jsonl_values *values)
{
    unsigned key = 0;
    *values = (struct jsonl_values){.of = {{.kind = KIND_MISSING}}};
    if (!take_char(&line, '{'))
        return false;
    do {
        struct text_span name;
        if (!take_char(&line, '"') || !scan_string(&line, &name))
            return false;
        key = find_key(name, key);
        if (key == KEY_COUNT || values->of[key].kind != KIND_MISSING || !take_char(&line, ':') ||
            !scan_value(&line, &values->of[key++]))
            return false;
    } while (take_char(&line, ','));
    bool closed = take_char(&line, '}');
    skip_blanks(&line);
    return closed && line.size == 0 && are_all_there(values, &key);
}

static struct jsonl_value value_of_json(const json_t *json)
{
    struct jsonl_value value = {.kind = KIND_OTHER, .json = json};
    double real = json_real_value(json);
    if (json_is_null(json)) {
        value.kind = KIND_NULL;
    } else if (json_is_string(json)) {
        value.kind = KIND_TEXT;
        value.text = (struct text_span){json_string_value(json), json_string_length(json)};
    } else if (json_is_integer(json)) {
        value.kind = KIND_INTEGER;
        value.integer = json_integer_value(json);
    } else if (json_is_real(json) && real >= -REAL_INT_MAX && real <= REAL_INT_MAX &&
               real == (double)(int64_t)real) {
        value.kind = KIND_INTEGER;
        value.integer = (int64_t)real;
    }
    return value;
}

/* Every key once: jansson refuses doubled ones. */
static int values_of_object(json_t *object, struct jsonl_values *values, struct error *err)
{
    const char *name;
    json_t *value;
    unsigned key = 0;
    *values = (struct jsonl_values){.of = {{.kind = KIND_MISSING}}};
    json_object_foreach(object, name, value)
    {
        key = find_key((struct text_span){name, strlen(name)}, key);
        if (key == KEY_COUNT)
            return error_set(err, ERROR_FAILED, "unknown key '%.60s'", name);
        values->of[key] = value_of_json(value);
    }
    if (are_all_there(values, &key))
        return 0;
    return error_set(err, ERROR_FAILED, "no key '%s'", jsonl_keys[key]);
}

static int read_object(json_t *object, struct record *record, struct error *err)
{
    struct jsonl_values values;
    if (!json_is_object(object))
        return error_set(err, ERROR_FAILED, "no JSON object");
    if (values_of_object(object, &values, err) < 0)
        return -1;
    return read_record(&values, record, err);
}

static int parse_line(struct text_span line, struct record *record, struct error *err)
{
    json_error_t fault;
    json_t *object = json_loadb(line.text, line.size, JSON_REJECT_DUPLICATES, &fault);
    if (object == NULL)
        return error_set(err, ERROR_FAILED, "column %d: bad JSON: %s", fault.column, fault.text);
    int status = read_object(object, record, err);
    json_decref(object);
    return status;
}

static int jsonl_decode(void *state, struct codec_source *source,
                        const struct codec_options *options, struct record *record,
                        struct error *err)
{
    struct text_span line;
    struct jsonl_values values;
    (void)state;
    (void)options;
    int status = codec_source_line(source, &line, err);
    if (status != 1)
        return status;
    if (scan_line(line, &values) && read_record(&values, record, NULL) == 0)
        return 1;
    return parse_line(line, record, err) < 0 ? -1 : 1;
}

const struct codec codec_jsonl = {
    .name = "jsonl",
    .extension = ".jsonl",
    .summary = "every field, one JSON object a line",
    .fields = CODEC_HOLDS_ALL,
    .compress = true,
    .centipawns = true,
    .encode = jsonl_encode,
    .decode = jsonl_decode,
};
