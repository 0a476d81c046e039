/* SPDX-License-Identifier: MIT */
/*
 * The `.bin` format of Stockfish's data tools: records of 40 bytes and nothing else, all numbers
 * little-endian.
 *
 *    0 32  position, packed
 *   32  2  score, i16, from the side to move
 *   34  2  move, u16, as in chess/types.h: en passant is kind 2, castling kind 3, king takes own
 *          rook (binpack has these two the other way round); 0 = no move
 *   36  2  ply, u16
 *   38  1  result, i8: 1 the side to move wins, 0, -1
 *   39  1  padding: we write 0x00, the tools 0x00 or 0xff; read over
 *
 * The position is a string of 256 bits from the lowest bit of byte 0 upward, numbers lowest bit
 * first:
 *
 *     1  side to move, 0 white
 *     6  square of White's king
 *     6  square of Black's king
 *        62 squares, rank 8 to rank 1, a to h, without those of the kings: 0 for an empty one, else
 *        1, then 3 bits of type (pawn 0 .. queen 4), then the colour
 *     4  castling: white K, Q, black K, Q: the outermost rook on that side of the king
 *     1  en passant: 0, or 1 and then
 *     6    its square
 *     6  half-move clock, low bits
 *     8  full-move number, low byte
 *     8  its high byte
 *     1  half-move clock, bit 6
 *        zeros
 *
 * The last two fields came later: where they are zeros in an old file, clocks over 63 and full-move
 * numbers over 255 are lost. At most 32 empty squares and 30 pieces make 229 bits.
 *
 * Packing is what converting such files mostly does. Both ways look at pieces only: an empty square
 * costs one bit, so the bit of a piece is known from its square and the number of pieces before it.
 */
#include <string.h>

#include "formats/chess/bitboard.h"
#include "formats/codec.h"
#include "formats/codec_check.h"
#include "formats/codec_nibbles.h"
#include "formats/io/bytes.h"

#define BIN_RECORD_SIZE  40
#define BIN_WORDS        4  /* of the packed position */
#define BIN_WORDS_MAX    7  /* with zeros up to where 62 pieces would end, and one more word */
#define BIN_HEAD_BITS    13 /* side and kings */
#define BIN_CELLS        62
#define BIN_PIECES_MAX   30 /* without the kings */
#define BIN_PIECE_BITS   5
#define BIN_GROUP        7 /* pieces that are looked at together: what mostly fits in 64 bits */
#define BIN_PLY_MAX      UINT16_MAX
#define BIN_HALFMOVE_MAX 127

enum bin_offset { AT_SCORE = 32, AT_MOVE = 34, AT_PLY = 36, AT_RESULT = 38, AT_PADDING = 39 };

/* 64 bits from that one on, of words with a further one behind them. */
static uint64_t bits_at(const uint64_t *words, unsigned at)
{
    const uint64_t *word = words + at / 64;
    return word[0] >> at % 64 | word[1] << 1 << (63 - at % 64);
}

static void put_bits(uint64_t *words, unsigned at, uint64_t value)
{
    uint64_t *word = words + at / 64;
    word[0] |= value << at % 64;
    word[1] |= value >> 1 >> (63 - at % 64);
}

/*
 * Where the rook of a right stands in standard chess; nothing is further out. Rights are numbered
 * as in the format.
 */
static unsigned corner_of(unsigned right)
{
    return (right % 2 == KING_SIDE ? 7 : 0) + 56 * (right / 2);
}

/* Writing. */

/*
 * Behind the head; gives the bit behind the board. Kings take no bits, not even as empty squares.
 * Bits are gathered over a few pieces: joining each to its word would wait for the one before, and
 * no branch can foresee where a word is full.
 */
static unsigned pack_board(const struct position *position, uint64_t *words)
{
    static const uint8_t codes[PIECE_NONE] = {1, 3, 5, 7, 9, 0, 17, 19, 21, 23, 25, 0};
    static const int8_t extra[PIECE_NONE] = {4, 4, 4, 4, 4, -1, 4, 4, 4, 4, 4, -1};
    uint64_t occupied = bitboard_flip_ranks(position->colour[WHITE] | position->colour[BLACK]);
    unsigned at = BIN_HEAD_BITS; /* of the square with number 0 */

    while (occupied) {
        unsigned begin = at + bitboard_first(occupied);
        uint64_t bits = 0;
        for (unsigned n = 0; n < BIN_GROUP && occupied; n++) {
            unsigned number = bitboard_first(occupied), bit = at + number - begin;
            unsigned piece = position->board[number ^ 56];
            if (bit > 64 - BIN_PIECE_BITS)
                break;
            bits |= (uint64_t)codes[piece] << bit;
            at += (unsigned)(int)extra[piece];
            occupied &= occupied - 1;
        }
        put_bits(words, begin, bits);
    }
    return at + 64;
}

static unsigned castling_bits(const struct position *position)
{
    unsigned bits = 0;
    for (unsigned right = 0; right < 4; right++)
        bits |= (unsigned)(position->rook[right / 2][right % 2] != SQUARE_NONE) << right;
    return bits;
}

static void pack_position(const struct position *position, uint8_t *out)
{
    uint64_t kings = position->type[KING];
    unsigned white = bitboard_first(kings & position->colour[WHITE]);
    unsigned black = bitboard_first(kings & position->colour[BLACK]);
    uint64_t words[BIN_WORDS_MAX] = {position->side | (uint64_t)white << 1 | (uint64_t)black << 7};
    unsigned at = pack_board(position, words), size = 4;
    uint64_t tail = castling_bits(position);

    tail |= (uint64_t)(position->ep != SQUARE_NONE) << size++;
    if (position->ep != SQUARE_NONE) {
        tail |= (uint64_t)position->ep << size;
        size += 6;
    }
    tail |= (uint64_t)(position->halfmove & 63) << size;
    tail |= (uint64_t)position->fullmove << (size + 6);
    tail |= (uint64_t)(position->halfmove >> 6) << (size + 22);
    put_bits(words, at, tail);
    for (size_t i = 0; i < BIN_WORDS; i++)
        bytes_put_u64(out + 8 * i, words[i]);
}

/* The rook that a right means, or SQUARE_NONE. */
static unsigned outermost_rook(const struct position *position, unsigned right)
{
    unsigned colour = right / 2, king = position_king(position, colour);
    uint64_t below = bitboard_of(king) - 1, rank = bitboard_rank(colour == WHITE ? 0 : 7);
    uint64_t rooks = position->colour[colour] & position->type[ROOK] & rank;

    if (!(rank & bitboard_of(king)))
        return SQUARE_NONE;
    rooks &= right % 2 == KING_SIDE ? ~below : below;
    while (right % 2 == KING_SIDE && bitboard_many(rooks))
        bitboard_pop(&rooks);
    return rooks ? bitboard_first(rooks) : SQUARE_NONE;
}

static bool rights_fit(const struct position *position)
{
    unsigned odd = 0;
    for (unsigned right = 0; right < 4; right++) {
        unsigned rook = position->rook[right / 2][right % 2];
        odd |= (unsigned)(rook != SQUARE_NONE) & (unsigned)(rook != corner_of(right));
    }
    for (unsigned right = 0; odd && right < 4; right++) {
        unsigned rook = position->rook[right / 2][right % 2];
        if (rook != SQUARE_NONE && rook != outermost_rook(position, right))
            return false;
    }
    return true;
}

static enum codec_misfit find_misfit(const struct record *record, uint16_t move)
{
    if (!codec_result_is_known(record))
        return CODEC_NO_RESULT;
    if (move == MOVE_NONE)
        return CODEC_NO_MOVE;
    if (record->ply > BIN_PLY_MAX)
        return CODEC_PLY_RANGE;
    if (record->position.halfmove > BIN_HALFMOVE_MAX)
        return CODEC_HALFMOVE_RANGE;
    return rights_fit(&record->position) ? CODEC_FITS : CODEC_CHESS960;
}

static int bin_encode(void *state, const struct record *record, const struct codec_options *options,
                      struct buffer *out, enum codec_misfit *misfit, struct error *err)
{
    uint16_t move = codec_chosen_move(record, options);
    long score = 0;
    (void)state;
    *misfit = find_misfit(record, move);
    if (*misfit == CODEC_FITS)
        *misfit = codec_sfen_score(record, options, &score);
    if (*misfit != CODEC_FITS)
        return 0;
    uint8_t *bytes = buffer_extend(out, BIN_RECORD_SIZE, err);
    if (bytes == NULL)
        return -1;
    pack_position(&record->position, bytes);
    bytes_put_u16(bytes + AT_SCORE, (uint16_t)score);
    bytes_put_u16(bytes + AT_MOVE, move);
    bytes_put_u16(bytes + AT_PLY, (uint16_t)record->ply);
    bytes[AT_RESULT] = (uint8_t)codec_turn_result(record->result, &record->position);
    bytes[AT_PADDING] = 0;
    return 0;
}

/* Reading. */

/*
 * Which pieces there are, by the four bits behind the first of a piece: type + 8 * colour. Kings
 * have a code of their own, which no piece of a file may have.
 */
#define CODES      16
#define WINDOW_END (UINT64_C(1) << 63)

struct bin_cells {
    unsigned kings[2]; /* cells before which they stand, in order */
    unsigned pieces;   /* without kings */
    uint64_t sets[2][CODES / 2];
};

/*
 * The 62 cells: the squares in the order of the format, without those of the kings. Gives the bit
 * behind them. A window goes over them piece by piece; its highest bit is ours and marks its end,
 * so that a piece is whole when enough is left. It is filled again after so many pieces: mostly
 * before it is empty, which no branch could foresee. Wrong bits can make it at most 62 pieces.
 */
static unsigned unpack_cells(const uint64_t *words, struct bin_cells *cells, uint8_t board[64])
{
    static const uint8_t pieces[CODES] = {0, 1, 2, 3, 4, 0, 0, 0, 6, 7, 8, 9, 10, 0, 0, 0};
    unsigned first = cells->kings[0], second = cells->kings[1], cell = 0, at = BIN_HEAD_BITS;
    uint64_t *sets = cells->sets[0];

    for (;;) {
        uint64_t window = bits_at(words, at + cell) | WINDOW_END;
        for (unsigned n = 0; n < BIN_GROUP; n++) {
            unsigned gap = bitboard_first(window);
            window >>= gap;
            cell += gap;
            if (cell >= BIN_CELLS)
                return at + BIN_CELLS;
            if (window < UINT64_C(1) << BIN_PIECE_BITS)
                break;
            unsigned square = (cell + 2 - (cell < first) - (cell < second)) ^ 56;
            unsigned code = window >> 1 & (CODES - 1);
            sets[code] |= bitboard_of(square);
            board[square] = pieces[code];
            window >>= BIN_PIECE_BITS;
            at += BIN_PIECE_BITS - 1;
            cell++;
        }
    }
}

static uint64_t join_sets(const uint64_t *sets)
{
    return sets[PAWN] | sets[KNIGHT] | sets[BISHOP] | sets[ROOK] | sets[QUEEN] | sets[KING];
}

static void set_bitboards(const struct bin_cells *cells, struct position *position)
{
    position->colour[WHITE] = join_sets(cells->sets[WHITE]);
    position->colour[BLACK] = join_sets(cells->sets[BLACK]);
    for (unsigned type = PAWN; type <= KING; type++)
        position->type[type] = cells->sets[WHITE][type] | cells->sets[BLACK][type];
}

static bool is_lopsided(const struct bin_cells *cells, const struct position *position)
{
    unsigned count = cells->pieces + 2;
    if (count <= POSITION_SIDE_MAX)
        return false;
    unsigned white = bitboard_count(position->colour[WHITE]);
    return white > POSITION_SIDE_MAX || count - white > POSITION_SIDE_MAX;
}

/* As position_board_is_sane, in words, and the codes of pieces. */
static const char *find_board_fault(const struct bin_cells *cells, const struct position *position)
{
    const uint64_t *white = cells->sets[WHITE], *black = cells->sets[BLACK];
    if (white[6] | white[7] | black[6] | black[7])
        return "a piece of an unknown kind";
    if (bitboard_many(white[KING]) || bitboard_many(black[KING]))
        return "a king among the pieces";
    if (cells->pieces > BIN_PIECES_MAX)
        return "more than 32 pieces";
    if (is_lopsided(cells, position))
        return "more than 16 pieces of a colour";
    if (position->type[PAWN] & BITBOARD_EDGE_RANKS)
        return "a pawn on the first or last rank";
    return NULL;
}

static const char *unpack_board(const uint64_t *words, unsigned *at, struct position *position)
{
    unsigned white = words[0] >> 1 & 63, black = words[0] >> 7 & 63;
    unsigned a = white ^ 56, b = black ^ 56;
    struct bin_cells cells;

    if (white == black)
        return "both kings on one square";
    cells.kings[0] = a < b ? a : b;
    cells.kings[1] = (a < b ? b : a) - 1;
    memset(cells.sets[WHITE], 0, sizeof cells.sets[WHITE]);
    memset(cells.sets[BLACK], 0, sizeof cells.sets[BLACK]);
    memset(position->board, PIECE_NONE, sizeof position->board);
    *at = unpack_cells(words, &cells, position->board);
    cells.pieces = (*at - BIN_HEAD_BITS - BIN_CELLS) / (BIN_PIECE_BITS - 1);
    cells.sets[WHITE][KING] |= bitboard_of(white);
    cells.sets[BLACK][KING] |= bitboard_of(black);
    position->board[white] = piece_make(WHITE, KING);
    position->board[black] = piece_make(BLACK, KING);
    position->side = words[0] & 1;
    set_bitboards(&cells, position);
    return find_board_fault(&cells, position);
}

static const char *unpack_odd_rights(unsigned bits, struct position *position)
{
    for (unsigned right = 0; right < 4; right++) {
        if (!(bits >> right & 1))
            continue;
        unsigned rook = outermost_rook(position, right);
        if (rook == SQUARE_NONE)
            return "a castling right without king and rook in place";
        position->rook[right / 2][right % 2] = (uint8_t)rook;
    }
    position->chess960 = position_castling_is_odd(position);
    return NULL;
}

/* Without branches where kings and rooks stand as in standard chess. */
static const char *unpack_rights(unsigned bits, struct position *position)
{
    const uint8_t *board = position->board;
    unsigned odd = 0;

    for (unsigned right = 0; right < 4; right++) {
        unsigned colour = right / 2, corner = corner_of(right), has = bits >> right & 1;
        odd |= has & (unsigned)(board[corner] != piece_make(colour, ROOK));
        odd |= has & (unsigned)(board[4 + 56 * colour] != piece_make(colour, KING));
        position->rook[colour][right % 2] =
            (uint8_t)(SQUARE_NONE ^ ((SQUARE_NONE ^ corner) & (0 - has)));
    }
    position->chess960 = false;
    return odd ? unpack_odd_rights(bits, position) : NULL;
}

static const char *unpack_ep(unsigned square, struct position *position)
{
    position->ep = (uint8_t)square;
    if (!position_ep_fits(position, square))
        return "an impossible en passant square";
    position_normalise_ep(position);
    return NULL;
}

/* What follows the board; all that comes after it must be zero. */
static const char *unpack_tail(const uint64_t *words, unsigned at, struct position *position)
{
    uint64_t tail = bits_at(words, at), beyond = words[at / 64 + 1] >> at % 64;
    const char *wrong = unpack_rights(tail & 15, position);
    bool has_ep = tail >> 4 & 1;

    for (unsigned i = at / 64 + 2; i < BIN_WORDS; i++)
        beyond |= words[i];
    tail >>= 5;
    if (has_ep && wrong == NULL) {
        wrong = unpack_ep(tail & 63, position);
        tail >>= 6;
    }
    position->halfmove = (uint16_t)((tail & 63) | (tail >> 22 & 1) << 6);
    position->fullmove = (uint16_t)(tail >> 6);
    if (position->fullmove == 0)
        position->fullmove = 1;
    if (wrong == NULL && (tail >> 23 | beyond))
        return "bits that are not zero behind the end of the position";
    return wrong;
}

static int unpack_position(const uint8_t *in, struct position *position, struct error *err)
{
    uint64_t words[BIN_WORDS_MAX] = {0};
    unsigned at;

    for (size_t i = 0; i < BIN_WORDS; i++)
        words[i] = bytes_get_u64(in + 8 * i);
    position->ep = SQUARE_NONE;
    const char *wrong = unpack_board(words, &at, position);
    if (wrong == NULL)
        wrong = unpack_tail(words, at, position);
    return wrong == NULL ? 0 : error_set(err, ERROR_FAILED, "%s", wrong);
}

static int unpack_record(const uint8_t *in, const struct codec_options *options,
                         struct record *record, struct error *err)
{
    int8_t result = (int8_t)in[AT_RESULT];
    uint16_t move = bytes_get_u16(in + AT_MOVE);

    nibbles_clear_record(record);
    record->source = SOURCE_INPUT;
    if (unpack_position(in, &record->position, err) < 0 || codec_check_move_bits(move, err) < 0)
        return -1;
    if (result < -1 || result > 1)
        return error_set(err, ERROR_FAILED, "result %d is not -1, 0 or 1", result);
    record->ply = bytes_get_u16(in + AT_PLY);
    record->result = (int8_t)codec_turn_result(result, &record->position);
    codec_set_move(record, options, move);
    codec_set_score(record, options,
                    codec_sfen_score_read((int16_t)bytes_get_u16(in + AT_SCORE), options));
    if (!options->validate)
        return 0;
    if (codec_check_position(&record->position, err) < 0)
        return -1;
    return codec_check_move(&record->position, move, err);
}

static int bin_decode(void *state, struct codec_source *source, const struct codec_options *options,
                      struct record *record, struct error *err)
{
    const uint8_t *data;
    ssize_t got = codec_source_peek(source, BIN_RECORD_SIZE, &data, err);
    (void)state;
    if (got <= 0)
        return (int)got;
    if (got < BIN_RECORD_SIZE)
        return error_set(err, ERROR_FAILED,
                         "%zd bytes behind the last whole record of %d: the file is cut", got,
                         BIN_RECORD_SIZE);
    codec_source_take(source, BIN_RECORD_SIZE);
    return unpack_record(data, options, record, err) < 0 ? -1 : 1;
}

const struct codec codec_bin = {
    .name = "bin",
    .extension = ".bin",
    .summary = "Stockfish's packed positions, 40 bytes each (PackedSfenValue)",
    .fields = CODEC_HOLDS_SIDE | CODEC_HOLDS_CASTLING | CODEC_HOLDS_CHESS960 | CODEC_HOLDS_EP |
              CODEC_HOLDS_HALFMOVE | CODEC_HOLDS_FULLMOVE | CODEC_HOLDS_PLY | CODEC_HOLDS_RESULT |
              CODEC_HOLDS_MOVE | CODEC_HOLDS_SCORE,
    .record_size = BIN_RECORD_SIZE,
    .internal_unit = true,
    .encode = bin_encode,
    .decode = bin_decode,
};
