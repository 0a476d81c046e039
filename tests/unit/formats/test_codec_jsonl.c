/* SPDX-License-Identifier: MIT */
/*
 * The jsonl format: objects written by hand, every field there and back, and keys that are wrong.
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

#define LINE_MAX_SIZE 800

#define SAMPLE_HEAD                                                                                \
    "{\"game_id\":\"aBcDeFgH\",\"ply\":66051,\"fen\":\"" SAMPLE_FEN "\",\"side\":\"b\","           \
    "\"played\":\"e8g8\",\"best\":\"a8d8\",\"score_kind\":\"cp\",\"score\":-321,"                  \
    "\"bound\":\"upper\",\"exact_kind\":\"mate\",\"exact\":-12,\"exact_depth\":11,\"depth\":13,"   \
    "\"nodes\":72623859790382856,\"limit_kind\":\"nodes\",\"limit\":10000,\"result\":\"0-1\","     \
    "\"white_elo\":2512,\"black_elo\":1999,\"source\":\"pgn-comment\",\"white_cp\":"
#define SAMPLE_LINE SAMPLE_HEAD "321}\n"

static const struct codec_options usual = {.score_scale = 1.0};

static enum codec_misfit encode(const struct record *record, const struct codec_options *options,
                                char text[LINE_MAX_SIZE])
{
    struct buffer out;
    buffer_init(&out, LINE_MAX_SIZE - 1);
    enum codec_misfit misfit = codec_test_encode(&codec_jsonl, options, record, 1, &out);
    codec_test_text(&out, text, LINE_MAX_SIZE);
    buffer_free(&out);
    return misfit;
}

static long decode(const char *text, struct record *record, struct error *err)
{
    return codec_test_decode(&codec_jsonl, &usual, text, strlen(text), record, 1, err);
}

static void check_back(const struct record *record, const char *expected)
{
    char text[LINE_MAX_SIZE];
    struct record back;
    struct error err = {0};
    assert_int_equal(encode(record, &usual, text), CODEC_FITS);
    if (expected != NULL)
        assert_string_equal(text, expected);
    if (decode(text, &back, &err) != 1)
        fail_msg("%s", err.text);
    assert_true(same_record(record, &back));
}

static void the_sample_as_a_line(void **state)
{
    (void)state;
    char text[LINE_MAX_SIZE];
    struct record record;
    struct codec_options options = {CODEC_MOVE_PLAYED, true, 3.61, false, false};
    assert_true(sample_record(&record));
    check_back(&record, SAMPLE_LINE);
    assert_int_equal(encode(&record, &options, text), CODEC_FITS);
    assert_string_equal(text, SAMPLE_HEAD "null}\n"); /* a mate has no centipawns */
}

static void unknown_things_are_null(void **state)
{
    (void)state;
    struct record record = {.result = 2, .source = SOURCE_INPUT};
    position_start(&record.position);
    check_back(
        &record,
        "{\"game_id\":null,\"ply\":0,\"fen\":\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w "
        "KQkq - 0 1\",\"side\":\"w\",\"played\":null,\"best\":null,\"score_kind\":\"none\","
        "\"score\":null,\"bound\":\"exact\",\"exact_kind\":\"none\",\"exact\":null,"
        "\"exact_depth\":0,\"depth\":0,\"nodes\":0,\"limit_kind\":\"none\",\"limit\":0,"
        "\"result\":\"*\",\"white_elo\":null,\"black_elo\":null,\"source\":\"input\","
        "\"white_cp\":null}\n");
}

static void extremes_and_every_word_come_back(void **state)
{
    (void)state;
    char text[LINE_MAX_SIZE];
    struct record record;
    assert_true(sample_record(&record));
    codec_test_name_game(&record, "x0123456789abcdef");
    record.ply = UINT32_MAX;
    record.white_rating = UINT16_MAX;
    record.black_rating = 1;
    record.label.nodes = record.label.limit = INT64_MAX;
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
    record.label.limit++;
    assert_int_equal(encode(&record, &usual, text), CODEC_NODES_RANGE);
    record.label.limit = 0;
    record.label.nodes++;
    assert_int_equal(encode(&record, &usual, text), CODEC_NODES_RANGE);
    assert_string_equal(text, "");
}

static void colours_flipped_the_mover_sees_the_same(void **state)
{
    (void)state;
    char text[LINE_MAX_SIZE];
    struct record record, flipped;
    assert_true(sample_record(&record));
    flip_record(&record, &flipped);
    assert_int_equal(encode(&flipped, &usual, text), CODEC_FITS);
    assert_non_null(strstr(text, "\"side\":\"w\",\"played\":\"e1g1\",\"best\":\"a1d1\","));
    assert_non_null(strstr(text, "\"score\":-321,"));
    assert_non_null(strstr(text, "\"result\":\"1-0\","));
    assert_non_null(strstr(text, "\"white_cp\":-321}"));
}

/* The sample line with the first `old` replaced. */
static void replace(const char *old, const char *new, char text[LINE_MAX_SIZE])
{
    const char *line = SAMPLE_LINE, *at = strstr(line, old);
    assert_non_null(at);
    snprintf(text, LINE_MAX_SIZE, "%.*s%s%s", (int)(at - line), line, new, at + strlen(old));
}

/* Data frames change the order of keys and the type of columns with nulls. */
static void what_is_unusual_is_read(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"\"ply\":66051,", "\"ply\" : 66051.0 ,\t"},
        {"\"white_elo\":2512,", "\"white_elo\":2512.0,"},
        {"{\"game_id\":\"aBcDeFgH\",\"ply\":66051,", "{\"ply\":66051,\"game_id\":\"aBcDeFgH\","},
        {"aBcDeFgH", "aBcDe\\u0046gH"},
        {"}\n", "}"},
        {"}\n", "}\r\n"},
        {"321}", "3.21e2}"},
    };
    struct record sample, record;
    assert_true(sample_record(&sample));
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        char text[LINE_MAX_SIZE];
        struct error err = {0};
        replace(changes[i][0], changes[i][1], text);
        if (decode(text, &record, &err) != 1)
            fail_msg("%s: %s", changes[i][1], err.text);
        assert_true(same_record(&sample, &record));
    }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"\"ply\":66051,", "", "no key 'ply'"},
        {"\"ply\"", "\"Ply\"", "unknown key 'Ply'"},
        {"\"ply\":66051", "\"ply\":66051,\"ply\":66051", "bad JSON: duplicate object key"},
        {"\"aBcDeFgH\"", "\"\"", "key 'game_id': bad value \"\""},
        {"\"aBcDeFgH\"", "\"a-b\"", "key 'game_id': bad value \"a-b\""},
        {"\"aBcDeFgH\"", "7", "key 'game_id': bad value 7"},
        {"66051", "4294967296", "key 'ply': bad value 4294967296"},
        {"66051", "-1", "key 'ply': bad value -1"},
        {"66051", "1.5", "key 'ply': bad value 1.5"},
        {"66051", "null", "key 'ply': bad value null"},
        {"66051", "\"1\"", "key 'ply': bad value \"1\""},
        {"66051", "1e999", "bad JSON: real number overflow"},
        {"R3K2R b", "R3K3 b", "key 'fen': bad FEN"},
        {"\"" SAMPLE_FEN "\"", "null", "key 'fen': bad value null"},
        {"\"side\":\"b\"", "\"side\":\"w\"", "key 'side': bad value \"w\""},
        {"e8g8", "e8g7", "key 'played': bad value \"e8g7\""},
        {"\"a8d8\"", "\"\"", "key 'best': bad value \"\""},
        {"\"cp\"", "\"none\"", "key 'score': bad value -321"},
        {"\"cp\"", "\"CP\"", "key 'score_kind': bad value \"CP\""},
        {"-321", "2147483648", "key 'score': bad value 2147483648"},
        {"-321", "null", "key 'score': bad value null"},
        {"\"upper\"", "true", "key 'bound': bad value true"},
        {":11,", ":65536,", "key 'exact_depth': bad value 65536"},
        {":13,", ":null,", "key 'depth': bad value null"},
        {"72623859790382856", "9223372036854775808", "bad JSON: too big integer"},
        {"10000", "[1]", "key 'limit': bad value [1]"},
        {"\"0-1\"", "\"0-2\"", "key 'result': bad value \"0-2\""},
        {"\"0-1\"", "\"0-1\t\"", "bad JSON: control character 0x9"},
        {"\"0-1\"", "\"0-1\" \"\"", "bad JSON: '}' expected"},
        {"2512", "02512", "bad JSON"},
        {"2512", "+2512", "bad JSON"},
        {"2512", "65536", "key 'white_elo': bad value 65536"},
        {"\"pgn-comment\"", "\"pgn\"", "key 'source': bad value \"pgn\""},
        {":321}", ":-321}", "key 'white_cp': bad value -321"},
        {":321}", ":321", "bad JSON: '}' expected"},
        {":321}", ":321}{", "bad JSON: end of file expected"},
        {"{\"game_id\"", "[]{\"game_id\"", "bad JSON: end of file expected"},
        {SAMPLE_LINE, "[]\n", "test: record 1 (line 1, byte 0): no JSON object"},
        {SAMPLE_LINE, "\n", "column 0: bad JSON"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[LINE_MAX_SIZE];
        struct record record;
        struct error err = {0};
        replace(cases[i][0], cases[i][1], text);
        assert_int_equal(decode(text, &record, &err), -1);
        if (strstr(err.text, cases[i][2]) == NULL)
            fail_msg("'%s' where '%s' was expected", err.text, cases[i][2]);
    }
}

static void a_cut_line_is_an_error(void **state)
{
    (void)state;
    const char *line = SAMPLE_LINE;
    for (size_t size = 1; size < strlen(line) - 1; size++) {
        struct record record;
        struct error err = {0};
        assert_int_equal(codec_test_decode(&codec_jsonl, &usual, line, size, &record, 1, &err), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_as_a_line),
        cmocka_unit_test(unknown_things_are_null),
        cmocka_unit_test(extremes_and_every_word_come_back),
        cmocka_unit_test(colours_flipped_the_mover_sees_the_same),
        cmocka_unit_test(what_is_unusual_is_read),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_cut_line_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
