/* SPDX-License-Identifier: MIT */
/*
 * What the targets of bullet, marlin and viri share: whatever is read, checked or unchecked, is
 * safe to work with; written and read again it is the same records and the same bytes.
 *
 * The first byte of the input chooses options (1 checked, 2 the move played, 4 the last exact
 * score); the file follows.
 */
#ifndef PLYMILL_TESTS_FUZZ_PACKED_H
#define PLYMILL_TESTS_FUZZ_PACKED_H

#include "formats/codec.h"
#include "formats/codec_compare.h"
#include "tests/fuzz/fuzz.h"

#define FUZZ_RECORDS 4096u
#define FUZZ_OUTPUT  (1u << 20)

static inline void fuzz_check_position(const struct position *position, bool validated)
{
    FUZZ_ASSERT(position_board_is_sane(position));
    FUZZ_ASSERT(position->ep == SQUARE_NONE || position_ep_fits(position, position->ep));
    FUZZ_ASSERT(!validated || position_find_fault(position) == POSITION_OK);
    FUZZ_ASSERT(position->fullmove > 0);
    for (unsigned colour = WHITE; colour <= BLACK; colour++) {
        for (unsigned side = KING_SIDE; side <= QUEEN_SIDE; side++) {
            unsigned rook = position->rook[colour][side], king = position_king(position, colour);
            if (rook == SQUARE_NONE)
                continue;
            FUZZ_ASSERT(rook < 64 && position->board[rook] == piece_make(colour, ROOK));
            FUZZ_ASSERT(square_rank(rook) == square_rank(king) && square_rank(king) % 7 == 0);
            FUZZ_ASSERT((rook > king) == (side == KING_SIDE));
        }
    }
    for (unsigned square = 0; square < 64; square++) {
        struct position copy = *position;
        if (copy.board[square] == PIECE_NONE)
            continue;
        position_remove(&copy, square);
        position_put(&copy, position->board[square], square);
        FUZZ_ASSERT(position_equal(&copy, position));
    }
}

/* The records up to the first damage; false when there was some. */
static inline bool fuzz_decode(const struct codec *codec, const struct codec_options *options,
                               const void *data, size_t size, struct record *records, size_t *count)
{
    struct codec_source *source;
    struct error err = {0};
    struct record record;
    void *state = calloc(1, codec->decoder_size + 1);
    int status;
    FUZZ_ASSERT(state && codec_source_open_memory(data, size, &source, &err) == 0);
    *count = 0;
    while ((status = codec->decode(state, source, options, &record, &err)) == 1) {
        FUZZ_ASSERT(*count < FUZZ_RECORDS);
        records[(*count)++] = record;
    }
    FUZZ_ASSERT(status == 0 || (err.code == ERROR_FAILED && err.text[0] != '\0'));
    codec_source_close(source);
    free(state);
    return status == 0;
}

/* Writes what fits and leaves only that in records. */
static inline void fuzz_encode(const struct codec *codec, const struct codec_options *options,
                               struct record *records, size_t *count, struct buffer *out)
{
    void *state = calloc(1, codec->encoder_size + 1);
    struct error err = {0};
    size_t kept = 0;
    FUZZ_ASSERT(state);
    for (size_t i = 0; i < *count; i++) {
        enum codec_misfit misfit = CODEC_FITS;
        FUZZ_ASSERT(codec->encode(state, &records[i], options, out, &misfit, &err) == 0);
        /* -32768 is read and never written; without it a game may break at a high clock. */
        FUZZ_ASSERT(misfit == CODEC_FITS || misfit == CODEC_SCORE_RANGE ||
                    misfit == CODEC_HALFMOVE_RANGE);
        if (misfit == CODEC_FITS)
            records[kept++] = records[i];
    }
    FUZZ_ASSERT(codec->end == NULL || codec->end(state, out, &err) == 0);
    *count = kept;
    free(state);
}

static inline int fuzz_packed(const struct codec *codec, const uint8_t *data, size_t size)
{
    static struct record records[FUZZ_RECORDS], again[FUZZ_RECORDS];
    struct codec_options options = {.score_scale = 1.0, .chains = true};
    struct buffer first, second;
    size_t count, count_again;
    if (size == 0 || size / 4 >= FUZZ_RECORDS)
        return 0;
    options.validate = data[0] & 1;
    options.move = data[0] & 2 ? CODEC_MOVE_PLAYED : CODEC_MOVE_BEST;
    options.last_exact = (data[0] & 4) != 0;
    fuzz_decode(codec, &options, data + 1, size - 1, records, &count);
    for (size_t i = 0; i < count; i++)
        fuzz_check_position(&records[i].position, options.validate);
    buffer_init(&first, FUZZ_OUTPUT);
    buffer_init(&second, FUZZ_OUTPUT);
    fuzz_encode(codec, &options, records, &count, &first);
    FUZZ_ASSERT(fuzz_decode(codec, &options, first.data, first.length, again, &count_again));
    FUZZ_ASSERT(count_again == count);
    for (size_t i = 0; i < count; i++)
        FUZZ_ASSERT(!codec_find_difference(&records[i], &again[i], codec->fields, &options));
    fuzz_encode(codec, &options, again, &count_again, &second);
    FUZZ_ASSERT(count_again == count && first.length == second.length);
    FUZZ_ASSERT(first.length == 0 || memcmp(first.data, second.data, first.length) == 0);
    buffer_free(&first);
    buffer_free(&second);
    return 0;
}

#endif
