/* SPDX-License-Identifier: MIT */
/*
 * Extended Position Description: a line of four FEN fields and operations `opcode operands;`.
 *
 *   <pieces> <side> <castling, X-FEN letters> <en passant>
 *   hmvc 3;                 half-move clock
 *   fmvn 7;                 full-move number
 *   bm Rd8;                 best move, SAN
 *   sm O-O;                 the move played ("supplied move"), SAN
 *   ce -321;                score in centipawns from the side to move, or
 *   dm 5;                   mate in 5 moves; negative: the side to move is mated
 *   acd 13;                 depth of that score
 *   acn 10241;              nodes searched
 *   id "aBcDeFgH ply 12";   game id and ply; "ply 12" where the game is unknown
 *   c9 "0-1";               result: 1-0, 0-1, 1/2-1/2 or *
 *
 * in this order; what is unknown is left out. Positions of others are read, too: unknown opcodes
 * are passed over, their strings with whatever they hold (a quote in one is \"); clocks may stand
 * as the fifth and sixth FEN field; the last semicolon may be missing; of several best moves the
 * first counts; `bm #3` is `dm 3`; an id that is not of the form above and a c0 or c9 that is no
 * result say nothing. A last line without its end is an error where a line holds operations. Blank
 * lines and lines that begin with # are passed over. A castling right without king or rook in place
 * is an error, as in any dataset.
 */
#include <inttypes.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"
#include "formats/chess/san.h"
#include "formats/codec.h"
#include "formats/codec_text.h"
#include "formats/codec_words.h"

#define EPD_STRING_MAX   64 /* of strings that say something to us */
#define EPD_FIELDS       4  /* of a FEN */
#define EPD_FIELDS_CLOCK 6
#define EPD_ID_PLY       "ply "

/* Opcodes that are read. */
enum epd_opcode {
    OPCODE_HMVC,
    OPCODE_FMVN,
    OPCODE_BM,
    OPCODE_SM,
    OPCODE_CE,
    OPCODE_DM,
    OPCODE_ACD,
    OPCODE_ACN,
    OPCODE_ID,
    OPCODE_C0,
    OPCODE_C9,
    OPCODE_COUNT
};

static const char *const epd_opcodes[] = {"hmvc", "fmvn", "bm", "sm", "ce", "dm",
                                          "acd",  "acn",  "id", "c0", "c9", NULL};

struct epd_decoder {
    bool operations; /* some line held any */
};

/* The first operand of every opcode that is there; a string without its quotes. */
struct epd_line {
    struct text_span fen;
    struct text_span first[OPCODE_COUNT]; /* text NULL: not there */
    bool operations;                      /* any, known or not */
};

static int put_move(const char *opcode, uint16_t move, const struct position *position,
                    struct buffer *out, struct error *err)
{
    char san[SAN_MAX];
    if (move == MOVE_NONE)
        return 0;
    san_format(position, move, san);
    return buffer_printf(out, err, " %s %s;", opcode, san);
}

static int put_score(const struct record *record, bool last_exact, struct buffer *out,
                     struct error *err)
{
    const struct label *label = &record->label;
    const struct score *score = record_score(record, last_exact);
    unsigned depth = last_exact ? label->exact_depth : label->depth;
    if (score->kind != SCORE_NONE &&
        buffer_printf(out, err, " %s %" PRId32 ";", score->kind == SCORE_CP ? "ce" : "dm",
                      score->value) < 0)
        return -1;
    if (depth != 0 && buffer_printf(out, err, " acd %u;", depth) < 0)
        return -1;
    return label->nodes == 0 ? 0 : buffer_printf(out, err, " acn %" PRIu64 ";", label->nodes);
}

static bool is_writable(const struct position *position, uint16_t move)
{
    return move == MOVE_NONE || movegen_is_legal(position, move);
}

/* The first four fields of the FEN, and the clocks as operations. */
static int put_position(const struct position *position, struct buffer *out, struct error *err)
{
    char fen[FEN_MAX], *end = fen;
    fen_format(position, FEN_XFEN, fen);
    for (unsigned field = 0; field < EPD_FIELDS; field++)
        end = strchr(end, ' ') + 1;
    return buffer_printf(out, err, "%.*s hmvc %u; fmvn %u;", (int)(end - 1 - fen), fen,
                         (unsigned)position->halfmove, (unsigned)position->fullmove);
}

static int epd_encode(void *state, const struct record *record, const struct codec_options *options,
                      struct buffer *out, enum codec_misfit *misfit, struct error *err)
{
    const struct position *position = &record->position;
    (void)state;
    *misfit = CODEC_FITS;
    if (!is_writable(position, record->label.best_move) || !is_writable(position, record->played)) {
        *misfit = CODEC_ILLEGAL_MOVE;
        return 0;
    }
    if (put_position(position, out, err) < 0 ||
        put_move("bm", record->label.best_move, position, out, err) < 0 ||
        put_move("sm", record->played, position, out, err) < 0 ||
        put_score(record, options->last_exact, out, err) < 0)
        return -1;
    return buffer_printf(out, err, " id \"%s%s" EPD_ID_PLY "%" PRIu32 "\"; c9 \"%s\";\n",
                         record->game_id, record->game_id[0] != '\0' ? " " : "", record->ply,
                         codec_words_result[record->result + 1]);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct text_span *rest)
{
    while (rest->size > 0 && is_blank(*rest->text)) {
        rest->text++;
        rest->size--;
    }
}

/* What stands before the next blank, semicolon or quote. */
static struct text_span take_word(struct text_span *rest)
{
    struct text_span word = {rest->text, 0};
    while (word.size < rest->size && !is_blank(word.text[word.size]) &&
           word.text[word.size] != ';' && word.text[word.size] != '"')
        word.size++;
    rest->text += word.size;
    rest->size -= word.size;
    return word;
}

/* Behind the opening quote; *string is what stands between the quotes, as it stands there. */
static int take_string(struct text_span *rest, struct text_span *string, struct error *err)
{
    *string = (struct text_span){rest->text, 0};
    while (string->size < rest->size && string->text[string->size] != '"')
        string->size += string->text[string->size] == '\\' && string->size + 1 < rest->size ? 2 : 1;
    if (string->size >= rest->size)
        return error_set(err, ERROR_FAILED, "a string does not end: \"%.*s", text_error_size(*rest),
                         rest->text);
    rest->text += string->size + 1;
    rest->size -= string->size + 1;
    return 0;
}

static int take_operand(struct text_span *rest, struct text_span *operand, struct error *err)
{
    if (*rest->text != '"') {
        *operand = take_word(rest);
        return 0;
    }
    rest->text++;
    rest->size--;
    return take_string(rest, operand, err);
}

/* One operation up to and with its semicolon, or to the end of the line. */
static int take_operation(struct text_span *rest, struct epd_line *line, struct error *err)
{
    unsigned opcode;
    struct text_span name = take_word(rest), operand, *first = NULL;
    if (codec_words_find(epd_opcodes, name, &opcode)) {
        first = &line->first[opcode];
        if (first->text != NULL)
            return error_set(err, ERROR_FAILED, "operation '%s' twice", epd_opcodes[opcode]);
    }
    for (skip_blanks(rest); rest->size > 0 && *rest->text != ';'; skip_blanks(rest)) {
        if (take_operand(rest, &operand, err) < 0)
            return -1;
        if (first != NULL && first->text == NULL)
            *first = operand;
    }
    if (first != NULL && first->text == NULL)
        return error_set(err, ERROR_FAILED, "operation '%s' without an operand",
                         epd_opcodes[opcode]);
    if (rest->size > 0) {
        rest->text++;
        rest->size--;
    }
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Four fields, or six where the fifth is a number; rest moves behind them. */
static struct text_span take_fen(struct text_span *rest)
{
    struct text_span fen = {rest->text, 0};
    for (unsigned field = 0; field < EPD_FIELDS_CLOCK && rest->size > 0; field++) {
        bool word = *rest->text != ';' && *rest->text != '"';
        if (!word || (field == EPD_FIELDS && !is_digit(*rest->text)))
            break;
        take_word(rest);
        fen.size = (size_t)(rest->text - fen.text);
        skip_blanks(rest);
    }
    return fen;
}

static int split_line(struct text_span text, struct epd_line *line, struct error *err)
{
    *line = (struct epd_line){.fen = take_fen(&text)};
    skip_blanks(&text);
    line->operations = text.size > 0;
    for (; text.size > 0; skip_blanks(&text))
        if (take_operation(&text, line, err) < 0)
            return -1;
    return 0;
}

static int bad_operand(const struct epd_line *line, enum epd_opcode opcode, const char *what,
                       struct error *err)
{
    struct text_span operand = line->first[opcode];
    return error_set(err, ERROR_FAILED, "%s '%s %.*s'", what, epd_opcodes[opcode],
                     text_error_size(operand), operand.text);
}

static bool is_there(const struct epd_line *line, enum epd_opcode opcode)
{
    return line->first[opcode].text != NULL;
}

/* An operand in min .. max; *value stays where there is none. */
static int read_integer(const struct epd_line *line, enum epd_opcode opcode, int64_t min,
                        int64_t max, int64_t *value, struct error *err)
{
    if (!is_there(line, opcode) || text_to_integer(line->first[opcode], min, max, value))
        return 0;
    return bad_operand(line, opcode, "bad number", err);
}

static int read_move(const struct epd_line *line, enum epd_opcode opcode,
                     const struct position *position, uint16_t *move, struct error *err)
{
    struct text_span san = line->first[opcode];
    *move = MOVE_NONE;
    if (!is_there(line, opcode))
        return 0;
    switch (san_parse(position, san.text, san.size, move)) {
    case SAN_OK:
        return 0;
    case SAN_AMBIGUOUS:
        return bad_operand(line, opcode, "ambiguous move", err);
    default:
        return bad_operand(line, opcode, "illegal move", err);
    }
}

/* bm #3: a mate instead of a move. */
static int read_best(struct epd_line *line, const struct position *position, struct record *record,
                     struct error *err)
{
    struct text_span *best = &line->first[OPCODE_BM];
    if (is_there(line, OPCODE_BM) && best->size > 0 && *best->text == '#') {
        if (!is_there(line, OPCODE_DM))
            line->first[OPCODE_DM] = (struct text_span){best->text + 1, best->size - 1};
        return 0;
    }
    return read_move(line, OPCODE_BM, position, &record->label.best_move, err);
}

static int read_score(const struct epd_line *line, const struct codec_options *options,
                      struct record *record, struct error *err)
{
    int64_t ce = 0, dm = 0, depth = 0;
    if (read_integer(line, OPCODE_CE, INT32_MIN, INT32_MAX, &ce, err) < 0 ||
        read_integer(line, OPCODE_DM, INT32_MIN, INT32_MAX, &dm, err) < 0 ||
        read_integer(line, OPCODE_ACD, 0, UINT16_MAX, &depth, err) < 0)
        return -1;
    if (is_there(line, OPCODE_ACN) &&
        !text_to_unsigned(line->first[OPCODE_ACN], UINT64_MAX, &record->label.nodes))
        return bad_operand(line, OPCODE_ACN, "bad number", err);
    if (is_there(line, OPCODE_DM))
        codec_set_score(record, options, (struct score){SCORE_MATE, (int32_t)dm});
    else if (is_there(line, OPCODE_CE))
        codec_set_score(record, options, (struct score){SCORE_CP, (int32_t)ce});
    record->label.depth = (uint16_t)depth;
    if (options->last_exact)
        record->label.exact_depth = (uint16_t)depth;
    return 0;
}

static int read_clocks(const struct epd_line *line, struct position *position, struct error *err)
{
    int64_t halfmove = position->halfmove, fullmove = position->fullmove;
    if (read_integer(line, OPCODE_HMVC, 0, UINT16_MAX, &halfmove, err) < 0 ||
        read_integer(line, OPCODE_FMVN, 0, UINT16_MAX, &fullmove, err) < 0)
        return -1;
    position->halfmove = (uint16_t)halfmove;
    position->fullmove = (uint16_t)(fullmove > 0 ? fullmove : 1); /* as fen_parse reads it */
    return 0;
}

/* "GAME ply N" or "ply N"; anything else is somebody's name for the position. */
static void read_id(struct text_span id, struct record *record)
{
    uint64_t ply;
    struct text_span game = {id.text, 0};
    while (game.size < id.size && game.text[game.size] != ' ')
        game.size++;
    bool named = gameid_is_valid(game.text, game.size) && !text_equals(game, "ply");
    size_t skip = (named ? game.size + 1 : 0) + strlen(EPD_ID_PLY);
    if (id.size < skip ||
        memcmp(id.text + skip - strlen(EPD_ID_PLY), EPD_ID_PLY, strlen(EPD_ID_PLY)) != 0)
        return;
    if (!text_to_unsigned((struct text_span){id.text + skip, id.size - skip}, UINT32_MAX, &ply))
        return;
    if (named)
        memcpy(record->game_id, game.text, game.size);
    record->ply = (uint32_t)ply;
}

static void read_result(const struct epd_line *line, struct record *record)
{
    static const enum epd_opcode opcodes[] = {OPCODE_C0, OPCODE_C9};
    unsigned result;
    record->result = 2;
    for (unsigned i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (is_there(line, opcodes[i]) &&
            codec_words_find(codec_words_result, line->first[opcodes[i]], &result))
            record->result = (int8_t)((int)result - 1);
}

static int read_record(struct epd_line *line, const struct codec_options *options,
                       struct record *record, struct error *err)
{
    struct position *position = &record->position;
    enum fen_status status =
        fen_parse(line->fen.text, line->fen.size, FEN_REJECT_BAD_CASTLING, position, NULL);
    if (status != FEN_OK)
        return error_set(err, ERROR_FAILED, "bad position '%.*s': %s", text_error_size(line->fen),
                         line->fen.text, fen_status_text(status));
    if (read_clocks(line, position, err) < 0 || read_best(line, position, record, err) < 0 ||
        read_move(line, OPCODE_SM, position, &record->played, err) < 0 ||
        read_score(line, options, record, err) < 0)
        return -1;
    if (is_there(line, OPCODE_ID))
        read_id(line->first[OPCODE_ID], record);
    read_result(line, record);
    record->source = SOURCE_INPUT;
    return 0;
}

/* The next line that says something: 1, 0, -1. The mark goes to it. */
static int next_line(struct codec_source *source, struct text_span *line, struct error *err)
{
    int status;
    while ((status = codec_source_line(source, line, err)) == 1) {
        skip_blanks(line);
        if (line->size > 0 && *line->text != '#')
            return 1;
        codec_source_mark(source, codec_source_offset(source));
    }
    return status;
}

/* A number may have lost its last digits, or a line its last operations. */
static int check_end(const struct codec_source *source, const struct epd_decoder *decoder,
                     struct error *err)
{
    if (codec_source_line_ended(source) || !decoder->operations)
        return 0;
    return error_set(err, ERROR_FAILED,
                     "the last line has no line end: was the file cut? If not, add one");
}

static int epd_decode(void *state, struct codec_source *source, const struct codec_options *options,
                      struct record *record, struct error *err)
{
    struct epd_decoder *decoder = state;
    struct text_span text;
    struct epd_line line;
    *record = (struct record){.ply = 0};
    int status = next_line(source, &text, err);
    if (status != 1)
        return status;
    if (split_line(text, &line, err) < 0)
        return -1;
    decoder->operations = decoder->operations || line.operations;
    if (check_end(source, decoder, err) < 0 || read_record(&line, options, record, err) < 0)
        return -1;
    return 1;
}

const struct codec codec_epd = {
    .name = "epd",
    .extension = ".epd",
    .summary = "positions with best move, score, depth, nodes, id and result as operations",
    .fields = CODEC_HOLDS_SIDE | CODEC_HOLDS_CASTLING | CODEC_HOLDS_CHESS960 | CODEC_HOLDS_EP |
              CODEC_HOLDS_HALFMOVE | CODEC_HOLDS_FULLMOVE | CODEC_HOLDS_PLY | CODEC_HOLDS_RESULT |
              CODEC_HOLDS_UNKNOWN_RESULT | CODEC_HOLDS_MOVE | CODEC_HOLDS_BOTH_MOVES |
              CODEC_HOLDS_SCORE | CODEC_HOLDS_GAME_ID,
    .compress = true,
    .centipawns = true,
    .decoder_size = sizeof(struct epd_decoder),
    .encode = epd_encode,
    .decode = epd_decode,
};
