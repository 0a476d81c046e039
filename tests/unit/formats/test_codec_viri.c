/* SPDX-License-Identifier: MIT */
/*
 * viri against files of viriformat 3.0.0; where games begin and end, and what is wrong inside one.
 */
#include "tests/unit/formats/codec_packed_test.h"

#include "formats/chess/ucimove.h"
#include "formats/io/bytes.h"

#define START 32 /* bytes of a game's start */
#define PAIR  4

static void reference_files(void **state)
{
    (void)state;
    packed_check_vector(&codec_viri, "edge.in.plain", "edge.viri.bin", PACKED_EDGE);
    packed_check_vector(&codec_viri, "games200.in.plain", "games200.viri.bin", PACKED_RECORDS);
}

/* The records of the first game of edge: 1. e4 e5 2. Nf3 ... */
#define GAME 6

static void take_game(struct record records[GAME])
{
    struct record all[PACKED_RECORDS];
    packed_records(&codec_plain, "edge.in.plain", all);
    memcpy(records, all, GAME * sizeof *records);
}

/* The records as a file that is games of so many pairs (ended by a zero). */
static void check_games(const struct record *records, size_t count, const size_t *games)
{
    struct record back[PACKED_RECORDS];
    struct buffer bytes;
    struct error err = {0};
    size_t at = 0;
    buffer_init(&bytes, CODEC_TEST_MAX);
    assert_int_equal(codec_test_encode(&codec_viri, &packed_options, records, count, &bytes),
                     CODEC_FITS);
    for (; *games > 0; games++) {
        static const uint8_t zeros[PAIR] = {0};
        at += START + *games * PAIR;
        assert_true(at + PAIR <= bytes.length);
        assert_memory_equal(bytes.data + at, zeros, PAIR);
        at += PAIR;
    }
    assert_int_equal(at, bytes.length);
    assert_int_equal(codec_test_decode(&codec_viri, &packed_options, bytes.data, bytes.length, back,
                                       PACKED_RECORDS, &err),
                     count);
    for (size_t i = 0; i < count; i++)
        assert_null(codec_find_difference(&records[i], &back[i],
                                          codec_viri.fields & codec_plain.fields, &packed_options));
    buffer_free(&bytes);
}

static void a_game_breaks_where_a_record_is_missing(void **state)
{
    struct record records[GAME];
    (void)state;
    take_game(records);
    check_games(records, GAME, (const size_t[]){GAME, 0});
    memmove(records + 2, records + 3, (GAME - 3) * sizeof *records);
    check_games(records, GAME - 1, (const size_t[]){2, GAME - 3, 0});
    check_games(records, 0, (const size_t[]){0});
}

static void a_game_breaks_where_something_else_changes(void **state)
{
    struct record good[GAME], records[GAME];
    (void)state;
    take_game(good);
    memcpy(records, good, sizeof good);
    records[3].result = (int8_t)-records[3].result;
    check_games(records, GAME, (const size_t[]){3, 1, 2, 0});
    memcpy(records, good, sizeof good);
    for (unsigned i = 0; i < GAME; i++)
        codec_test_name_game(&records[i], i < 4 ? "aaaaaaaa" : "bbbbbbbb");
    check_games(records, GAME, (const size_t[]){4, 2, 0});
    memcpy(records, good, sizeof good);
    records[2].position.halfmove++;
    check_games(records, GAME, (const size_t[]){2, 1, 3, 0});
    memcpy(records, good, sizeof good);
    for (unsigned i = 2; i < GAME; i++)
        records[i].position.fullmove++;
    check_games(records, GAME, (const size_t[]){2, 4, 0});
}

static void both_moves_may_make_the_chain(void **state)
{
    struct record records[GAME];
    struct codec_options options = packed_options;
    struct buffer bytes;
    (void)state;
    take_game(records);
    for (unsigned i = 0; i < GAME; i++) {
        records[i].played = records[i].label.best_move;
        records[i].label.best_move = MOVE_NONE;
    }
    options.move = CODEC_MOVE_PLAYED;
    buffer_init(&bytes, CODEC_TEST_MAX);
    assert_int_equal(codec_test_encode(&codec_viri, &options, records, GAME, &bytes), CODEC_FITS);
    assert_int_equal(bytes.length, START + GAME * PAIR + PAIR);
    buffer_free(&bytes);
}

static void a_misfit_breaks_the_game(void **state)
{
    struct record records[GAME];
    struct buffer bytes;
    (void)state;
    take_game(records);
    records[3].label.final = (struct score){SCORE_MATE, 1};
    buffer_init(&bytes, CODEC_TEST_MAX);
    assert_int_equal(codec_test_encode(&codec_viri, &packed_options, records, GAME, &bytes),
                     CODEC_MATE_SCORE);
    assert_int_equal(bytes.length, 2 * START + 5 * PAIR + 2 * PAIR);
    buffer_free(&bytes);
}

static void misfits(void **state)
{
    struct record record;
    struct codec_options options = packed_options;
    (void)state;
    packed_check_misfits(&codec_viri);
    assert_true(sample_record(&record));
    options.chains = false;
    assert_int_equal(packed_misfit(&codec_viri, &record, &options), CODEC_NO_CHAIN);
    record.label.best_move = MOVE_NONE;
    assert_int_equal(packed_misfit(&codec_viri, &record, &packed_options), CODEC_NO_MOVE);
    record.label.best_move = move_make(0, 8, MOVE_NORMAL); /* White's rook, Black to move */
    assert_int_equal(packed_misfit(&codec_viri, &record, &packed_options), CODEC_ILLEGAL_MOVE);
}

/* Only the start holds a clock: inside a game it may grow over 255. */
static void the_clock_is_limited_at_the_start(void **state)
{
    struct record records[2], *second = &records[1];
    struct buffer bytes;
    (void)state;
    packed_position("4k2r/8/8/8/8/8/8/R3K3 w - - 255 200", &records[0]);
    records[0].label.best_move = ucimove_parse(&records[0].position, "a1a2", 4);
    *second = records[0];
    position_make(&second->position, second->label.best_move, NULL);
    assert_int_equal(second->position.halfmove, 256);
    second->label.best_move = ucimove_parse(&second->position, "h8h7", 4);
    check_games(records, 2, (const size_t[]){2, 0});
    buffer_init(&bytes, CODEC_TEST_MAX);
    assert_int_equal(codec_test_encode(&codec_viri, &packed_options, second, 1, &bytes),
                     CODEC_HALFMOVE_RANGE);
    assert_int_equal(bytes.length, 0);
    buffer_free(&bytes);
}

/* count records of a game from a FEN; the first moves given, score 7, White wins. */
static void play(const char *fen, const char *const *moves, size_t count, struct record *records)
{
    struct position position;
    packed_position(fen, &records[0]);
    position = records[0].position;
    for (size_t i = 0; i < count; i++) {
        records[i] = (struct record){.position = position, .result = 1};
        records[i].position.chess960 = position_castling_is_odd(&position);
        records[i].label.final = (struct score){SCORE_CP, 7};
        uint16_t move = ucimove_parse(&position, moves[i], strlen(moves[i]));
        assert_int_not_equal(move, MOVE_NONE);
        records[i].label.best_move = move;
        position_make(&position, move, NULL);
    }
}

/* Rights go while the game goes on, and with them what calls for Chess960 notation. */
static void chess960_is_one_game(void **state)
{
    static const char *const moves[] = {"b1h1", "h8h7", "g1f2"};
    struct record records[3];
    struct buffer bytes;
    (void)state;
    play("1k5r/8/8/8/8/8/8/RK5R w KQ - 0 1", moves, 3, records);
    assert_int_equal(move_kind(records[0].label.best_move), MOVE_CASTLING);
    assert_true(records[0].position.chess960);
    assert_false(records[1].position.chess960);
    check_games(records, 3, (const size_t[]){3, 0});
    assert_int_equal(packed_encode(&codec_viri, &records[0], &bytes), CODEC_FITS);
    assert_int_equal(bytes_get_u16((const uint8_t *)bytes.data + START), 1 | 7 << 6 | 2 << 14);
    buffer_free(&bytes);
}

static void moves_of_every_kind(void **state)
{
    static const struct {
        const char *fen, *move;
        unsigned written;
    } cases[] = {
        {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", 12 | 28 << 6},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 36 | 43 << 6 | 1 << 14},
        {"r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8", 60 | 56 << 6 | 2 << 14},
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 4 | 7 << 6 | 2 << 14},
        {"8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", 48 | 56 << 6 | 3 << 14},
        {"8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8b", 48 | 56 << 6 | 1 << 12 | 3 << 14},
        {"8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8r", 48 | 56 << 6 | 2 << 12 | 3 << 14},
        {"8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 48 | 56 << 6 | 3 << 12 | 3 << 14},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record record;
        struct buffer bytes;
        play(cases[i].fen, &cases[i].move, 1, &record);
        assert_int_equal(packed_encode(&codec_viri, &record, &bytes), CODEC_FITS);
        const uint8_t *pair = (const uint8_t *)bytes.data + START;
        assert_int_equal(bytes_get_u16(pair), cases[i].written);
        assert_int_equal((int16_t)bytes_get_u16(pair + 2), record.position.side == WHITE ? 7 : -7);
        buffer_free(&bytes);
        check_games(&record, 1, (const size_t[]){1, 0});
    }
}

static void colours_flipped_white_sees_the_opposite(void **state)
{
    struct record records[GAME], flipped[GAME];
    struct buffer one, other;
    (void)state;
    take_game(records);
    for (unsigned i = 1; i < GAME; i++) /* Black's game begins with the move of a White one */
        flip_record(&records[i], &flipped[i]);
    buffer_init(&one, CODEC_TEST_MAX);
    buffer_init(&other, CODEC_TEST_MAX);
    codec_test_encode(&codec_viri, &packed_options, records + 1, 1, &one);
    codec_test_encode(&codec_viri, &packed_options, flipped + 1, 1, &other);
    const uint8_t *a = (const uint8_t *)one.data, *b = (const uint8_t *)other.data;
    assert_int_equal(one.length, other.length);
    assert_int_equal((int16_t)bytes_get_u16(a + START + 2), 25);
    assert_int_equal((int16_t)bytes_get_u16(b + START + 2), -25);
    assert_int_equal(bytes_get_u16(a + START) ^ bytes_get_u16(b + START), 56 | 56 << 6);
    assert_int_equal(a[30], 2); /* White wins, and then Black */
    assert_int_equal(b[30], 0);
    check_games(flipped + 1, 1, (const size_t[]){1, 0});
    buffer_free(&one);
    buffer_free(&other);
}

static void damage_is_named(void **state)
{
    static const struct packed_damage damages[] = {
        {START, {0, 0, 0, 0}, 4, "record 1 (byte 36): start of a game"},
        {START,
         {0x0c, 0x0b},
         2,
         "record 1 (byte 32): illegal move e2e6 (0x0b0c) at full move 1 of White"},
        {START + 4,
         {0x0c, 0x07},
         2,
         "record 2 (byte 36): illegal move e2e4 (0x070c) at full move 1 of Black"},
        {START + 4, {0, 0, 1, 0}, 4, "record 2 (byte 36): illegal move a1a1 (0x0000)"},
        {START, {0x0c, 0x17}, 2, "illegal move e2e4 (0x170c)"}, /* promotion bits */
        {START, {0x0c, 0x47}, 2, "illegal move e2e4 (0x470c)"}, /* en passant */
        {START, {0x0c, 0x87}, 2, "illegal move e2e4 (0x870c)"}, /* castling */
        {START, {0x0c, 0xc7}, 2, "illegal move e2e4 (0xc70c)"}, /* promotion */
        {30, {3}, 1, "record 1 (byte 0): start of a game: result 3, over 2"},
        {8, {0x17}, 1, "start of a game: no piece has the code 7, on a1"},
        {31, {1}, 1, "start of a game: last byte is 1"},
        {START + 12 * 4 + 4, {0}, 1, "record 13 (byte 84): start of a game: codes of more"},
    };
    struct buffer good;
    (void)state;
    packed_load("edge.viri.bin", &good);
    packed_check_damage(&codec_viri, &packed_options, &good, damages,
                        sizeof damages / sizeof *damages);
    buffer_free(&good);
}

/* Moves are checked in any case: behind a wrong one all would be garbage. */
static void unchecked_reading_checks_moves(void **state)
{
    struct codec_options options = packed_options;
    struct record records[PACKED_RECORDS];
    struct buffer good;
    struct error err = {0};
    (void)state;
    options.validate = false;
    packed_load("edge.viri.bin", &good);
    good.data[31] = 1;
    assert_int_equal(codec_test_decode(&codec_viri, &options, good.data, good.length, records,
                                       PACKED_RECORDS, &err),
                     PACKED_EDGE);
    good.data[START] = 0x0d;
    packed_assert_error(&codec_viri, &options, good.data, good.length, "illegal move f2e4");
    buffer_free(&good);
}

static void cut_tails(void **state)
{
    struct buffer good;
    char words[100];
    (void)state;
    packed_load("edge.viri.bin", &good);
    for (size_t size = 1; size < START; size++) {
        snprintf(words, sizeof words,
                 "test: record 1 (byte 0): start of a game cut off after %zu of 32 bytes", size);
        packed_assert_error(&codec_viri, &packed_options, good.data, size, words);
    }
    for (size_t size = START; size < START + 13 * PAIR; size++)
        packed_assert_error(&codec_viri, &packed_options, good.data, size,
                            "the data ends inside a game");
    packed_assert_error(&codec_viri, &packed_options, good.data, START + 2 * PAIR + 1,
                        "test: record 3 (byte 40): the data ends inside a game");
    buffer_free(&good);
}

static void games_without_a_move_hold_no_record(void **state)
{
    struct record records[PACKED_RECORDS];
    struct buffer good;
    struct error err = {0};
    char bytes[2 * (START + PAIR)] = {0};
    (void)state;
    packed_load("edge.viri.bin", &good);
    memcpy(bytes, good.data, START);
    memcpy(bytes + START + PAIR, good.data, START);
    assert_int_equal(codec_test_decode(&codec_viri, &packed_options, bytes, sizeof bytes, records,
                                       PACKED_RECORDS, &err),
                     0);
    buffer_free(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_files),
        cmocka_unit_test(a_game_breaks_where_a_record_is_missing),
        cmocka_unit_test(a_game_breaks_where_something_else_changes),
        cmocka_unit_test(both_moves_may_make_the_chain),
        cmocka_unit_test(a_misfit_breaks_the_game),
        cmocka_unit_test(misfits),
        cmocka_unit_test(the_clock_is_limited_at_the_start),
        cmocka_unit_test(chess960_is_one_game),
        cmocka_unit_test(moves_of_every_kind),
        cmocka_unit_test(colours_flipped_white_sees_the_opposite),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(unchecked_reading_checks_moves),
        cmocka_unit_test(cut_tails),
        cmocka_unit_test(games_without_a_move_hold_no_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
