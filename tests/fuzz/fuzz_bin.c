/* SPDX-License-Identifier: MIT */
/*
 * The reader of bin: whatever the bytes, what it gives is a sane position, and written again it is
 * the same bytes, but for what the reader lets pass: padding, a full-move number of 0, an en
 * passant square that nobody may use. With checks the move is legal, too, and nothing is given that
 * is not given without them.
 */
#include "formats/codec_file.h"
#include "tests/fuzz/fuzz.h"

#define RECORD_BYTES 40
#define AT_SCORE     32
#define AT_PADDING   39

/* The outcome of one record by itself: 1, or -1. */
static int decode_one(const uint8_t *bytes, bool validate, struct record *record)
{
    const struct codec_options options = {.score_scale = 1.0, .validate = validate};
    struct codec_reader *reader;
    struct error err = {0};
    FUZZ_ASSERT(codec_reader_open_memory("fuzz", bytes, RECORD_BYTES, &codec_bin, &options, &reader,
                                         &err) == 0);
    int status = codec_reader_next(reader, record, &err);
    FUZZ_ASSERT((status < 0) == (err.code != 0));
    codec_reader_close(reader);
    return status;
}

static void check_again(const struct record *record, const uint8_t *bytes)
{
    const struct codec_options options = {.score_scale = 1.0};
    enum codec_misfit misfit = CODEC_FITS;
    struct error err = {0};
    struct buffer out;
    struct record back;
    buffer_init(&out, RECORD_BYTES);
    FUZZ_ASSERT(codec_bin.encode(NULL, record, &options, &out, &misfit, &err) == 0);
    if (misfit != CODEC_FITS) {
        FUZZ_ASSERT(out.length == 0);
        FUZZ_ASSERT(record->label.final.kind == SCORE_NONE ||
                    record->label.final.value == INT16_MIN ||
                    record->label.final.value == -CODEC_SFEN_SCORE_NONE ||
                    record->label.best_move == MOVE_NONE);
    } else {
        FUZZ_ASSERT(out.length == RECORD_BYTES);
        FUZZ_ASSERT(memcmp(out.data + AT_SCORE, bytes + AT_SCORE, AT_PADDING - AT_SCORE) == 0);
        FUZZ_ASSERT(memcmp(out.data, bytes, AT_SCORE) == 0 || record->position.ep == SQUARE_NONE ||
                    record->position.fullmove == 1);
        FUZZ_ASSERT(decode_one((const uint8_t *)out.data, false, &back) == 1);
        FUZZ_ASSERT(position_equal(&back.position, &record->position));
    }
    buffer_free(&out);
}

static void check_record(const uint8_t *bytes)
{
    struct record record, checked;
    int status = decode_one(bytes, false, &record);
    int checked_status = decode_one(bytes, true, &checked);
    if (status < 0) {
        FUZZ_ASSERT(checked_status < 0);
        return;
    }
    FUZZ_ASSERT(position_board_is_sane(&record.position));
    check_again(&record, bytes);
    movegen_has_legal(&record.position);
    bool legal = position_find_fault(&record.position) == POSITION_OK &&
                 (record.label.best_move == MOVE_NONE ||
                  movegen_is_legal(&record.position, record.label.best_move));
    FUZZ_ASSERT(legal == (checked_status == 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at + RECORD_BYTES <= size; at += RECORD_BYTES)
        check_record(data + at);
    if (size < RECORD_BYTES && size > 0) {
        struct codec_reader *reader;
        struct record record;
        struct error err = {0};
        const struct codec_options options = {.score_scale = 1.0};
        FUZZ_ASSERT(
            codec_reader_open_memory("fuzz", data, size, &codec_bin, &options, &reader, &err) == 0);
        FUZZ_ASSERT(codec_reader_next(reader, &record, &err) < 0);
        codec_reader_close(reader);
    }
    return 0;
}
