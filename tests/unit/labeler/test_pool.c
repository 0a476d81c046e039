/* SPDX-License-Identifier: MIT */
/*
 * The pool on good days: labels do not depend on workers, order or kind of reset, and are what the
 * engine says when it is asked by hand.
 */
#include <fcntl.h>

#include "formats/chess/movegen.h"
#include "formats/chess/ucimove.h"
#include "tests/unit/labeler/labeler_test.h"

#define POSITIONS 120

struct fixture {
    char *lines[POSITIONS];
    size_t count;
};

/* The signature positions, and every position one move behind them, as far as there is room. */
static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    char *roots[24];
    size_t root_count = read_lines("tests/data/signature.fen", roots, 24);
    assert_int_equal(root_count, 24);
    for (size_t i = 0; i < root_count; i++) {
        uint16_t moves[MOVES_MAX];
        struct position root;
        assert_int_equal(
            fen_parse(roots[i], strlen(roots[i]), FEN_REJECT_BAD_CASTLING, &root, NULL), FEN_OK);
        unsigned count = movegen_legal(&root, moves);
        for (unsigned j = 0; j < count && j < 5; j++) {
            struct position position = root;
            char fen[FEN_MAX];
            position_make(&position, moves[j], NULL);
            fen_format_label_key(&position, fen);
            fixture->lines[fixture->count++] = strdup(fen);
        }
    }
    free_lines(roots, root_count);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    free_lines(fixture->lines, fixture->count);
    free(fixture);
    return 0;
}

static void run_list(struct list *list, const struct fixture *fixture, const char *arguments,
                     unsigned workers, enum engine_reset reset)
{
    struct error err = {0};
    struct engine_config config = config_of(fake_engine(arguments));
    config.reset = reset;
    assert_ok(list_run(list, &config, workers, &err), &err);
    for (size_t i = 0; i < fixture->count; i++) {
        assert_int_equal(list->answers[i], 1);
    }
    assert_int_equal(list->stats.restarts, 0);
}

static void init_from(struct list *list, const struct fixture *fixture)
{
    list_init(list, (const char *const *)fixture->lines, fixture->count, 1000);
}

/* Asks the engine through a plain pipe: last score line and best move. */
static void ask_by_hand(const char *fen, char score[64], char move[8])
{
    char command[4600], line[512];
    snprintf(command, sizeof command,
             "printf 'uci\\nucinewgame\\nposition fen %s\\ngo nodes 1000\\nquit\\n' | %s", fen,
             fake_engine(""));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    score[0] = move[0] = 0;
    while (fgets(line, sizeof line, pipe) != NULL) {
        char *at = strstr(line, " score ");
        if (at != NULL) {
            char *end = strstr(at, " nps ");
            assert_non_null(end);
            *end = 0;
            snprintf(score, 64, "%s", at + strlen(" score "));
        }
        sscanf(line, "bestmove %7s", move);
    }
    pclose(pipe);
}

static void test_labels_are_what_the_engine_says(void **state)
{
    static const char *const bounds[] = {"", " lowerbound", " upperbound"};
    const struct fixture *fixture = *state;
    struct list list;
    unsigned mates = 0, bound_lines = 0, only_bounds = 0;
    init_from(&list, fixture);
    run_list(&list, fixture, "", 2, RESET_UCINEWGAME);
    for (size_t i = 0; i < fixture->count; i++) {
        const struct label *label = &list.labels[i];
        char score[64], move[8], expected_score[64], expected_move[UCIMOVE_MAX];
        ask_by_hand(fixture->lines[i], score, move);
        if (label->status == LABEL_NO_MOVE) {
            assert_string_equal(move, "(none)");
            continue;
        }
        snprintf(expected_score, sizeof expected_score, "%s %d%s nodes %d",
                 label->final.kind == SCORE_MATE ? "mate" : "cp", (int)label->final.value,
                 bounds[label->bound], (int)label->nodes);
        ucimove_format(label->best_move, false, expected_move);
        assert_string_equal(score, expected_score);
        assert_string_equal(move, expected_move);
        assert_int_equal(label->limit, 1000);
        assert_int_equal(label->limit_kind, LIMIT_NODES);
        mates += label->final.kind == SCORE_MATE;
        bound_lines += label->bound != BOUND_EXACT;
        only_bounds += label->exact.kind == SCORE_NONE;
    }
    assert_true(mates > 0 && bound_lines > only_bounds && only_bounds > 0);
}

static void test_workers_order_and_reset_change_nothing(void **state)
{
    const struct fixture *fixture = *state;
    struct list one, other;
    init_from(&one, fixture);
    run_list(&one, fixture, "--state", 1, RESET_UCINEWGAME);
    for (int variant = 0; variant < 4; variant++) {
        init_from(&other, fixture);
        for (size_t i = 0; i < other.count; i++) {
            other.order[i] = (i * 7 + (size_t)variant) % other.count;
        }
        run_list(&other, fixture, "--state", variant == 3 ? 1 : 3,
                 variant == 2 ? RESET_RESTART
                              : (variant == 1 ? RESET_CLEAR_HASH : RESET_UCINEWGAME));
        for (size_t i = 0; i < fixture->count; i++) {
            assert_labels_equal(&one.labels[i], &other.labels[i]);
        }
    }
}

/* The test above can fail: with an engine that does not clear, the order shows. */
static void test_engine_that_does_not_clear_depends_on_order(void **state)
{
    const struct fixture *fixture = *state;
    struct list one, other;
    unsigned different = 0;
    init_from(&one, fixture);
    run_list(&one, fixture, "--leaky", 1, RESET_UCINEWGAME);
    init_from(&other, fixture);
    for (size_t i = 0; i < other.count; i++) {
        other.order[i] = other.count - 1 - i;
    }
    run_list(&other, fixture, "--leaky", 1, RESET_UCINEWGAME);
    for (size_t i = 0; i < fixture->count; i++) {
        different += one.labels[i].final.value != other.labels[i].final.value;
    }
    assert_true(different > POSITIONS / 2);
}

static void test_depth_limit(void **state)
{
    const struct fixture *fixture = *state;
    struct list list;
    struct error err = {0};
    char folder[64], arguments[128], path[128];
    char *said[64];
    make_folder(folder);
    snprintf(arguments, sizeof arguments, "--log %s/log", folder);
    snprintf(path, sizeof path, "%s/log", folder);
    list_init(&list, (const char *const *)fixture->lines, 1, 7);
    list.limit_kind = LIMIT_DEPTH;
    struct engine_config config = config_of(fake_engine(arguments));
    assert_ok(list_run(&list, &config, 1, &err), &err);
    assert_int_equal(list.labels[0].limit_kind, LIMIT_DEPTH);
    assert_int_equal(list.labels[0].limit, 7);
    size_t count = read_lines(path, said, 64);
    assert_string_equal(said[0], "uci");
    assert_string_equal(said[1], "setoption name Threads value 1");
    assert_string_equal(said[2], "setoption name Hash value 16");
    assert_string_equal(said[3], "setoption name MultiPV value 1");
    assert_string_equal(said[4], "ucinewgame");
    assert_string_equal(said[5], "isready");
    assert_true(strncmp(said[6], "position fen ", 13) == 0);
    assert_string_equal(said[6] + 13, fixture->lines[0]);
    assert_string_equal(said[7], "go depth 7");
    assert_string_equal(said[count - 1], "quit");
    free_lines(said, count);
    remove_folder(folder);
}

static void assert_refused(const struct engine_option *option, bool chess960, const char *reason)
{
    static const char *const fens[] = {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"};
    struct list list;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine("--no-options"));
    config.options = option;
    config.option_count = option != NULL;
    config.chess960 = chess960;
    list_init(&list, fens, 1, 1000);
    assert_int_equal(list_run(&list, &config, 1, &err), -1);
    assert_int_equal(err.code, ERROR_FAILED);
    assert_contains(err.text, reason);
    assert_contains(err.text, "fake_engine");
    assert_int_equal(list.next, 0);
}

static void test_options_are_refused_before_the_run(void **state)
{
    (void)state;
    assert_refused(&(struct engine_option){"Skill Level", "21"}, false, "from -5 to 20");
    assert_refused(&(struct engine_option){"Skill Level", NULL}, false, "needs a value");
    assert_refused(&(struct engine_option){"Skill", "1"}, false, "no option \"Skill\"");
    assert_refused(&(struct engine_option){"Hash", "16"}, false, "no option \"Hash\"");
    assert_refused(&(struct engine_option){"Threads", "2"}, false, "must be 1");
    assert_refused(&(struct engine_option){"threads", "2"}, false, "must be 1");
    assert_refused(&(struct engine_option){"Analysis Contempt", "On"}, false, "Off, White, Both");
    assert_refused(&(struct engine_option){"UCI_Chess960", "true"}, false, "UCI_Chess960");
    assert_refused(&(struct engine_option){"UCI_Chess960", "false"}, true, "UCI_Chess960");
}

static void test_multipv_is_refused(void **state)
{
    (void)state;
    struct pool *pool;
    struct error err = {0};
    const struct engine_option option = {"MultiPV", "2"};
    struct engine_config config = config_of(fake_engine(""));
    config.options = &option;
    config.option_count = 1;
    assert_int_equal(pool_open(&config, 1, &pool, &err), -1);
    assert_contains(err.text, "\"MultiPV\" must be 1");
}

static void test_hash_out_of_range(void **state)
{
    (void)state;
    struct pool *pool;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine(""));
    config.hash_mb = 1024;
    assert_ok(pool_open(&config, 1, &pool, &err), &err);
    pool_close(pool);
    config.hash_mb = 1025;
    assert_int_equal(pool_open(&config, 1, &pool, &err), -1);
    assert_contains(err.text, "from 1 to 1024");
}

static void test_engine_without_hash_and_multipv(void **state)
{
    const struct fixture *fixture = *state;
    struct list list;
    init_from(&list, fixture);
    run_list(&list, fixture, "--no-options", 2, RESET_UCINEWGAME);
}

static void test_chess960(void **state)
{
    /* Castling to the right is one of the moves, and the engine writes it as king takes rook. */
    static const char *const fens[] = {
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1"};
    (void)state;
    struct list list;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine(""));
    list_init(&list, fens, 2, 1000);
    assert_ok(list_run(&list, &config, 1, &err), &err);
    assert_int_equal(list.labels[0].status, LABEL_FAILED);
    assert_contains(list.reasons[0], "UCI_Chess960");
    config.chess960 = true;
    for (uint64_t nodes = 1; nodes < 100; nodes++) {
        list_init(&list, fens, 2, nodes);
        assert_ok(list_run(&list, &config, 1, &err), &err);
        assert_int_equal(list.labels[0].status, LABEL_OK);
        assert_int_equal(list.labels[1].status, LABEL_OK);
        if (move_kind(list.labels[1].best_move) == MOVE_CASTLING) {
            return;
        }
    }
    fail_msg("no castling among 99 answers");
}

static void test_standard_castling_is_stored_as_king_takes_rook(void **state)
{
    (void)state;
    static const char *const fens[] = {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"};
    static const char command[] =
        "sh -c 'while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; "
        "go*) echo info depth 1 score cp 1 nodes 1; echo bestmove e1g1;; quit) exit;; esac; done'";
    struct list list;
    struct error err = {0};
    struct engine_config config = config_of(command);
    list_init(&list, fens, 1, 1000);
    assert_ok(list_run(&list, &config, 1, &err), &err);
    assert_int_equal(list.labels[0].best_move, move_make(4, 7, MOVE_CASTLING));
}

static void test_limit_zero_is_refused(void **state)
{
    const struct fixture *fixture = *state;
    struct list list;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine(""));
    list_init(&list, (const char *const *)fixture->lines, 1, 0);
    assert_int_equal(list_run(&list, &config, 1, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    list_init(&list, (const char *const *)fixture->lines, 1, 1);
    list.limit_kind = LIMIT_NONE;
    assert_int_equal(list_run(&list, &config, 1, &err), -1);
}

static void test_numbers_of_workers(void **state)
{
    (void)state;
    struct pool *pool;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine(""));
    assert_int_equal(pool_open(&config, 0, &pool, &err), -1);
    assert_int_equal(pool_open(&config, POOL_WORKERS_MAX + 1, &pool, &err), -1);
    config.max_restarts = POOL_RESTARTS_MAX + 1;
    assert_int_equal(pool_open(&config, 1, &pool, &err), -1);
    config.max_restarts = POOL_RESTARTS_MAX;
    assert_ok(pool_open(&config, 1, &pool, &err), &err);
    pool_close(pool);
    pool_close(NULL);
}

static void test_a_pool_runs_more_than_once(void **state)
{
    const struct fixture *fixture = *state;
    const enum engine_reset resets[] = {RESET_UCINEWGAME, RESET_RESTART};
    for (int i = 0; i < 2; i++) {
        struct error err = {0};
        struct pool *pool;
        struct engine_config config = config_of(fake_engine(""));
        config.reset = resets[i];
        assert_ok(pool_open(&config, 2, &pool, &err), &err);
        for (size_t count = 0; count < 3; count++) {
            struct list list;
            const struct pool_client client = {&list, list_next, list_done, NULL, 0};
            list_init(&list, (const char *const *)fixture->lines, count, 1000);
            assert_ok(pool_run(pool, &client, NULL, &err), &err);
            assert_int_equal(list.total, count);
        }
        pool_close(pool);
    }
}

static void test_stop_flag_ends_the_run(void **state)
{
    const struct fixture *fixture = *state;
    struct list list;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine("--delay 5"));
    init_from(&list, fixture);
    list.stop_after = 10;
    assert_int_equal(list_run(&list, &config, 2, &err), -1);
    assert_int_equal(err.code, ERROR_RETRY);
    /* What was running was finished, and nothing new begun. */
    assert_int_equal(list.total, list.next);
    assert_true(list.total >= 10 && list.total <= 12);
}

/* Input that trickles in: a byte in the pipe for every position that may be taken. */
struct trickle {
    struct list list;
    int pipe[2];
    unsigned later;
    struct pool_client client;
};

static int trickle_next(void *context, struct pool_job *job, struct error *err)
{
    struct trickle *trickle = context;
    char byte;
    if (trickle->list.next < trickle->list.count && read(trickle->pipe[0], &byte, 1) != 1) {
        trickle->later++;
        return POOL_LATER;
    }
    return list_next(&trickle->list, job, err);
}

static int trickle_done(void *context, const struct pool_job *job, const struct label *label,
                        const char *reason, struct error *err)
{
    struct trickle *trickle = context;
    assert_int_equal(write(trickle->pipe[1], "x", 1), 1); /* one answer, one new question */
    return list_done(&trickle->list, job, label, reason, err);
}

static void test_work_that_comes_later(void **state)
{
    const struct fixture *fixture = *state;
    struct trickle trickle;
    struct pool *pool;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine("--delay 1"));
    init_from(&trickle.list, fixture);
    trickle.later = 0;
    assert_int_equal(pipe(trickle.pipe), 0);
    fcntl(trickle.pipe[0], F_SETFL, O_NONBLOCK);
    trickle.client =
        (struct pool_client){&trickle, trickle_next, trickle_done, NULL, trickle.pipe[0]};
    assert_int_equal(write(trickle.pipe[1], "xy", 2), 2);
    assert_ok(pool_open(&config, 3, &pool, &err), &err);
    assert_ok(pool_run(pool, &trickle.client, NULL, &err), &err);
    pool_close(pool);
    assert_int_equal(trickle.list.total, fixture->count);
    assert_true(trickle.later > 0 && trickle.later < 20 * fixture->count);
    close(trickle.pipe[0]);
    close(trickle.pipe[1]);
}

/* Ten a second; where a busy machine lets too few through, a longer wait has more of them. */
static void test_tick_comes_while_waiting(void **state)
{
    const struct fixture *fixture = *state;
    struct list list = {0};
    for (unsigned delay_ms = 500; delay_ms <= 8000 && list.ticks < 4; delay_ms *= 4) {
        char arguments[32];
        struct error err = {0};
        snprintf(arguments, sizeof arguments, "--delay %u", delay_ms);
        struct engine_config config = config_of(fake_engine(arguments));
        list_init(&list, (const char *const *)fixture->lines, 1, 1000);
        assert_ok(list_run(&list, &config, 1, &err), &err);
    }
    assert_true(list.ticks >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_are_what_the_engine_says),
        cmocka_unit_test(test_workers_order_and_reset_change_nothing),
        cmocka_unit_test(test_engine_that_does_not_clear_depends_on_order),
        cmocka_unit_test(test_depth_limit),
        cmocka_unit_test(test_options_are_refused_before_the_run),
        cmocka_unit_test(test_multipv_is_refused),
        cmocka_unit_test(test_hash_out_of_range),
        cmocka_unit_test(test_engine_without_hash_and_multipv),
        cmocka_unit_test(test_chess960),
        cmocka_unit_test(test_standard_castling_is_stored_as_king_takes_rook),
        cmocka_unit_test(test_limit_zero_is_refused),
        cmocka_unit_test(test_numbers_of_workers),
        cmocka_unit_test(test_a_pool_runs_more_than_once),
        cmocka_unit_test(test_stop_flag_ends_the_run),
        cmocka_unit_test(test_work_that_comes_later),
        cmocka_unit_test(test_tick_comes_while_waiting),
    };
    return cmocka_run_group_tests_name("pool", tests, set_up, tear_down);
}
