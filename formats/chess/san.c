/* SPDX-License-Identifier: MIT */
/*
 * SAN without move generation: from the target square back to the pieces that could have come from
 * there, each asked whether the way is free and the king stays safe. Most moves have one candidate.
 */
#include "formats/chess/san.h"

#include <string.h>

#include "formats/chess/legality.h"
#include "formats/chess/movegen.h"
#include "formats/chess/san_plain.h"
#include "formats/chess/ucimove.h"

#define UNKNOWN 8 /* a file or rank that the text does not give */

/* What a text says, before any board is looked at. */
struct san_text {
    unsigned type; /* PAWN .. KING */
    unsigned to;
    unsigned promotion; /* KNIGHT .. QUEEN, PAWN = none */
    uint64_t from;      /* where the piece may stand as far as the text says */
};

const uint8_t san_plain_types[256] = {
    ['N'] = KNIGHT, ['B'] = BISHOP, ['R'] = ROOK, ['Q'] = QUEEN, ['K'] = KING};

/* PAWN for anything that is no piece letter. */
static inline unsigned type_of_letter(char letter)
{
    return san_plain_types[(uint8_t)letter];
}

/* A coordinate counted from base ('a' or '1'), or UNKNOWN. */
static inline unsigned take_coordinate(const char **p, const char *end, char base)
{
    unsigned value = *p < end ? (unsigned)(**p - base) : UNKNOWN;
    if (value >= 8)
        return UNKNOWN;
    ++*p;
    return value;
}

/* =Q, (Q), /Q or Q, in either case. False when brackets or sign stand without a piece. */
static bool take_promotion(const char **p, const char *end, unsigned *promotion)
{
    const char *at = *p;
    char sign = *at == '=' || *at == '(' || *at == '/' ? *at++ : 0;
    unsigned type = at < end ? type_of_letter((char)(*at & ~0x20)) : PAWN;

    if (type == PAWN || type == KING)
        return sign == 0;
    at++;
    if (sign == '(' && (at == end || *at++ != ')'))
        return false;
    *promotion = type;
    *p = at;
    return true;
}

/* Check and annotation signs and "e.p."; they say nothing that the board does not. */
static bool only_suffixes(const char *p, const char *end)
{
    while (p < end) {
        if (*p == '+' || *p == '#' || *p == '!' || *p == '?')
            p++;
        else if (end - p >= 4 && memcmp(p, "e.p.", 4) == 0)
            p += 4;
        else if (end - p >= 2 && memcmp(p, "ep", 2) == 0)
            p += 2;
        else
            return false;
    }
    return true;
}

/* The squares of a file and a rank, where UNKNOWN stands for all of them. */
static uint64_t origins_of(unsigned file, unsigned rank)
{
    uint64_t origins = ~UINT64_C(0);
    if (file != UNKNOWN)
        origins &= bitboard_file(file);
    if (rank != UNKNOWN)
        origins &= bitboard_rank(rank);
    return origins;
}

static bool read_text(const char *p, const char *end, struct san_text *san)
{
    san->type = type_of_letter(*p);
    p += san->type != PAWN;

    unsigned file = take_coordinate(&p, end, 'a'), rank = take_coordinate(&p, end, '1');
    const char *after_first = p;
    if (p < end && (*p == 'x' || *p == '-' || *p == ':'))
        p++;
    unsigned to_file = take_coordinate(&p, end, 'a'), to_rank;
    if (to_file == UNKNOWN) {
        p = after_first;
        to_file = file;
        to_rank = rank;
        file = rank = UNKNOWN;
    } else {
        to_rank = take_coordinate(&p, end, '1');
    }
    if (to_file == UNKNOWN || to_rank == UNKNOWN)
        return false;
    san->from = origins_of(file, rank);
    san->to = square_make(to_file, to_rank);
    san->promotion = PAWN;
    return p == end || (take_promotion(&p, end, &san->promotion) && only_suffixes(p, end));
}

/* Own pieces of a type (no pawn) that stand on one of `from` and can legally go to a square. */
static uint64_t legal_origins(const struct position *position, unsigned type, unsigned to,
                              uint64_t from)
{
    uint64_t own = position->colour[position->side];
    uint64_t occupied = own | position->colour[!position->side];
    uint64_t candidates = own & position->type[type] & attacks_empty(type, to) & from, legal = 0;

    if (own & bitboard_of(to))
        return 0;
    if (type == KING)
        return candidates && legality_of_king_move(position, bitboard_first(candidates), to)
                   ? candidates
                   : 0;
    while (candidates) {
        unsigned origin = bitboard_pop(&candidates);
        /* Between a knight's two squares the table is empty. */
        if (!(attacks_between(origin, to) & occupied) &&
            legality_of_piece_move(position, origin, to))
            legal |= bitboard_of(origin);
    }
    return legal;
}

static enum san_status resolve_piece(const struct position *position, const struct san_text *san,
                                     uint16_t *move)
{
    uint64_t origins = legal_origins(position, san->type, san->to, san->from);

    if (!origins || san->promotion != PAWN)
        return SAN_ILLEGAL;
    if (bitboard_many(origins))
        return SAN_AMBIGUOUS;
    *move = move_make(bitboard_first(origins), san->to, MOVE_NORMAL);
    return SAN_OK;
}

/* The one pawn that can go to the square as the text says, king safety aside; or nothing. */
static uint64_t pawn_origin(const struct position *position, const struct san_text *san)
{
    unsigned us = position->side;
    uint64_t to = bitboard_of(san->to), pawns = position->colour[us] & position->type[PAWN];
    uint64_t occupied = position->colour[us] | position->colour[!us];

    if (!(san->from & bitboard_file(square_file(san->to)))) {
        if (!(to & position->colour[!us]) && san->to != position->ep)
            return 0;
        return pawns & attacks_pawn(!us, san->to) & san->from;
    }
    if (to & occupied)
        return 0;
    uint64_t once = us == WHITE ? to >> 8 : to << 8;
    uint64_t twice = us == WHITE ? once >> 8 : once << 8;
    if (square_rank(san->to) == (us == WHITE ? 3 : 4) && !(once & occupied))
        once = twice;
    return pawns & once & san->from;
}

static enum san_status resolve_pawn(const struct position *position, const struct san_text *san,
                                    uint16_t *move)
{
    uint64_t origin = pawn_origin(position, san);
    bool promotes = square_rank(san->to) % 7 == 0;

    if (!origin || promotes != (san->promotion != PAWN))
        return SAN_ILLEGAL;
    unsigned from = bitboard_first(origin);
    if (san->to == position->ep && square_file(from) != square_file(san->to)) {
        *move = move_make(from, san->to, MOVE_EN_PASSANT);
        return legality_of_en_passant(position, from, san->to) ? SAN_OK : SAN_ILLEGAL;
    }
    *move = promotes ? move_make_promotion(from, san->to, san->promotion)
                     : move_make(from, san->to, MOVE_NORMAL);
    return legality_of_piece_move(position, from, san->to) ? SAN_OK : SAN_ILLEGAL;
}

/* A full origin without a piece letter: the long form of a pawn move, or a UCI move. */
static enum san_status resolve_coordinates(const struct position *position,
                                           const struct san_text *san, uint16_t *move)
{
    unsigned from = bitboard_first(san->from);
    char text[UCIMOVE_MAX] = {(char)('a' + square_file(from)),
                              (char)('1' + square_rank(from)),
                              (char)('a' + square_file(san->to)),
                              (char)('1' + square_rank(san->to)),
                              0,
                              0};

    if (position->board[from] == piece_make(position->side, PAWN))
        return resolve_pawn(position, san, move);
    if (san->promotion != PAWN)
        return SAN_ILLEGAL;
    *move = ucimove_parse(position, text, 4);
    return *move != MOVE_NONE ? SAN_OK : SAN_ILLEGAL;
}

static bool is_null_move(const char *text, size_t size)
{
    static const char *const words[] = {"--", "Z0", "null", "@@@@", "0000"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == size && memcmp(words[i], text, size) == 0)
            return true;
    }
    return false;
}

/* O-O or O-O-O at the start of text, also with zeros and small letters; the number of Os, or 0. */
static unsigned count_castling_letters(const char **text, const char *end)
{
    unsigned count = 0;
    const char *p = *text;

    while (p < end && count < 3 && (*p == 'O' || *p == '0' || *p == 'o')) {
        *text = ++p;
        count++;
        if (p < end && *p == '-')
            p++;
        else
            break;
    }
    return count;
}

static enum san_status parse_special(const struct position *position, const char *text, size_t size,
                                     uint16_t *move)
{
    const char *p = text, *end = text + size;

    unsigned letters = count_castling_letters(&p, end);
    if (letters < 2 || !only_suffixes(p, end))
        return is_null_move(text, size) ? SAN_NULL_MOVE : SAN_SYNTAX;
    enum castling_side side = letters == 2 ? KING_SIDE : QUEEN_SIDE;
    if (!legality_of_castling(position, side))
        return SAN_ILLEGAL;
    *move = move_make(position_king(position, position->side), position->rook[position->side][side],
                      MOVE_CASTLING);
    return SAN_OK;
}

enum san_status san_parse(const struct position *position, const char *text, size_t size,
                          uint16_t *move)
{
    struct san_text san;

    if (size == 0)
        return SAN_SYNTAX;
    if (*text == 'O' || !read_text(text, text + size, &san))
        return parse_special(position, text, size, move);
    if (san.type != PAWN)
        return resolve_piece(position, &san, move);
    if (!bitboard_many(san.from))
        return resolve_coordinates(position, &san, move);
    return resolve_pawn(position, &san, move);
}

static char *write_file(char *out, unsigned square)
{
    *out = (char)('a' + square_file(square));
    return out + 1;
}

static char *write_rank(char *out, unsigned square)
{
    *out = (char)('1' + square_rank(square));
    return out + 1;
}

/* As little of the origin as tells it from the others: file, else rank, else both. */
static char *write_origin(const struct position *position, uint16_t move, unsigned type, char *out)
{
    unsigned from = move_from(move);
    uint64_t others = legal_origins(position, type, move_to(move), ~bitboard_of(from));

    if (!others)
        return out;
    bool file_tells = !(others & bitboard_file(square_file(from)));
    bool rank_tells = !(others & bitboard_rank(square_rank(from)));
    if (file_tells || !rank_tells)
        out = write_file(out, from);
    if (!file_tells)
        out = write_rank(out, from);
    return out;
}

static char *write_move(const struct position *position, uint16_t move, char *out)
{
    unsigned from = move_from(move), to = move_to(move);
    unsigned type = piece_type_of(position->board[from]);
    bool takes = position_captured(position, move) != PIECE_NONE;

    if (move_kind(move) == MOVE_CASTLING) {
        for (const char *text = to > from ? "O-O" : "O-O-O"; *text; text++)
            *out++ = *text;
        return out;
    }
    if (type != PAWN) {
        *out++ = "PNBRQK"[type];
        out = write_origin(position, move, type, out);
    } else if (takes) {
        out = write_file(out, from);
    }
    if (takes)
        *out++ = 'x';
    out = write_rank(write_file(out, to), to);
    if (move_kind(move) == MOVE_PROMOTION) {
        *out++ = '=';
        *out++ = "PNBRQK"[move_promotion(move)];
    }
    return out;
}

void san_format(const struct position *position, uint16_t move, char out[SAN_MAX])
{
    struct position next = *position;

    out = write_move(position, move, out);
    position_make(&next, move, NULL);
    if (position_checkers(&next))
        *out++ = movegen_has_legal(&next) ? '+' : '#';
    *out = '\0';
}
