/* SPDX-License-Identifier: MIT */
/*
 * What the targets of plain, csv, jsonl and epd share: what a format of lines gives is a legal
 * position with legal moves whatever the bytes, and written and read again it is the same.
 */
#ifndef PLYMILL_TESTS_FUZZ_LINES_H
#define PLYMILL_TESTS_FUZZ_LINES_H

#include "formats/codec_compare.h"
#include "formats/codec_file.h"
#include "tests/fuzz/fuzz.h"

#define FUZZ_TEXT_MAX (1u << 20)

static inline bool fuzz_move_is_good(const struct position *position, uint16_t move)
{
    return move == MOVE_NONE || movegen_is_legal(position, move);
}

/* Reads one record of a file of its own. */
static inline void fuzz_read_one(const struct codec *codec, const struct codec_options *options,
                                 const struct buffer *text, struct record *record)
{
    struct codec_reader *reader;
    struct error err = {0};
    struct record more;
    FUZZ_ASSERT(codec_reader_open_memory("fuzz", text->data, text->length, codec, options, &reader,
                                         &err) == 0);
    FUZZ_ASSERT(codec_reader_next(reader, record, &err) == 1);
    FUZZ_ASSERT(codec_reader_next(reader, &more, &err) == 0);
    codec_reader_close(reader);
}

/* Written to a file of its own and read from it, it is the same. */
static inline void fuzz_line_again(const struct codec *codec, const struct codec_options *options,
                                   const struct record *record)
{
    struct buffer out;
    struct error err = {0};
    struct record back;
    enum codec_misfit misfit = CODEC_FITS;
    buffer_init(&out, FUZZ_TEXT_MAX);
    FUZZ_ASSERT(codec->begin == NULL || codec->begin(NULL, &out, &err) == 0);
    FUZZ_ASSERT(codec->encode(NULL, record, options, &out, &misfit, &err) == 0);
    /* plain reads numbers that it does not write: 32002 (none), -32002 and -32768. */
    FUZZ_ASSERT(
        misfit == CODEC_FITS ||
        (codec == &codec_plain && (misfit == CODEC_SCORE_RANGE || misfit == CODEC_NO_SCORE)) ||
        misfit == CODEC_NODES_RANGE);
    if (misfit == CODEC_FITS) {
        fuzz_read_one(codec, options, &out, &back);
        FUZZ_ASSERT(codec_find_difference(record, &back, codec->fields, options) == NULL);
    }
    buffer_free(&out);
}

static inline int fuzz_lines(const struct codec *codec, const uint8_t *data, size_t size)
{
    const struct codec_options options = {.score_scale = 1.0, .validate = true};
    struct codec_reader *reader;
    struct error err = {0};
    struct record record;
    int status;
    FUZZ_ASSERT(codec_reader_open_memory("fuzz", data, size, codec, &options, &reader, &err) == 0);
    while ((status = codec_reader_next(reader, &record, &err)) == 1) {
        FUZZ_ASSERT(position_find_fault(&record.position) == POSITION_OK);
        FUZZ_ASSERT(fuzz_move_is_good(&record.position, record.label.best_move));
        FUZZ_ASSERT(fuzz_move_is_good(&record.position, record.played));
        fuzz_line_again(codec, &options, &record);
    }
    FUZZ_ASSERT(status == 0 ||
                (err.code == ERROR_FAILED && strncmp(err.text, "fuzz: record ", 13) == 0));
    FUZZ_ASSERT(codec_reader_offset(reader) <= size);
    codec_reader_close(reader);
    return 0;
}

#endif
