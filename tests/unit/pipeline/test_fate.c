/* SPDX-License-Identifier: MIT */
/* The one fate of a sample: case 047, every filter at its limit and one past it, their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "pipeline/stages/fate.h"

#define CASE "tests/data/cases/047-quiet-filter/expected.md"

#define KINGS_AND_ROOK "4k3/8/8/8/8/8/8/R3K3 w - - 0 1" /* three pieces */

/* No filter but what a test sets. */
static const struct fate_rule keep_all = {.max_abs_score = FATE_NO_LIMIT,
                                          .wdl_consistency = FATE_NO_LIMIT,
                                          .fewest_pieces = 2,
                                          .most_pieces = 32};
static const struct fate_rule drop_all = {.drop_mate = true,
                                          .drop_capture = true,
                                          .drop_promotion = true,
                                          .max_abs_score = FATE_NO_LIMIT,
                                          .wdl_consistency = FATE_NO_LIMIT,
                                          .fewest_pieces = 2,
                                          .most_pieces = 32};

static struct label exact_label(uint16_t move)
{
    return (struct label){
        .best_move = move, .final = {SCORE_CP, 10}, .exact = {SCORE_CP, 10}, .depth = 5};
}

static struct position position_of(const char *fen)
{
    struct position position;
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &position, NULL), FEN_OK);
    return position;
}

static enum fate fate_of_label(const struct fate_rule *rule, const struct position *position,
                               const struct label *label, uint16_t played)
{
    const struct fate_sample sample = {.game_id = "aBcDeFgH",
                                       .ply = 10,
                                       .position = position,
                                       .label = label,
                                       .played = played,
                                       .result = 2};
    return fate_of_sample(rule, &sample);
}

static enum fate fate_of(const char *fen, const char *uci)
{
    struct position position = position_of(fen);
    uint16_t move = ucimove_parse(&position, uci, strlen(uci));
    assert_int_not_equal(move, MOVE_NONE);
    struct label label = exact_label(move);
    return fate_of_label(&drop_all, &position, &label, MOVE_NONE);
}

/* "FEN | move = KEEP" or "... = DROP: reasons"; "in check" is refused before sampling. */
static void check_fact(const char *line)
{
    char fen[128], uci[8], verdict[64];
    if (sscanf(line, "%127[^|]| %7s = %63[^\n]", fen, uci, verdict) != 3)
        fail_msg("cannot read fact: %s", line);
    fen[strlen(fen) - 1] = '\0';
    enum fate want = FATE_KEPT;
    if (strstr(verdict, "capture"))
        want = FATE_CAPTURE;
    else if (strstr(verdict, "promotion"))
        want = FATE_PROMOTION;
    assert_int_equal(fate_of(fen, uci), want);
    struct position position;
    fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &position, NULL);
    assert_int_equal(position_checkers(&position) != 0, strstr(verdict, "in check") != NULL);
}

static void test_case_047_quiet_filter(void **state)
{
    (void)state;
    FILE *file = fopen(CASE, "r");
    assert_non_null(file);
    char line[512];
    int facts = 0, inside = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "```", 3) == 0)
            inside = strncmp(line, "```facts", 8) == 0;
        else if (inside) {
            check_fact(line);
            facts++;
        }
    }
    fclose(file);
    assert_int_equal(facts, 15);
}

static void test_the_first_that_applies(void **state)
{
    (void)state;
    struct position position;
    const char *fen = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &position, NULL), FEN_OK);
    struct label label = exact_label(ucimove_parse(&position, "a7b8q", 5));
    struct fate_rule rule = drop_all;
    label.final = (struct score){SCORE_MATE, 3};
    label.status = LABEL_FAILED;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_ENGINE_FAILURE);
    label.status = LABEL_NO_MOVE;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_NO_LEGAL_MOVE);
    label.status = LABEL_OK;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_MATE);
    rule.last_exact = true;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_CAPTURE);
    label.exact.kind = SCORE_NONE;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_ONLY_BOUNDS);
    label.exact.kind = SCORE_CP;
    rule.drop_capture = false;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_PROMOTION);
    rule.drop_promotion = false;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_KEPT);
}

/* Labels without a best move are judged by the move played, where there is one. */
static void test_by_the_move_played(void **state)
{
    (void)state;
    struct position position;
    const char *fen =
        "rn2k3/P7/8/8/8/8/8/R3K3 w - - 0 1"; /* a rook stands on a1, move 0's target */
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &position, NULL), FEN_OK);
    uint16_t quiet = ucimove_parse(&position, "e1e2", 4);
    uint16_t capture = ucimove_parse(&position, "a7b8q", 5);
    struct label label = exact_label(MOVE_NONE);
    assert_int_equal(fate_of_label(&drop_all, &position, &label, MOVE_NONE), FATE_KEPT);
    assert_int_equal(fate_of_label(&drop_all, &position, &label, quiet), FATE_KEPT);
    assert_int_equal(fate_of_label(&drop_all, &position, &label, capture), FATE_CAPTURE);
    struct fate_rule rule = drop_all;
    rule.drop_capture = false;
    assert_int_equal(fate_of_label(&rule, &position, &label, capture), FATE_PROMOTION);
    label.best_move = quiet;
    assert_int_equal(fate_of_label(&drop_all, &position, &label, capture), FATE_KEPT);
}

/* A quiet move of the rook's side in a position of three pieces, with a score and a result. */
static enum fate fate_of_score(const struct fate_rule *rule, const char *fen, struct score score,
                               int result)
{
    struct position position = position_of(fen);
    struct label label = exact_label(ucimove_parse(&position, "e1e2", 4));
    label.final = label.exact = score;
    const struct fate_sample sample = {
        .position = &position, .label = &label, .game_id = "aBcDeFgH", .result = result};
    return fate_of_sample(rule, &sample);
}

static void test_largest_score(void **state)
{
    static const struct {
        struct score score;
        enum fate fate;
    } rows[] = {
        {{SCORE_CP, 1000}, FATE_KEPT},       {{SCORE_CP, 1001}, FATE_SCORE},
        {{SCORE_CP, -1000}, FATE_KEPT},      {{SCORE_CP, -1001}, FATE_SCORE},
        {{SCORE_CP, INT32_MIN}, FATE_SCORE}, {{SCORE_MATE, 2000}, FATE_KEPT},
        {{SCORE_MATE, -1}, FATE_KEPT},
    };
    struct fate_rule rule = keep_all;
    (void)state;
    rule.max_abs_score = 1000;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(fate_of_score(&rule, KINGS_AND_ROOK, rows[i].score, 2), rows[i].fate);
    rule.drop_mate = true;
    assert_int_equal(fate_of_score(&rule, KINGS_AND_ROOK, (struct score){SCORE_MATE, 2}, 2),
                     FATE_MATE);
    rule.max_abs_score = 0;
    assert_int_equal(fate_of_score(&rule, KINGS_AND_ROOK, (struct score){SCORE_CP, 0}, 2),
                     FATE_KEPT);
    assert_int_equal(fate_of_score(&rule, KINGS_AND_ROOK, (struct score){SCORE_CP, -1}, 2),
                     FATE_SCORE);
}

static void test_bounds(void **state)
{
    (void)state;
    struct position position = position_of(KINGS_AND_ROOK);
    struct label label = exact_label(ucimove_parse(&position, "e1e2", 4));
    struct fate_rule rule = keep_all;
    label.bound = BOUND_LOWER;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_KEPT);
    rule.drop_bounds = true;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_BOUND);
    label.bound = BOUND_UPPER;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_BOUND);
    rule.last_exact = true; /* another score is used, which is none */
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_KEPT);
    label.bound = BOUND_EXACT;
    rule.last_exact = false;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_KEPT);
}

static void test_pieces(void **state)
{
    (void)state;
    const struct score score = {SCORE_CP, 0};
    struct fate_rule rule = keep_all;
    rule.fewest_pieces = rule.most_pieces = 3;
    assert_int_equal(fate_of_score(&rule, KINGS_AND_ROOK, score, 2), FATE_KEPT);
    rule.fewest_pieces = 4;
    rule.most_pieces = 32;
    assert_int_equal(fate_of_score(&rule, KINGS_AND_ROOK, score, 2), FATE_PIECES);
    rule.fewest_pieces = rule.most_pieces = 2;
    assert_int_equal(fate_of_score(&rule, KINGS_AND_ROOK, score, 2), FATE_PIECES);
    assert_int_equal(fate_of_score(&rule, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", score, 2), FATE_KEPT);
}

/* The draw of aBcDeFgH, ply 10, seed 0 is d6b3403cb20d880e (see test_draw.c). */
static void test_piece_weights_take_the_lowest_draws(void **state)
{
    (void)state;
    const uint64_t draw = UINT64_C(0xd6b3403cb20d880e);
    struct position position = position_of(KINGS_AND_ROOK);
    struct label label = exact_label(ucimove_parse(&position, "e1e2", 4));
    struct fate_rule rule = keep_all;
    rule.weights.classes = 1;
    rule.keep.below[3] = draw + 1;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_KEPT);
    rule.keep.below[3] = draw;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_PIECE_WEIGHTS);
    rule.seed = 5; /* 385ee1d6fc29a345 */
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_KEPT);
    rule.keep.below[3] = 0;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_PIECE_WEIGHTS);
    rule.keep.all[3] = true;
    assert_int_equal(fate_of_label(&rule, &position, &label, MOVE_NONE), FATE_KEPT);
}

/* Scores are from the side to move, results White's: 1, 0, -1, 2 unknown. */
static void test_scores_against_the_result(void **state)
{
    static const struct {
        const char *side;
        struct score score;
        int result;
        enum fate fate;
    } rows[] = {
        {"w", {SCORE_CP, 301}, 1, FATE_KEPT},    {"w", {SCORE_CP, 301}, 0, FATE_RESULT},
        {"w", {SCORE_CP, 301}, -1, FATE_RESULT}, {"w", {SCORE_CP, 301}, 2, FATE_KEPT},
        {"w", {SCORE_CP, 300}, 0, FATE_KEPT},    {"w", {SCORE_CP, 300}, -1, FATE_KEPT},
        {"w", {SCORE_CP, -301}, 1, FATE_RESULT}, {"w", {SCORE_CP, -301}, 0, FATE_RESULT},
        {"w", {SCORE_CP, -301}, -1, FATE_KEPT},  {"w", {SCORE_CP, -300}, 1, FATE_KEPT},
        {"b", {SCORE_CP, 301}, 1, FATE_RESULT},  {"b", {SCORE_CP, 301}, -1, FATE_KEPT},
        {"b", {SCORE_CP, -301}, 1, FATE_KEPT},   {"b", {SCORE_CP, -301}, -1, FATE_RESULT},
        {"b", {SCORE_CP, -301}, 0, FATE_RESULT}, {"b", {SCORE_CP, 0}, 0, FATE_KEPT},
        {"w", {SCORE_MATE, 5}, 1, FATE_KEPT},    {"w", {SCORE_MATE, 5}, 0, FATE_RESULT},
        {"w", {SCORE_MATE, -5}, 1, FATE_RESULT}, {"b", {SCORE_MATE, -5}, 1, FATE_KEPT},
    };
    struct fate_rule rule = keep_all;
    (void)state;
    rule.wdl_consistency = 300;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char fen[64];
        (void)snprintf(fen, sizeof fen, "4k3/8/8/8/8/8/8/R3K3 %s - - 0 1", rows[i].side);
        enum fate fate = fate_of_score(&rule, fen, rows[i].score, rows[i].result);
        if (fate != rows[i].fate)
            fail_msg("row %zu: %s", i, fate_text(fate));
        assert_int_equal(fate_of_score(&keep_all, fen, rows[i].score, rows[i].result), FATE_KEPT);
    }
}

/* Everything applies: each filter that is taken away shows the one behind it. */
static void test_the_order_of_the_filters(void **state)
{
    (void)state;
    struct position position = position_of("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1");
    struct label label = exact_label(ucimove_parse(&position, "a7b8q", 5));
    label.final = (struct score){SCORE_CP, 500};
    label.bound = BOUND_LOWER;
    struct fate_rule rule = {.drop_capture = true,
                             .drop_promotion = true,
                             .drop_bounds = true,
                             .fewest_pieces = 5,
                             .most_pieces = 32,
                             .weights.classes = 1};
    const struct fate_sample sample = {
        .position = &position, .label = &label, .game_id = "aBcDeFgH", .result = -1};
    assert_int_equal(fate_of_sample(&rule, &sample), FATE_CAPTURE);
    rule.drop_capture = false;
    assert_int_equal(fate_of_sample(&rule, &sample), FATE_PROMOTION);
    rule.drop_promotion = false;
    assert_int_equal(fate_of_sample(&rule, &sample), FATE_SCORE);
    rule.max_abs_score = 500;
    assert_int_equal(fate_of_sample(&rule, &sample), FATE_BOUND);
    rule.drop_bounds = false;
    assert_int_equal(fate_of_sample(&rule, &sample), FATE_PIECES);
    assert_int_equal(fate_before_weights(&rule, &sample), FATE_PIECES);
    rule.fewest_pieces = 4;
    assert_int_equal(fate_before_weights(&rule, &sample), FATE_KEPT);
    assert_int_equal(fate_of_sample(&rule, &sample), FATE_PIECE_WEIGHTS);
    rule.weights.classes = 0;
    assert_int_equal(fate_of_sample(&rule, &sample), FATE_RESULT);
    rule.wdl_consistency = 500;
    assert_int_equal(fate_of_sample(&rule, &sample), FATE_KEPT);
}

static void test_the_rule_of_a_recipe(void **state)
{
    (void)state;
    struct settings *settings = settings_new();
    struct fate_rule rule;
    fate_rule_from(settings, &rule);
    assert_true(rule.drop_mate && rule.drop_capture && rule.drop_promotion);
    assert_false(rule.drop_bounds || rule.last_exact);
    assert_true(rule.max_abs_score == FATE_NO_LIMIT && rule.wdl_consistency == FATE_NO_LIMIT);
    assert_int_equal(rule.fewest_pieces, 2);
    assert_int_equal(rule.most_pieces, 32);
    assert_int_equal(rule.weights.classes, 0);
    static const char *const values[][2] = {
        {"filter.seed", "9"},          {"filter.mate", "keep"},
        {"filter.bounds", "drop"},     {"filter.pieces", "4,30"},
        {"filter.max_abs_score", "0"}, {"filter.wdl_consistency", "250"},
        {"label.score", "last-exact"}, {"filter.piece_weights", "2-10:1,11-32:3"}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_int_equal(settings_set(settings, values[i][0], values[i][1], "test", NULL), 0);
    fate_rule_from(settings, &rule);
    assert_true(rule.drop_bounds && rule.last_exact && rule.drop_capture);
    assert_false(rule.drop_mate);
    assert_true(rule.max_abs_score == 0 && rule.wdl_consistency == 250 && rule.seed == 9);
    assert_int_equal(rule.fewest_pieces, 4);
    assert_int_equal(rule.most_pieces, 30);
    assert_int_equal(rule.weights.classes, 2);
    assert_int_equal(rule.weights.weight[1], 3);
    settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_047_quiet_filter),
        cmocka_unit_test(test_the_first_that_applies),
        cmocka_unit_test(test_by_the_move_played),
        cmocka_unit_test(test_largest_score),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_piece_weights_take_the_lowest_draws),
        cmocka_unit_test(test_scores_against_the_result),
        cmocka_unit_test(test_the_order_of_the_filters),
        cmocka_unit_test(test_the_rule_of_a_recipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
