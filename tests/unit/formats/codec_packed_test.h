/* SPDX-License-Identifier: MIT */
/*
 * What the tests of bullet, marlin and viri share: reference files made by bulletformat 1.8.0 and
 * viriformat 3.0.0 from the records of `.in.plain` files, and damage done to them.
 */
#ifndef PLYMILL_TESTS_FORMATS_CODEC_PACKED_TEST_H
#define PLYMILL_TESTS_FORMATS_CODEC_PACKED_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/codec.h"
#include "formats/codec_compare.h"
#include "tests/unit/formats/codec_test.h"
#include "tests/unit/formats/sample_record.h"

#define PACKED_RECORDS 200
#define PACKED_EDGE    106 /* records in edge.* */

static const struct codec_options packed_options = {
    .score_scale = 1.0, .validate = true, .chains = true};

static inline void packed_load(const char *name, struct buffer *bytes)
{
    char path[128];
    snprintf(path, sizeof path, "tests/data/vectors/%s", name);
    codec_test_load(path, bytes);
}

/* The records of a reference file; their number. */
static inline size_t packed_records(const struct codec *codec, const char *name,
                                    struct record records[PACKED_RECORDS])
{
    struct buffer bytes;
    struct error err = {0};
    packed_load(name, &bytes);
    long count = codec_test_decode(codec, &packed_options, bytes.data, bytes.length, records,
                                   PACKED_RECORDS, &err);
    assert_string_equal(err.text, "");
    assert_true(count > 0);
    buffer_free(&bytes);
    return (size_t)count;
}

static inline void packed_assert_bytes(const struct buffer *bytes, const struct buffer *expected)
{
    assert_int_equal(bytes->length, expected->length);
    assert_memory_equal(bytes->data, expected->data, expected->length);
}

/*
 * The records of the `.in.plain` file are written as the reference file, and read from it the
 * format's fields are those that plain holds.
 */
static inline void packed_check_vector(const struct codec *codec, const char *plain,
                                       const char *packed, size_t expected)
{
    struct record texts[PACKED_RECORDS], records[PACKED_RECORDS];
    struct buffer reference, written;
    size_t count = packed_records(&codec_plain, plain, texts);
    assert_int_equal(count, expected);
    packed_load(packed, &reference);
    buffer_init(&written, CODEC_TEST_MAX);
    assert_int_equal(codec_test_encode(codec, &packed_options, texts, count, &written), CODEC_FITS);
    packed_assert_bytes(&written, &reference);
    assert_int_equal(packed_records(codec, packed, records), count);
    for (size_t i = 0; i < count; i++) {
        const char *difference = codec_find_difference(
            &records[i], &texts[i], codec->fields & codec_plain.fields, &packed_options);
        if (difference != NULL)
            fail_msg("record %zu: %s", i + 1, difference);
        assert_int_equal(records[i].source, SOURCE_INPUT);
    }
    buffer_free(&reference);
    buffer_free(&written);
}

/* One record as a file. Gives the misfit. */
static inline enum codec_misfit packed_encode(const struct codec *codec,
                                              const struct record *record, struct buffer *out)
{
    buffer_init(out, CODEC_TEST_MAX);
    return codec_test_encode(codec, &packed_options, record, 1, out);
}

/* The misfit of one record alone. */
static inline enum codec_misfit packed_misfit(const struct codec *codec,
                                              const struct record *record,
                                              const struct codec_options *options)
{
    struct buffer out;
    buffer_init(&out, CODEC_TEST_MAX);
    enum codec_misfit misfit = codec_test_encode(codec, options, record, 1, &out);
    assert_int_equal(out.length > 0, misfit == CODEC_FITS);
    buffer_free(&out);
    return misfit;
}

/* Misfits that every format with an integer score and a result has. */
static inline void packed_check_misfits(const struct codec *codec)
{
    struct record good, record;
    struct codec_options options = packed_options;
    assert_true(sample_record(&good));
    assert_int_equal(packed_misfit(codec, &good, &options), CODEC_FITS);
    record = good;
    record.result = 2;
    assert_int_equal(packed_misfit(codec, &record, &options), CODEC_NO_RESULT);
    record = good;
    record.label.final = (struct score){SCORE_MATE, 3};
    assert_int_equal(packed_misfit(codec, &record, &options), CODEC_MATE_SCORE);
    record.label.final = (struct score){SCORE_NONE, 0};
    assert_int_equal(packed_misfit(codec, &record, &options), CODEC_NO_SCORE);
    static const struct {
        int32_t value;
        enum codec_misfit misfit;
    } limits[] = {{32767, CODEC_FITS},
                  {32768, CODEC_SCORE_RANGE},
                  {-32767, CODEC_FITS},
                  {-32768, CODEC_SCORE_RANGE},
                  {INT32_MAX, CODEC_SCORE_RANGE},
                  {INT32_MIN, CODEC_SCORE_RANGE}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        record.label.final = (struct score){SCORE_CP, limits[i].value};
        assert_int_equal(packed_misfit(codec, &record, &options), limits[i].misfit);
    }
    options.last_exact = true; /* the sample's is a mate */
    assert_int_equal(packed_misfit(codec, &record, &options), CODEC_MATE_SCORE);
}

/* Reading the bytes fails with an error that holds the words. */
static inline void packed_assert_error(const struct codec *codec,
                                       const struct codec_options *options, const void *data,
                                       size_t size, const char *words)
{
    struct record records[PACKED_RECORDS];
    struct error err = {0};
    long count = codec_test_decode(codec, options, data, size, records, PACKED_RECORDS, &err);
    if (count >= 0)
        fail_msg("read without an error, not: %s", words);
    if (strstr(err.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, words);
    assert_int_equal(err.code, ERROR_FAILED);
}

/* A file of which one byte, or more from there on, is another. */
struct packed_damage {
    size_t at;
    uint8_t bytes[8];
    size_t count;
    const char *words;
};

static inline void packed_check_damage(const struct codec *codec,
                                       const struct codec_options *options,
                                       const struct buffer *good,
                                       const struct packed_damage *damages, size_t count)
{
    uint8_t bytes[4096];
    assert_true(good->length <= sizeof bytes);
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes, good->data, good->length);
        assert_true(damages[i].at + damages[i].count <= good->length);
        memcpy(bytes + damages[i].at, damages[i].bytes, damages[i].count);
        packed_assert_error(codec, options, bytes, good->length, damages[i].words);
    }
}

static inline void packed_position(const char *fen, struct record *record)
{
    assert_true(sample_record(record));
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &record->position, NULL),
                     FEN_OK);
}

#endif
