/* SPDX-License-Identifier: MIT */
/*
 * [%eval] in comments: values by hand, and the ply that they belong to. The hash of a board,
 * against values computed by a script that builds the bitboards from FEN text by itself.
 */
#include "tests/unit/formats/test_pgn.h"

#include "formats/pgn_hash.h"

struct eval_case {
    const char *comment;
    enum score_kind kind;
    int32_t value;
};

static const struct eval_case eval_cases[] = {
    {"[%eval 0.31]", SCORE_CP, 31},
    {"[%eval -0.31]", SCORE_CP, -31},
    {"[%eval +1.05]", SCORE_CP, 105},
    {"[%eval 0.2]", SCORE_CP, 20},
    {"[%eval 0.0]", SCORE_CP, 0},
    {"[%eval -0.0]", SCORE_CP, 0},
    {"[%eval 12.]", SCORE_CP, 1200},
    {"[%eval 0.29]", SCORE_CP, 29}, /* 0.29 * 100 is below 29 in binary */
    {"[%eval 1.15]", SCORE_CP, 115},
    {"[%eval 0.314]", SCORE_CP, 31},
    {"[%eval 0.315]", SCORE_CP, 32},
    {"[%eval -0.3149999]", SCORE_CP, -31},
    {"[%eval -0.999]", SCORE_CP, -100},
    {"[%eval 152.65,18]", SCORE_CP, 15265},
    {"[%eval\n0.31 ]", SCORE_CP, 31},
    {"[%eval 999999.99]", SCORE_CP, 99999999},
    {"[%eval 1000000.00]", SCORE_NONE, 0},
    {"[%eval #3]", SCORE_MATE, 3},
    {"[%eval #-3]", SCORE_MATE, -3},
    {"[%eval #+12]", SCORE_MATE, 12},
    {"[%eval #0]", SCORE_NONE, 0},
    {"[%eval 80,20]", SCORE_NONE, 0}, /* another program's: centipawns and depth */
    {"[%eval .5]", SCORE_NONE, 0},
    {"[%eval 0.31", SCORE_NONE, 0},
    {"[%eval 0.3x]", SCORE_NONE, 0},
    {"[%eval]", SCORE_NONE, 0},
    {"[%evals 0.31]", SCORE_NONE, 0},
    {"[%clk 0:45:36] [%eval 0.05] text", SCORE_CP, 5},
    {"(0.25) Inaccuracy [0.1] [%clk 0:00:01] [%csl Ge4] [%eval #-1]", SCORE_MATE, -1},
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof eval_cases / sizeof *eval_cases; i++) {
        const struct eval_case *c = &eval_cases[i];
        char text[256];
        struct seen seen;
        snprintf(text, sizeof text, "1. e4 {%s} e5 *", c->comment);
        seen_read_text(&seen, text, strlen(text), PGN_STANDARD);
        assert_int_equal(seen.count, 1);
        assert_int_equal(seen.game[0].evals[1].kind, c->kind);
        if (c->kind)
            assert_int_equal(seen.game[0].evals[1].value, c->value);
        assert_int_equal(seen.game[0].evals[0].kind, SCORE_NONE);
        assert_int_equal(seen.game[0].evals[2].kind, SCORE_NONE);
        assert_int_equal(seen.game[0].eval_count, c->kind != SCORE_NONE);
        seen_free(&seen);
    }
}

/* The position after the move; several comments behind one move; none out of variations. */
static void test_plies(void **state)
{
    static const char text[] =
        "[A \"\"]\n\n{ [%eval 0.1] } 1. e4 { [%eval 0.2] } { Good. } { [%clk 0:45:36] } "
        "1... e5 { [%clk 1:00:00] } { [%eval 0.3] } { [%eval 0.9] } "
        "2. Nf3 (2. d4 { [%eval 0.8] }) 2... Nc6 ({ [%eval 0.8] } 2... d6) { [%eval #5] } 1-0 "
        "{ [%eval 0.7] }";
    static const int32_t expected[] = {10, 20, 30, 0, 5};
    struct seen seen;
    (void)state;
    seen_read_text(&seen, text, sizeof text - 1, PGN_STANDARD);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.game[0].plies, 4);
    assert_int_equal(seen.game[0].eval_count, 4);
    for (unsigned ply = 0; ply <= 4; ply++)
        if (ply != 3)
            assert_int_equal(seen.game[0].evals[ply].value, expected[ply]);
    assert_int_equal(seen.game[0].evals[3].kind, SCORE_NONE);
    assert_int_equal(seen.game[0].evals[4].kind, SCORE_MATE);
    seen_free(&seen);
}

static void test_hash(void **state)
{
    static const struct {
        const char *fen;
        uint64_t hash;
    } table[] = {
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0xa05dc77abf399082},
        {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 0xde99d2b2016f1dce},
        {"rnbqkb1r/1p3ppp/p2p1n2/4p3/3NP3/2N1B3/PPP2PPP/R2QKB1R w KQkq - 0 7", 0xcc6193678f0952b7},
        {"8/4k3/2P5/3B4/8/8/8/4K3 w - - 1 2", 0xa581f871fe90237d},
        {"7k/8/8/8/8/8/8/K6R b - - 0 1", 0x10c508cbd9d660e4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct position position;
        assert_int_equal(
            fen_parse(table[i].fen, strlen(table[i].fen), FEN_REJECT_BAD_CASTLING, &position, NULL),
            FEN_OK);
        assert_int_equal(pgn_hash_board(&position), table[i].hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_plies),
        cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests_name("pgn evals and hash", tests, NULL, NULL);
}
