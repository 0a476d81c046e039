/* SPDX-License-Identifier: MIT */
/*
 * Sources of bytes, dataset files on disk, and which format a path names.
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

#include "formats/codec_file.h"
#include "formats/io/file.h"
#include "tests/unit/formats/codec_test.h"
#include "tests/unit/formats/sample_record.h"

static const struct codec_options usual = {.score_scale = 1.0};

static void lines_of_all_kinds(void **state)
{
    (void)state;
    const char *text = "one\n\ntwo\r\n\r\nthr\ree";
    static const char *const expected[] = {"one", "", "two", "", "thr\ree"};
    static const unsigned offsets[] = {4, 5, 10, 12, 18};
    struct codec_source *source;
    struct text_span line;
    struct error err = {0};
    assert_int_equal(codec_source_open_memory(text, strlen(text), &source, &err), 0);
    for (unsigned i = 0; i < 5; i++) {
        codec_source_mark(source, codec_source_offset(source));
        assert_int_equal(codec_source_line(source, &line, &err), 1);
        assert_true(text_equals(line, expected[i]));
        assert_int_equal(codec_source_offset(source), offsets[i]);
        assert_int_equal(codec_source_marked_line(source), i + 1);
        assert_int_equal(codec_source_line_ended(source), i < 4);
    }
    assert_int_equal(codec_source_line(source, &line, &err), 0);
    codec_source_close(source);
}

/* A line of size bytes and another: 1, or -1 with the error. */
static int line_of_size(size_t size, const char *end, struct error *err)
{
    struct codec_source *source;
    struct text_span line;
    size_t length = strlen(end);
    char *text = malloc(size + length);
    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text + size, end, length);
    assert_int_equal(codec_source_open_memory(text, size + length, &source, err), 0);
    int status = codec_source_line(source, &line, err);
    if (status == 1)
        assert_int_equal(line.size, size);
    codec_source_close(source);
    free(text);
    return status;
}

static void a_line_may_be_so_long(void **state)
{
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "\nmore\n", ""};
    for (unsigned i = 0; i < 4; i++) {
        struct error err = {0};
        assert_int_equal(line_of_size(CODEC_SOURCE_LINE_MAX, ends[i], &err), 1);
        assert_int_equal(line_of_size(CODEC_SOURCE_LINE_MAX + 1, ends[i], &err), -1);
        assert_string_equal(err.text, "a line of over 1048576 bytes");
    }
}

static void write_file(const char *path, const void *data, size_t size)
{
    struct error err = {0};
    if (file_write_all(path, data, size, &err) < 0)
        fail_msg("%s", err.text);
}

/* A reader over a file of numbers, u32 each, so that every byte's place shows. */
static struct codec_source *open_numbers(const char *path, uint32_t count)
{
    struct reader *reader;
    struct codec_source *source;
    struct error err = {0};
    uint32_t *numbers = malloc(count * sizeof *numbers);
    assert_non_null(numbers);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i;
    write_file(path, numbers, count * sizeof *numbers);
    free(numbers);
    assert_int_equal(reader_open(path, false, &reader, &err), 0);
    assert_int_equal(codec_source_open(reader, &source, &err), 0);
    return source;
}

static uint32_t number_at(const uint8_t *data)
{
    uint32_t number;
    memcpy(&number, data, sizeof number);
    return number;
}

static void the_window_moves_over_a_file(void **state)
{
    (void)state;
    const uint32_t count = 300000; /* more than four blocks */
    char path[] = "/tmp/plymill-codec-file-XXXXXX";
    int fd = mkstemp(path);
    struct codec_source *source = open_numbers(path, count);
    const uint8_t *data;
    struct error err = {0};
    uint32_t at = 0;
    for (uint32_t step = 1; at + step < count; step = step * 7 % 4001 + 1) {
        ssize_t got = codec_source_peek(source, step * 4, &data, &err);
        assert_true(got >= (ssize_t)step * 4);
        assert_int_equal(number_at(data), at);
        assert_int_equal(number_at(data + (step - 1) * 4), at + step - 1);
        codec_source_take(source, step * 4);
        at += step;
        assert_int_equal(codec_source_offset(source), at * 4);
    }
    size_t rest = (count - at) * 4;
    assert_int_equal(codec_source_peek(source, rest, &data, &err), rest);
    assert_int_equal(codec_source_peek(source, rest + 1, &data, &err), rest);
    assert_int_equal(number_at(data + rest - 4), count - 1);
    codec_source_take(source, rest);
    assert_int_equal(codec_source_peek(source, 1, &data, &err), 0);
    codec_source_close(source);
    source = open_numbers(path, count); /* all at once: the window grows */
    assert_int_equal(codec_source_peek(source, count * 4, &data, &err), count * 4);
    assert_int_equal(number_at(data + count * 4 - 4), count - 1);
    assert_int_equal(codec_source_peek(source, (size_t)CODEC_SOURCE_MAX + 1, &data, &err), -1);
    codec_source_close(source);
    close(fd);
    unlink(path);
}

static void assert_path_names(const char *path, const char *name)
{
    const struct codec *codec = codec_of_path(path);
    assert_true((codec == NULL) == (name == NULL));
    if (name != NULL)
        assert_string_equal(codec->name, name);
}

static void paths_name_formats(void **state)
{
    (void)state;
    assert_path_names("a/b.d/train.plain", "plain");
    assert_path_names("train.plain.zst", "plain");
    assert_path_names("train.csv.gz", "csv");
    assert_path_names("x.plain.csv", "csv");
    assert_path_names("x.csv.zst.gz", NULL);
    assert_path_names("dir.csv/train", NULL);
    assert_path_names("train.Plain", NULL);
    assert_path_names("plain", NULL);
    assert_path_names("", NULL);
    for (const struct codec *const *codec = codec_table; *codec != NULL; codec++) {
        char path[64];
        snprintf(path, sizeof path, "x%s.zst", (*codec)->extension);
        assert_ptr_equal(codec_of_path(path), *codec);
        if (strcmp((*codec)->name, "bullet") == 0 || strcmp((*codec)->name, "marlin") == 0 ||
            strcmp((*codec)->name, "viri") == 0) {
            snprintf(path, sizeof path, "x%s.bin", (*codec)->extension);
            assert_ptr_equal(codec_of_path(path), *codec);
        }
    }
    struct error err = {0};
    const struct codec *codec;
    assert_int_equal(codec_of_path_or_error("some.pgn", &codec, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    assert_non_null(strstr(err.text, "some.pgn: the name ends in no extension of a dataset format "
                                     "(.plain "));
}

static void read_file(const char *path, unsigned count)
{
    struct codec_reader *reader;
    struct record sample, record;
    struct error err = {0};
    assert_true(sample_record(&sample));
    assert_int_equal(codec_reader_open(path, NULL, &usual, &reader, &err), 0);
    assert_ptr_equal(codec_reader_codec(reader), &codec_csv);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(codec_reader_next(reader, &record, &err), 1);
        sample.ply = i;
        assert_true(same_record(&sample, &record));
    }
    assert_int_equal(codec_reader_next(reader, &record, &err), 0);
    assert_int_equal(codec_reader_count(reader), count);
    assert_true(codec_reader_offset(reader) >= codec_reader_position(reader));
    assert_int_equal(codec_reader_position(reader), codec_reader_file_size(reader));
    codec_reader_close(reader);
}

static void a_file_there_and_back(const char *path, bool zstd)
{
    struct codec_writer *writer;
    struct writer_result result;
    struct record record;
    enum codec_misfit misfit;
    struct error err = {0};
    assert_true(sample_record(&record));
    assert_int_equal(codec_writer_create(path, &codec_csv, &usual, zstd, &writer, &err), 0);
    for (record.ply = 0; record.ply < 3000; record.ply++)
        assert_int_equal(codec_writer_add(writer, &record, &misfit, &err), 0);
    assert_int_equal(codec_writer_count(writer, CODEC_FITS), 3000);
    assert_int_equal(codec_writer_count(writer, CODEC_NO_MOVE), 0);
    assert_int_equal(codec_writer_finish(writer, &result, &err), 0);
    assert_false(file_exists(path));
    assert_true(file_exists(codec_writer_path(writer)));
    assert_int_equal(codec_writer_publish(writer, &err), 0);
    read_file(path, 3000);
}

static void files_there_and_back(void **state)
{
    (void)state;
    char directory[] = "/tmp/plymill-codec-file-XXXXXX", path[64], zst[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/x.csv", directory);
    snprintf(zst, sizeof zst, "%s/x.csv.zst", directory);
    a_file_there_and_back(path, false);
    a_file_there_and_back(zst, true);
    unlink(path);
    unlink(zst);
    assert_int_equal(rmdir(directory), 0); /* nothing else was left */
}

/* What came before a cut is given; the reader's own error names the file once. */
static void a_cut_archive(void **state)
{
    (void)state;
    char directory[] = "/tmp/plymill-codec-file-XXXXXX", path[64], expected[100];
    struct buffer bytes;
    struct codec_reader *reader;
    struct record record;
    struct error err = {0};
    int status;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/x.csv.zst", directory);
    a_file_there_and_back(path, true);
    codec_test_load(path, &bytes);
    write_file(path, bytes.data, bytes.length - 1);
    snprintf(expected, sizeof expected, "%s: truncated at byte %zu", path, bytes.length - 1);
    assert_int_equal(codec_reader_open(path, NULL, &usual, &reader, &err), 0);
    while ((status = codec_reader_next(reader, &record, &err)) == 1)
        ;
    assert_int_equal(status, -1);
    assert_int_equal(strncmp(err.text, expected, strlen(expected)), 0);
    assert_true(codec_reader_count(reader) > 0);
    assert_int_equal(codec_reader_next(reader, &record, &err), -1);
    codec_reader_close(reader);
    buffer_free(&bytes);
    unlink(path);
    rmdir(directory);
}

static int open_with_scale(double scale)
{
    struct codec_options options = {.score_scale = scale};
    struct codec_reader *reader = NULL;
    struct codec_writer *writer = NULL;
    struct error err = {0};
    int status = codec_reader_open_memory("x", "", 0, &codec_plain, &options, &reader, &err);
    codec_reader_close(reader);
    assert_int_equal(codec_writer_create("-", &codec_plain, &options, false, &writer, &err),
                     status);
    codec_writer_discard(writer);
    if (status < 0)
        assert_int_equal(err.code, ERROR_USAGE);
    return status;
}

static void scales_at_the_limit(void **state)
{
    (void)state;
    assert_int_equal(open_with_scale(1e-6), 0);
    assert_int_equal(open_with_scale(0.99e-6), -1);
    assert_int_equal(open_with_scale(1e6), 0);
    assert_int_equal(open_with_scale(1.01e6), -1);
    assert_int_equal(open_with_scale(0), -1);
    assert_int_equal(open_with_scale(-1), -1);
    assert_int_equal(open_with_scale(0.0 / 0.0), -1);
}

static void scores_stay_in_range(void **state)
{
    (void)state;
    struct codec_options options = {.score_scale = CODEC_SCALE_MIN};
    assert_int_equal(codec_score_read(32767, &options).value, INT32_MAX);
    assert_int_equal(codec_score_read(-32768, &options).value, INT32_MIN);
    assert_int_equal(codec_score_read(2147, &options).value, 2147000000);
    options.score_scale = 2;
    assert_int_equal(codec_score_read(3, &options).value, 2);
    assert_int_equal(codec_score_read(-3, &options).value, -2);
    assert_int_equal(codec_sfen_score_read(32002, &options).kind, SCORE_NONE);
    assert_int_equal(codec_sfen_score_read(-32002, &options).value, -16001);
}

static void missing_files_and_folders(void **state)
{
    (void)state;
    struct codec_reader *reader;
    struct error err = {0};
    assert_int_equal(codec_reader_open("/tmp/no/such.csv", NULL, &usual, &reader, &err), -1);
    assert_null(reader);
    assert_non_null(strstr(err.text, "/tmp/no/such.csv"));
    assert_int_equal(codec_reader_open("/tmp", &codec_csv, &usual, &reader, &err), -1);
    assert_int_equal(codec_reader_open("-", NULL, &usual, &reader, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
}

static void some_formats_are_only_read(void **state)
{
    (void)state;
    struct codec_writer *writer;
    struct error err = {0};
    assert_int_equal(codec_writer_create("/tmp/x.rec", &codec_rec, &usual, false, &writer, &err),
                     -1);
    assert_int_equal(err.code, ERROR_USAGE);
    assert_string_equal(err.text, "/tmp/x.rec: the format rec can only be read");
    assert_false(file_exists("/tmp/x.rec"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_all_kinds),
        cmocka_unit_test(a_line_may_be_so_long),
        cmocka_unit_test(the_window_moves_over_a_file),
        cmocka_unit_test(paths_name_formats),
        cmocka_unit_test(files_there_and_back),
        cmocka_unit_test(a_cut_archive),
        cmocka_unit_test(scales_at_the_limit),
        cmocka_unit_test(scores_stay_in_range),
        cmocka_unit_test(missing_files_and_folders),
        cmocka_unit_test(some_formats_are_only_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
