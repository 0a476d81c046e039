/* SPDX-License-Identifier: MIT */
/*
 * Lichess's puzzles (lichess_db_puzzle.csv.zst), a source of positions to label. A header line and
 * a row a puzzle, no field is quoted:
 *
 *   PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
 *   CJi0b,6k1/... b - - 8 22,c6d5 e1e8,400,116,81,1125,...,https://lichess.org/zhWsNjI8/black#44,
 *
 * FEN is the position before the other side's mistake, the first of Moves; the puzzle is the
 * position behind it and the second move its solution, which is taken as the best move. GameUrl
 * names the game and the ply of the puzzle, so that puzzles of a game come into one split. The
 * columns are found by the header's names, since tables derived from this one have others behind
 * them; the oldest files have no header and these columns. There is no score and no result.
 *
 * A position that no game can reach or an illegal move is passed over and counted; a row without
 * the columns is damage.
 */
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "formats/codec.h"
#include "formats/pgn.h"

#define ID_MAX 16 /* letters and digits of a PuzzleId: five so far */

enum puzzle_column { PUZZLE_ID, PUZZLE_FEN, PUZZLE_MOVES, PUZZLE_URL, PUZZLE_COLUMNS };

struct puzzles_decoder {
    bool begun;
    unsigned at[PUZZLE_COLUMNS]; /* index of each column, from 0 */
    uint64_t refused;
};

static const char *const column_names[PUZZLE_COLUMNS] = {"PuzzleId", "FEN", "Moves", "GameUrl"};

/* The next field of a line, which moves behind it; false when there is none. */
static bool take_field(struct text_span *line, struct text_span *field)
{
    if (line->text == NULL)
        return false;
    const char *comma = line->size > 0 ? memchr(line->text, ',', line->size) : NULL;
    size_t size = comma != NULL ? (size_t)(comma - line->text) : line->size;
    *field = (struct text_span){line->text, size};
    line->text = comma != NULL ? comma + 1 : NULL;
    line->size -= comma != NULL ? size + 1 : size;
    return true;
}

/* Where a header has the columns; false when it lacks one. */
static bool read_header(struct text_span line, unsigned at[PUZZLE_COLUMNS])
{
    struct text_span field;
    unsigned found = 0;
    for (unsigned column = 0; take_field(&line, &field); column++)
        for (unsigned i = 0; i < PUZZLE_COLUMNS; i++)
            if (text_equals(field, column_names[i])) {
                at[i] = column;
                found |= 1u << i;
            }
    return found == (1u << PUZZLE_COLUMNS) - 1;
}

static bool is_puzzle_id(struct text_span text)
{
    return text.size <= ID_MAX && gameid_is_valid(text.text, text.size);
}

static int read_columns(const struct puzzles_decoder *decoder, struct text_span line,
                        struct text_span columns[PUZZLE_COLUMNS], struct error *err)
{
    struct text_span field;
    unsigned found = 0;
    for (unsigned column = 0; take_field(&line, &field); column++)
        for (unsigned i = 0; i < PUZZLE_COLUMNS; i++)
            if (decoder->at[i] == column) {
                columns[i] = field;
                found |= 1u << i;
            }
    if (found != (1u << PUZZLE_COLUMNS) - 1)
        return error_set(err, ERROR_FAILED, "too few columns for a puzzle");
    if (!is_puzzle_id(columns[PUZZLE_ID]))
        return error_set(err, ERROR_FAILED, "bad PuzzleId '%.*s'",
                         text_error_size(columns[PUZZLE_ID]), columns[PUZZLE_ID].text);
    return 0;
}

/* Half-moves before the position, counted from the start of a standard game. */
static uint32_t ply_of(const struct position *position)
{
    return 2 * ((uint32_t)position->fullmove - 1) + position->side;
}

/* The game of "https://lichess.org/zhWsNjI8/black#44". A row of another site has none. */
static void read_game(struct text_span url, struct record *record)
{
    if (!gameid_from_reference(url.text, url.size, record->game_id))
        memset(record->game_id, 0, sizeof record->game_id);
}

/* 1, or 0 when the position or a move is unusable. */
static int read_puzzle(const struct text_span columns[PUZZLE_COLUMNS], struct record *record)
{
    struct text_span fen = columns[PUZZLE_FEN], moves = columns[PUZZLE_MOVES];
    const char *blank = moves.size > 0 ? memchr(moves.text, ' ', moves.size) : NULL;
    *record = (struct record){.result = PGN_UNKNOWN, .source = SOURCE_INPUT};
    if (blank == NULL ||
        fen_parse(fen.text, fen.size, FEN_DROP_BAD_CASTLING, &record->position, NULL) != FEN_OK)
        return 0;
    uint16_t mistake = ucimove_parse(&record->position, moves.text, (size_t)(blank - moves.text));
    if (mistake == MOVE_NONE)
        return 0;
    position_make(&record->position, mistake, NULL);
    const char *second = blank + 1, *end = moves.text + moves.size;
    const char *behind = second < end ? memchr(second, ' ', (size_t)(end - second)) : NULL;
    record->label.best_move = ucimove_parse(&record->position, second,
                                            (size_t)((behind != NULL ? behind : end) - second));
    record->ply = ply_of(&record->position);
    read_game(columns[PUZZLE_URL], record);
    return record->label.best_move != MOVE_NONE;
}

/* The first line says where the columns are, or is the first puzzle. */
static int begin(struct puzzles_decoder *decoder, struct text_span line, bool *is_header,
                 struct error *err)
{
    struct text_span columns[PUZZLE_COLUMNS];
    static const unsigned usual[PUZZLE_COLUMNS] = {0, 1, 2, 8};
    decoder->begun = true;
    *is_header = read_header(line, decoder->at);
    if (*is_header)
        return 0;
    memcpy(decoder->at, usual, sizeof usual);
    if (read_columns(decoder, line, columns, NULL) == 0 && columns[PUZZLE_FEN].size > 0 &&
        memchr(columns[PUZZLE_FEN].text, '/', columns[PUZZLE_FEN].size) != NULL)
        return 0;
    return error_set(err, ERROR_FAILED,
                     "bad header '%.*s': no columns PuzzleId, FEN, Moves and GameUrl",
                     text_error_size(line), line.text);
}

/* 1, 0 when it is to be passed over, -1. */
static int read_line(struct puzzles_decoder *decoder, struct text_span line, struct record *record,
                     struct error *err)
{
    struct text_span columns[PUZZLE_COLUMNS];
    bool is_header = false;
    if (!decoder->begun && begin(decoder, line, &is_header, err) < 0)
        return -1;
    if (is_header || line.size == 0)
        return 0;
    if (read_columns(decoder, line, columns, err) < 0)
        return -1;
    int usable = read_puzzle(columns, record);
    decoder->refused += usable == 0;
    return usable;
}

static int puzzles_decode(void *state, struct codec_source *source,
                          const struct codec_options *options, struct record *record,
                          struct error *err)
{
    struct puzzles_decoder *decoder = state;
    struct text_span line;
    int status, found = 0;
    (void)options; /* always checked */
    while (found == 0 && (status = codec_source_line(source, &line, err)) == 1) {
        found = read_line(decoder, line, record, err);
        if (found == 0)
            codec_source_mark(source, codec_source_offset(source));
    }
    return found != 0 ? found : status;
}

static uint64_t puzzles_refused(const void *state)
{
    return ((const struct puzzles_decoder *)state)->refused;
}

const struct codec codec_lichess_puzzles = {
    .name = "lichess-puzzles",
    .extension = "lichess_db_puzzle.csv",
    .summary = "Lichess's puzzles, the positions to solve (only read)",
    .fields = CODEC_HOLDS_SIDE | CODEC_HOLDS_CASTLING | CODEC_HOLDS_CHESS960 | CODEC_HOLDS_EP |
              CODEC_HOLDS_HALFMOVE | CODEC_HOLDS_FULLMOVE | CODEC_HOLDS_PLY | CODEC_HOLDS_MOVE |
              CODEC_HOLDS_GAME_ID,
    .centipawns = true,
    .decoder_size = sizeof(struct puzzles_decoder),
    .decode = puzzles_decode,
    .refused = puzzles_refused,
};
