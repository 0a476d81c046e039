/* SPDX-License-Identifier: MIT */
/*
 * Exact keys. A key names pieces square by square in the order of its own occupied set, so that a
 * flipped board gives a key without building a flipped position.
 */
#include "formats/chess/poskey.h"

#include <string.h>

#include "formats/chess/bitboard.h"

#define OFFSET_PIECES   8
#define OFFSET_SIDE     24
#define OFFSET_CASTLING 25
#define OFFSET_EP       27
#define OFFSET_HALFMOVE 28
#define OFFSET_FULLMOVE 30
#define OFFSET_FLAGS    32
#define PIECES_MAX      32
#define NO_FILE         15
#define FLAG_CHESS960   1

/* How a board is looked at: squares are xored with `square`; a colour flip changes every piece's
 * side. */
struct view {
    unsigned square;
    bool flip;
};

static uint64_t occupied_in_view(const struct position *position, const struct view *view)
{
    uint64_t occupied = position->colour[WHITE] | position->colour[BLACK];
    if (view->square & 56)
        occupied = bitboard_flip_ranks(occupied);
    if (view->square & 7)
        occupied = bitboard_mirror_files(occupied);
    return occupied;
}

/* Bytes 0 .. 24, and no rights. */
static void write_pieces(const struct position *position, const struct view *view, uint8_t *out)
{
    uint64_t occupied = occupied_in_view(position, view);

    memset(out, 0, POSKEY_BOARD_SIZE);
    for (unsigned i = 0; i < 8; i++)
        out[i] = (uint8_t)(occupied >> 8 * i);
    for (unsigned n = 0; occupied && n < PIECES_MAX; n++) {
        unsigned piece = position->board[bitboard_pop(&occupied) ^ view->square];
        if (view->flip)
            piece = piece_make(!piece_colour(piece), piece_type_of(piece));
        out[OFFSET_PIECES + n / 2] |= (uint8_t)(piece << 4 * (n & 1));
    }
    out[OFFSET_SIDE] = position->side ^ view->flip;
    memset(out + OFFSET_CASTLING, NO_FILE | NO_FILE << 4, 2);
    out[OFFSET_EP] = SQUARE_NONE;
}

static unsigned right_nibble(unsigned rook)
{
    return rook == SQUARE_NONE ? NO_FILE : square_file(rook);
}

/* Castling of both colours, en passant. */
static void write_rights(const struct position *position, uint8_t out[3])
{
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        out[colour] = (uint8_t)(right_nibble(position->rook[colour][KING_SIDE]) |
                                right_nibble(position->rook[colour][QUEEN_SIDE]) << 4);
    }
    out[2] = position->ep;
}

void poskey_board(const struct position *position, uint8_t out[POSKEY_BOARD_SIZE])
{
    const struct view as_it_is = {0, false};

    write_pieces(position, &as_it_is, out);
    write_rights(position, out + OFFSET_CASTLING);
}

static void write_u16(uint8_t *out, unsigned value)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
}

static uint16_t read_u16(const uint8_t *in)
{
    return (uint16_t)(in[0] | in[1] << 8);
}

void poskey_label(const struct position *position, uint8_t out[POSKEY_LABEL_SIZE])
{
    poskey_board(position, out);
    write_u16(out + OFFSET_HALFMOVE, position->halfmove);
}

/* The smallest key of the four views, and which of them gave it (the first, where several do). */
static unsigned find_leak_key(const struct position *position, uint8_t out[POSKEY_BOARD_SIZE])
{
    static const struct view views[] = {{0, false}, {56, true}, {7, false}, {63, true}};
    uint8_t key[POSKEY_BOARD_SIZE];
    uint64_t smallest = UINT64_MAX;
    unsigned found = 0;

    for (unsigned i = 0; i < sizeof views / sizeof *views; i++) {
        uint64_t head = __builtin_bswap64(occupied_in_view(position, &views[i]));
        if (head > smallest) /* its first eight bytes decide */
            continue;
        write_pieces(position, &views[i], key);
        if (head < smallest || memcmp(key, out, sizeof key) < 0) {
            memcpy(out, key, sizeof key);
            found = i;
        }
        smallest = head;
    }
    return found;
}

void poskey_leak(const struct position *position, uint8_t out[POSKEY_BOARD_SIZE])
{
    (void)find_leak_key(position, out);
}

void poskey_nested(const struct position *position, uint8_t out[POSKEY_NESTED_SIZE])
{
    out[POSKEY_BOARD_SIZE] = (uint8_t)find_leak_key(position, out);
    write_rights(position, out + POSKEY_BOARD_SIZE + 1);
    write_u16(out + POSKEY_NESTED_BOARD_SIZE, position->halfmove);
}

void poskey_pack(const struct position *position, uint8_t out[POSKEY_PACKED_SIZE])
{
    memset(out, 0, POSKEY_PACKED_SIZE);
    poskey_label(position, out);
    write_u16(out + OFFSET_FULLMOVE, position->fullmove);
    out[OFFSET_FLAGS] = position->chess960 ? FLAG_CHESS960 : 0;
}

static int read_pieces(const uint8_t *in, struct position *position)
{
    uint64_t occupied = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < 8; i++)
        occupied |= (uint64_t)in[i] << 8 * i;
    if (bitboard_count(occupied) > PIECES_MAX)
        return -1;
    for (; occupied; n++) {
        unsigned piece = in[OFFSET_PIECES + n / 2] >> 4 * (n & 1) & 15;
        if (piece >= PIECE_NONE)
            return -1;
        position_put(position, (uint8_t)piece, bitboard_pop(&occupied));
    }
    for (; n < PIECES_MAX; n++) {
        if (in[OFFSET_PIECES + n / 2] >> 4 * (n & 1) & 15)
            return -1;
    }
    return 0;
}

static int read_right(struct position *position, unsigned colour, enum castling_side side,
                      unsigned file)
{
    unsigned rank = colour == WHITE ? 0 : 7, king = position_king(position, colour);
    unsigned rook = square_make(file & 7, rank);

    if (file == NO_FILE)
        return 0;
    if (file > 7 || square_rank(king) != rank ||
        position->board[rook] != piece_make(colour, ROOK) || (rook > king) != (side == KING_SIDE))
        return -1;
    position->rook[colour][side] = (uint8_t)rook;
    return 0;
}

static int read_rights(const uint8_t *in, struct position *position)
{
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        unsigned files = in[OFFSET_CASTLING + colour];
        if (read_right(position, colour, KING_SIDE, files & 15) ||
            read_right(position, colour, QUEEN_SIDE, files >> 4))
            return -1;
    }
    return 0;
}

static int read_clocks_and_flags(const uint8_t *in, struct position *position)
{
    position->halfmove = read_u16(in + OFFSET_HALFMOVE);
    position->fullmove = read_u16(in + OFFSET_FULLMOVE);
    position->chess960 = in[OFFSET_FLAGS] & FLAG_CHESS960;
    if (position->fullmove == 0 || in[OFFSET_FLAGS] & ~FLAG_CHESS960)
        return -1;
    for (unsigned i = OFFSET_FLAGS + 1; i < POSKEY_PACKED_SIZE; i++) {
        if (in[i])
            return -1;
    }
    return position_castling_is_odd(position) && !position->chess960 ? -1 : 0;
}

int poskey_unpack(const uint8_t in[POSKEY_PACKED_SIZE], struct position *position)
{
    position_clear(position);
    if (in[OFFSET_SIDE] > BLACK || in[OFFSET_EP] > SQUARE_NONE || read_pieces(in, position))
        return -1;
    position->side = in[OFFSET_SIDE];
    if (position_find_fault(position) != POSITION_OK || read_rights(in, position) ||
        read_clocks_and_flags(in, position))
        return -1;
    position->ep = in[OFFSET_EP];
    position_normalise_ep(position);
    return position->ep == in[OFFSET_EP] ? 0 : -1;
}
