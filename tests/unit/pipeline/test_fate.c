/* SPDX-License-Identifier: MIT */
/* The one fate of a sample: case 047 and the order of rule 6. */
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

static const struct fate_rule drop_all = {
    .drop_mate = true, .drop_capture = true, .drop_promotion = true};

static struct label exact_label(uint16_t move)
{
    return (struct label){
        .best_move = move, .final = {SCORE_CP, 10}, .exact = {SCORE_CP, 10}, .depth = 5};
}

static enum fate fate_of(const char *fen, const char *uci)
{
    struct position position;
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &position, NULL), FEN_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_047_quiet_filter),
        cmocka_unit_test(test_the_first_that_applies),
        cmocka_unit_test(test_by_the_move_played),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
