/* SPDX-License-Identifier: MIT */
/*
 * bullet against files of bulletformat 1.8.0, and against the text that they were made from.
 */
#include "tests/unit/formats/codec_packed_test.h"

#define BULLET_SIZE 32

static void reference_files(void **state)
{
    (void)state;
    packed_check_vector(&codec_bullet, "edge.in.plain", "edge.bullet.bin", PACKED_EDGE);
    packed_check_vector(&codec_bullet, "games200.in.plain", "games200.bullet.bin", PACKED_RECORDS);
}

/* "FEN | score | result", from White's view, of one record. */
static void check_line(char *line, const struct record *record)
{
    struct record text, turned;
    char *score = strstr(line, " | "), *result = score != NULL ? strstr(score + 3, " | ") : NULL;
    assert_non_null(result);
    *score = '\0';
    packed_position(line, &text);
    int sign = text.position.side == WHITE ? 1 : -1;
    long white_score = strtol(score + 3, NULL, 10);
    text.result = result[3] == '1' ? 1 : result[5] == '5' ? 0 : -1;
    codec_turn_to_white(&text, &turned);
    assert_memory_equal(record->position.board, turned.position.board, 64);
    assert_memory_equal(record->position.colour, turned.position.colour, 2 * sizeof(uint64_t));
    assert_memory_equal(record->position.type, turned.position.type, 6 * sizeof(uint64_t));
    assert_int_equal(record->position.side, WHITE);
    assert_int_equal(record->label.final.value, sign * white_score);
    assert_int_equal(record->result, sign * text.result);
    assert_int_equal(record->position.ep, SQUARE_NONE);
    assert_int_equal(record->position.rook[WHITE][KING_SIDE], SQUARE_NONE);
    assert_int_equal(record->position.fullmove, 1);
    assert_int_equal(record->ply, 0);
}

static void fields_equal_the_text(const char *text_name, const char *name)
{
    struct record records[PACKED_RECORDS];
    struct buffer text;
    size_t count = packed_records(&codec_bullet, name, records), lines = 0;
    packed_load(text_name, &text);
    char *rest = NULL;
    for (char *line = strtok_r(text.data, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        assert_true(lines < count);
        check_line(line, &records[lines++]);
    }
    assert_int_equal(lines, count);
    buffer_free(&text);
}

static void text_says_the_same(void **state)
{
    (void)state;
    fields_equal_the_text("edge.bullet.txt", "edge.bullet.bin");
    fields_equal_the_text("games200.bullet.txt", "games200.bullet.bin");
}

static void colours_flipped_bytes_stay(void **state)
{
    struct record records[PACKED_RECORDS], flipped;
    struct buffer one, other;
    size_t count = packed_records(&codec_plain, "edge.in.plain", records);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        flip_record(&records[i], &flipped);
        assert_int_equal(packed_encode(&codec_bullet, &records[i], &one), CODEC_FITS);
        assert_int_equal(packed_encode(&codec_bullet, &flipped, &other), CODEC_FITS);
        packed_assert_bytes(&other, &one);
        buffer_free(&one);
        buffer_free(&other);
    }
}

static void misfits(void **state)
{
    (void)state;
    packed_check_misfits(&codec_bullet);
}

/* Record 2 of edge: after 1. e4, seen from Black. */
static void damage_is_named(void **state)
{
    static const struct packed_damage damages[] = {
        {32 + 26, {3}, 1, "test: record 2 (byte 32): result 3, over 2"},
        {32 + 27, {3}, 1, "record 2 (byte 32): own king noted on square 3, but standing on 4"},
        {32 + 28, {5}, 1, "opponent's king noted on square 5, but standing on 4"},
        {32 + 8, {0x16}, 1, "piece code 6 on a1, over 5"},
        {32 + 23, {0xe9}, 1, "piece code 14 on h8, over 5"},
        {32 + 8, {0x17}, 1, "no piece has the code 7, on a1"},
        {32 + 16, {0x8f}, 1, "no piece has the code 15, on e5"},
        {32 + 4, {0x00}, 1, "codes of more than the 31 pieces"},
        {32 + 10, {0x24}, 1, "White has 0 kings"},
        {32 + 29, {1}, 1, "byte 29 is 1 where nothing but 0 has a meaning"},
        {32 + 31, {255}, 1, "byte 31 is 255 where nothing but 0 has a meaning"},
    };
    struct buffer good;
    (void)state;
    packed_load("edge.bullet.bin", &good);
    packed_check_damage(&codec_bullet, &packed_options, &good, damages,
                        sizeof damages / sizeof *damages);
    buffer_free(&good);
}

static void cut_tails(void **state)
{
    struct buffer good;
    char words[80];
    (void)state;
    packed_load("edge.bullet.bin", &good);
    for (size_t extra = 1; extra < BULLET_SIZE; extra++) {
        snprintf(words, sizeof words, "test: record 3 (byte 64): cut off after %zu of 32 bytes",
                 extra);
        packed_assert_error(&codec_bullet, &packed_options, good.data, 64 + extra, words);
    }
    packed_assert_error(&codec_bullet, &packed_options, "", 1,
                        "record 1 (byte 0): cut off after 1");
    buffer_free(&good);
}

static void no_bytes_are_no_records(void **state)
{
    struct record records[PACKED_RECORDS];
    struct error err = {0};
    (void)state;
    assert_int_equal(
        codec_test_decode(&codec_bullet, &packed_options, "", 0, records, PACKED_RECORDS, &err), 0);
}

/* The rook on e1 gives check to the king on e8 while White is to move. */
static void unchecked_reading_lets_more_in(void **state)
{
    struct codec_options options = packed_options;
    struct record record, back;
    struct buffer bytes;
    struct error err = {0};
    (void)state;
    assert_true(sample_record(&record));
    position_clear(&record.position);
    position_put(&record.position, piece_make(WHITE, KING), 0);
    position_put(&record.position, piece_make(WHITE, ROOK), 4);
    position_put(&record.position, piece_make(BLACK, KING), 60);
    assert_int_equal(packed_encode(&codec_bullet, &record, &bytes), CODEC_FITS);
    packed_assert_error(&codec_bullet, &options, bytes.data, bytes.length,
                        "record 1 (byte 0): the side to move could take the king");
    bytes.data[30] = 1;
    options.validate = false;
    assert_int_equal(
        codec_test_decode(&codec_bullet, &options, bytes.data, bytes.length, &back, 1, &err), 1);
    assert_true(position_equal(&back.position, &record.position));
    buffer_free(&bytes);
}

static void scores_are_scaled(void **state)
{
    struct codec_options options = packed_options;
    struct record record, back;
    struct buffer bytes;
    struct error err = {0};
    (void)state;
    options.score_scale = 3.61;
    options.last_exact = true;
    assert_true(sample_record(&record));
    record.label.exact = (struct score){SCORE_CP, -321};
    buffer_init(&bytes, CODEC_TEST_MAX);
    assert_int_equal(codec_test_encode(&codec_bullet, &options, &record, 1, &bytes), CODEC_FITS);
    assert_memory_equal(bytes.data + 24, "\x79\xfb", 2); /* -1158.81 is -1159 */
    assert_int_equal(
        codec_test_decode(&codec_bullet, &options, bytes.data, bytes.length, &back, 1, &err), 1);
    assert_int_equal(back.label.final.value, -321);
    assert_int_equal(back.label.exact.value, -321);
    buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_files),
        cmocka_unit_test(text_says_the_same),
        cmocka_unit_test(colours_flipped_bytes_stay),
        cmocka_unit_test(misfits),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(cut_tails),
        cmocka_unit_test(no_bytes_are_no_records),
        cmocka_unit_test(unchecked_reading_lets_more_in),
        cmocka_unit_test(scores_are_scaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
