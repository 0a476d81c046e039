/* SPDX-License-Identifier: MIT */
/*
 * UCI as text, against the protocol's definition and lines of real engines.
 */
#include "labeler/uci.h"

#include "tests/unit/labeler/labeler_test.h"

static void add(struct uci_options *options, const char *line)
{
    struct error err = {0};
    assert_int_equal(uci_options_add(options, line, &err), 0);
}

static void test_options_are_parsed(void **state)
{
    (void)state;
    struct uci_options options = {NULL, 0};
    add(&options, "name Debug Log File type string default ");
    add(&options, "name Skill Level type spin default 20 min -5 max 20");
    add(&options, "name Clear Hash type button");
    add(&options, "name Analysis Contempt type combo default Both var Off var Very White var Both");
    add(&options, "name SyzygyPath type string default <empty>");
    add(&options, "name Use NNUE type check default true");
    add(&options, "name EvalFile type string default nn with type and min 3.nnue");
    add(&options, "name BookFile type string default");
    add(&options, "name Odd type of name type spin default 1 min 1 max 2");
    const struct uci_option *option = uci_options_find(&options, "debug log file");
    assert_non_null(option);
    assert_int_equal(option->type, UCI_STRING);
    assert_string_equal(option->name, "Debug Log File");
    assert_string_equal(option->default_value, "");
    option = uci_options_find(&options, "Skill Level");
    assert_int_equal(option->type, UCI_SPIN);
    assert_string_equal(option->default_value, "20");
    assert_int_equal(option->min, -5);
    assert_int_equal(option->max, 20);
    assert_int_equal(uci_options_find(&options, "Clear Hash")->type, UCI_BUTTON);
    assert_null(uci_options_find(&options, "Clear"));
    option = uci_options_find(&options, "Analysis Contempt");
    assert_int_equal(option->type, UCI_COMBO);
    assert_string_equal(option->default_value, "Both");
    assert_memory_equal(option->choices, "Off\0Very White\0Both\0", 21);
    assert_string_equal(uci_options_find(&options, "SyzygyPath")->default_value, "");
    assert_string_equal(uci_options_find(&options, "Use NNUE")->default_value, "true");
    assert_string_equal(uci_options_find(&options, "EvalFile")->default_value,
                        "nn with type and min 3.nnue");
    assert_string_equal(uci_options_find(&options, "BookFile")->default_value, "");
    assert_int_equal(uci_options_find(&options, "Odd type of name")->max, 2);
    uci_options_free(&options);
}

static void test_broken_option_lines_add_nothing(void **state)
{
    static const char *const lines[] = {
        "",
        "name",
        "name X",
        "name type spin default 1 min 1 max 2",
        "name X type spinning",
        "name X type spin default 1 min 1",
        "name X type spin default 1 min one max 2",
    };
    (void)state;
    struct uci_options options = {NULL, 0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_int_equal(uci_options_add(&options, lines[i], NULL), 1);
    }
    assert_int_equal(options.count, 0);
    uci_options_free(&options);
}

static void test_number_of_options_is_limited(void **state)
{
    (void)state;
    struct uci_options options = {NULL, 0};
    struct error err = {0};
    for (int i = 0; i < UCI_OPTIONS_MAX; i++) {
        add(&options, "name X type button");
    }
    assert_int_equal(uci_options_add(&options, "name X type button", &err), -1);
    assert_contains(err.text, "1024");
    uci_options_free(&options);
}

static void test_values_are_checked(void **state)
{
    static const struct {
        const char *name, *value;
        int result;
    } checks[] = {
        {"Hash", "1", 0},      {"Hash", "1024", 0},        {"Hash", "0", -1},
        {"Hash", "1025", -1},  {"Hash", "4 MB", -1},       {"Hash", "", -1},
        {"Hash", NULL, -1},    {"Hash", "-", -1},          {"Hash", "99999999999999999999", -1},
        {"Style", "Solid", 0}, {"Style", "Very risky", 0}, {"Style", "Very", -1},
        {"Style", "", -1},     {"Ponder", "true", 0},      {"Ponder", "yes", -1},
        {"Clear", NULL, 0},    {"Clear", "now", -1},       {"File", "", 0},
        {"File", "a b;c", 0},  {"File", "a\nquit", -1},
    };
    (void)state;
    struct uci_options options = {NULL, 0};
    add(&options, "name Hash type spin default 16 min 1 max 1024");
    add(&options, "name Style type combo default Solid var Solid var Very risky");
    add(&options, "name Ponder type check default false");
    add(&options, "name Clear type button");
    add(&options, "name File type string default x");
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        struct error err = {0};
        const struct uci_option *option = uci_options_find(&options, checks[i].name);
        assert_int_equal(uci_option_check(option, checks[i].value, &err), checks[i].result);
        if (checks[i].result != 0) {
            assert_contains(err.text, checks[i].name);
            assert_int_equal(err.code, ERROR_FAILED);
        }
    }
    struct error err = {0};
    uci_option_check(uci_options_find(&options, "Hash"), "2000", &err);
    assert_contains(err.text, "from 1 to 1024");
    uci_option_check(uci_options_find(&options, "Style"), "Wild", &err);
    assert_contains(err.text, "Solid, Very risky");
    uci_options_free(&options);
}

static void test_setoption_lines(void **state)
{
    (void)state;
    char line[64];
    assert_true(uci_format_setoption("Skill Level", "20", line, sizeof line) > 0);
    assert_string_equal(line, "setoption name Skill Level value 20\n");
    assert_true(uci_format_setoption("Debug Log File", "", line, sizeof line) > 0);
    assert_string_equal(line, "setoption name Debug Log File value\n");
    assert_int_equal(uci_format_setoption("Clear Hash", NULL, line, sizeof line), 26);
    assert_string_equal(line, "setoption name Clear Hash\n");
    assert_int_equal(uci_format_setoption("Clear Hash", NULL, line, 27), 26);
    assert_int_equal(uci_format_setoption("Clear Hash", NULL, line, 26), -1);
}

static void test_info_lines(void **state)
{
    static const struct {
        const char *line;
        int result, kind, value, bound, depth, multipv;
        uint64_t nodes;
    } lines[] = {
        {"depth 9 seldepth 12 multipv 1 score cp 31 nodes 8123 nps 1 pv g1f3", 0, SCORE_CP, 31,
         BOUND_EXACT, 9, 1, 8123},
        {"depth 10 multipv 1 score cp -12 upperbound nodes 10004 pv g1f3", 0, SCORE_CP, -12,
         BOUND_UPPER, 10, 1, 10004},
        {"depth 1 score cp 90 lowerbound wdl 300 600 100 nodes 10001", 0, SCORE_CP, 90, BOUND_LOWER,
         1, 1, 10001},
        {"depth 1 score cp 90 wdl 300 600 100 upperbound nodes 7", 0, SCORE_CP, 90, BOUND_UPPER, 1,
         1, 7},
        {"depth 1 score lowerbound cp 55 nodes 40", 0, SCORE_CP, 55, BOUND_LOWER, 1, 1, 40},
        {"depth 30 score mate -3 nodes 1", 0, SCORE_MATE, -3, BOUND_EXACT, 30, 1, 1},
        {"depth 0 score mate 0", 0, SCORE_MATE, 0, BOUND_EXACT, 0, 1, 0},
        {"  score \t cp   5", 0, SCORE_CP, 5, BOUND_EXACT, 0, 1, 0},
        {"depth 5 multipv 2 score cp 3", 0, SCORE_CP, 3, BOUND_EXACT, 5, 2, 0},
        {"depth 12 currmove e2e4 currmovenumber 1", 0, SCORE_NONE, 0, BOUND_EXACT, 12, 1, 0},
        {"string score cp 77 depth x", 0, SCORE_NONE, 0, BOUND_EXACT, 0, 1, 0},
        {"string NNUE evaluation using nn-ad9b42354671.nnue enabled", 0, SCORE_NONE, 0, BOUND_EXACT,
         0, 1, 0},
        {"", 0, SCORE_NONE, 0, BOUND_EXACT, 0, 1, 0},
        {"depth 3 score cp", -1, 0, 0, 0, 0, 0, 0},
        {"depth 3 score cp 1e3", -1, 0, 0, 0, 0, 0, 0},
        {"depth x score cp 1", -1, 0, 0, 0, 0, 0, 0},
        {"score cp 2147483648", -1, 0, 0, 0, 0, 0, 0},
        {"depth 65536 score cp 1", -1, 0, 0, 0, 0, 0, 0},
        {"depth 65535 score cp -2147483648", 0, SCORE_CP, INT32_MIN, BOUND_EXACT, 65535, 1, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct uci_info info;
        assert_int_equal(uci_parse_info(lines[i].line, &info), lines[i].result);
        if (lines[i].result == 0) {
            assert_int_equal(info.score.kind, lines[i].kind);
            assert_int_equal(info.has_score, lines[i].kind != SCORE_NONE);
            assert_int_equal(info.score.value, lines[i].value);
            assert_int_equal(info.bound, lines[i].bound);
            assert_int_equal(info.depth, lines[i].depth);
            assert_int_equal(info.multipv, lines[i].multipv);
            assert_int_equal(info.nodes, lines[i].nodes);
        }
    }
}

static void test_best_moves(void **state)
{
    (void)state;
    assert_int_equal(uci_move_length("e7e8q ponder a2a1"), 5);
    assert_int_equal(uci_move_length(""), 0);
    assert_string_equal(uci_after("bestmove e2e4", "bestmove"), "e2e4");
    assert_string_equal(uci_after("uciok", "uciok"), "");
    assert_null(uci_after("uciokay", "uciok"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_are_parsed),
        cmocka_unit_test(test_broken_option_lines_add_nothing),
        cmocka_unit_test(test_number_of_options_is_limited),
        cmocka_unit_test(test_values_are_checked),
        cmocka_unit_test(test_setoption_lines),
        cmocka_unit_test(test_info_lines),
        cmocka_unit_test(test_best_moves),
    };
    return cmocka_run_group_tests_name("uci", tests, NULL, NULL);
}
