/* SPDX-License-Identifier: MIT */
/*
 * bulletformat's ChessBoard: records of 32 bytes, one behind the other, no header. Everything is as
 * the side to move sees it: Black's positions are mirrored up and down with colours swapped.
 *
 *   offset size
 *        0   24  board (codec_nibbles.h); +8 = the opponent
 *       24    2  score, i16 LE
 *       26    1  result: 0 the side to move has lost, 1 draw, 2 it has won
 *       27    1  own king's square
 *       28    1  opponent king's square, xor 56: as its owner sees it
 *       29    3  of no meaning, zero
 *
 * Gone are the colour to move, castling rights, en passant, clocks and the move.
 */
#include <string.h>

#include "formats/chess/bitboard.h"
#include "formats/codec.h"
#include "formats/codec_check.h"
#include "formats/codec_nibbles.h"
#include "formats/io/bytes.h"

#define BULLET_SIZE      32
#define BULLET_SCORE_MAX INT16_MAX
#define AT_SCORE         24
#define AT_RESULT        26
#define AT_OWN_KING      27
#define AT_OTHER_KING    28
#define AT_EXTRA         29
#define RESULT_MAX       2
#define MIRROR           56

static int bullet_encode(void *state, const struct record *record,
                         const struct codec_options *options, struct buffer *out,
                         enum codec_misfit *misfit, struct error *err)
{
    (void)state;
    const struct position *position = &record->position;
    unsigned us = position->side, mirror = us == WHITE ? 0 : MIRROR;
    long score;
    *misfit = codec_result_is_known(record)
                  ? codec_integer_score(record, options, BULLET_SCORE_MAX, &score)
                  : CODEC_NO_RESULT;
    if (*misfit != CODEC_FITS)
        return 0;
    uint8_t *bytes = buffer_extend(out, BULLET_SIZE, err);
    if (bytes == NULL)
        return -1;
    nibbles_pack(position, 0, us == BLACK, bytes);
    bytes_put_u16(bytes + AT_SCORE, (uint16_t)score);
    bytes[AT_RESULT] = (uint8_t)(codec_turn_result(record->result, position) + 1);
    bytes[AT_OWN_KING] = (uint8_t)(position_king(position, us) ^ mirror);
    bytes[AT_OTHER_KING] = (uint8_t)(position_king(position, !us) ^ mirror ^ MIRROR);
    memset(bytes + AT_EXTRA, 0, BULLET_SIZE - AT_EXTRA);
    return 0;
}

/* The bytes behind the board. */
static int check_tail(const uint8_t *in, const struct position *position, struct error *err)
{
    if (in[AT_RESULT] > RESULT_MAX)
        return error_set(err, ERROR_FAILED, "result %u, over %u", in[AT_RESULT], RESULT_MAX);
    if (in[AT_OWN_KING] != position_king(position, WHITE))
        return error_set(err, ERROR_FAILED, "own king noted on square %u, but standing on %u",
                         in[AT_OWN_KING], position_king(position, WHITE));
    if (in[AT_OTHER_KING] != (position_king(position, BLACK) ^ MIRROR))
        return error_set(err, ERROR_FAILED,
                         "opponent's king noted on square %u, but standing on %u",
                         in[AT_OTHER_KING], position_king(position, BLACK) ^ MIRROR);
    return 0;
}

/* What only --validate minds. */
static int check_legal(const uint8_t *in, const struct position *position, struct error *err)
{
    for (unsigned i = AT_EXTRA; i < BULLET_SIZE; i++)
        if (in[i] != 0)
            return error_set(err, ERROR_FAILED, "byte %u is %u where nothing but 0 has a meaning",
                             i, in[i]);
    return codec_check_position(position, err);
}

/* Code 6 is marlinformat's. */
static int bad_code(const struct position *position, unsigned square, struct error *err)
{
    return error_set(err, ERROR_FAILED, "piece code %u on %c%c, over %d",
                     position->board[square] == ROOK ? 6u : 14u, 'a' + (int)square_file(square),
                     '1' + (int)square_rank(square), KING);
}

static int unpack(const uint8_t *in, bool validate, struct position *position, struct error *err)
{
    uint64_t unmoved;
    if (nibbles_unpack(in, position, &unmoved, err) < 0)
        return -1;
    if (unmoved)
        return bad_code(position, bitboard_first(unmoved), err);
    memset(position->rook, SQUARE_NONE, sizeof position->rook);
    position->side = WHITE;
    position->ep = SQUARE_NONE;
    position->chess960 = false;
    position->halfmove = 0;
    position->fullmove = 1;
    if (check_tail(in, position, err) < 0)
        return -1;
    return validate ? check_legal(in, position, err) : 0;
}

static int bullet_decode(void *state, struct codec_source *source,
                         const struct codec_options *options, struct record *record,
                         struct error *err)
{
    (void)state;
    const uint8_t *bytes;
    ssize_t size = codec_source_peek(source, BULLET_SIZE, &bytes, err);
    if (size <= 0)
        return (int)size;
    if (size < BULLET_SIZE)
        return error_set(err, ERROR_FAILED, "cut off after %zd of %d bytes", size, BULLET_SIZE);
    nibbles_clear_record(record);
    record->source = SOURCE_INPUT;
    if (unpack(bytes, options->validate, &record->position, err) < 0)
        return -1;
    codec_set_score(record, options,
                    codec_score_read((int16_t)bytes_get_u16(bytes + AT_SCORE), options));
    record->result = (int8_t)(bytes[AT_RESULT] - 1);
    codec_source_take(source, BULLET_SIZE);
    return 1;
}

const struct codec codec_bullet = {
    .name = "bullet",
    .extension = ".bullet",
    .summary = "bulletformat's ChessBoard: 32 bytes a position, as the side to move sees it",
    .fields = CODEC_HOLDS_RESULT | CODEC_HOLDS_SCORE,
    .record_size = BULLET_SIZE,
    .encode = bullet_encode,
    .decode = bullet_decode,
};
