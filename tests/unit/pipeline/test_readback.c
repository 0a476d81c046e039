/* SPDX-License-Identifier: MIT */
/*
 * Reading back: a file that holds what was written passes, and any other is told from it.
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
#include "pipeline/stages/readback.h"
#include "tests/unit/formats/sample_record.h"

#define RECORDS 20

static char directory[] = "/tmp/plymill-readback-XXXXXX";
static char records_path[64], file_path[64];
static const struct codec_options usual = {.score_scale = 1.0};

/* Distinct in their plies; the fifth has no result, which bin cannot hold. */
static struct record record_at(unsigned index)
{
    struct record record;
    assert_true(sample_record(&record));
    record.ply = index + 1;
    if (index == 4)
        record.result = 2;
    return record;
}

static int set_up(void **state)
{
    struct record_writer *writer;
    struct error err = {0};
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(records_path, sizeof records_path, "%s/x.rec", directory);
    snprintf(file_path, sizeof file_path, "%s/x.dat", directory);
    if (record_writer_create(records_path, RECORDS, &writer, &err) < 0)
        return -1;
    for (unsigned i = 0; i < RECORDS; i++) {
        struct record record = record_at(i);
        if (record_writer_add(writer, &record, &err) < 0)
            return -1;
    }
    return record_writer_commit(writer, NULL, &err);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(records_path);
    unlink(file_path);
    return rmdir(directory);
}

/* Writes count records, number `odd` of them changed by `change`, and fills the list. */
static void write_file(const struct codec *codec, unsigned count, unsigned odd,
                       void (*change)(struct record *record), struct readback_list *list)
{
    struct codec_writer *writer;
    struct error err = {0};
    readback_list_init(list);
    assert_int_equal(codec_writer_create(file_path, codec, &usual, false, &writer, &err), 0);
    for (unsigned i = 0; i < count; i++) {
        enum codec_misfit misfit;
        struct record record = record_at(i);
        if (i == odd)
            change(&record);
        assert_int_equal(codec_writer_add(writer, &record, &misfit, &err), 0);
        assert_int_equal(readback_list_add(list, misfit != CODEC_FITS, &err), 0);
    }
    assert_int_equal(codec_writer_commit(writer, NULL, &err), 0);
}

static int read_back(const struct codec *codec, const struct readback_list *list, struct error *err)
{
    struct record_reader *records;
    assert_int_equal(record_reader_open(records_path, &records, err), 0);
    struct readback job = {
        .path = file_path, .codec = codec, .options = &usual, .list = list, .records = records};
    int status = readback_file(&job, err);
    record_reader_close(records);
    return status;
}

static void every_format_comes_back(void **state)
{
    (void)state;
    for (const struct codec *const *codec = codec_table; *codec != NULL; codec++) {
        struct readback_list list;
        struct error err = {0};
        if ((*codec)->encode == NULL || (*codec)->games)
            continue;
        write_file(*codec, RECORDS, RECORDS, NULL, &list);
        bool unknown = (*codec)->fields & CODEC_HOLDS_UNKNOWN_RESULT;
        assert_int_equal(list.count, RECORDS);
        assert_int_equal((unsigned char)list.bits.data[0], unknown ? 0 : 1 << 4);
        if (read_back(*codec, &list, &err) < 0)
            fail_msg("%s: %s", (*codec)->name, err.text);
        readback_list_free(&list);
    }
}

static void change_result(struct record *record)
{
    record->result = 1;
}

static void change_ply(struct record *record)
{
    record->ply++;
}

static void change_rating(struct record *record)
{
    record->white_rating++;
}

static void change_score(struct record *record)
{
    record->label.final.value--;
}

static void change_move(struct record *record)
{
    record->label.best_move = record->played;
}

static void change_clock(struct record *record)
{
    record->position.halfmove++;
}

static void expect(const struct codec *codec, unsigned odd, void (*change)(struct record *record),
                   const char *words)
{
    struct readback_list list;
    struct error err = {0};
    write_file(codec, RECORDS, odd, change, &list);
    int status = read_back(codec, &list, &err);
    assert_int_equal(status, words == NULL ? 0 : -1);
    if (words != NULL && strstr(err.text, words) == NULL)
        fail_msg("'%s' where '%s' was expected", err.text, words);
    if (words != NULL)
        assert_int_equal(err.code, ERROR_DIFFERS);
    readback_list_free(&list);
}

static void what_is_not_as_written_is_named(void **state)
{
    (void)state;
    expect(&codec_bin, 0, change_result,
           "x.dat: reading back: record 1 (game aBcDeFgH, ply 1): result is not what was written");
    expect(&codec_bin, 7, change_ply, "record 7 (game aBcDeFgH, ply 8): ply is not");
    expect(&codec_bin, 7, change_score, "record 7 (game aBcDeFgH, ply 8): score is not");
    expect(&codec_bin, 7, change_move, "record 7 (game aBcDeFgH, ply 8): move is not");
    expect(&codec_bin, 7, change_clock, "record 7 (game aBcDeFgH, ply 8): half-move clock is not");
    expect(&codec_bin, 7, change_rating, NULL);
    expect(&codec_csv, 7, change_rating, "record 8 (game aBcDeFgH, ply 8): ratings is not");
    expect(&codec_bullet, 7, change_ply, NULL);
    expect(&codec_bullet, 19, change_score, "record 19 (game aBcDeFgH, ply 20): score is not");
}

static void too_few_and_too_many(void **state)
{
    (void)state;
    struct readback_list list, other;
    struct error err = {0};
    write_file(&codec_bin, RECORDS - 1, RECORDS, NULL, &list);
    assert_int_equal(readback_list_add(&list, false, &err), 0);
    assert_int_equal(read_back(&codec_bin, &list, &err), -1);
    assert_int_equal(err.code, ERROR_DIFFERS);
    assert_non_null(strstr(err.text, "it ends after 18 records, where more were written"));
    readback_list_free(&list);
    write_file(&codec_bin, RECORDS - 1, RECORDS, NULL, &list);
    readback_list_free(&list);
    write_file(&codec_bin, RECORDS, RECORDS, NULL, &other);
    readback_list_clear(&other);
    for (unsigned i = 0; i < RECORDS - 1; i++)
        assert_int_equal(readback_list_add(&other, i == 4, &err), 0);
    assert_int_equal(read_back(&codec_bin, &other, &err), -1);
    assert_int_equal(err.code, ERROR_DIFFERS);
    assert_non_null(strstr(err.text, "it holds more records than were written"));
    readback_list_free(&other);
}

static void damage_is_an_error(void **state)
{
    (void)state;
    struct readback_list list;
    struct error err = {0};
    write_file(&codec_bin, RECORDS, RECORDS, NULL, &list);
    assert_int_equal(truncate(file_path, 40 * 19 - 1), 0);
    assert_int_equal(read_back(&codec_bin, &list, &err), -1);
    assert_int_equal(err.code, ERROR_FAILED);
    assert_non_null(strstr(err.text, "reading back: "));
    assert_non_null(strstr(err.text, "x.dat: record 19 (byte 720)"));
    readback_list_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_comes_back),
        cmocka_unit_test(what_is_not_as_written_is_named),
        cmocka_unit_test(too_few_and_too_many),
        cmocka_unit_test(damage_is_an_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
