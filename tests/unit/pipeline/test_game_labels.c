/* SPDX-License-Identifier: MIT */
/*
 * Labels that come from the games: which ply a comment is about, whose view its number is, and
 * which positions are samples. Expected values by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/ucimove.h"
#include "formats/io/reader.h"
#include "pipeline/stages/label.h"
#include "pipeline/stages/sampler.h"

struct expected {
    uint32_t ply;
    uint8_t kind;
    int32_t value;
    const char *best; /* NULL: none */
    uint16_t depth;
};

static void check_picks(const struct sampler_rule *rule, const struct sampler_pick *picks,
                        const struct expected *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct store_sample sample = {
            .move = picks[i].move, .eval = picks[i].eval, .eval_depth = picks[i].eval_depth};
        struct label label;
        char move[UCIMOVE_MAX] = "";
        label_from_game(rule->source, &sample, &label);
        assert_int_equal(picks[i].ply, expected[i].ply);
        assert_int_equal(label.status, LABEL_OK);
        assert_int_equal(label.bound, BOUND_EXACT);
        assert_int_equal(label.limit_kind, LIMIT_NONE);
        assert_int_equal(label.final.kind, expected[i].kind);
        assert_int_equal(label.final.value, expected[i].value);
        assert_int_equal(label.exact.kind, expected[i].kind);
        assert_int_equal(label.exact.value, expected[i].value);
        assert_int_equal(label.depth, expected[i].depth);
        assert_int_equal(label.exact_depth, expected[i].depth);
        if (label.best_move != MOVE_NONE)
            ucimove_format(label.best_move, false, move);
        assert_string_equal(move, expected[i].best ? expected[i].best : "");
    }
}

static void check_game(const char *text, const struct sampler_rule *rule,
                       const struct expected *expected, size_t count, struct sampler_counts *counts)
{
    const struct pgn_options options = {.variants = PGN_STANDARD | PGN_FROM_POSITION};
    const struct pgn_game *game;
    const struct sampler_pick *picks;
    struct reader *reader;
    struct pgn *pgn;
    struct sampler *sampler = sampler_new();
    assert_int_equal(reader_open_memory(text, strlen(text), &reader, NULL), 0);
    assert_int_equal(pgn_new(reader, &options, NULL, &pgn, NULL), 0);
    assert_int_equal(pgn_next(pgn, &game, NULL), 1);
    assert_int_equal(game->reject, PGN_ACCEPTED);
    assert_int_equal(sampler_take(sampler, rule, game, "abcdefgh", &picks, counts, NULL), 0);
    assert_int_equal(counts->taken, count);
    check_picks(rule, picks, expected, count);
    assert_int_equal(counts->taken + counts->not_drawn + counts->out_of_range + counts->in_check +
                         counts->no_move + counts->no_eval + counts->bad_eval,
                     game->plies + 1);
    sampler_free(sampler);
    pgn_free(pgn);
    reader_close(reader);
}

#define CHECK(text, rule, counts, ...)                                                             \
    do {                                                                                           \
        const struct expected expected_[] = {__VA_ARGS__};                                         \
        check_game(text, rule, expected_, sizeof expected_ / sizeof *expected_, counts);           \
    } while (0)

/* White's view, the position behind the move: Black to move after 1. e4, so the sign turns. */
static void test_lichess(void **state)
{
    static const char game[] = "1. e4 { [%eval 0.31] } e5 { [%eval 0.25] [%clk 0:03:00] } "
                               "2. Qh5 { [%clk 0:02:00] } Ke7 { [%eval #1] } 3. Qxe5# 1-0";
    static const char black_to_mate[] = "[FEN \"7k/8/5K2/8/8/8/8/6R1 b - - 0 1\"]\n\n"
                                        "1... Kh7 { [%eval #3] } 2. Rg2 { [%eval #-4] } *";
    struct sampler_rule rule = {.max_ply = UINT32_MAX, .source = SOURCE_LICHESS_EVAL};
    struct sampler_counts counts;
    (void)state;
    CHECK(game, &rule, &counts, {1, SCORE_CP, -31, NULL, 0}, {2, SCORE_CP, 25, NULL, 0},
          {4, SCORE_MATE, 1, NULL, 0});
    assert_int_equal(counts.no_eval, 2); /* the start, after Qh5 */
    assert_int_equal(counts.in_check, 1);
    CHECK(black_to_mate, &rule, &counts, {1, SCORE_MATE, 3, NULL, 0}, {2, SCORE_MATE, 4, NULL, 0});
}

/* The mover's view, the position before the move, the move it played; mates in half-moves. */
static void test_comments(void **state)
{
    static const char game[] = "1. e4 {book} e5 {-0.25/12 1.2s} 2. Qh5 {+0.40/9 0.1s} "
                               "Ke7 {-M2/20 0.1s} 3. Qxe5# {+M1/30 0.1s, White mates} 1-0";
    struct sampler_rule rule = {.max_ply = UINT32_MAX, .source = SOURCE_PGN_COMMENT};
    struct sampler_counts counts;
    (void)state;
    CHECK(game, &rule, &counts, {1, SCORE_CP, -25, "e7e5", 12}, {2, SCORE_CP, 40, "d1h5", 9},
          {3, SCORE_MATE, -1, "e8e7", 20}, {4, SCORE_MATE, 1, "h5e5", 30});
    assert_int_equal(counts.no_eval, 1);
    rule.min_ply = 2;
    rule.max_ply = 3;
    CHECK(game, &rule, &counts, {2, SCORE_CP, 40, "d1h5", 9}, {3, SCORE_MATE, -1, "e8e7", 20});
    assert_int_equal(counts.out_of_range, 4);
}

/* Evals that are known to be bad, and draws among those that are left. */
static void test_first_eval(void **state)
{
    static const char game[] = "1. e4 { [%eval 0.1] } e5 { [%eval 0.2] } 2. Nf3 { [%eval 0.3] } "
                               "Nc6 { [%eval 0.4] } 3. Bb5 a6 { [%eval 0.6] } *";
    struct sampler_rule rule = {
        .max_ply = UINT32_MAX, .source = SOURCE_LICHESS_EVAL, .first_eval = 3};
    struct sampler_counts counts;
    (void)state;
    CHECK(game, &rule, &counts, {3, SCORE_CP, -30, NULL, 0}, {4, SCORE_CP, 40, NULL, 0},
          {6, SCORE_CP, 60, NULL, 0});
    assert_int_equal(counts.bad_eval, 2);
    assert_int_equal(counts.no_eval, 2);
    rule.first_eval = 5;
    rule.per_game = 1;
    CHECK(game, &rule, &counts, {6, SCORE_CP, 60, NULL, 0});
    assert_int_equal(counts.not_drawn, 0);
}

/* With an engine as source the game's evals change nothing. */
static void test_engine(void **state)
{
    struct sampler_rule rule = {.max_ply = 1, .source = SOURCE_ENGINE};
    struct sampler_counts counts;
    const struct pgn_options options = {.variants = PGN_STANDARD};
    const struct pgn_game *game;
    const struct sampler_pick *picks;
    static const char text[] = "1. e4 { [%eval 0.1] } {+0.1/9} e5 *";
    struct reader *reader;
    struct pgn *pgn;
    struct sampler *sampler = sampler_new();
    (void)state;
    assert_int_equal(reader_open_memory(text, sizeof text - 1, &reader, NULL), 0);
    assert_int_equal(pgn_new(reader, &options, NULL, &pgn, NULL), 0);
    assert_int_equal(pgn_next(pgn, &game, NULL), 1);
    assert_int_equal(sampler_take(sampler, &rule, game, "abcdefgh", &picks, &counts, NULL), 0);
    assert_int_equal(counts.taken, 2);
    assert_int_equal(picks[0].eval.kind, SCORE_NONE);
    assert_int_equal(picks[1].eval.kind, SCORE_NONE);
    assert_int_equal(counts.no_eval, 0);
    sampler_free(sampler);
    pgn_free(pgn);
    reader_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lichess),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_first_eval),
        cmocka_unit_test(test_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
