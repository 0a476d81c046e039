/* SPDX-License-Identifier: MIT */
/*
 * Perft of well-known positions against published counts (chessprogramming.org, "Perft Results" and
 * "Chess960 Perft Results"; the X-FEN ones from talkchess.com topic 55274).
 */
#include "tests/unit/chess/chess_test.h"

struct perft {
    const char *fen;
    unsigned depth;
    uint64_t nodes;
};

static const struct perft standard[] = {
    {TEST_START_FEN, 0, 1},
    {TEST_START_FEN, 1, 20},
    {TEST_START_FEN, 5, 4865609},
    {TEST_KIWIPETE, 1, 48},
    {TEST_KIWIPETE, 4, 4085603},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674624},
    {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422333},
    {"r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", 4, 422333},
    {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2103487},
    {"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3894594},
    {"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 4, 182838},
    /* A square seen through the king, and en passant that uncovers a check along the rank. */
    {"3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6, 1134888},
    {"8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6, 1440467},
    {"5k2/8/8/8/8/8/8/4K2R w K - 0 1", 6, 661072},
};

static const struct perft chess960[] = {
    {"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 4, 326672},
    {"2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 4, 667366},
    {"b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", 4, 273318},
    {"r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1", 4, 285754},
    {"r1k2r1q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K2R1Q w KQkq - 0 1", 4, 541480},
    {"8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1", 4, 118388},
    {"2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1", 4, 57700},
    {"4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1", 4, 405636},
};

static void check(const struct perft *perft)
{
    struct position position = test_position(perft->fen);
    uint64_t nodes = movegen_perft(&position, perft->depth);
    if (nodes != perft->nodes)
        fail_msg("%s at depth %u: %llu nodes, not %llu", perft->fen, perft->depth,
                 (unsigned long long)nodes, (unsigned long long)perft->nodes);
}

static void test_standard(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        check(&standard[i]);
}

static void test_chess960(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chess960 / sizeof *chess960; i++) {
        assert_true(test_position(chess960[i].fen).chess960);
        check(&chess960[i]);
    }
}

static void test_most_moves(void **state)
{
    /* The most that any known position has: 218. */
    struct position position =
        test_position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1");
    uint16_t moves[MOVES_MAX];

    (void)state;
    assert_int_equal(movegen_legal(&position, moves), 218);
}

static void test_no_moves(void **state)
{
    struct position mate =
        test_position("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
    struct position stalemate = test_position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");

    (void)state;
    assert_false(movegen_has_legal(&mate));
    assert_true(position_checkers(&mate) != 0);
    assert_false(movegen_has_legal(&stalemate));
    assert_true(position_checkers(&stalemate) == 0);
}

/* Of all 65,536 values exactly the generated ones are legal. */
static void check_every_value(const struct position *position, const uint16_t *moves,
                              unsigned count)
{
    unsigned legal = 0;

    for (unsigned move = 0; move <= UINT16_MAX; move++)
        legal += movegen_is_legal(position, (uint16_t)move);
    assert_int_equal(legal, count);
    for (unsigned i = 0; i < count; i++)
        assert_true(movegen_is_legal(position, moves[i]));
    assert_false(movegen_is_legal(position, MOVE_NONE));
}

static void test_any_value_may_be_asked(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 2, 40, check_every_value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standard),
        cmocka_unit_test(test_chess960),
        cmocka_unit_test(test_most_moves),
        cmocka_unit_test(test_no_moves),
        cmocka_unit_test(test_any_value_may_be_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
