/* SPDX-License-Identifier: MIT */
/*
 * marlinformat: packed boards of 32 bytes, one behind the other, no header.
 *
 *   offset size
 *        0   24  board (codec_nibbles.h); code 6 is a rook that may still castle
 *       24    1  bit 7: Black to move; bits 0-6: en passant square, 64 = none
 *       25    1  half-move clock
 *       26    2  full-move number, u16 LE
 *       28    2  score, i16 LE, White's view
 *       30    1  result, White's view: 0 Black has won, 1 draw, 2 White has won
 *       31    1  of no meaning, zero
 *
 * In square order a rook of code 6 before its own king carries the queen-side right, one behind it
 * the king-side right: this says all rights of Chess960, too. Boards come with an en passant square
 * where a pawn stands to take; ours only where it legally may, and others are dropped on reading.
 */
#include "formats/codec_marlin.h"

#include <string.h>

#include "formats/chess/bitboard.h"
#include "formats/codec_check.h"
#include "formats/codec_nibbles.h"
#include "formats/io/bytes.h"

#define AT_SIDE_EP    24
#define AT_HALFMOVE   25
#define AT_FULLMOVE   26
#define AT_SCORE      28
#define AT_RESULT     30
#define AT_EXTRA      31
#define BLACK_TO_MOVE 128
#define HALFMOVE_MAX  255
#define RESULT_MAX    2

enum codec_misfit marlin_find_misfit(const struct position *position)
{
    return position->halfmove > HALFMOVE_MAX ? CODEC_HALFMOVE_RANGE : CODEC_FITS;
}

static uint64_t castling_rooks(const struct position *position)
{
    uint64_t rooks = 0;
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        for (unsigned side = KING_SIDE; side <= QUEEN_SIDE; side++) {
            if (position->rook[colour][side] != SQUARE_NONE)
                rooks |= bitboard_of(position->rook[colour][side]);
        }
    }
    return rooks;
}

void marlin_pack(const struct position *position, long score, int result, uint8_t out[MARLIN_SIZE])
{
    nibbles_pack(position, castling_rooks(position), false, out);
    out[AT_SIDE_EP] = (uint8_t)(position->ep | (position->side == BLACK ? BLACK_TO_MOVE : 0));
    out[AT_HALFMOVE] = (uint8_t)position->halfmove;
    bytes_put_u16(out + AT_FULLMOVE, position->fullmove);
    bytes_put_u16(out + AT_SCORE, (uint16_t)score);
    out[AT_RESULT] = (uint8_t)(result + 1);
    out[AT_EXTRA] = 0;
}

/* The rights of one colour out of its rooks with code 6. */
static bool read_rights(struct position *position, unsigned colour, uint64_t rooks)
{
    unsigned king = position_king(position, colour);
    uint64_t before = rooks & (bitboard_of(king) - 1), behind = rooks ^ before;
    if ((rooks | bitboard_of(king)) & ~bitboard_rank(colour == WHITE ? 0 : 7) ||
        bitboard_many(before) || bitboard_many(behind))
        return false;
    if (before)
        position->rook[colour][QUEEN_SIDE] = (uint8_t)bitboard_first(before);
    if (behind)
        position->rook[colour][KING_SIDE] = (uint8_t)bitboard_first(behind);
    return true;
}

static int read_castling(struct position *position, uint64_t unmoved, struct error *err)
{
    memset(position->rook, SQUARE_NONE, sizeof position->rook);
    position->chess960 = false;
    if (!unmoved)
        return 0;
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        uint64_t rooks = unmoved & position->colour[colour];
        if (rooks && !read_rights(position, colour, rooks))
            return error_set(err, ERROR_FAILED, "impossible castling right of %s",
                             colour == WHITE ? "White" : "Black");
    }
    position->chess960 = position_castling_is_odd(position);
    return 0;
}

static int read_ep(struct position *position, unsigned ep, struct error *err)
{
    position->ep = SQUARE_NONE;
    if (ep == SQUARE_NONE)
        return 0;
    if (!position_ep_fits(position, ep))
        return error_set(err, ERROR_FAILED, "impossible en passant square %u", ep);
    position->ep = (uint8_t)ep;
    position_normalise_ep(position);
    return 0;
}

static int check(const uint8_t *in, const struct position *position, struct error *err)
{
    if (in[AT_EXTRA] != 0)
        return error_set(err, ERROR_FAILED, "last byte is %u where nothing but 0 has a meaning",
                         in[AT_EXTRA]);
    return codec_check_position(position, err);
}

int marlin_unpack(const uint8_t in[MARLIN_SIZE], bool validate, struct position *position,
                  long *score, int *result, struct error *err)
{
    uint64_t unmoved;
    if (nibbles_unpack(in, position, &unmoved, err) < 0)
        return -1;
    if (in[AT_RESULT] > RESULT_MAX)
        return error_set(err, ERROR_FAILED, "result %u, over %u", in[AT_RESULT], RESULT_MAX);
    position->side = in[AT_SIDE_EP] & BLACK_TO_MOVE ? BLACK : WHITE;
    position->halfmove = in[AT_HALFMOVE];
    position->fullmove = bytes_get_u16(in + AT_FULLMOVE);
    if (position->fullmove == 0) /* as the FENs that such boards are made from */
        position->fullmove = 1;
    *score = (int16_t)bytes_get_u16(in + AT_SCORE);
    *result = in[AT_RESULT] - 1;
    if (read_castling(position, unmoved, err) < 0 ||
        read_ep(position, in[AT_SIDE_EP] & (BLACK_TO_MOVE - 1), err) < 0)
        return -1;
    return validate ? check(in, position, err) : 0;
}

void marlin_set_record(struct record *record, const struct codec_options *options, long score,
                       int result)
{
    const struct position *position = &record->position;
    codec_set_score(record, options,
                    codec_score_read(position->side == WHITE ? score : -score, options));
    record->result = (int8_t)result;
    record->ply = 2u * (position->fullmove - 1u) + position->side;
    record->source = SOURCE_INPUT;
}

static int marlin_encode(void *state, const struct record *record,
                         const struct codec_options *options, struct buffer *out,
                         enum codec_misfit *misfit, struct error *err)
{
    (void)state;
    long score;
    *misfit = codec_result_is_known(record)
                  ? codec_integer_score(record, options, MARLIN_SCORE_MAX, &score)
                  : CODEC_NO_RESULT;
    if (*misfit == CODEC_FITS)
        *misfit = marlin_find_misfit(&record->position);
    if (*misfit != CODEC_FITS)
        return 0;
    uint8_t *bytes = buffer_extend(out, MARLIN_SIZE, err);
    if (bytes == NULL)
        return -1;
    marlin_pack(&record->position, record->position.side == WHITE ? score : -score, record->result,
                bytes);
    return 0;
}

static int marlin_decode(void *state, struct codec_source *source,
                         const struct codec_options *options, struct record *record,
                         struct error *err)
{
    (void)state;
    const uint8_t *bytes;
    long score;
    int result;
    ssize_t size = codec_source_peek(source, MARLIN_SIZE, &bytes, err);
    if (size <= 0)
        return (int)size;
    if (size < MARLIN_SIZE)
        return error_set(err, ERROR_FAILED, "cut off after %zd of %d bytes", size, MARLIN_SIZE);
    nibbles_clear_record(record);
    if (marlin_unpack(bytes, options->validate, &record->position, &score, &result, err) < 0)
        return -1;
    marlin_set_record(record, options, score, result);
    codec_source_take(source, MARLIN_SIZE);
    return 1;
}

const struct codec codec_marlin = {
    .name = "marlin",
    .extension = ".marlin",
    .summary = "marlinformat: 32 bytes a position, with castling and clocks, without a move",
    .fields = CODEC_HOLDS_SIDE | CODEC_HOLDS_CASTLING | CODEC_HOLDS_CHESS960 | CODEC_HOLDS_EP |
              CODEC_HOLDS_HALFMOVE | CODEC_HOLDS_FULLMOVE | CODEC_HOLDS_RESULT | CODEC_HOLDS_SCORE,
    .record_size = MARLIN_SIZE,
    .encode = marlin_encode,
    .decode = marlin_decode,
};
