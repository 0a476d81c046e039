/* SPDX-License-Identifier: MIT */
/*
 * See codec_nibbles.h. These formats are read and written at more than ten million positions a
 * second: the two steps that touch every piece stand apart (codec_nibbles_steps.h), and all else
 * works on sets of squares.
 */
#include "formats/codec_nibbles.h"

#include <string.h>

#include "formats/chess/bitboard.h"
#include "formats/codec_nibbles_steps.h"
#include "formats/io/bytes.h"

#define CODE_UNMOVED 6
#define CODE_BLACK   8
#define WORD_PIECES  16 /* nibbles in 64 bits */

/* Nibbles of pieces as they are, and with colours swapped. */
static const uint8_t codes_of_pieces[2][PIECE_NONE] = {{0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13},
                                                       {8, 9, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5}};

static const uint8_t pieces_of_codes[16] = {0, 1, 2, 3, 4,  5,  ROOK,     PIECE_NONE,
                                            6, 7, 8, 9, 10, 11, ROOK + 6, PIECE_NONE};

void nibbles_gather_plain(const uint8_t board[64], uint64_t occupied, bool turned,
                          uint8_t codes[NIBBLES_CODES_SIZE])
{
    const uint8_t *code = codes_of_pieces[turned];
    unsigned mirror = turned ? 56 : 0;
    memset(codes, 0, NIBBLES_CODES_SIZE);
    if (turned)
        occupied = bitboard_flip_ranks(occupied);
    for (unsigned n = 0; occupied && n < NIBBLES_PIECES_MAX; n++) {
        unsigned piece = board[bitboard_pop(&occupied) ^ mirror];
        codes[n / 2] |= (uint8_t)(code[piece] << 4 * (n & 1));
    }
}

struct nibbles_count nibbles_spread_plain(uint64_t occupied,
                                          const uint8_t codes[NIBBLES_CODES_SIZE],
                                          uint8_t board[64], uint64_t planes[4])
{
    unsigned n = 0;
    memset(board, PIECE_NONE, 64);
    memset(planes, 0, 4 * sizeof *planes);
    for (uint64_t rest = occupied; rest && n < NIBBLES_PIECES_MAX; n++) {
        unsigned code = codes[n / 2] >> 4 * (n & 1) & 15, square = bitboard_pop(&rest);
        board[square] = pieces_of_codes[code];
        for (unsigned bit = 0; bit < 4; bit++)
            planes[bit] |= (uint64_t)(code >> bit & 1) << square;
    }
    return (struct nibbles_count){bitboard_count(occupied), bitboard_count(planes[3])};
}

static struct nibbles_count spread(uint64_t occupied, const uint8_t *codes, uint8_t *board,
                                   uint64_t planes[4])
{
#if NIBBLES_HAVE_SHUFFLES
    if (nibbles_can_shuffle())
        return nibbles_spread_shuffled(occupied, codes, board, planes);
#endif
    return nibbles_spread_plain(occupied, codes, board, planes);
}

static void gather(const uint8_t *board, uint64_t occupied, bool turned, uint8_t *codes)
{
#if NIBBLES_HAVE_SHUFFLES
    if (nibbles_can_shuffle()) {
        nibbles_gather_shuffled(board, occupied, turned, codes);
        return;
    }
#endif
    nibbles_gather_plain(board, occupied, turned, codes);
}

static void mark_unmoved(uint64_t occupied, uint64_t unmoved, uint8_t *codes)
{
    while (unmoved) {
        unsigned n = bitboard_count(occupied & (bitboard_of(bitboard_pop(&unmoved)) - 1));
        codes[n / 2 % NIBBLES_CODES_SIZE] += (uint8_t)((CODE_UNMOVED - ROOK) << 4 * (n & 1));
    }
}

void nibbles_pack(const struct position *position, uint64_t unmoved, bool turned,
                  uint8_t out[NIBBLES_SIZE])
{
    uint64_t occupied = position->colour[WHITE] | position->colour[BLACK];
    bytes_put_u64(out, turned ? bitboard_flip_ranks(occupied) : occupied);
    gather(position->board, occupied, turned, out + 8);
    mark_unmoved(occupied, unmoved, out + 8);
}

static int bad_code(const uint64_t planes[4], uint64_t squares, struct error *err)
{
    unsigned square = bitboard_first(squares), code = 7;
    if (planes[3] & bitboard_of(square))
        code += CODE_BLACK;
    return error_set(err, ERROR_FAILED, "no piece has the code %u, on %c%c", code,
                     'a' + (int)square_file(square), '1' + (int)square_rank(square));
}

/* Is anything behind the codes of that many pieces? */
static bool codes_go_on(const uint8_t *codes, unsigned pieces)
{
    uint64_t low = bytes_get_u64(codes), high = bytes_get_u64(codes + 8);
    if (pieces < WORD_PIECES)
        return (low >> 4 * pieces | high) != 0;
    return pieces < NIBBLES_PIECES_MAX && high >> 4 * (pieces - WORD_PIECES) != 0;
}

/* The sets of squares of a position out of the bits of its codes; the squares with code 6. */
static uint64_t fill_sets(struct position *position, uint64_t occupied, const uint64_t planes[4])
{
    uint64_t p0 = planes[0], p1 = planes[1], p2 = planes[2], small = occupied & ~p2;
    uint64_t unmoved = p2 & p1 & ~p0;
    position->colour[WHITE] = occupied & ~planes[3];
    position->colour[BLACK] = planes[3];
    position->type[PAWN] = small & ~(p0 | p1);
    position->type[KNIGHT] = small & p0 & ~p1;
    position->type[BISHOP] = small & p1 & ~p0;
    position->type[ROOK] = (small & p0 & p1) | unmoved;
    position->type[QUEEN] = p2 & ~(p0 | p1);
    position->type[KING] = p2 & p0 & ~p1;
    return unmoved;
}

static void put_unmoved(struct position *position, uint64_t unmoved)
{
    while (unmoved) {
        unsigned square = bitboard_pop(&unmoved);
        position->board[square] =
            piece_make(position->colour[BLACK] & bitboard_of(square) ? BLACK : WHITE, ROOK);
    }
}

static bool is_one(uint64_t set)
{
    return set && !bitboard_many(set);
}

static bool has_one_king(const struct position *position, unsigned colour)
{
    return is_one(position->colour[colour] & position->type[KING]);
}

/* What is wrong with a board, if anything. */
static int check_board(const struct position *position, struct nibbles_count count,
                       struct error *err)
{
    unsigned pieces[2] = {count.pieces - count.black, count.black};
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        const char *name = colour == WHITE ? "White" : "Black";
        if (!has_one_king(position, colour))
            return error_set(err, ERROR_FAILED, "%s has %u kings", name,
                             bitboard_count(position->colour[colour] & position->type[KING]));
        if (pieces[colour] > POSITION_SIDE_MAX)
            return error_set(err, ERROR_FAILED, "%s has %u pieces, over %d", name, pieces[colour],
                             POSITION_SIDE_MAX);
    }
    if (position->type[PAWN] & BITBOARD_EDGE_RANKS)
        return error_set(err, ERROR_FAILED, "a pawn stands on the first or last rank");
    return 0;
}

int nibbles_unpack(const uint8_t in[NIBBLES_SIZE], struct position *position, uint64_t *unmoved,
                   struct error *err)
{
    uint64_t occupied = bytes_get_u64(in), planes[4];
    struct nibbles_count count = spread(occupied, in + 8, position->board, planes);
    uint64_t invalid = planes[0] & planes[1] & planes[2];
    if (count.pieces > NIBBLES_PIECES_MAX)
        return error_set(err, ERROR_FAILED, "%u pieces, over %d", count.pieces, NIBBLES_PIECES_MAX);
    if (invalid)
        return bad_code(planes, invalid, err);
    if (codes_go_on(in + 8, count.pieces))
        return error_set(err, ERROR_FAILED, "codes of more than the %u pieces", count.pieces);
    *unmoved = fill_sets(position, occupied, planes);
    put_unmoved(position, *unmoved);
    return check_board(position, count, err);
}
