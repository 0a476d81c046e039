/* SPDX-License-Identifier: MIT */
/*
 * The plain format against files made by Stockfish's data tools: read and written again they are
 * the same bytes, and what was read equals the fields of the `.bin` files made from them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/io/bytes.h"
#include "tests/unit/formats/codec_test.h"
#include "tests/unit/formats/sample_record.h"

#define VECTORS      "tests/data/vectors/"
#define BIN_RECORD   40
#define RECORDS_MAX  200
#define SIZE_MAX_TXT (1u << 20)

static const struct codec_options plain_options = {.score_scale = 1.0};

static size_t load_records(const char *path, const struct codec_options *options,
                           struct record records[RECORDS_MAX])
{
    struct buffer text;
    struct error err = {0};
    codec_test_load(path, &text);
    long count = codec_test_decode(&codec_plain, options, text.data, text.length, records,
                                   RECORDS_MAX, &err);
    assert_string_equal(err.text, "");
    assert_true(count > 0);
    buffer_free(&text);
    return (size_t)count;
}

static void round_trip(const char *path, unsigned expected, enum codec_move move, bool last_exact)
{
    struct codec_options options = {.move = move, .last_exact = last_exact, .score_scale = 1.0};
    struct record records[RECORDS_MAX];
    struct buffer text, again;
    size_t count = load_records(path, &options, records);
    codec_test_load(path, &text);
    buffer_init(&again, SIZE_MAX_TXT);
    assert_int_equal(codec_test_encode(&codec_plain, &options, records, count, &again), CODEC_FITS);
    assert_int_equal(count, expected);
    assert_int_equal(again.length, text.length);
    assert_memory_equal(again.data, text.data, text.length);
    buffer_free(&text);
    buffer_free(&again);
}

static void reference_files_come_back_byte_by_byte(void **state)
{
    (void)state;
    round_trip(VECTORS "edge.in.plain", 106, CODEC_MOVE_BEST, false);
    round_trip(VECTORS "edge.in.plain", 106, CODEC_MOVE_PLAYED, true);
    round_trip(VECTORS "games200.in.plain", 200, CODEC_MOVE_BEST, false);
}

/* Bytes 32 to 38 of a .bin record: score i16, move u16, ply u16, result i8, from the side to move.
 */
static void compare_with_bin(const char *plain_path, const char *bin_path)
{
    struct buffer bin;
    struct record records[RECORDS_MAX];
    size_t count = load_records(plain_path, &plain_options, records);
    codec_test_load(bin_path, &bin);
    assert_int_equal(bin.length, count * BIN_RECORD);
    for (size_t i = 0; i < count; i++) {
        const struct record *record = &records[i];
        uint8_t fields[7];
        memcpy(fields, bin.data + i * BIN_RECORD + 32, sizeof fields);
        assert_int_equal(record->label.final.kind, SCORE_CP);
        assert_int_equal(record->label.final.value, (int16_t)bytes_get_u16(fields));
        assert_int_equal(record->label.best_move, bytes_get_u16(fields + 2));
        assert_int_equal(record->ply, bytes_get_u16(fields + 4));
        int turned = record->position.side == WHITE ? record->result : -record->result;
        assert_int_equal(turned, (int8_t)fields[6]);
        assert_int_equal(record->played, MOVE_NONE);
    }
    buffer_free(&bin);
}

static void fields_equal_those_of_the_bin_files(void **state)
{
    (void)state;
    compare_with_bin(VECTORS "edge.in.plain", VECTORS "edge.bin");
    compare_with_bin(VECTORS "games200.in.plain", VECTORS "games200.bin");
}

/* From the line that begins with key to its end, for comparison. */
static void assert_same_line(const char *a, const char *b, const char *key)
{
    const char *left = strstr(a, key), *right = strstr(b, key);
    assert_non_null(left);
    assert_non_null(right);
    size_t size = strcspn(left, "\n");
    assert_int_equal(size, strcspn(right, "\n"));
    assert_memory_equal(left, right, size);
}

static void colours_flipped_the_mover_sees_the_same(void **state)
{
    (void)state;
    struct record records[RECORDS_MAX], flipped, back;
    struct buffer one, other;
    struct error err = {0};
    size_t count = load_records(VECTORS "edge.in.plain", &plain_options, records);
    buffer_init(&one, SIZE_MAX_TXT);
    buffer_init(&other, SIZE_MAX_TXT);
    for (size_t i = 0; i < count; i++) {
        buffer_clear(&one);
        buffer_clear(&other);
        flip_record(&records[i], &flipped);
        codec_test_encode(&codec_plain, &plain_options, &records[i], 1, &one);
        codec_test_encode(&codec_plain, &plain_options, &flipped, 1, &other);
        assert_same_line(one.data, other.data, "\nscore ");
        assert_same_line(one.data, other.data, "\nply ");
        assert_same_line(one.data, other.data, "\nresult ");
        assert_int_equal(codec_test_decode(&codec_plain, &plain_options, other.data, other.length,
                                           &back, 1, &err),
                         1);
        assert_int_equal(back.result, -records[i].result);
    }
    buffer_free(&one);
    buffer_free(&other);
}

/* The sample's encoding into text, or "" for a misfit. */
static enum codec_misfit encode(const struct record *record, const struct codec_options *options,
                                char text[400])
{
    struct buffer out;
    buffer_init(&out, 399);
    enum codec_misfit misfit = codec_test_encode(&codec_plain, options, record, 1, &out);
    codec_test_text(&out, text, 400);
    assert_int_equal(out.length > 0, misfit == CODEC_FITS);
    buffer_free(&out);
    return misfit;
}

static void the_sample_as_text(void **state)
{
    (void)state;
    char text[400];
    struct record record;
    struct codec_options options = plain_options;
    assert_true(sample_record(&record));
    record.ply = 13;
    assert_int_equal(encode(&record, &options, text), CODEC_FITS);
    assert_string_equal(text, "fen " SAMPLE_FEN "\nmove a8d8\nscore -321\nply 13\nresult 1\ne\n");
    options.move = CODEC_MOVE_PLAYED;
    options.score_scale = 3.61; /* -1158.81 */
    assert_int_equal(encode(&record, &options, text), CODEC_FITS);
    assert_string_equal(text, "fen " SAMPLE_FEN "\nmove e8g8\nscore -1159\nply 13\nresult 1\ne\n");
    options.last_exact = true;
    assert_int_equal(encode(&record, &options, text), CODEC_MATE_SCORE);
    record.label.exact = (struct score){SCORE_CP, 7};
    options.score_scale = 0.5;
    record.result = 1;
    assert_int_equal(encode(&record, &options, text), CODEC_FITS);
    assert_string_equal(text, "fen " SAMPLE_FEN "\nmove e8g8\nscore 4\nply 13\nresult -1\ne\n");
}

static enum codec_misfit misfit_of_score(int32_t value, double scale)
{
    char text[400];
    struct record record;
    struct codec_options options = {.score_scale = scale};
    assert_true(sample_record(&record));
    record.ply = 1;
    record.label.final.value = value;
    return encode(&record, &options, text);
}

static void scores_fit_or_are_named(void **state)
{
    (void)state;
    assert_int_equal(misfit_of_score(32767, 1), CODEC_FITS);
    assert_int_equal(misfit_of_score(32768, 1), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(-32767, 1), CODEC_FITS);
    assert_int_equal(misfit_of_score(-32768, 1), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(32001, 1), CODEC_FITS);
    assert_int_equal(misfit_of_score(32002, 1), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(-32002, 1), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(32003, 1), CODEC_FITS);
    assert_int_equal(misfit_of_score(16001, 2), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(65535, 0.5), CODEC_SCORE_RANGE); /* 32767.5 */
    assert_int_equal(misfit_of_score(65534, 0.5), CODEC_FITS);
    assert_int_equal(misfit_of_score(INT32_MIN, 3.61), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(INT32_MAX, 1e300), CODEC_SCORE_RANGE);
    assert_int_equal(misfit_of_score(0, 1.0 / 0.0), CODEC_SCORE_RANGE); /* not a number */
}

static void other_misfits(void **state)
{
    (void)state;
    char text[400];
    struct record good, record;
    assert_true(sample_record(&good));
    assert_int_equal(encode(&good, &plain_options, text), CODEC_PLY_RANGE);
    good.ply = 65536;
    assert_int_equal(encode(&good, &plain_options, text), CODEC_PLY_RANGE);
    good.ply = 65535;
    assert_int_equal(encode(&good, &plain_options, text), CODEC_FITS);
    record = good;
    record.result = 2;
    assert_int_equal(encode(&record, &plain_options, text), CODEC_NO_RESULT);
    record = good;
    record.label.best_move = MOVE_NONE;
    assert_int_equal(encode(&record, &plain_options, text), CODEC_NO_MOVE);
    record = good;
    record.label.final = (struct score){SCORE_NONE, 0};
    assert_int_equal(encode(&record, &plain_options, text), CODEC_NO_SCORE);
    for (int misfit = 0; misfit <= CODEC_MISFIT_COUNT; misfit++)
        assert_non_null(codec_misfit_text((enum codec_misfit)misfit));
}

static long decode_text(const char *text, const struct codec_options *options,
                        struct record *record, struct error *err)
{
    return codec_test_decode(&codec_plain, options, text, strlen(text), record, 1, err);
}

#define LONG_32    "0123456789abcdef0123456789abcdef"
#define LONG_VALUE LONG_32 LONG_32 LONG_32 LONG_32 "0"
#define GOOD_FEN   "fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n"

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {GOOD_FEN "move e2e4\nscore 1\nply 0\ne\n", "line 5 of the record: no key 'result'"},
        {GOOD_FEN "score 1\nply 0\nresult 0\ne\n", "no key 'move'"},
        {"e\n", "line 1 of the record: no key 'fen'"},
        {GOOD_FEN "mvoe e2e4\n", "line 2 of the record: unknown key 'mvoe'"},
        {"fen " LONG_VALUE "\n", "line 1 of the record: key 'fen': a value of over 128 bytes"},
        {GOOD_FEN "\n", "line 2 of the record: unknown key ''"},
        {GOOD_FEN "move\n", "line 2 of the record: key 'move' without a value"},
        {GOOD_FEN GOOD_FEN, "line 2 of the record: key 'fen' twice"},
        {GOOD_FEN "move e2e5\nscore 1\nply 0\nresult 0\ne\n", "illegal move 'e2e5'"},
        {GOOD_FEN "move e2\nscore 1\nply 0\nresult 0\ne\n", "illegal move 'e2'"},
        {GOOD_FEN "move e2e4\nscore 32768\nply 0\nresult 0\ne\n", "bad score '32768'"},
        {GOOD_FEN "move e2e4\nscore -32769\nply 0\nresult 0\ne\n", "bad score '-32769'"},
        {GOOD_FEN "move e2e4\nscore 1.5\nply 0\nresult 0\ne\n", "bad score '1.5'"},
        {GOOD_FEN "move e2e4\nscore \nply 0\nresult 0\ne\n", "bad score ''"},
        {GOOD_FEN "move e2e4\nscore +1\nply 0\nresult 0\ne\n", "bad score '+1'"},
        {GOOD_FEN "move e2e4\nscore 1\nply -1\nresult 0\ne\n", "bad ply '-1'"},
        {GOOD_FEN "move e2e4\nscore 1\nply 65536\nresult 0\ne\n", "bad ply '65536'"},
        {GOOD_FEN "move e2e4\nscore 1\nply 0\nresult 2\ne\n", "bad result '2'"},
        {GOOD_FEN "move e2e4\nscore 1\nply 0\nresult 0\n", "does not end in a line 'e'"},
        {"fen 4k3/8/8/8/8/8/4P3/4K3 w - -\nmove e2e4\nscore 1\nply 0\nresult 0\ne\n",
         "not six fields"},
        {"fen 4k3/8/8/8/8/8/8/8 w - - 0 1\nmove e2e4\nscore 1\nply 0\nresult 0\ne\n",
         "bad FEN '4k3/8/8/8/8/8/8/8 w - - 0 1'"},
        {"fen 4k3/8/8/8/8/8/8/4K3 w K - 0 1\nmove e1e2\nscore 1\nply 0\nresult 0\ne\n", "bad FEN"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record record;
        struct error err = {0};
        assert_int_equal(decode_text(cases[i].text, &plain_options, &record, &err), -1);
        if (strstr(err.text, cases[i].words) == NULL)
            fail_msg("'%s' where '%s' was expected", err.text, cases[i].words);
    }
}

static void what_is_unusual_is_read(void **state)
{
    (void)state;
    struct record record;
    struct error err = {0};
    /* Keys in another order, Windows line ends, no end of the last line. */
    const char *text = "result -1\r\nply 65535\r\nmove e7e8q\r\nscore 32002\r\n"
                       "fen 8/4P1k1/8/8/8/8/8/4K3 w - - 0 1\r\ne";
    assert_int_equal(decode_text(text, &plain_options, &record, &err), 1);
    assert_int_equal(record.result, -1);
    assert_int_equal(record.ply, 65535);
    assert_int_equal(record.label.final.kind, SCORE_NONE); /* 32002: none */
    assert_int_equal(record.source, SOURCE_INPUT);
    assert_int_equal(move_promotion(record.label.best_move), QUEEN);
    assert_int_equal(decode_text("", &plain_options, &record, &err), 0);
}

static void a_cut_record_is_an_error(void **state)
{
    (void)state;
    const char *text = GOOD_FEN "move e2e4\nscore 1\nply 0\nresult 0\ne\n";
    for (size_t size = 1; size < strlen(text) - 1; size++) {
        struct record record;
        struct error err = {0};
        assert_int_equal(
            codec_test_decode(&codec_plain, &plain_options, text, size, &record, 1, &err), -1);
    }
}

/* The en passant square of this FEN is no legal capture: the king would stand in check. */
static void a_pinned_en_passant_square_is_dropped(void **state)
{
    (void)state;
    struct record record;
    struct error err = {0};
    char text[400];
    assert_true(decode_text("fen 8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1\n"
                            "move a4b5\nscore 0\nply 1\nresult 0\ne\n",
                            &plain_options, &record, &err) > 0);
    assert_int_equal(encode(&record, &plain_options, text), CODEC_FITS);
    assert_non_null(strstr(text, "fen 8/8/8/8/k2Pp2R/8/8/4K3 b - - 0 1\n"));
}

static void scaled_scores_come_back(void **state)
{
    (void)state;
    struct codec_options options = {.score_scale = 3.61};
    struct record record, back;
    struct error err = {0};
    char text[400];
    assert_true(sample_record(&record));
    record.ply = 1;
    for (int32_t cp = -8000; cp <= 8000; cp += 7) {
        record.label.final.value = cp;
        assert_int_equal(encode(&record, &options, text), CODEC_FITS);
        assert_true(decode_text(text, &options, &back, &err) > 0);
        assert_int_equal(back.label.final.value, cp);
    }
}

/* Castling that e1g1 cannot say is written king takes rook, and read again. */
static void chess960_castling(void **state)
{
    (void)state;
    const char *text = "fen 1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 3 9\n"
                       "move e1b1\nscore 0\nply 1\nresult 0\ne\n";
    struct record record;
    struct error err = {0};
    char again[400];
    assert_true(decode_text(text, &plain_options, &record, &err) > 0);
    assert_int_equal(move_kind(record.label.best_move), MOVE_CASTLING);
    assert_int_equal(encode(&record, &plain_options, again), CODEC_FITS);
    assert_string_equal(again, text);
}

static void the_place_of_a_fault_is_named(void **state)
{
    (void)state;
    struct record records[2];
    struct error err = {0};
    const char *text = GOOD_FEN "move e2e4\nscore 1\nply 0\nresult 0\ne\n" GOOD_FEN "bad\n";
    assert_int_equal(
        codec_test_decode(&codec_plain, &plain_options, text, strlen(text), records, 2, &err), -1);
    assert_string_equal(err.text, "test: record 2 (line 7, byte 71): line 2 of the record: unknown "
                                  "key 'bad'");
}

static void the_table_finds_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(codec_find("plain"), &codec_plain);
    assert_ptr_equal(codec_find("csv"), &codec_csv);
    assert_null(codec_find("Plain"));
    assert_null(codec_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_files_come_back_byte_by_byte),
        cmocka_unit_test(fields_equal_those_of_the_bin_files),
        cmocka_unit_test(colours_flipped_the_mover_sees_the_same),
        cmocka_unit_test(the_sample_as_text),
        cmocka_unit_test(scores_fit_or_are_named),
        cmocka_unit_test(other_misfits),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(what_is_unusual_is_read),
        cmocka_unit_test(a_cut_record_is_an_error),
        cmocka_unit_test(a_pinned_en_passant_square_is_dropped),
        cmocka_unit_test(scaled_scores_come_back),
        cmocka_unit_test(chess960_castling),
        cmocka_unit_test(the_place_of_a_fault_is_named),
        cmocka_unit_test(the_table_finds_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
