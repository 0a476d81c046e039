/* SPDX-License-Identifier: MIT */
/*
 * Records into bytes and back through one format, in memory, for the tests of formats.
 */
#ifndef PLYMILL_TESTS_FORMATS_CODEC_TEST_H
#define PLYMILL_TESTS_FORMATS_CODEC_TEST_H

#include <stdlib.h>
#include <string.h>

#include "formats/codec.h"
#include "formats/codec_file.h"
#include "formats/io/buffer.h"
#include "formats/io/file.h"

#define CODEC_TEST_MAX  (16u << 20)
#define CODEC_TEST_NAME "test"

/* A whole file into bytes, which the caller frees. */
static inline void codec_test_load(const char *path, struct buffer *bytes)
{
    struct error err = {0};
    buffer_init(bytes, CODEC_TEST_MAX);
    if (file_read_all(path, bytes, &err) < 0)
        fail_msg("%s", err.text);
}

/* What was written as a string of size bytes, which must hold it. */
static inline void codec_test_text(const struct buffer *out, char *text, size_t size)
{
    assert_true(out->length < size);
    if (out->length > 0)
        memcpy(text, out->data, out->length);
    text[out->length] = '\0';
}

static inline void codec_test_name_game(struct record *record, const char *id)
{
    assert_true(strlen(id) < sizeof record->game_id);
    memcpy(record->game_id, id, strlen(id) + 1);
}

/*
 * count records as a file of that format, appended to out. Gives the misfit of the first record
 * that does not fit; the others are in out.
 */
static inline enum codec_misfit codec_test_encode(const struct codec *codec,
                                                  const struct codec_options *options,
                                                  const struct record *records, size_t count,
                                                  struct buffer *out)
{
    void *state = calloc(1, codec->encoder_size + 1);
    struct error err = {0};
    enum codec_misfit first = CODEC_FITS;
    assert_non_null(state);
    if (codec->begin != NULL)
        assert_int_equal(codec->begin(state, out, &err), 0);
    for (size_t i = 0; i < count; i++) {
        enum codec_misfit misfit = CODEC_FITS;
        size_t length = out->length;
        if (codec->encode(state, &records[i], options, out, &misfit, &err) < 0)
            fail_msg("record %zu: %s", i + 1, err.text);
        if (misfit != CODEC_FITS)
            assert_int_equal(out->length, length);
        if (first == CODEC_FITS)
            first = misfit;
    }
    if (codec->end != NULL)
        assert_int_equal(codec->end(state, out, &err), 0);
    if (codec->free_encoder != NULL)
        codec->free_encoder(state);
    free(state);
    return first;
}

/*
 * Up to max records out of size bytes: their number; or -1 with the error when there is damage,
 * where what came before it is in records.
 */
static inline long codec_test_decode(const struct codec *codec, const struct codec_options *options,
                                     const void *data, size_t size, struct record *records,
                                     size_t max, struct error *err)
{
    struct codec_reader *reader;
    size_t count = 0;
    int status = 1;
    struct record one;
    char *copy = malloc(size > 0 ? size : 1); /* of its own, so that reading past the end shows */
    assert_non_null(copy);
    if (size > 0)
        memcpy(copy, data, size);
    assert_int_equal(
        codec_reader_open_memory(CODEC_TEST_NAME, copy, size, codec, options, &reader, err), 0);
    while ((status = codec_reader_next(reader, &one, err)) == 1) {
        assert_true(count < max);
        records[count++] = one;
    }
    codec_reader_close(reader);
    free(copy);
    return status < 0 ? -1 : (long)count;
}

#endif
