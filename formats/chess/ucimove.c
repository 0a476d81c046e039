/* SPDX-License-Identifier: MIT */
/*
 * UCI moves. Reading looks the text up among the legal moves.
 */
#include "formats/chess/ucimove.h"

#include "formats/chess/legality.h"
#include "formats/chess/movegen.h"

struct uci_text {
    unsigned from, to;
    unsigned promotion; /* PAWN: none */
};

static bool read_square(const char *text, unsigned *square)
{
    unsigned file = (unsigned)(text[0] - 'a'), rank = (unsigned)(text[1] - '1');
    *square = square_make(file & 7, rank & 7);
    return file < 8 && rank < 8;
}

static bool read_promotion(char letter, unsigned *type)
{
    switch (letter | 0x20) {
    case 'n':
        *type = KNIGHT;
        return true;
    case 'b':
        *type = BISHOP;
        return true;
    case 'r':
        *type = ROOK;
        return true;
    case 'q':
        *type = QUEEN;
        return true;
    default:
        return false;
    }
}

static bool read_text(const char *text, size_t size, struct uci_text *uci)
{
    uci->promotion = PAWN;
    return (size == 4 || (size == 5 && read_promotion(text[4], &uci->promotion))) &&
           read_square(text, &uci->from) && read_square(text + 2, &uci->to);
}

static bool means(const struct uci_text *uci, uint16_t move)
{
    unsigned promotion = move_kind(move) == MOVE_PROMOTION ? move_promotion(move) : PAWN;
    return move_from(move) == uci->from && move_to(move) == uci->to && promotion == uci->promotion;
}

/* Castling as e1g1; a king move to the same square is never two files long. */
static bool means_castling(const struct uci_text *uci, uint16_t move)
{
    unsigned from = move_from(move);
    unsigned side = move_to(move) > from ? KING_SIDE : QUEEN_SIDE;

    return move_kind(move) == MOVE_CASTLING && uci->promotion == PAWN && from == uci->from &&
           uci->to == (side == KING_SIDE ? from + 2 : from - 2) &&
           square_file(uci->to) == (side == KING_SIDE ? 6 : 2);
}

uint16_t ucimove_parse(const struct position *position, const char *text, size_t size)
{
    struct uci_text uci;
    uint16_t moves[MOVES_MAX];

    if (!read_text(text, size, &uci))
        return MOVE_NONE;
    unsigned count = movegen_legal(position, moves);
    for (unsigned i = 0; i < count; i++) {
        if (means(&uci, moves[i]))
            return moves[i];
    }
    for (unsigned i = 0; i < count; i++) {
        if (means_castling(&uci, moves[i]))
            return moves[i];
    }
    return MOVE_NONE;
}

static char *write_square(char *out, unsigned square)
{
    *out++ = (char)('a' + square_file(square));
    *out++ = (char)('1' + square_rank(square));
    return out;
}

void ucimove_format(uint16_t move, bool king_takes_rook, char out[UCIMOVE_MAX])
{
    unsigned from = move_from(move), to = move_to(move);

    if (move == MOVE_NONE)
        from = to = SQUARE_NONE;
    if (move_kind(move) == MOVE_CASTLING && !king_takes_rook)
        to = square_make(to > from ? 6 : 2, square_rank(from));
    if (from == SQUARE_NONE) {
        for (unsigned i = 0; i < 4; i++)
            *out++ = '0';
    } else {
        out = write_square(write_square(out, from), to);
    }
    if (move_kind(move) == MOVE_PROMOTION)
        *out++ = "pnbrq"[move_promotion(move)];
    *out = '\0';
}
