/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/fenline.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "formats/chess/fen.h"

#define BOARD_FIELDS 4
#define FEN_FIELDS   6
#define CLOCK_DIGITS 5
#define START        "startpos"
#define START_FEN    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

struct field {
    const char *start;
    size_t size;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The fields up to FEN_FIELDS; their number. *rest is what follows the last of them. */
static int split(const char *text, const char *end, struct field fields[FEN_FIELDS])
{
    int count = 0;
    while (count < FEN_FIELDS) {
        while (text < end && is_blank(*text))
            text++;
        const char *start = text;
        while (text < end && !is_blank(*text) && *text != ';')
            text++;
        if (text == start)
            break;
        fields[count++] = (struct field){start, (size_t)(text - start)};
    }
    return count;
}

static bool is_number(const struct field *field)
{
    size_t digits = 0;
    while (digits < field->size && field->start[digits] >= '0' && field->start[digits] <= '9')
        digits++;
    return digits == field->size && digits <= CLOCK_DIGITS;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* The end of an EPD operation: the next ';' outside quotes. */
static const char *operation_end(const char *at, const char *end)
{
    bool quoted = false;
    for (; at < end && (quoted || *at != ';'); at++)
        quoted = quoted != (*at == '"');
    return at;
}

/* The number behind hmvc or fmvn in the operations, or the fallback. */
static struct field find_clock(const char *at, const char *end, const char *name,
                               struct field fallback)
{
    while (at < end) {
        const char *stop = operation_end(at, end);
        struct field words[FEN_FIELDS];
        int count = split(at, stop, words);
        if (count >= 2 && words[0].size == strlen(name) &&
            memcmp(words[0].start, name, words[0].size) == 0 && is_number(&words[1]))
            return words[1];
        at = stop + (stop < end);
    }
    return fallback;
}

/* May this stand behind four fields: nothing, or operations, of which "moves" is none. */
static bool are_operations(const char *at, const char *end)
{
    bool letter = at < end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'));
    bool moves = end - at >= 6 && memcmp(at, "moves ", 6) == 0;
    return at == end || *at == ';' || (letter && !moves);
}

const char *fenline_meant(const char *text)
{
    return strcmp(text, START) == 0 ? START_FEN : text;
}

const char *fenline_parse(const char *text, size_t size, struct position *position,
                          unsigned *dropped)
{
    if (size == strlen(START) && memcmp(text, START, size) == 0) {
        text = START_FEN;
        size = strlen(text);
    }
    const char *end = text + size;
    struct field fields[FEN_FIELDS];
    int count = split(text, end, fields);
    *dropped = 0;
    bool six = count == FEN_FIELDS && is_number(&fields[4]) && is_number(&fields[5]);
    if (count < BOARD_FIELDS)
        return fen_status_text(FEN_BAD_SYNTAX);
    const struct field *last = &fields[six ? FEN_FIELDS - 1 : BOARD_FIELDS - 1];
    const char *rest = skip_blanks(last->start + last->size, end);
    struct field halfmove = {"0", 1}, fullmove = {"1", 1};
    if (six) {
        halfmove = fields[4];
        fullmove = fields[5];
    } else {
        halfmove = find_clock(rest, end, "hmvc", halfmove);
        fullmove = find_clock(rest, end, "fmvn", fullmove);
    }
    if (six ? rest < end && *rest != ';' : !are_operations(rest, end))
        return fen_status_text(FEN_BAD_SYNTAX);
    char fen[2 * FEN_MAX];
    int board = (int)(fields[BOARD_FIELDS - 1].start + fields[BOARD_FIELDS - 1].size - text);
    int length = snprintf(fen, sizeof fen, "%.*s %.*s %.*s", board, text, (int)halfmove.size,
                          halfmove.start, (int)fullmove.size, fullmove.start);
    if (length < 0 || (size_t)length >= sizeof fen || strlen(fen) != (size_t)length)
        return fen_status_text(FEN_BAD_SYNTAX);
    enum fen_status status =
        fen_parse(fen, (size_t)length, FEN_DROP_BAD_CASTLING, position, dropped);
    return status == FEN_OK ? NULL : fen_status_text(status);
}
