/* SPDX-License-Identifier: MIT */
/*
 * The csv format: rows written by hand, every field there and back, and columns that are wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/formats/codec_test.h"
#include "tests/unit/formats/sample_record.h"

#define ROW_MAX 800

#define HEADER                                                                                     \
    "game_id,ply,fen,side,played,best,score_kind,score,bound,exact_kind,exact,exact_depth,depth,"  \
    "nodes,limit_kind,limit,result,white_elo,black_elo,source,white_cp\n"
#define SAMPLE_ROW                                                                                 \
    "aBcDeFgH,66051," SAMPLE_FEN ",b,e8g8,a8d8,cp,-321,upper,mate,-12,11,13,72623859790382856,"    \
    "nodes,10000,0-1,2512,1999,pgn-comment,321\n"

static const struct codec_options csv_options = {.score_scale = 1.0};

/* A header and one row. */
static void encode(const struct record *record, const struct codec_options *options,
                   char text[ROW_MAX])
{
    struct buffer out;
    buffer_init(&out, ROW_MAX - 1);
    assert_int_equal(codec_test_encode(&codec_csv, options, record, 1, &out), CODEC_FITS);
    codec_test_text(&out, text, ROW_MAX);
    buffer_free(&out);
}

static long decode(const char *text, struct record *record, struct error *err)
{
    return codec_test_decode(&codec_csv, &csv_options, text, strlen(text), record, 1, err);
}

static void check_back(const struct record *record, const char *expected)
{
    char text[ROW_MAX];
    struct record back;
    struct error err = {0};
    encode(record, &csv_options, text);
    if (expected != NULL)
        assert_string_equal(text, expected);
    assert_int_equal(decode(text, &back, &err), 1);
    assert_true(same_record(record, &back));
}

static void the_header_names_the_columns(void **state)
{
    (void)state;
    struct buffer out;
    buffer_init(&out, ROW_MAX);
    codec_test_encode(&codec_csv, &csv_options, NULL, 0, &out);
    assert_string_equal(out.data, HEADER);
    buffer_free(&out);
}

static void the_sample_as_a_row(void **state)
{
    (void)state;
    char text[ROW_MAX];
    struct record record;
    struct codec_options options = {CODEC_MOVE_PLAYED, true, 3.61, false,
                                    false}; /* change white_cp */
    assert_true(sample_record(&record));
    check_back(&record, HEADER SAMPLE_ROW);
    encode(&record, &options, text);
    assert_non_null(strstr(text, ",cp,-321,upper,"));
    assert_non_null(strstr(text, ",pgn-comment,\n")); /* a mate has no centipawns */
    record.label.exact = (struct score){SCORE_CP, 40};
    encode(&record, &options, text);
    assert_non_null(strstr(text, ",pgn-comment,-40\n"));
}

static void unknown_things_are_empty(void **state)
{
    (void)state;
    struct record record = {.result = 2, .source = SOURCE_INPUT};
    position_start(&record.position);
    check_back(&record, HEADER ",0,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,w,,,"
                               "none,,exact,none,,0,0,0,none,0,*,,,input,\n");
    codec_test_name_game(&record, "p0123456789abcdef");
    check_back(&record,
               HEADER "p0123456789abcdef,0,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - "
                      "0 1,w,,,none,,exact,none,,0,0,0,none,0,*,,,input,\n");
}

static void extremes_and_every_word_come_back(void **state)
{
    (void)state;
    struct record record;
    assert_true(sample_record(&record));
    record.ply = UINT32_MAX;
    record.white_rating = UINT16_MAX;
    record.black_rating = 1;
    record.label.nodes = record.label.limit = UINT64_MAX;
    record.label.depth = record.label.exact_depth = UINT16_MAX;
    record.label.final.value = INT32_MIN;
    record.label.exact.value = INT32_MAX;
    for (unsigned i = 0; i < 4 * 3 * 4 * 3; i++) {
        record.result = (int8_t)((int)(i % 4) - 1);
        record.label.bound = (uint8_t)(i / 4 % 3);
        record.source = (uint8_t)(i / 12 % 4);
        record.label.limit_kind = (uint8_t)(i / 48);
        check_back(&record, NULL);
    }
}

static void chess960_castling(void **state)
{
    (void)state;
    const char *fen = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 3 9";
    char text[ROW_MAX];
    struct record record;
    assert_true(sample_record(&record));
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &record.position, NULL),
                     FEN_OK);
    record.played = ucimove_parse(&record.position, "e1b1", 4);
    record.label.best_move = ucimove_parse(&record.position, "e1f1", 4);
    check_back(&record, NULL);
    encode(&record, &csv_options, text);
    assert_non_null(strstr(text, ",w,e1b1,e1f1,"));
}

static void colours_flipped_the_mover_sees_the_same(void **state)
{
    (void)state;
    char text[ROW_MAX];
    struct record record, flipped;
    assert_true(sample_record(&record));
    flip_record(&record, &flipped);
    encode(&flipped, &csv_options, text);
    assert_string_equal(
        text,
        HEADER "aBcDeFgH,66051,r3k2r/pp3ppp/8/3p4/3P4/8/PP3PPP/R3K2R w KQk - 3 7,w,e1g1,a1d1,cp,"
               "-321,upper,mate,-12,11,13,72623859790382856,nodes,10000,1-0,2512,1999,pgn-comment,"
               "-321\n");
}

static void the_header_must_be_there(void **state)
{
    (void)state;
    struct record records[2];
    struct error err = {0};
    const char *text = HEADER SAMPLE_ROW SAMPLE_ROW;
    assert_int_equal(
        codec_test_decode(&codec_csv, &csv_options, text, strlen(text), records, 2, &err), 2);
    assert_int_equal(decode(HEADER, records, &err), 0);
    assert_int_equal(decode("", records, &err), -1);
    assert_string_equal(err.text, "test: record 1 (byte 0): an empty file: not even a header");
    assert_int_equal(decode(SAMPLE_ROW, records, &err), -1);
    assert_non_null(
        strstr(err.text, "test: record 1 (line 1, byte 0): bad header 'aBcDeFgH,66051"));
}

/* The sample row with column number `column` (from 0) replaced. */
static void replace_column(unsigned column, const char *value, char text[ROW_MAX])
{
    const char *row = SAMPLE_ROW;
    size_t begin = 0;
    for (; column > 0; column--)
        begin += strcspn(row + begin, ",") + 1;
    size_t end = begin + strcspn(row + begin, ",\n");
    snprintf(text, ROW_MAX, "%s%.*s%s%s", HEADER, (int)begin, row, value, row + end);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        unsigned column;
        const char *value, *words;
    } cases[] = {
        {0, "-", "column game_id: bad value '-'"},
        {0, "a-b", "column game_id: bad value 'a-b'"},
        {0, "abcdefghijklmnopqr", "column game_id"},
        {1, "4294967296", "column ply: bad value '4294967296'"},
        {1, "", "column ply: bad value ''"},
        {2, "8/8/8/8/8/8/8/8 w - - 0 1", "column fen: bad FEN '8/8/8/8/8/8/8/8 w - - 0 1'"},
        {3, "w", "column side: bad value 'w'"},
        {4, "e8g7", "column played: bad value 'e8g7'"},
        {5, "a8a7", "column best: bad value 'a8a7'"},
        {6, "none", "column score: bad value '-321'"},
        {6, "CP", "column score_kind: bad value 'CP'"},
        {7, "2147483648", "column score: bad value '2147483648'"},
        {7, "", "column score: bad value ''"},
        {8, "", "column bound: bad value ''"},
        {9, "x", "column exact_kind: bad value 'x'"},
        {11, "65536", "column exact_depth: bad value '65536'"},
        {12, "-1", "column depth: bad value '-1'"},
        {13, "18446744073709551616", "column nodes: bad value '18446744073709551616'"},
        {14, "time", "column limit_kind: bad value 'time'"},
        {15, " 1", "column limit: bad value ' 1'"},
        {16, "1/2", "column result: bad value '1/2'"},
        {17, "99999", "column white_elo: bad value '99999'"},
        {18, "x", "column black_elo: bad value 'x'"},
        {19, "", "column source: bad value ''"},
        {20, "-321", "column white_cp: bad value '-321'"},
        {20, "321,1", "22 columns, not 21"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[ROW_MAX];
        struct record record;
        struct error err = {0};
        replace_column(cases[i].column, cases[i].value, text);
        assert_int_equal(decode(text, &record, &err), -1);
        if (strstr(err.text, cases[i].words) == NULL)
            fail_msg("'%s' where '%s' was expected", err.text, cases[i].words);
        text[strlen(text) - 1] = '\0';
        assert_int_equal(decode(text, &record, &err), -1);
        assert_string_equal(err.text,
                            "test: record 1 (line 2, byte 157): the row does not end in a "
                            "line end");
    }
}

static void a_cut_file_is_an_error(void **state)
{
    (void)state;
    const char *text = HEADER SAMPLE_ROW;
    for (size_t size = 0; size < strlen(text); size++) {
        struct record record;
        struct error err = {0};
        if (size != strlen(HEADER) && size != strlen(HEADER) - 1)
            assert_int_equal(
                codec_test_decode(&codec_csv, &csv_options, text, size, &record, 1, &err), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_names_the_columns),
        cmocka_unit_test(the_sample_as_a_row),
        cmocka_unit_test(unknown_things_are_empty),
        cmocka_unit_test(extremes_and_every_word_come_back),
        cmocka_unit_test(chess960_castling),
        cmocka_unit_test(colours_flipped_the_mover_sees_the_same),
        cmocka_unit_test(the_header_must_be_there),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_cut_file_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
