/* SPDX-License-Identifier: MIT */
/*
 * UCI moves in and out.
 */
#include "formats/chess/ucimove.h"
#include "tests/unit/chess/chess_test.h"

static uint16_t parse(const struct position *position, const char *text)
{
    return ucimove_parse(position, text, strlen(text));
}

static void check_round_trip(const struct position *position, const uint16_t *moves, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char text[UCIMOVE_MAX];
        ucimove_format(moves[i], true, text);
        assert_int_equal(parse(position, text), moves[i]);
        if (!position->chess960) {
            ucimove_format(moves[i], false, text);
            assert_int_equal(parse(position, text), moves[i]);
        }
    }
}

static void test_round_trips(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 5, 150, check_round_trip);
}

static void test_castling_forms(void **state)
{
    struct position position = test_position("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
    uint16_t short_castling = move_make(60, 63, MOVE_CASTLING);
    uint16_t long_castling = move_make(60, 56, MOVE_CASTLING);
    char text[UCIMOVE_MAX];

    (void)state;
    assert_int_equal(parse(&position, "e8g8"), short_castling);
    assert_int_equal(parse(&position, "e8h8"), short_castling);
    assert_int_equal(parse(&position, "e8c8"), long_castling);
    assert_int_equal(parse(&position, "e8a8"), long_castling);
    assert_int_equal(parse(&position, "e8b8"), MOVE_NONE);
    assert_int_equal(parse(&position, "e8g8q"), MOVE_NONE);
    ucimove_format(short_castling, false, text);
    assert_string_equal(text, "e8g8");
    ucimove_format(long_castling, false, text);
    assert_string_equal(text, "e8c8");
    ucimove_format(long_castling, true, text);
    assert_string_equal(text, "e8a8");
}

/* With the king on f1, f1g1 is a step of the king and f1h1 castling. */
static void test_king_step_is_not_castling(void **state)
{
    struct position position = test_position("4k3/8/8/8/8/8/8/5K1R w H - 0 1");

    (void)state;
    assert_int_equal(parse(&position, "f1g1"), move_make(5, 6, MOVE_NORMAL));
    assert_int_equal(parse(&position, "f1h1"), move_make(5, 7, MOVE_CASTLING));
    position = test_position("4k3/8/8/8/8/8/8/5KR1 w G - 0 1");
    assert_int_equal(parse(&position, "f1g1"), move_make(5, 6, MOVE_CASTLING));
}

static void test_not_a_move(void **state)
{
    static const char *const texts[] = {"",      "e",     "e2e",    "e2e5",   "e7e5", "e2e4q",
                                        "e2e4 ", "E2E4",  "e2e9",   "i2i4",   "0000", "(none)",
                                        "a1a1",  "e2-e4", "e2e4qq", "\3772e4"};
    struct position position = test_position(TEST_START_FEN);

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(parse(&position, texts[i]), MOVE_NONE);
    assert_int_equal(ucimove_parse(&position, "e2e4xyz", 4), move_make(12, 28, MOVE_NORMAL));
}

static void test_promotions(void **state)
{
    struct position position = test_position("4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
    char text[UCIMOVE_MAX];

    (void)state;
    assert_int_equal(parse(&position, "a7a8n"), move_make_promotion(48, 56, KNIGHT));
    assert_int_equal(parse(&position, "a7a8Q"), move_make_promotion(48, 56, QUEEN));
    assert_int_equal(parse(&position, "a7a8"), MOVE_NONE);
    assert_int_equal(parse(&position, "a7a8k"), MOVE_NONE);
    assert_int_equal(parse(&position, "a7a8p"), MOVE_NONE);
    ucimove_format(move_make_promotion(48, 56, BISHOP), false, text);
    assert_string_equal(text, "a7a8b");
    ucimove_format(MOVE_NONE, false, text);
    assert_string_equal(text, "0000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_castling_forms),
        cmocka_unit_test(test_king_step_is_not_castling),
        cmocka_unit_test(test_not_a_move),
        cmocka_unit_test(test_promotions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
