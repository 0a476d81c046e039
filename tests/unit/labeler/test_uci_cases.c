/* SPDX-License-Identifier: MIT */
/*
 * The cases of engine dialogues (031, 033, 035, 037), each with its own scripted engine.
 */
#include "formats/chess/ucimove.h"
#include "tests/unit/labeler/labeler_test.h"

#define CASE_LINES_MAX 16

struct case_run {
    char *lines[CASE_LINES_MAX];
    struct list list;
};

/* Runs an engine over the case's FENs. */
static void run_case_with(struct case_run *run, const char *folder, const char *command)
{
    char path[512];
    struct error err = {0};
    snprintf(path, sizeof path, "tests/data/cases/%s/input.fen", folder);
    size_t count = read_lines(path, run->lines, CASE_LINES_MAX);
    list_init(&run->list, (const char *const *)run->lines, count, 10000);
    struct engine_config config = config_of(command);
    assert_ok(list_run(&run->list, &config, 1, &err), &err);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(run->list.answers[i], 1);
    }
}

static void run_case(struct case_run *run, const char *folder)
{
    char command[512];
    snprintf(command, sizeof command, "sh tests/data/cases/%s/input.engine.sh", folder);
    run_case_with(run, folder, command);
}

static void free_case(struct case_run *run)
{
    free_lines(run->lines, run->list.count);
}

static const char *score_text(const struct score *score)
{
    static char text[32];
    snprintf(text, sizeof text, "%s %d",
             score->kind == SCORE_CP     ? "cp"
             : score->kind == SCORE_MATE ? "mate"
                                         : "none",
             (int)score->value);
    return text;
}

static const char *move_text(const struct label *label)
{
    static char text[UCIMOVE_MAX];
    ucimove_format(label->best_move, false, text);
    return text;
}

/* "none (checkmate)" against the reason of a position without a label. */
static void assert_none(const struct case_run *run, size_t index, const char *fact_text)
{
    char inner[64] = "";
    assert_int_equal(sscanf(fact_text, "none (%63[^)])", inner), 1);
    assert_int_not_equal(run->list.labels[index].status, LABEL_OK);
    assert_contains(run->list.reasons[index], inner);
    assert_int_equal(run->list.labels[index].final.kind, SCORE_NONE);
    assert_int_equal(run->list.labels[index].exact.kind, SCORE_NONE);
}

static void test_031_best_move_none(void **state)
{
    static const char folder[] = "031-bestmove-none";
    (void)state;
    struct case_run run;
    run_case(&run, folder);
    assert_none(&run, 0, fact(folder, "label 1"));
    assert_none(&run, 1, fact(folder, "label 2"));
    assert_none(&run, 2, fact(folder, "label 3"));
    assert_int_equal(run.list.labels[0].status, LABEL_NO_MOVE);
    assert_int_equal(run.list.labels[1].status, LABEL_NO_MOVE);
    assert_int_equal(run.list.labels[2].status, LABEL_FAILED);
    char text[64];
    snprintf(text, sizeof text, "%s bestmove %s", score_text(&run.list.labels[3].final),
             move_text(&run.list.labels[3]));
    assert_string_equal(text, fact(folder, "label 4"));
    assert_int_equal(run.list.labels[3].status, LABEL_OK);
    assert_int_equal(run.list.stats.restarts, strtol(fact(folder, "engine restarts"), NULL, 10));
    assert_int_equal(run.list.stats.labels, 1);
    assert_int_equal(run.list.stats.failures, 1);
    free_case(&run);
}

static void test_033_bounds(void **state)
{
    static const char folder[] = "033-last-score-is-a-bound";
    static const char *const bounds[] = {"exact", "lowerbound", "upperbound"};
    (void)state;
    struct case_run run;
    char text[64];
    run_case(&run, folder);
    for (int i = 0; i < 2; i++) {
        char key[64];
        const struct label *label = &run.list.labels[i];
        snprintf(key, sizeof key, "label %d final", i + 1);
        snprintf(text, sizeof text, "%s %s", score_text(&label->final), bounds[label->bound]);
        assert_string_equal(text, fact(folder, key));
        snprintf(key, sizeof key, "label %d bestmove", i + 1);
        assert_string_equal(move_text(label), fact(folder, key));
    }
    snprintf(text, sizeof text, "%s exact", score_text(&run.list.labels[0].exact));
    assert_string_equal(text, fact(folder, "label 1 last-exact"));
    assert_contains(fact(folder, "label 2 last-exact"), "only bounds");
    assert_int_equal(run.list.labels[1].exact.kind, SCORE_NONE);
    /* From the script: the exact line stands at depth 9, the last one at 10 with 10,004 nodes. */
    assert_int_equal(run.list.labels[0].exact_depth, 9);
    assert_int_equal(run.list.labels[0].depth, 10);
    assert_int_equal(run.list.labels[0].nodes, 10004);
    free_case(&run);
}

/*
 * The script's best move of line 6 is e8d7, where the own pawn stands. By the rule of case 031 that
 * is no label, so the facts are held against a copy of the script that says e8e7 there.
 */
static void test_035_point_of_view(void **state)
{
    static const char folder[] = "035-score-point-of-view";
    (void)state;
    struct case_run run;
    char temporary[64], command[512];
    make_folder(temporary);
    snprintf(command, sizeof command,
             "sed s/e8d7/e8e7/ tests/data/cases/%s/input.engine.sh >%s/engine.sh", folder,
             temporary);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "sh %s/engine.sh", temporary);
    run_case_with(&run, folder, command);
    remove_folder(temporary);
    for (size_t i = 0; i < 6; i++) {
        char key[32], text[64];
        const struct label *label = &run.list.labels[i];
        bool black = strstr(run.lines[i], " b ") != NULL;
        struct score white = label->final;
        white.value = black ? -white.value : white.value;
        int used = snprintf(text, sizeof text, "stm %s, ", score_text(&label->final));
        snprintf(text + used, sizeof text - (size_t)used, "white %s", score_text(&white));
        snprintf(key, sizeof key, "line %zu", i + 1);
        assert_string_equal(text, fact(folder, key));
        assert_int_equal(label->status, LABEL_OK);
        assert_int_equal(label->bound, BOUND_EXACT);
    }
    free_case(&run);
}

static void test_035_as_scripted(void **state)
{
    (void)state;
    struct case_run run;
    run_case(&run, "035-score-point-of-view");
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(run.list.labels[i].status, LABEL_OK);
    }
    assert_int_equal(run.list.labels[5].status, LABEL_FAILED);
    assert_string_equal(run.list.reasons[5], "impossible best move e8d7");
    assert_int_equal(run.list.stats.restarts, 0);
    free_case(&run);
}

/* What stands behind "KEY = " in input.cfg; NULL value where nothing does, as the config wants "".
 */
static size_t read_options(const char *path, char **lines, struct engine_option *options)
{
    size_t count = read_lines(path, lines, CASE_LINES_MAX);
    for (size_t i = 0; i < count; i++) {
        char *equals = strstr(lines[i], " =");
        assert_non_null(equals);
        *equals = 0;
        options[i].name = lines[i];
        options[i].value = equals[2] == ' ' ? equals + 3 : equals + 2;
    }
    return count;
}

static bool is_in(char **lines, size_t count, const char *line)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(lines[i], line) == 0) {
            return true;
        }
    }
    return false;
}

static void test_037_option_names_with_spaces(void **state)
{
    static const char folder[] = "037-option-names-with-spaces";
    static const char *const fens[] = {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppp1p/6p1/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2",
    };
    (void)state;
    for (int reset = RESET_UCINEWGAME; reset <= RESET_CLEAR_HASH; reset++) {
        char temporary[64], log[128], command[512];
        char *given[CASE_LINES_MAX], *said[64];
        struct engine_option options[CASE_LINES_MAX];
        struct error err = {0};
        struct list list;
        make_folder(temporary);
        snprintf(log, sizeof log, "%s/log", temporary);
        snprintf(command, sizeof command, "env FAKE_ENGINE_LOG=%s sh tests/data/cases/%s/%s", log,
                 folder, "input.engine.sh");
        struct engine_config config = config_of(command);
        config.reset = (enum engine_reset)reset;
        config.hash_mb = 4; /* the option given by hand is the one that counts */
        config.options = options;
        config.option_count =
            read_options("tests/data/cases/037-option-names-with-spaces/input.cfg", given, options);
        list_init(&list, fens, 2, 10000);
        assert_ok(list_run(&list, &config, 1, &err), &err);
        size_t count = read_lines(log, said, 64);
        assert_true(is_in(said, count, "setoption name Threads value 1"));
        assert_true(is_in(said, count, "setoption name Hash value 16"));
        assert_true(is_in(said, count, "setoption name Skill Level value 20"));
        assert_true(is_in(said, count, "setoption name Analysis Contempt value Off"));
        assert_true(is_in(said, count, "setoption name SyzygyPath value tb a/x;tb value b"));
        assert_true(is_in(said, count, "setoption name Debug Log File value"));
        assert_true(is_in(said, count, "setoption name Clear Hash") == (reset == RESET_CLEAR_HASH));
        assert_true(is_in(said, count, "ucinewgame") == (reset == RESET_UCINEWGAME));
        size_t settings = 0, searches = 0;
        for (size_t i = 0; i < count; i++) {
            settings += searches == 0 && strncmp(said[i], "setoption", 9) == 0 &&
                        strstr(said[i], "Clear Hash") == NULL;
            searches += strncmp(said[i], "go ", 3) == 0;
        }
        assert_int_equal(settings, 6); /* nothing else, and all before the first search */
        assert_int_equal(searches, 2);
        free_lines(said, count);
        free_lines(given, config.option_count);
        remove_folder(temporary);
    }
}

/* The script answers "info string REJECTED" to any spelling that it does not list. */
static void test_037_facts_are_what_is_tested(void **state)
{
    static const char folder[] = "037-option-names-with-spaces";
    (void)state;
    assert_string_equal(fact(folder, "line"), "setoption name Threads value 1");
    assert_string_equal(fact(folder, "between positions"),
                        "setoption name Clear Hash  (or ucinewgame)");
    assert_string_equal(fact(folder, "REJECTED answers"), "0");
}

static void test_037_option_not_listed_is_an_error(void **state)
{
    (void)state;
    static const char *const fens[] = {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"};
    const struct engine_option option = {"Skill", "3"};
    struct engine_config config =
        config_of("sh tests/data/cases/037-option-names-with-spaces/input.engine.sh");
    struct error err = {0};
    struct list list;
    config.options = &option;
    config.option_count = 1;
    list_init(&list, fens, 1, 10000);
    assert_int_equal(list_run(&list, &config, 1, &err), -1);
    assert_int_equal(err.code, ERROR_FAILED);
    assert_contains(err.text, "\"Skill\"");
    assert_int_equal(list.next, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_031_best_move_none),
        cmocka_unit_test(test_033_bounds),
        cmocka_unit_test(test_035_point_of_view),
        cmocka_unit_test(test_035_as_scripted),
        cmocka_unit_test(test_037_option_names_with_spaces),
        cmocka_unit_test(test_037_facts_are_what_is_tested),
        cmocka_unit_test(test_037_option_not_listed_is_an_error),
    };
    return cmocka_run_group_tests_name("uci_cases", tests, NULL, NULL);
}
