/* SPDX-License-Identifier: MIT */
/*
 * marlin against files of viriformat 3.0.0; castling rights of Chess960 too.
 */
#include "tests/unit/formats/codec_packed_test.h"

#include "formats/io/bytes.h"

#define MARLIN_BYTES  32
#define AT_SIDE_EP    24
#define AT_HALFMOVE   25
#define AT_FULLMOVE   26
#define AT_SCORE      28
#define AT_RESULT     30
#define BLACK_TO_MOVE 128

static void reference_files(void **state)
{
    (void)state;
    packed_check_vector(&codec_marlin, "edge.in.plain", "edge.marlin.bin", PACKED_EDGE);
    packed_check_vector(&codec_marlin, "games200.in.plain", "games200.marlin.bin", PACKED_RECORDS);
}

/* The one record of a file. */
static void decode_one(const struct buffer *bytes, const struct codec_options *options,
                       struct record *record)
{
    struct error err = {0};
    long count =
        codec_test_decode(&codec_marlin, options, bytes->data, bytes->length, record, 1, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(count, 1);
}

static void round_trip(const char *fen, const char *board_in_hex)
{
    struct record record, back;
    struct buffer bytes;
    char hex[2 * 24 + 1];
    packed_position(fen, &record);
    assert_int_equal(packed_encode(&codec_marlin, &record, &bytes), CODEC_FITS);
    for (unsigned i = 0; i < 24; i++)
        snprintf(hex + 2 * i, 3, "%02x", (uint8_t)bytes.data[i]);
    if (board_in_hex != NULL)
        assert_string_equal(hex, board_in_hex);
    decode_one(&bytes, &packed_options, &back);
    if (!position_equal(&back.position, &record.position))
        fail_msg("%s does not come back", fen);
    buffer_free(&bytes);
}

/* Rooks that may castle have code 6, others 3. */
static void castling_rights(void **state)
{
    (void)state;
    round_trip("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "9100000000000091"
                                                       "56e6ed00000000000000000000000000");
    round_trip("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 9 77", "9100000000000091"
                                                      "53e6bd00000000000000000000000000");
    /* The inner one of two rooks on White's king side. */
    round_trip("4k3/8/8/8/8/8/8/1KR2R2 w C - 0 1", "2600000000000010"
                                                   "65d30000000000000000000000000000");
    round_trip("nrbbkrqn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKRQN w KQkq - 0 1", NULL);
    round_trip("rkr5/8/8/8/8/8/8/RKR5 b KQkq - 3 4", NULL);
    round_trip("8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1", NULL);
    round_trip("4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1", NULL);
    round_trip("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", NULL);
}

static void en_passant(void **state)
{
    (void)state;
    round_trip("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9", NULL);
    round_trip("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 9", NULL);
    round_trip("4k3/8/8/7p/6pP/8/8/4K3 b - h3 0 9", NULL);
}

/* The pawn that could take is pinned: others write the square, and it means nothing. */
static void a_square_that_no_move_uses_is_dropped(void **state)
{
    struct record record, back;
    struct buffer bytes;
    (void)state;
    packed_position("4r1k1/8/8/3pP3/8/8/8/4K3 w - - 0 9", &record);
    assert_int_equal(packed_encode(&codec_marlin, &record, &bytes), CODEC_FITS);
    bytes.data[AT_SIDE_EP] = 43; /* d6 */
    decode_one(&bytes, &packed_options, &back);
    assert_true(position_equal(&back.position, &record.position));
    buffer_free(&bytes);
}

static void white_sees_score_and_result(void **state)
{
    struct record record;
    struct buffer bytes;
    (void)state;
    assert_true(sample_record(&record)); /* Black to move: -321, Black wins */
    assert_int_equal(packed_encode(&codec_marlin, &record, &bytes), CODEC_FITS);
    const uint8_t *data = (const uint8_t *)bytes.data;
    assert_int_equal((int16_t)bytes_get_u16(data + AT_SCORE), 321);
    assert_int_equal(data[AT_RESULT], 0);
    assert_int_equal(data[AT_SIDE_EP], BLACK_TO_MOVE | 64);
    assert_int_equal(data[AT_HALFMOVE], 3);
    assert_int_equal(bytes_get_u16(data + AT_FULLMOVE), 7);
    buffer_free(&bytes);
}

static void colours_flipped_white_sees_the_opposite(void **state)
{
    struct record records[PACKED_RECORDS], flipped, back;
    struct buffer one, other;
    size_t count = packed_records(&codec_plain, "edge.in.plain", records);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        flip_record(&records[i], &flipped);
        assert_int_equal(packed_encode(&codec_marlin, &records[i], &one), CODEC_FITS);
        assert_int_equal(packed_encode(&codec_marlin, &flipped, &other), CODEC_FITS);
        const uint8_t *a = (const uint8_t *)one.data, *b = (const uint8_t *)other.data;
        assert_int_equal((int16_t)bytes_get_u16(a + AT_SCORE),
                         -(int16_t)bytes_get_u16(b + AT_SCORE));
        assert_int_equal(a[AT_RESULT], 2 - b[AT_RESULT]);
        assert_int_equal((a[AT_SIDE_EP] ^ b[AT_SIDE_EP]) & BLACK_TO_MOVE, BLACK_TO_MOVE);
        for (unsigned rank = 0; rank < 8; rank++)
            assert_int_equal(a[rank], b[7 - rank]);
        decode_one(&other, &packed_options, &back);
        assert_true(position_equal(&back.position, &flipped.position));
        assert_int_equal(back.label.final.value, records[i].label.final.value);
        assert_int_equal(back.result, -records[i].result);
        buffer_free(&one);
        buffer_free(&other);
    }
}

static void clocks_fit_or_are_named(void **state)
{
    struct record record, back;
    struct buffer bytes;
    (void)state;
    packed_check_misfits(&codec_marlin);
    assert_true(sample_record(&record));
    record.position.halfmove = 256;
    assert_int_equal(packed_misfit(&codec_marlin, &record, &packed_options), CODEC_HALFMOVE_RANGE);
    record.position.halfmove = 255;
    record.position.fullmove = 65535;
    assert_int_equal(packed_encode(&codec_marlin, &record, &bytes), CODEC_FITS);
    decode_one(&bytes, &packed_options, &back);
    assert_true(position_equal(&back.position, &record.position));
    assert_int_equal(back.ply, 2 * 65534 + 1);
    buffer_free(&bytes);
}

/* Some writers give no number. */
static void full_move_zero_is_one(void **state)
{
    struct record record;
    struct buffer bytes;
    (void)state;
    packed_load("edge.marlin.bin", &bytes);
    bytes.length = MARLIN_BYTES;
    bytes.data[AT_FULLMOVE] = 0;
    decode_one(&bytes, &packed_options, &record);
    assert_int_equal(record.position.fullmove, 1);
    assert_int_equal(record.ply, 0);
    buffer_free(&bytes);
}

/* Record 2 of edge, after 1. e4: the back rank is in bytes 8 to 11, Ra1 and Rh1 with code 6. */
static void damage_is_named(void **state)
{
    static const struct packed_damage damages[] = {
        {32 + 30, {3}, 1, "test: record 2 (byte 32): result 3, over 2"},
        {32 + 24, {128 | 65}, 1, "impossible en passant square 65"},
        {32 + 24, {128 | 127}, 1, "impossible en passant square 127"},
        {32 + 24, {128 | 19}, 1, "impossible en passant square 19"}, /* d3: no pawn on d4 */
        {32 + 24, {20}, 1, "impossible en passant square 20"},       /* e3, but White to move */
        {32 + 8, {0x66}, 1, "impossible castling right of White"},   /* two rooks before the king */
        {32 + 11, {0x66}, 1, "impossible castling right of White"},  /* two behind it */
        {32 + 23, {0xee}, 1, "impossible castling right of Black"},
        {32 + 12, {0x60}, 1, "impossible castling right of White"}, /* on the second rank */
        {32 + 8, {0x17}, 1, "no piece has the code 7, on a1"},
        {32 + 10, {0x22}, 1, "White has 0 kings"},
        {32 + 3, {0x00}, 1, "codes of more than the 31 pieces"},
        {32 + 31, {9}, 1, "last byte is 9 where nothing but 0 has a meaning"},
    };
    struct buffer good;
    (void)state;
    packed_load("edge.marlin.bin", &good);
    packed_check_damage(&codec_marlin, &packed_options, &good, damages,
                        sizeof damages / sizeof *damages);
    buffer_free(&good);
}

/* The rook of code 6 is White's on a1, but his king on b2. */
static void a_king_off_its_rank_has_no_rights(void **state)
{
    static const uint8_t bytes[MARLIN_BYTES] = {0x01, 0x02, 0,  0, 0, 0, 0, 0x80, 0x56, 0x0d, 0,
                                                0,    0,    0,  0, 0, 0, 0, 0,    0,    0,    0,
                                                0,    0,    64, 0, 1, 0, 0, 0,    1,    0};
    (void)state;
    packed_assert_error(&codec_marlin, &packed_options, bytes, sizeof bytes,
                        "impossible castling right of White");
}

static void cut_tails(void **state)
{
    struct buffer good;
    char words[80];
    (void)state;
    packed_load("edge.marlin.bin", &good);
    for (size_t extra = 1; extra < MARLIN_BYTES; extra++) {
        snprintf(words, sizeof words, "test: record 3 (byte 64): cut off after %zu of 32 bytes",
                 extra);
        packed_assert_error(&codec_marlin, &packed_options, good.data, 64 + extra, words);
    }
    buffer_free(&good);
}

static void unchecked_reading_lets_more_in(void **state)
{
    struct codec_options options = packed_options;
    struct record record, back;
    struct buffer bytes;
    (void)state;
    packed_position("4k3/8/8/8/8/8/8/K3R3 b - - 0 1", &record);
    assert_int_equal(packed_encode(&codec_marlin, &record, &bytes), CODEC_FITS);
    bytes.data[AT_SIDE_EP] = 64; /* White to move */
    packed_assert_error(&codec_marlin, &options, bytes.data, bytes.length,
                        "record 1 (byte 0): the side to move could take the king");
    bytes.data[31] = 1;
    options.validate = false;
    decode_one(&bytes, &options, &back);
    assert_int_equal(back.position.side, WHITE);
    buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_files),
        cmocka_unit_test(castling_rights),
        cmocka_unit_test(en_passant),
        cmocka_unit_test(a_square_that_no_move_uses_is_dropped),
        cmocka_unit_test(white_sees_score_and_result),
        cmocka_unit_test(colours_flipped_white_sees_the_opposite),
        cmocka_unit_test(clocks_fit_or_are_named),
        cmocka_unit_test(full_move_zero_is_one),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(a_king_off_its_rank_has_no_rights),
        cmocka_unit_test(cut_tails),
        cmocka_unit_test(unchecked_reading_lets_more_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
