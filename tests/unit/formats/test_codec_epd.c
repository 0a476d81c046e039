/* SPDX-License-Identifier: MIT */
/*
 * The EPD format: lines written by hand, positions of others, and operations that are wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/codec_compare.h"
#include "tests/unit/formats/codec_test.h"
#include "tests/unit/formats/sample_record.h"
#include "tests/unit/skip.h"

#define LINE_SIZE 400
#define SUITES    "../shared/data/odd/epd/"
#define SAMPLE_LINE                                                                                \
    "r3k2r/pp3ppp/8/3p4/3P4/8/PP3PPP/R3K2R b Kkq - hmvc 3; fmvn 7; bm Rd8; sm O-O; ce -321; "      \
    "acd 13; acn 72623859790382856; id \"aBcDeFgH ply 66051\"; c9 \"0-1\";\n"
#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"

static const struct codec_options usual = {.score_scale = 1.0};

static enum codec_misfit encode(const struct record *record, const struct codec_options *options,
                                char text[LINE_SIZE])
{
    struct buffer out;
    buffer_init(&out, LINE_SIZE - 1);
    enum codec_misfit misfit = codec_test_encode(&codec_epd, options, record, 1, &out);
    codec_test_text(&out, text, LINE_SIZE);
    buffer_free(&out);
    return misfit;
}

static long decode_with(const char *text, const struct codec_options *options,
                        struct record *record, struct error *err)
{
    return codec_test_decode(&codec_epd, options, text, strlen(text), record, 1, err);
}

/* The same with a line end behind it. */
static long decode_line(const char *text, const struct codec_options *options,
                        struct record *record, struct error *err)
{
    char line[LINE_SIZE];
    snprintf(line, sizeof line, "%s\n", text);
    return decode_with(line, options, record, err);
}

static void read_line(const char *text, struct record *record)
{
    struct error err = {0};
    if (decode_line(text, &usual, record, &err) != 1)
        fail_msg("%s: %s", text, err.text);
}

static void check_back(const struct record *record, const struct codec_options *options,
                       const char *expected)
{
    char text[LINE_SIZE];
    struct record back;
    struct error err = {0};
    assert_int_equal(encode(record, options, text), CODEC_FITS);
    assert_string_equal(text, expected);
    assert_int_equal(decode_with(text, options, &back, &err), 1);
    const char *name = codec_find_difference(record, &back, codec_epd.fields, options);
    if (name != NULL)
        fail_msg("%s differs", name);
}

static void the_sample_as_a_line(void **state)
{
    (void)state;
    struct record record;
    struct codec_options options = {CODEC_MOVE_PLAYED, true, 3.61, false, false};
    assert_true(sample_record(&record));
    check_back(&record, &usual, SAMPLE_LINE);
    check_back(&record, &options,
               "r3k2r/pp3ppp/8/3p4/3P4/8/PP3PPP/R3K2R b Kkq - hmvc 3; fmvn 7; bm Rd8; sm O-O; "
               "dm -12; acd 11; acn 72623859790382856; id \"aBcDeFgH ply 66051\"; c9 \"0-1\";\n");
}

static void unknown_things_are_left_out(void **state)
{
    (void)state;
    struct record record = {.result = 2, .source = SOURCE_INPUT};
    position_start(&record.position);
    check_back(&record, &usual, START " hmvc 0; fmvn 1; id \"ply 0\"; c9 \"*\";\n");
}

static void colours_flipped_the_mover_sees_the_same(void **state)
{
    (void)state;
    struct record record, flipped;
    assert_true(sample_record(&record));
    flip_record(&record, &flipped);
    check_back(&flipped, &usual,
               "r3k2r/pp3ppp/8/3p4/3P4/8/PP3PPP/R3K2R w KQk - hmvc 3; fmvn 7; bm Rd1; sm O-O; "
               "ce -321; acd 13; acn 72623859790382856; id \"aBcDeFgH ply 66051\"; c9 \"1-0\";\n");
}

static void en_passant_promotion_and_chess960(void **state)
{
    (void)state;
    struct record record;
    char text[LINE_SIZE];
    read_line("8/8/8/8/k2pP3/8/8/4K3 b - e3 bm dxe3; hmvc 0; fmvn 40;", &record);
    assert_int_equal(move_kind(record.label.best_move), MOVE_EN_PASSANT);
    encode(&record, &usual, text);
    assert_string_equal(text, "8/8/8/8/k2pP3/8/8/4K3 b - e3 hmvc 0; fmvn 40; bm dxe3; "
                              "id \"ply 0\"; c9 \"*\";\n");
    read_line("8/4P1k1/8/8/8/8/8/4K3 w - - bm e8=N+;", &record);
    assert_int_equal(move_promotion(record.label.best_move), KNIGHT);
    read_line("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - bm O-O-O;", &record);
    assert_int_equal(move_kind(record.label.best_move), MOVE_CASTLING);
    encode(&record, &usual, text);
    assert_string_equal(text, "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - hmvc 0; fmvn 1; bm O-O-O; "
                              "id \"ply 0\"; c9 \"*\";\n");
}

static void positions_of_others(void **state)
{
    (void)state;
    struct record record;
    read_line("# a comment; bm\n\n \t \n" START
              " bm e4 d4; id \"WAC.001\"; c0 \"a; \\\"b\\\"; ce 7;\";"
              "pv e4 e5; ce 25",
              &record);
    assert_int_equal(record.label.best_move, ucimove_parse(&record.position, "e2e4", 4));
    assert_int_equal(record.label.final.kind, SCORE_CP);
    assert_int_equal(record.label.final.value, 25);
    assert_string_equal(record.game_id, "");
    assert_int_equal(record.ply, 0);
    assert_int_equal(record.result, 2);
    assert_int_equal(record.source, SOURCE_INPUT);
    read_line(START " 5 9 ;D1 20 ;D2 400 ;D3 8902\r\n", &record);
    assert_int_equal(record.position.halfmove, 5);
    assert_int_equal(record.position.fullmove, 9);
    read_line(START, &record);
    assert_int_equal(record.position.fullmove, 1);
    read_line(START " noop;c9 \"1/2-1/2\";", &record);
    assert_int_equal(record.result, 0);
    read_line(START " c0 \"1-0\"", &record);
    assert_int_equal(record.result, 1);
    read_line(START " bm #-3;", &record);
    assert_int_equal(record.label.final.kind, SCORE_MATE);
    assert_int_equal(record.label.final.value, -3);
    assert_int_equal(record.label.best_move, MOVE_NONE);
    read_line(START " ce 32763; dm 2;", &record);
    assert_int_equal(record.label.final.kind, SCORE_MATE);
    assert_int_equal(record.label.final.value, 2);
}

static void ids_that_are_ours_and_not(void **state)
{
    (void)state;
    static const struct {
        const char *id, *game;
        uint32_t ply;
    } cases[] = {
        {"aBcDeFgH ply 12", "aBcDeFgH", 12},
        {"x0123456789abcdef ply 4294967295", "x0123456789abcdef", UINT32_MAX},
        {"x0123456789abcdef ply 4294967296", "", 0},
        {"x0123456789abcdef0 ply 1", "", 0},
        {"ply 7", "", 7},
        {"ply ply 7", "", 0},
        {"ply", "", 0},
        {"ECM 12", "", 0},
        {"aBcDeFgH ply 12 ", "", 0},
        {"aBcDeFgH  ply 12", "", 0},
        {"", "", 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[LINE_SIZE];
        struct record record;
        snprintf(text, sizeof text, START " id \"%s\";", cases[i].id);
        read_line(text, &record);
        assert_string_equal(record.game_id, cases[i].game);
        assert_int_equal(record.ply, cases[i].ply);
    }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {START " bm e5;", "illegal move 'bm e5'"},
        {START " sm Nd2;", "illegal move 'sm Nd2'"},
        {"4k3/8/8/8/8/8/8/R3K2R w - - bm Rd1 Rf1;", NULL},
        {"4k3/8/8/8/8/8/4K3/R6R w - - bm Re1;", "ambiguous move 'bm Re1'"},
        {START " bm;", "operation 'bm' without an operand"},
        {START " ce 1; ce 1;", "operation 'ce' twice"},
        {START " ce 2147483648;", "bad number 'ce 2147483648'"},
        {START " ce 0.5;", "bad number 'ce 0.5'"},
        {START " ce \"\";", "bad number 'ce '"},
        {START " dm x;", "bad number 'dm x'"},
        {START " bm #;", "bad number 'dm '"},
        {START " acd 65536;", "bad number 'acd 65536'"},
        {START " acd -1;", "bad number 'acd -1'"},
        {START " acn 18446744073709551616;", "bad number 'acn 18446744073709551616'"},
        {START " hmvc 65536;", "bad number 'hmvc 65536'"},
        {START " fmvn 65536;", "bad number 'fmvn 65536'"},
        {START " id \"x;", "a string does not end: \"x;"},
        {START " id \"x\\\";", "a string does not end: \"x\\\";"},
        {START " id \"x\\", "a string does not end: \"x\\"},
        {START " 0", "bad position"},
        {START " 0 65536;", "bad position"},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq", "bad position"},
        {"8/8/8/8/8/8/8/8 w - - ;", "bad position '8/8/8/8/8/8/8/8 w - -'"},
        {"4k3/8/8/8/8/8/8/4K3 w K - ;", "bad castling"},
        {"; bm e4;", "bad position ''"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record record;
        struct error err = {0};
        long status = decode_line(cases[i][0], &usual, &record, &err);
        assert_int_equal(status, cases[i][1] == NULL ? 1 : -1);
        if (cases[i][1] != NULL && strstr(err.text, cases[i][1]) == NULL)
            fail_msg("'%s' where '%s' was expected", err.text, cases[i][1]);
    }
}

static void the_place_of_a_fault_is_named(void **state)
{
    (void)state;
    struct record records[2];
    struct error err = {0};
    const char *text = "# head\n" START "\n\n" START " bm e5;\n";
    assert_int_equal(codec_test_decode(&codec_epd, &usual, text, strlen(text), records, 2, &err),
                     -1);
    assert_string_equal(err.text, "test: record 2 (line 4, byte 61): illegal move 'bm e5'");
}

/* Only where a line breaks off behind the position nothing shows, if no line was whole. */
static void a_cut_file_is_an_error(void **state)
{
    (void)state;
    const char *text = SAMPLE_LINE SAMPLE_LINE;
    size_t line = strlen(SAMPLE_LINE);
    struct record records[2];
    struct error err = {0};
    for (size_t size = line + 1; size < 2 * line; size++)
        assert_int_equal(codec_test_decode(&codec_epd, &usual, text, size, records, 2, &err), -1);
    assert_string_equal(err.text,
                        "test: record 2 (line 2, byte 153): the last line has no line end: "
                        "was the file cut? If not, add one");
    for (size_t size = 1; size < line; size++)
        if (size != strlen("r3k2r/pp3ppp/8/3p4/3P4/8/PP3PPP/R3K2R b Kkq -") &&
            size != strlen("r3k2r/pp3ppp/8/3p4/3P4/8/PP3PPP/R3K2R b Kkq - "))
            assert_int_equal(codec_test_decode(&codec_epd, &usual, text, size, records, 2, &err),
                             -1);
    text = START " 0 1\n" START " 0 12"; /* as lists of openings are */
    assert_int_equal(codec_test_decode(&codec_epd, &usual, text, strlen(text), records, 2, &err),
                     2);
    assert_int_equal(records[1].position.fullmove, 12);
}

static void an_illegal_move_is_not_written(void **state)
{
    (void)state;
    struct record record;
    char text[LINE_SIZE];
    assert_true(sample_record(&record));
    record.label.best_move = move_make(60, 4, MOVE_NORMAL);
    assert_int_equal(encode(&record, &usual, text), CODEC_ILLEGAL_MOVE);
    assert_string_equal(text, "");
    assert_true(sample_record(&record));
    record.played = UINT16_MAX;
    assert_int_equal(encode(&record, &usual, text), CODEC_ILLEGAL_MOVE);
}

/* Test suites of other people, with as many positions as their sources say. */
static void suites_of_others_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        unsigned positions, moves, scores;
    } suites[] = {
        {SUITES "wac.epd.zst", 300, 300, 0},
        {SUITES "arasan21.epd.zst", 200, 200, 0},
        {SUITES "tbtest.epd.zst", 434, 434, 0},
        {SUITES "perftsuite.epd.zst", 126, 0, 0},
        {SUITES "mates2000.epd.zst", 2000, 0, 2000},
        {SUITES "fastchess-openings.epd.zst", 100, 0, 0},
    };
    if (!file_exists(suites[0].path))
        SKIP_BECAUSE("no ../shared");
    for (unsigned i = 0; i < sizeof suites / sizeof *suites; i++) {
        struct codec_reader *reader;
        struct record record;
        struct error err = {0};
        unsigned positions = 0, moves = 0, scores = 0;
        int status;
        assert_int_equal(codec_reader_open(suites[i].path, NULL, &usual, &reader, &err), 0);
        while ((status = codec_reader_next(reader, &record, &err)) == 1) {
            positions++;
            moves += record.label.best_move != MOVE_NONE;
            scores += record.label.final.kind != SCORE_NONE;
        }
        if (status < 0)
            fail_msg("%s", err.text);
        codec_reader_close(reader);
        assert_int_equal(positions, suites[i].positions);
        assert_int_equal(moves, suites[i].moves);
        assert_int_equal(scores, suites[i].scores);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_as_a_line),
        cmocka_unit_test(unknown_things_are_left_out),
        cmocka_unit_test(colours_flipped_the_mover_sees_the_same),
        cmocka_unit_test(en_passant_promotion_and_chess960),
        cmocka_unit_test(positions_of_others),
        cmocka_unit_test(ids_that_are_ours_and_not),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(the_place_of_a_fault_is_named),
        cmocka_unit_test(a_cut_file_is_an_error),
        cmocka_unit_test(an_illegal_move_is_not_written),
        cmocka_unit_test(suites_of_others_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
