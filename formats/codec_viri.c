/* SPDX-License-Identifier: MIT */
/*
 * viriformat: whole games, one behind the other, no header.
 *
 *   game:  the start position as a marlinformat board (codec_marlin.h) with the game's result and
 *          score 0, then a pair for every position, then four zero bytes
 *   pair:  move u16 LE, score i16 LE of the position before the move, White's view
 *   move:  bits 0-5 from, 6-11 to, 12-13 promotion (0 N, 1 B, 2 R, 3 Q), 14-15 kind (0 normal,
 *          1 en passant, 2 castling as king takes own rook, 3 promotion)
 *
 * A record that continues the one before (same game, same result, and its position is what comes
 * out of the other's move, clocks included) becomes one more pair; any other opens a new game. So a
 * game out of which positions were filtered becomes several, and where those begin is only known
 * from their full-move numbers.
 *
 * Nothing else says where a game ends, so reading always checks start and moves: behind a wrong one
 * all would be garbage.
 */
#include <string.h>

#include "formats/chess/movegen.h"
#include "formats/codec_check.h"
#include "formats/codec_marlin.h"
#include "formats/io/bytes.h"

#define PAIR_SIZE      4
#define VIRI_SCORE_MAX INT16_MAX
#define SQUARE_BITS    63u
#define PROMOTION_BITS (3u << 12)
#define KIND_SHIFT     14

enum viri_kind { VIRI_NORMAL, VIRI_EN_PASSANT, VIRI_CASTLING, VIRI_PROMOTION };

static const uint8_t kinds_written[4] = {
    [MOVE_NORMAL] = VIRI_NORMAL,
    [MOVE_PROMOTION] = VIRI_PROMOTION,
    [MOVE_EN_PASSANT] = VIRI_EN_PASSANT,
    [MOVE_CASTLING] = VIRI_CASTLING,
};

static const uint8_t kinds_read[4] = {
    [VIRI_NORMAL] = MOVE_NORMAL,
    [VIRI_EN_PASSANT] = MOVE_EN_PASSANT,
    [VIRI_CASTLING] = MOVE_CASTLING,
    [VIRI_PROMOTION] = MOVE_PROMOTION,
};

/* The promotion bits are in the same place; from and to change theirs. */
static unsigned turn_move(unsigned move, const uint8_t kinds[4])
{
    return (move & SQUARE_BITS) << 6 | (move >> 6 & SQUARE_BITS) | (move & PROMOTION_BITS) |
           (unsigned)kinds[move >> KIND_SHIFT] << KIND_SHIFT;
}

struct viri_encoder {
    bool open; /* a game is: its terminator is not written yet */
    int8_t result;
    char game_id[GAMEID_MAX];
    struct position next; /* what a record must hold to continue the game */
};

static bool continues_game(struct viri_encoder *encoder, const struct record *record)
{
    /* The flag follows from the rights; only the record knows whether it was kept without any. */
    encoder->next.chess960 = record->position.chess960;
    return encoder->open && encoder->result == record->result &&
           strcmp(encoder->game_id, record->game_id) == 0 &&
           position_equal(&encoder->next, &record->position);
}

static enum codec_misfit find_misfit(const struct record *record,
                                     const struct codec_options *options, long *score)
{
    uint16_t move = codec_chosen_move(record, options);
    if (!options->chains)
        return CODEC_NO_CHAIN;
    if (!codec_result_is_known(record))
        return CODEC_NO_RESULT;
    if (move == MOVE_NONE)
        return CODEC_NO_MOVE;
    enum codec_misfit misfit = codec_integer_score(record, options, VIRI_SCORE_MAX, score);
    return misfit == CODEC_FITS && !movegen_is_legal(&record->position, move) ? CODEC_ILLEGAL_MOVE
                                                                              : misfit;
}

static void open_game(struct viri_encoder *encoder, const struct record *record)
{
    encoder->open = true;
    encoder->result = record->result;
    memcpy(encoder->game_id, record->game_id, sizeof encoder->game_id);
    encoder->next = record->position;
}

static int viri_encode(void *state, const struct record *record,
                       const struct codec_options *options, struct buffer *out,
                       enum codec_misfit *misfit, struct error *err)
{
    struct viri_encoder *encoder = state;
    const struct position *position = &record->position;
    uint8_t bytes[PAIR_SIZE + MARLIN_SIZE + PAIR_SIZE] = {0}, *end = bytes;
    long score;
    *misfit = find_misfit(record, options, &score);
    if (*misfit != CODEC_FITS)
        return 0;
    bool continues = continues_game(encoder, record);
    if (!continues) {
        *misfit = marlin_find_misfit(position);
        if (*misfit != CODEC_FITS)
            return 0;
        end += encoder->open ? PAIR_SIZE : 0;
        marlin_pack(position, 0, record->result, end);
        end += MARLIN_SIZE;
    }
    uint16_t move = codec_chosen_move(record, options);
    bytes_put_u16(end, (uint16_t)turn_move(move, kinds_written));
    bytes_put_u16(end + 2, (uint16_t)(position->side == WHITE ? score : -score));
    if (buffer_append(out, bytes, (size_t)(end + PAIR_SIZE - bytes), err) < 0)
        return -1;
    if (!continues)
        open_game(encoder, record);
    position_make(&encoder->next, move, NULL);
    return 0;
}

static int viri_end(void *state, struct buffer *out, struct error *err)
{
    static const uint8_t terminator[PAIR_SIZE] = {0};
    struct viri_encoder *encoder = state;
    if (!encoder->open)
        return 0;
    encoder->open = false;
    return buffer_append(out, terminator, sizeof terminator, err);
}

struct viri_decoder {
    bool open; /* a game is: pairs or its terminator follow */
    int result;
    struct position position; /* the next pair's */
};

/* 1, 0 at the end of the data, -1. */
static int take_start(struct viri_decoder *decoder, struct codec_source *source,
                      const struct codec_options *options, struct error *err)
{
    const uint8_t *bytes;
    long score; /* of no meaning here */
    codec_source_mark(source, codec_source_offset(source));
    ssize_t size = codec_source_peek(source, MARLIN_SIZE, &bytes, err);
    if (size <= 0)
        return (int)size;
    if (size < MARLIN_SIZE)
        return error_set(err, ERROR_FAILED, "start of a game cut off after %zd of %d bytes", size,
                         MARLIN_SIZE);
    if (marlin_unpack(bytes, options->validate, &decoder->position, &score, &decoder->result, err) <
            0 ||
        codec_check_position(&decoder->position, err) < 0)
        return error_prefix(err, "start of a game");
    codec_source_take(source, MARLIN_SIZE);
    decoder->open = true;
    return 1;
}

static int bad_move(const struct viri_decoder *decoder, unsigned written, struct error *err)
{
    unsigned from = written & SQUARE_BITS, to = written >> 6 & SQUARE_BITS;
    return error_set(err, ERROR_FAILED, "illegal move %c%c%c%c (0x%04x) at full move %u of %s",
                     'a' + (int)square_file(from), '1' + (int)square_rank(from),
                     'a' + (int)square_file(to), '1' + (int)square_rank(to), written,
                     (unsigned)decoder->position.fullmove,
                     decoder->position.side == WHITE ? "White" : "Black");
}

static void set_record(const struct viri_decoder *decoder, const struct codec_options *options,
                       uint16_t move, long score, struct record *record)
{
    *record = (struct record){.position = decoder->position};
    record->position.chess960 = position_castling_is_odd(&record->position);
    codec_set_move(record, options, move);
    marlin_set_record(record, options, score, decoder->result);
}

/* 1, 0 at the end of the game, -1. */
static int take_pair(struct viri_decoder *decoder, struct codec_source *source,
                     const struct codec_options *options, struct record *record, struct error *err)
{
    const uint8_t *bytes;
    ssize_t size = codec_source_peek(source, PAIR_SIZE, &bytes, err);
    if (size < 0)
        return -1;
    if (size < PAIR_SIZE)
        return error_set(err, ERROR_FAILED, "the data ends inside a game");
    unsigned written = bytes_get_u16(bytes);
    long score = (int16_t)bytes_get_u16(bytes + 2);
    uint16_t move = (uint16_t)turn_move(written, kinds_read);
    decoder->open = written != 0 || score != 0;
    if (decoder->open && !movegen_is_legal(&decoder->position, move)) {
        codec_source_mark(source, codec_source_offset(source));
        return bad_move(decoder, written, err);
    }
    codec_source_take(source, PAIR_SIZE);
    if (!decoder->open)
        return 0;
    set_record(decoder, options, move, score, record);
    position_make(&decoder->position, move, NULL);
    return 1;
}

static int viri_decode(void *state, struct codec_source *source,
                       const struct codec_options *options, struct record *record,
                       struct error *err)
{
    struct viri_decoder *decoder = state;
    int taken = 0;
    while (taken == 0) {
        if (!decoder->open && (taken = take_start(decoder, source, options, err)) <= 0)
            return taken;
        taken = take_pair(decoder, source, options, record, err);
    }
    return taken;
}

const struct codec codec_viri = {
    .name = "viri",
    .extension = ".viri",
    .summary = "viriformat: whole games, a start position and four bytes for every move",
    .fields = CODEC_HOLDS_SIDE | CODEC_HOLDS_CASTLING | CODEC_HOLDS_CHESS960 | CODEC_HOLDS_EP |
              CODEC_HOLDS_HALFMOVE | CODEC_HOLDS_FULLMOVE | CODEC_HOLDS_RESULT | CODEC_HOLDS_MOVE |
              CODEC_HOLDS_SCORE,
    .games = true,
    .encoder_size = sizeof(struct viri_encoder),
    .decoder_size = sizeof(struct viri_decoder),
    .encode = viri_encode,
    .end = viri_end,
    .decode = viri_decode,
};
