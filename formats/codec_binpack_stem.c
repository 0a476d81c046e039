/* SPDX-License-Identifier: MIT */
/*
 * A stem of a `.binpack`: a whole position in 32 bytes, all numbers big-endian.
 *
 *    0  8  occupied squares, a1 = bit 0
 *    8 16  a nibble per occupied square in square order, LOW nibble of byte 8 first; zeros behind:
 *            0 P  1 p  2 N  3 n  4 B  5 b  6 R  7 r  8 Q  9 q  10 K  11 k
 *           12  pawn that has just made a double step: en passant is possible behind it
 *           13  white rook with a castling right: on a1 the queen's side, on h1 the king's
 *           14  black rook with a castling right: on a8, h8
 *           15  black king, and Black is to move
 *   24  2  move: bits 15-14 kind (0 normal, 1 promotion, 2 castling, 3 en passant: not as in .bin),
 *          13-8 from, 7-2 to, 1-0 promotion (N B R Q); castling is king takes own rook; 0 = none
 *   26  2  score, zigzag
 *   28  2  bits 15-14 result, zigzag (0 draw, 1 the side to move loses, 2 it wins), 13-0 ply
 *   30  2  half-move clock
 *
 * The full-move number is ply / 2 + 1.
 */
#include "formats/chess/bitboard.h"
#include "formats/codec_binpack.h"
#include "formats/codec_check.h"
#include "formats/io/bytes.h"

#define PIECES_MAX   32
#define WORD_NIBBLES 16
#define KING_FROM    4 /* file e */

enum stem_offset { AT_NIBBLES = 8, AT_MOVE = 24, AT_SCORE = 26, AT_PLY = 28, AT_HALFMOVE = 30 };
enum special_code { CODE_EP_PAWN = 12, CODE_WHITE_ROOK = 13, CODE_BLACK_ROOK = 14, CODE_TO_MOVE };

static void put_be16(uint8_t *p, unsigned value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

static unsigned get_be16(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

/* Kinds 2 and 3 change places. */
static unsigned swap_kind(unsigned kind)
{
    return kind ^ kind >> 1;
}

static unsigned pack_move(uint16_t move)
{
    return swap_kind(move_kind(move)) << 14 | move_from(move) << 8 | move_to(move) << 2 |
           (move >> 12 & 3);
}

static uint16_t unpack_move(unsigned packed)
{
    return (uint16_t)(swap_kind(packed >> 14) << 14 | (packed & 3) << 12 | (packed >> 8 & 63) << 6 |
                      (packed >> 2 & 63));
}

/* The pieces that have codes of their own: the pawn behind an en passant square, ... */
static uint64_t special_pieces(const struct position *position)
{
    uint64_t special = 0;
    for (unsigned right = 0; right < 4; right++) {
        unsigned rook = position->rook[right / 2][right % 2];
        if (rook != SQUARE_NONE)
            special |= bitboard_of(rook);
    }
    if (position->ep != SQUARE_NONE)
        special |= bitboard_of(position->side == WHITE ? position->ep - 8u : position->ep + 8u);
    if (position->side == BLACK)
        special |= position->colour[BLACK] & position->type[KING];
    return special;
}

static uint64_t pack_word(const struct position *position, uint64_t special, uint64_t *occupied)
{
    static const uint8_t codes[2][PIECE_NONE + 1] = {{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11, 0},
                                                     {CODE_EP_PAWN, 2, 4, CODE_WHITE_ROOK, 8, 10,
                                                      CODE_EP_PAWN, 3, 5, CODE_BLACK_ROOK, 9,
                                                      CODE_TO_MOVE, 0}};
    uint64_t word = 0, rest = *occupied;

    for (unsigned shift = 0; rest && shift < 4 * WORD_NIBBLES; shift += 4) {
        unsigned square = bitboard_pop(&rest);
        word |= (uint64_t)codes[special >> square & 1][position->board[square]] << shift;
    }
    *occupied = rest;
    return word;
}

void binpack_stem_pack(const struct binpack_entry *entry, uint8_t out[BINPACK_STEM_SIZE])
{
    const struct position *position = &entry->position;
    uint64_t occupied = position->colour[WHITE] | position->colour[BLACK];
    uint64_t special = special_pieces(position);

    bytes_put_be64(out, occupied);
    bytes_put_u64(out + AT_NIBBLES, pack_word(position, special, &occupied));
    bytes_put_u64(out + AT_NIBBLES + 8, pack_word(position, special, &occupied));
    put_be16(out + AT_MOVE, pack_move(entry->move));
    put_be16(out + AT_SCORE, binpack_zigzag(entry->score));
    put_be16(out + AT_PLY, entry->ply | (unsigned)binpack_zigzag(entry->result) << 14);
    put_be16(out + AT_HALFMOVE, position->halfmove);
}

/* Square and code of a piece that is wrong there. */
static int bad_code(unsigned square, unsigned code, struct error *err)
{
    static const char *const meanings[] = {"a pawn after a double step", "a white castling rook",
                                           "a black castling rook", "a black king"};
    return error_set(err, ERROR_FAILED, "%s (code %u) on %c%u", meanings[code - CODE_EP_PAWN], code,
                     'a' + (int)square_file(square), square_rank(square) + 1);
}

/* Of a code over 11: what else it says. The piece itself, or -1 with the reason. */
static int read_special(struct position *position, unsigned square, unsigned code,
                        struct error *err)
{
    unsigned rank = square_rank(square), file = square_file(square);
    unsigned colour = code == CODE_BLACK_ROOK;

    if (code == CODE_TO_MOVE) {
        position->side = BLACK;
        return piece_make(BLACK, KING);
    }
    if (code == CODE_EP_PAWN) {
        if ((rank != 3 && rank != 4) || position->ep != SQUARE_NONE)
            return bad_code(square, code, err);
        position->ep = square_make(file, rank == 3 ? 2 : 5);
        return piece_make(rank == 3 ? WHITE : BLACK, PAWN);
    }
    if (rank != (colour == WHITE ? 0 : 7) || (file != 0 && file != 7))
        return bad_code(square, code, err);
    position->rook[colour][file == 0 ? QUEEN_SIDE : KING_SIDE] = (uint8_t)square;
    return piece_make(colour, ROOK);
}

/* Puts up to 16 pieces, taken out of *occupied. */
static int read_word(uint64_t word, uint64_t *occupied, struct position *position,
                     struct error *err)
{
    for (unsigned n = 0; *occupied && n < WORD_NIBBLES; n++, word >>= 4) {
        unsigned square = bitboard_pop(occupied), code = word & 15;
        int piece = (int)(code / 2 + 6 * (code & 1));
        if (code >= CODE_EP_PAWN && (piece = read_special(position, square, code, err)) < 0)
            return -1;
        unsigned colour = piece_colour((unsigned)piece);
        position->colour[colour] |= bitboard_of(square);
        position->type[(unsigned)piece - 6 * colour] |= bitboard_of(square);
        position->board[square] = (uint8_t)piece;
    }
    return word ? error_set(err, ERROR_FAILED, "codes of more pieces than there are") : 0;
}

static int read_pieces(const uint8_t *in, struct position *position, struct error *err)
{
    uint64_t occupied = bytes_get_be64(in);
    if (read_word(bytes_get_u64(in + AT_NIBBLES), &occupied, position, err) < 0 ||
        read_word(bytes_get_u64(in + AT_NIBBLES + 8), &occupied, position, err) < 0)
        return -1;
    if (occupied)
        return error_set(err, ERROR_FAILED, "more than %d pieces", PIECES_MAX);
    if (!position_board_is_sane(position))
        return error_set(
            err, ERROR_FAILED,
            "impossible board: kings, pawns on the edge or over 16 pieces of a colour");
    return 0;
}

/* Rights are tied to the squares of standard chess. */
static int check_rights(const struct position *position, struct error *err)
{
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        const uint8_t *rook = position->rook[colour];
        if ((rook[KING_SIDE] != SQUARE_NONE || rook[QUEEN_SIDE] != SQUARE_NONE) &&
            position_king(position, colour) != KING_FROM + 56 * colour)
            return error_set(err, ERROR_FAILED, "a castling right of %s without its king on e%d",
                             colour == WHITE ? "White" : "Black", colour == WHITE ? 1 : 8);
    }
    return 0;
}

static int check_ep(struct position *position, struct error *err)
{
    if (position->ep == SQUARE_NONE)
        return 0;
    if (!position_ep_fits(position, position->ep))
        return error_set(err, ERROR_FAILED, "an impossible en passant square, %c%u",
                         'a' + (int)square_file(position->ep), square_rank(position->ep) + 1);
    position_normalise_ep(position);
    return 0;
}

int binpack_stem_unpack(const uint8_t in[BINPACK_STEM_SIZE], struct binpack_entry *entry,
                        struct error *err)
{
    struct position *position = &entry->position;
    unsigned numbers = get_be16(in + AT_PLY);

    position_clear(position);
    if (read_pieces(in, position, err) < 0 || check_rights(position, err) < 0 ||
        check_ep(position, err) < 0)
        return -1;
    if (numbers >> 14 == 3)
        return error_set(err, ERROR_FAILED, "result -2 is not -1, 0 or 1");
    entry->ply = numbers & BINPACK_PLY_MAX;
    entry->result = (int8_t)binpack_unzigzag((uint16_t)(numbers >> 14));
    entry->score = binpack_unzigzag((uint16_t)get_be16(in + AT_SCORE));
    entry->move = unpack_move(get_be16(in + AT_MOVE));
    position->halfmove = (uint16_t)get_be16(in + AT_HALFMOVE);
    position->fullmove = (uint16_t)(entry->ply / 2 + 1);
    return codec_check_move_bits(entry->move, err);
}
