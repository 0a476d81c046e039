/* SPDX-License-Identifier: MIT */
/*
 * Records: the layout byte by byte, what is refused, and files that are damaged or cut.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/chess/poskey.h"
#include "formats/io/buffer.h"
#include "formats/io/file.h"
#include "formats/record.h"
#include "tests/unit/formats/sample_record.h"

#define FILE_RECORDS 5

/* The bytes from 36 on of the sample, written by hand after the table in record.h. */
static const uint8_t sample_tail[RECORD_SIZE - POSKEY_PACKED_SIZE] = {
    'a',  'B',  'c',  'D',  'e', 'F', 'g', 'H', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 36 game id */
    0x3f, 0xcf,             /* 54 played: e8 takes h8, castling = 3<<14 | 60<<6 | 63 */
    0x03, 0x02, 0x01, 0,    /* 56 ply */
    0xff,                   /* 60 result */
    2,                      /* 61 source */
    0xd0, 0x09,             /* 62 White's rating 2512 */
    0xcf, 0x07,             /* 64 Black's rating 1999 */
    1,    2,                /* 66 final kind, bound */
    0xbf, 0xfe, 0xff, 0xff, /* 68 -321 */
    2,    1,                /* 72 exact kind, limit kind */
    11,   0,                /* 74 exact depth */
    0xf4, 0xff, 0xff, 0xff, /* 76 -12 */
    0x3b, 0x0e,             /* 80 best: a8 to d8 = 56<<6 | 59 */
    13,   0,                /* 82 depth */
    0,    0,    0,    0,    /* 84 */
    8,    7,    6,    5,    4,   3,   2,   1, /* 88 nodes */
    0x10, 0x27, 0,    0,    0,   0,   0,   0, /* 96 limit 10000 */
};

static void encode_sample(uint8_t bytes[RECORD_SIZE])
{
    struct record record;
    assert_true(sample_record(&record));
    record_encode(&record, bytes);
}

static void the_layout_is_as_drawn(void **state)
{
    (void)state;
    uint8_t bytes[RECORD_SIZE], packed[POSKEY_PACKED_SIZE];
    struct record record, back;
    assert_true(sample_record(&record));
    record_encode(&record, bytes);
    poskey_pack(&record.position, packed);
    assert_memory_equal(bytes, packed, sizeof packed);
    assert_memory_equal(bytes + POSKEY_PACKED_SIZE, sample_tail, sizeof sample_tail);
    assert_int_equal(record_decode(bytes, &back), 0);
    assert_true(same_record(&record, &back));
    assert_ptr_equal(record_score(&record, false), &record.label.final);
    assert_ptr_equal(record_score(&record, true), &record.label.exact);
}

static void fields_keep_their_extremes(void **state)
{
    (void)state;
    uint8_t bytes[RECORD_SIZE];
    struct record record, back;
    assert_true(sample_record(&record));
    snprintf(record.game_id, sizeof record.game_id, "x0123456789abcdef");
    record.ply = UINT32_MAX;
    record.played = record.label.best_move = MOVE_NONE;
    record.result = 2;
    record.source = SOURCE_INPUT;
    record.white_rating = record.black_rating = UINT16_MAX;
    record.label.final = (struct score){SCORE_CP, INT32_MIN};
    record.label.exact = (struct score){SCORE_NONE, 0};
    record.label.nodes = record.label.limit = UINT64_MAX;
    record.label.depth = record.label.exact_depth = UINT16_MAX;
    record.label.limit_kind = LIMIT_DEPTH;
    record_encode(&record, bytes);
    assert_int_equal(record_decode(bytes, &back), 0);
    assert_true(same_record(&record, &back));
}

static void refuse(size_t at, uint8_t value)
{
    uint8_t bytes[RECORD_SIZE];
    struct record record;
    encode_sample(bytes);
    assert_int_not_equal(bytes[at], value);
    bytes[at] = value;
    if (record_decode(bytes, &record) == 0)
        fail_msg("byte %zu = %u is taken", at, value);
}

static void damaged_fields_are_refused(void **state)
{
    (void)state;
    refuse(0, 0xff);  /* more squares than pieces */
    refuse(24, 2);    /* side */
    refuse(36, 0);    /* no id */
    refuse(37, ',');  /* no letter */
    refuse(53, 'x');  /* padding, and no zero at the end */
    refuse(54, 0x3e); /* castling with nothing there */
    refuse(60, 3);    /* result */
    refuse(60, 0xfe);
    refuse(61, 4);    /* source */
    refuse(66, 3);    /* kind */
    refuse(66, 0);    /* none, with a value */
    refuse(67, 3);    /* bound */
    refuse(72, 3);    /* exact kind */
    refuse(73, 3);    /* limit kind */
    refuse(80, 0x3c); /* a rook takes its own king */
    for (size_t at = 84; at < 88; at++)
        refuse(at, 1);
    for (size_t at = 104; at < RECORD_SIZE; at++)
        refuse(at, 1);
}

/* One record, one form: whatever is taken is written again as it was. */
static void what_is_taken_is_canonical(void **state)
{
    (void)state;
    unsigned taken = 0;
    uint8_t bytes[RECORD_SIZE], again[RECORD_SIZE];
    struct record record;
    encode_sample(bytes);
    for (size_t at = 0; at < RECORD_SIZE; at++) {
        uint8_t kept = bytes[at];
        for (unsigned value = 0; value < 256; value++) {
            bytes[at] = (uint8_t)value;
            if (record_decode(bytes, &record) < 0)
                continue;
            record_encode(&record, again);
            assert_memory_equal(bytes, again, RECORD_SIZE);
            taken++;
        }
        bytes[at] = kept;
    }
    assert_true(taken > 1000);
}

static char path[64];

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/plymill-test-XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(struct writer_result *result)
{
    struct record_writer *writer;
    struct record record;
    struct error err = {0};
    assert_true(sample_record(&record));
    assert_int_equal(record_writer_create(path, FILE_RECORDS, &writer, &err), 0);
    for (uint32_t i = 0; i < FILE_RECORDS; i++) {
        record.ply = i;
        assert_int_equal(record_writer_add(writer, &record, &err), 0);
    }
    assert_int_equal(record_writer_commit(writer, result, &err), 0);
}

static void check_records(struct record_reader *reader)
{
    struct record record, expected;
    struct error err = {0};
    assert_true(sample_record(&expected));
    for (uint32_t i = 0; i < FILE_RECORDS; i++) {
        expected.ply = i;
        assert_int_equal(record_reader_next(reader, &record, &err), 1);
        assert_true(same_record(&record, &expected));
    }
    assert_int_equal(record_reader_next(reader, &record, &err), 0);
    assert_int_equal(record_reader_next(reader, &record, &err), 0);
}

static void a_file_is_read_back_twice(void **state)
{
    (void)state;
    struct record_reader *reader;
    struct writer_result result;
    struct error err = {0};
    static const uint8_t header[RECORD_HEADER_SIZE] = {'p', 'l', 'y', 'm', 'r', 'e', 'c', '\n', 1,
                                                       0,   0,   0,   128, 0,   0,   0,   5};
    struct buffer bytes;
    write_file(&result);
    assert_int_equal(result.content_bytes, 64 + 5 * 128);
    buffer_init(&bytes, 10000);
    assert_int_equal(file_read_all(path, &bytes, &err), 0);
    assert_int_equal(bytes.length, 64 + 5 * 128);
    assert_memory_equal(bytes.data, header, sizeof header);
    buffer_free(&bytes);
    assert_int_equal(record_reader_open(path, &reader, &err), 0);
    assert_int_equal(record_reader_count(reader), FILE_RECORDS);
    check_records(reader);
    assert_int_equal(record_reader_rewind(reader, &err), 0);
    check_records(reader);
    record_reader_close(reader);
}

static void a_wrong_count_is_not_committed(void **state)
{
    (void)state;
    struct record_writer *writer;
    struct record_reader *reader;
    struct record record;
    struct error err = {0};
    assert_true(sample_record(&record));
    assert_int_equal(record_writer_create(path, 2, &writer, &err), 0);
    assert_int_equal(record_writer_add(writer, &record, &err), 0);
    assert_int_equal(record_writer_commit(writer, NULL, &err), -1);
    assert_non_null(strstr(err.text, "1 records added where 2 were promised"));
    assert_int_equal(record_reader_open(path, &reader, &err), -1); /* still the empty file */
}

/* The good file with size bytes, of which the one at `at` is changed by `change`. */
static int open_damaged(size_t size, size_t at, uint8_t change, struct record_reader **reader,
                        struct error *err)
{
    struct writer_result result;
    struct buffer bytes;
    write_file(&result);
    buffer_init(&bytes, 10000);
    assert_int_equal(file_read_all(path, &bytes, err), 0);
    assert_int_equal(buffer_append(&bytes, "more", 4, err), 0);
    bytes.data[at] = (char)((uint8_t)bytes.data[at] ^ change);
    assert_int_equal(file_write_all(path, bytes.data, size, err), 0);
    buffer_free(&bytes);
    return record_reader_open(path, reader, err);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    const size_t whole = RECORD_HEADER_SIZE + FILE_RECORDS * RECORD_SIZE;
    static const struct {
        size_t size, at;
        uint8_t change;
        const char *words;
    } cases[] = {
        {704, 0, 1, "no record file"},
        {704, 8, 3, "unknown version"},
        {704, 12, 1, "unknown version"},
        {704, 63, 1, "unknown version"},
        {704, 16, 1, "704 bytes do not hold the promised 4 records"},
        {704, 22, 1, "do not hold the promised"},
        {703, 0, 0, "703 bytes do not hold the promised 5 records"},
        {705, 0, 0, "705 bytes do not hold the promised 5 records"},
        {576, 0, 0, "576 bytes do not hold the promised 5 records"},
        {40, 0, 0, "truncated at byte 40"},
        {0, 0, 0, "no record file"},
    };
    assert_int_equal(whole, 704);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record_reader *reader;
        struct error err = {0};
        assert_int_equal(open_damaged(cases[i].size, cases[i].at, cases[i].change, &reader, &err),
                         -1);
        assert_non_null(strstr(err.text, cases[i].words));
        assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
    }
}

static void a_damaged_record_is_named(void **state)
{
    (void)state;
    struct record_reader *reader;
    struct record record;
    struct error err = {0};
    char words[128];
    size_t at = RECORD_HEADER_SIZE + 2 * RECORD_SIZE + 85;
    assert_int_equal(open_damaged(704, at, 1, &reader, &err), 0);
    assert_int_equal(record_reader_next(reader, &record, &err), 1);
    assert_int_equal(record_reader_next(reader, &record, &err), 1);
    assert_int_equal(record_reader_next(reader, &record, &err), -1);
    snprintf(words, sizeof words, "%s: record 3 is damaged", path);
    assert_string_equal(err.text, words);
    record_reader_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_layout_is_as_drawn),
        cmocka_unit_test(fields_keep_their_extremes),
        cmocka_unit_test(damaged_fields_are_refused),
        cmocka_unit_test(what_is_taken_is_canonical),
        cmocka_unit_test_setup_teardown(a_file_is_read_back_twice, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wrong_count_is_not_committed, setup, teardown),
        cmocka_unit_test_setup_teardown(damaged_files_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_damaged_record_is_named, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
