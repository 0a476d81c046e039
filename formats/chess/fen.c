/* SPDX-License-Identifier: MIT */
/*
 * FEN reader and writer.
 *
 * The one hard place is castling. In X-FEN the letters KQkq name the outermost rook on that side of
 * the king wherever it stands; in the many standard FENs with a stale right, the same letter names
 * nothing. The field as a whole decides: when every letter of it can be read in the X-FEN way it is
 * read so; when one cannot, the field is stale, and KQkq mean only a king on the e file and a rook
 * in its corner.
 */
#include "formats/chess/fen.h"

#include <stdio.h>
#include <string.h>

#include "formats/chess/attacks.h"

#define PIECE_LETTERS "PNBRQKpnbrqk"
#define CLOCK_MAX     UINT16_MAX

struct field {
    const char *text;
    size_t size;
};

enum { FIELD_BOARD, FIELD_SIDE, FIELD_CASTLING, FIELD_EP, FIELD_HALFMOVE, FIELD_FULLMOVE, FIELDS };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Splits at blanks; the number of fields, or FIELDS + 1 when there are too many. */
static unsigned split_fields(const char *text, size_t size, struct field fields[FIELDS])
{
    unsigned count = 0;
    size_t i = 0;

    for (;;) {
        while (i < size && is_blank(text[i]))
            i++;
        if (i == size || count == FIELDS)
            return count + (i < size);
        size_t start = i;
        while (i < size && !is_blank(text[i]))
            i++;
        fields[count++] = (struct field){text + start, i - start};
    }
}

static bool read_piece(char letter, uint8_t *piece)
{
    const char *found = letter ? strchr(PIECE_LETTERS, letter) : NULL;
    if (found)
        *piece = (uint8_t)(found - PIECE_LETTERS);
    return found != NULL;
}

/* One rank up to the '/' or the end; the bytes read, or 0. */
static size_t read_rank(struct field field, size_t at, unsigned rank, struct position *position)
{
    unsigned file = 0;
    bool digit_before = false;
    size_t i = at;

    for (; i < field.size && field.text[i] != '/'; i++) {
        char c = field.text[i];
        uint8_t piece;
        bool digit = c >= '1' && c <= '8';
        if (digit && !digit_before && file + (unsigned)(c - '0') <= 8)
            file += (unsigned)(c - '0');
        else if (!digit && file < 8 && read_piece(c, &piece))
            position_put(position, piece, square_make(file++, rank));
        else
            return 0;
        digit_before = digit;
    }
    return file == 8 ? i - at : 0;
}

static bool read_board(struct field field, struct position *position)
{
    size_t at = 0;

    for (unsigned rank = 8; rank-- > 0;) {
        size_t read = read_rank(field, at, rank, position);
        if (read == 0)
            return false;
        at += read;
        if (rank > 0) {
            if (at == field.size)
                return false;
            at++;
        }
    }
    return at == field.size;
}

static bool read_side(struct field field, struct position *position)
{
    if (field.size != 1 || (field.text[0] != 'w' && field.text[0] != 'b'))
        return false;
    position->side = field.text[0] == 'w' ? WHITE : BLACK;
    return true;
}

static bool read_ep(struct field field, struct position *position)
{
    if (field.size == 1 && field.text[0] == '-')
        return true;
    if (field.size != 2 || field.text[0] < 'a' || field.text[0] > 'h' || field.text[1] < '1' ||
        field.text[1] > '8')
        return false;
    position->ep = square_make((unsigned)(field.text[0] - 'a'), (unsigned)(field.text[1] - '1'));
    return true;
}

static bool read_clock(struct field field, uint16_t *clock)
{
    uint32_t value = 0;

    for (size_t i = 0; i < field.size; i++) {
        if (field.text[i] < '0' || field.text[i] > '9')
            return false;
        value = value * 10 + (uint32_t)(field.text[i] - '0');
        if (value > CLOCK_MAX)
            return false;
    }
    *clock = (uint16_t)value;
    return true;
}

static bool castling_field_is_readable(struct field field)
{
    if (field.size == 1 && field.text[0] == '-')
        return true;
    for (size_t i = 0; i < field.size; i++) {
        char lower = (char)(field.text[i] | 0x20);
        if (lower != 'k' && lower != 'q' && (lower < 'a' || lower > 'h'))
            return false;
    }
    return true;
}

/* The outermost own rook on that side of the king on the first rank, or SQUARE_NONE. */
static uint8_t outermost_rook(const struct position *position, unsigned colour,
                              enum castling_side side)
{
    unsigned king = position_king(position, colour), rank = colour == WHITE ? 0 : 7;
    uint64_t below = bitboard_of(king) - 1, above = ~(below | bitboard_of(king));
    uint64_t rooks = position->colour[colour] & position->type[ROOK] & bitboard_rank(rank) &
                     (side == KING_SIDE ? above : below);

    while (side == KING_SIDE && bitboard_many(rooks))
        bitboard_pop(&rooks);
    return rooks ? (uint8_t)bitboard_first(rooks) : SQUARE_NONE;
}

/* The rook that a letter means, or SQUARE_NONE. */
static uint8_t castling_rook(const struct position *position, char letter, bool stale)
{
    unsigned colour = letter < 'a' ? WHITE : BLACK, rank = colour == WHITE ? 0 : 7;
    unsigned king = position_king(position, colour);
    char lower = (char)(letter | 0x20);
    uint8_t rook;

    if (square_rank(king) != rank)
        return SQUARE_NONE;
    if (lower != 'k' && lower != 'q') {
        rook = square_make((unsigned)(lower - 'a'), rank);
    } else {
        enum castling_side side = lower == 'k' ? KING_SIDE : QUEEN_SIDE;
        unsigned corner = square_make(side == KING_SIDE ? 7 : 0, rank);
        rook = outermost_rook(position, colour, side);
        if (stale && (square_file(king) != 4 || rook != corner))
            return SQUARE_NONE;
    }
    return rook != SQUARE_NONE && position->board[rook] == piece_make(colour, ROOK) ? rook
                                                                                    : SQUARE_NONE;
}

/* Sets the rights that the field names; the number of letters that name nothing, or a right twice.
 */
static unsigned read_castling(struct field field, bool stale, struct position *position)
{
    unsigned bad = 0;

    memset(position->rook, SQUARE_NONE, sizeof position->rook);
    if (field.text[0] == '-')
        return 0;
    for (size_t i = 0; i < field.size; i++) {
        unsigned colour = field.text[i] < 'a' ? WHITE : BLACK;
        uint8_t rook = castling_rook(position, field.text[i], stale);
        enum castling_side side = rook > position_king(position, colour) ? KING_SIDE : QUEEN_SIDE;
        if (rook == SQUARE_NONE || position->rook[colour][side] != SQUARE_NONE)
            bad++;
        else
            position->rook[colour][side] = rook;
    }
    return bad;
}

static enum fen_status status_of_fault(enum position_fault fault)
{
    switch (fault) {
    case POSITION_BAD_BOARD:
        return FEN_BAD_BOARD;
    case POSITION_OPPONENT_IN_CHECK:
        return FEN_OPPONENT_IN_CHECK;
    case POSITION_BAD_CHECK:
        return FEN_BAD_CHECK;
    default:
        return FEN_OK;
    }
}

static bool read_fields(const char *text, size_t size, struct position *position,
                        struct field *castling)
{
    struct field fields[FIELDS];
    unsigned count = split_fields(text, size, fields);

    if ((count != FIELD_HALFMOVE && count != FIELDS) ||
        !read_board(fields[FIELD_BOARD], position) || !read_side(fields[FIELD_SIDE], position) ||
        !castling_field_is_readable(fields[FIELD_CASTLING]) || !read_ep(fields[FIELD_EP], position))
        return false;
    if (count == FIELDS && (!read_clock(fields[FIELD_HALFMOVE], &position->halfmove) ||
                            !read_clock(fields[FIELD_FULLMOVE], &position->fullmove)))
        return false;
    if (position->fullmove == 0)
        position->fullmove = 1;
    *castling = fields[FIELD_CASTLING];
    return true;
}

enum fen_status fen_parse(const char *text, size_t size, enum fen_castling_rule rule,
                          struct position *position, unsigned *dropped)
{
    struct field castling;
    unsigned bad;

    position_clear(position);
    if (!read_fields(text, size, position, &castling))
        return FEN_BAD_SYNTAX;
    if (!position_board_is_sane(position))
        return FEN_BAD_BOARD;
    bad = read_castling(castling, false, position);
    if (bad)
        bad = read_castling(castling, true, position);
    if (bad && rule == FEN_REJECT_BAD_CASTLING)
        return FEN_BAD_CASTLING;
    if (dropped)
        *dropped = bad;
    position->chess960 = position_castling_is_odd(position);
    position_normalise_ep(position);
    return status_of_fault(position_find_fault(position));
}

const char *fen_status_text(enum fen_status status)
{
    switch (status) {
    case FEN_OK:
        return "ok";
    case FEN_BAD_SYNTAX:
        return "bad FEN syntax";
    case FEN_BAD_BOARD:
        return "impossible board";
    case FEN_BAD_CASTLING:
        return "bad castling";
    case FEN_OPPONENT_IN_CHECK:
        return "opponent in check";
    case FEN_BAD_CHECK:
        return "impossible check";
    }
    return "unknown";
}

static char *write_board(const struct position *position, char *out)
{
    for (unsigned rank = 8; rank-- > 0;) {
        unsigned empty = 0;
        for (unsigned file = 0; file < 8; file++) {
            unsigned piece = position->board[square_make(file, rank)];
            if (piece == PIECE_NONE) {
                empty++;
                continue;
            }
            if (empty)
                *out++ = (char)('0' + empty);
            empty = 0;
            *out++ = PIECE_LETTERS[piece];
        }
        if (empty)
            *out++ = (char)('0' + empty);
        *out++ = rank ? '/' : ' ';
    }
    return out;
}

static char castling_letter(const struct position *position, unsigned colour,
                            enum castling_side side, enum fen_style style)
{
    unsigned rook = position->rook[colour][side];
    char letter = (char)('A' + square_file(rook));

    if (style == FEN_XFEN && outermost_rook(position, colour, side) == rook)
        letter = side == KING_SIDE ? 'K' : 'Q';
    return (char)(letter + (colour == WHITE ? 0 : 'a' - 'A'));
}

static char *write_castling(const struct position *position, enum fen_style style, char *out)
{
    char *start = out;

    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        for (unsigned side = KING_SIDE; side <= QUEEN_SIDE; side++) {
            if (position->rook[colour][side] != SQUARE_NONE)
                *out++ = castling_letter(position, colour, (enum castling_side)side, style);
        }
    }
    if (out == start)
        *out++ = '-';
    *out++ = ' ';
    return out;
}

static void write_fen(const struct position *position, enum fen_style style, unsigned fullmove,
                      char out[FEN_MAX])
{
    char *p = write_board(position, out);

    *p++ = position->side == WHITE ? 'w' : 'b';
    *p++ = ' ';
    p = write_castling(position, style, p);
    if (position->ep == SQUARE_NONE) {
        *p++ = '-';
    } else {
        *p++ = (char)('a' + square_file(position->ep));
        *p++ = (char)('1' + square_rank(position->ep));
    }
    snprintf(p, (size_t)(out + FEN_MAX - p), " %u %u", (unsigned)position->halfmove, fullmove);
}

void fen_format(const struct position *position, enum fen_style style, char out[FEN_MAX])
{
    write_fen(position, style, position->fullmove, out);
}

void fen_format_label_key(const struct position *position, char out[FEN_MAX])
{
    write_fen(position, FEN_XFEN, 1, out);
}
