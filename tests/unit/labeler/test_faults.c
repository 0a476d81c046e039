/* SPDX-License-Identifier: MIT */
/*
 * The pool when engines fail: each fault ends in the right labels, in a quarantined position, or in
 * one line that says the command and what happened.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "labeler/engine.h"
#include "tests/unit/labeler/labeler_test.h"
#include "tests/unit/skip.h"

#define POSITIONS 24

struct fixture {
    char *lines[POSITIONS];
    struct list right; /* the labels of an engine without faults */
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err = {0};
    struct engine_config config = config_of(fake_engine(""));
    size_t count = read_lines("tests/data/signature.fen", fixture->lines, POSITIONS);
    config.deadline_ms = 5000;
    list_init(&fixture->right, (const char *const *)fixture->lines, count, 1000);
    assert_ok(list_run(&fixture->right, &config, 1, &err), &err);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    free_lines(fixture->lines, POSITIONS);
    free(fixture);
    return 0;
}

static void init_from(struct list *list, const struct fixture *fixture)
{
    list_init(list, (const char *const *)fixture->lines, POSITIONS, 1000);
}

static void assert_right(const struct fixture *fixture, const struct list *list, size_t index)
{
    assert_int_equal(list->answers[index], 1);
    assert_labels_equal(&list->labels[index], &fixture->right.labels[index]);
}

/* A fault that strikes once costs one restart and no label. */
static void strikes_once(void **state, const char *fault)
{
    const struct fixture *fixture = *state;
    char folder[64], arguments[256];
    struct list list;
    struct error err = {0};
    make_folder(folder);
    snprintf(arguments, sizeof arguments, "%s --once %s/struck", fault, folder);
    struct engine_config config = config_of(fake_engine(arguments));
    init_from(&list, fixture);
    assert_ok(list_run(&list, &config, 2, &err), &err);
    for (size_t i = 0; i < POSITIONS; i++) {
        assert_right(fixture, &list, i);
    }
    assert_int_equal(list.stats.labels, POSITIONS);
    assert_int_equal(list.stats.failures, 0);
    assert_int_equal(list.stats.restarts, 1);
    assert_int_equal(list.health.labels, POSITIONS);
    assert_int_equal(list.health.failures, 0);
    assert_int_equal(list.health.restarts, 1);
    remove_folder(folder);
}

/* A position that strikes every engine is given up with a reason; all others are labeled. */
static void strikes_a_position(void **state, const char *fault, const char *reason,
                               unsigned restarts)
{
    const struct fixture *fixture = *state;
    char arguments[256];
    struct list list;
    struct error err = {0};
    /* The board of position 5, whose text only it has. */
    snprintf(arguments, sizeof arguments, "%s-on %.20s", fault, fixture->lines[5]);
    struct engine_config config = config_of(fake_engine(arguments));
    init_from(&list, fixture);
    assert_ok(list_run(&list, &config, 2, &err), &err);
    for (size_t i = 0; i < POSITIONS; i++) {
        if (i != 5) {
            assert_right(fixture, &list, i);
        }
    }
    assert_int_equal(list.answers[5], 1);
    assert_int_equal(list.labels[5].status, LABEL_FAILED);
    assert_int_equal(list.labels[5].final.kind, SCORE_NONE);
    assert_contains(list.reasons[5], reason);
    assert_int_equal(list.stats.failures, 1);
    assert_int_equal(list.stats.restarts, restarts);
    assert_int_equal(list.health.labels, POSITIONS - 1);
    assert_int_equal(list.health.failures, 1);
    assert_int_equal(list.health.restarts, restarts);
    if (strstr(reason, "no bestmove within"))
        assert_int_equal(list.health.timeouts, restarts);
    if (strstr(reason, "killed by signal"))
        assert_int_equal(list.health.timeouts, 0);
}

static void test_dies_in_mid_search(void **state)
{
    strikes_once(state, "--die-at 3");
    strikes_a_position(state, "--die", "in the middle of a search (killed by signal 6", 2);
}

static void test_hangs(void **state)
{
    strikes_once(state, "--hang-at 3");
    strikes_a_position(state, "--hang", "no bestmove within 200 ms", 2);
}

static void test_is_stopped(void **state)
{
    strikes_once(state, "--stop-at 2");
    strikes_a_position(state, "--stop", "no bestmove within 200 ms", 2);
}

static void test_closes_its_output(void **state)
{
    strikes_once(state, "--close-at 4");
    strikes_a_position(state, "--close", "closed its output in the middle", 2);
}

static void test_floods(void **state)
{
    strikes_once(state, "--flood-at 2");
    strikes_a_position(state, "--flood", "no bestmove within 200 ms", 2);
}

static void test_answers_twice(void **state)
{
    strikes_once(state, "--twice-at 3");
    strikes_a_position(state, "--twice", "not asked for", 2);
}

/* The answer to an earlier position comes first: it must never be taken for this one. */
static void test_late_answer_of_an_earlier_position(void **state)
{
    strikes_once(state, "--late-at 3");
}

static void test_says_error_and_falls_silent(void **state)
{
    strikes_once(state, "--error-at 3");
    strikes_a_position(state, "--error", "ERROR: the net could not be read", 2);
    strikes_once(state, "--critical-at 3");
    strikes_a_position(state, "--critical", "CRITICAL ERROR: the network", 2);
}

static void test_broken_numbers(void **state)
{
    strikes_once(state, "--garbage-at 3");
    strikes_a_position(state, "--garbage", "broken number", 2);
}

static void test_answer_without_a_score(void **state)
{
    strikes_once(state, "--no-score-at 3");
    strikes_a_position(state, "--no-score", "without a score", 2);
}

static void test_impossible_best_move(void **state)
{
    strikes_a_position(state, "--illegal", "impossible best move a1a1", 0);
    strikes_a_position(state, "--none", "impossible best move (none)", 0);
}

/* Slower than the deadline always: the window of restarts ends the run, to be tried again. */
static void test_answers_after_the_deadline(void **state)
{
    const struct fixture *fixture = *state;
    struct list list;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine("--delay 400"));
    config.max_restarts = 3;
    init_from(&list, fixture);
    assert_int_equal(list_run(&list, &config, 1, &err), -1);
    assert_int_equal(err.code, ERROR_RETRY);
    assert_contains(err.text, "failed 4 times within 600 s");
    assert_contains(err.text, "no bestmove within 200 ms");
    assert_contains(err.text, "--delay 400");
    assert_int_equal(list.stats.restarts, 4);
    assert_int_equal(list.health.timeouts, 4);
    assert_int_equal(list.health.labels, 0);
    assert_int_equal(list.total, 2);
    assert_int_equal(list.labels[0].status, LABEL_FAILED);
}

static void test_window_of_restarts_is_a_window(void **state)
{
    const struct fixture *fixture = *state;
    struct list list;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine("--die-at 3"));
    config.max_restarts = 3;
    config.restart_window_s = 600;
    init_from(&list, fixture);
    assert_int_equal(list_run(&list, &config, 1, &err), -1); /* 2 labels and a death, each time */
    assert_int_equal(err.code, ERROR_RETRY);
    assert_int_equal(list.stats.restarts, 4);
    assert_int_equal(list.stats.labels, 8);
    config.restart_window_s = 0;
    memset(&err, 0, sizeof err);
    init_from(&list, fixture);
    assert_ok(list_run(&list, &config, 1, &err), &err);
    for (size_t i = 0; i < POSITIONS; i++) {
        assert_right(fixture, &list, i);
    }
}

static void test_harmless_oddities(void **state)
{
    static const char *const oddities[] = {"--crlf",       "--fill-stderr",  "--ignore-eof",
                                           "--no-options", "--chatter-at 2", "--chatter"};
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++) {
        struct list list;
        struct error err = {0};
        struct engine_config config = config_of(fake_engine(oddities[i]));
        init_from(&list, fixture);
        assert_ok(list_run(&list, &config, 2, &err), &err);
        for (size_t j = 0; j < POSITIONS; j++) {
            assert_right(fixture, &list, j);
        }
        assert_int_equal(list.stats.restarts, 0);
    }
}

/* The address space is limited: it does not start, or it ends where it wants more. */
static void test_memory_limit(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)state;
    SKIP_BECAUSE("a sanitizer's shadow memory is larger than any limit");
#else
    const struct fixture *fixture = *state;
    char command[4600];
    struct pool *pool;
    struct list list;
    struct error err = {0};
    snprintf(command, sizeof command, "sh -c 'ulimit -v 200000; exec \"$0\" --memory 500' %s",
             fake_engine(""));
    struct engine_config config = config_of(command);
    assert_int_equal(pool_open(&config, 1, &pool, &err), -1);
    assert_contains(err.text, "no memory");
    snprintf(command, sizeof command, "sh -c 'ulimit -v 200000; exec \"$0\" --grow-on %.20s' %s",
             fixture->lines[5], fake_engine(""));
    config.deadline_ms = 5000;
    init_from(&list, fixture);
    assert_ok(list_run(&list, &config, 2, &err), &err);
    for (size_t i = 0; i < POSITIONS; i++) {
        if (i != 5) {
            assert_right(fixture, &list, i);
        }
    }
    assert_int_equal(list.labels[5].status, LABEL_FAILED);
    assert_contains(list.reasons[5], "out of memory after");
    assert_int_equal(list.stats.restarts, 2);
#endif
}

/* What cannot start ends pool_open with one line: the command and what happened. */
static void test_engines_that_do_not_start(void **state)
{
    static const struct {
        const char *command, *reason;
    } engines[] = {
        {"/no/such/engine", "no such file"},
        {"plymill-no-such-engine", "not found in PATH"},
        {"/etc/passwd", "not executable"},
        {"/bin/true", "ended before it said uciok (exit status 0)"},
        {"/bin/false", "ended before it said uciok (exit status 1)"},
        {"/bin/cat", "no uciok within 300 ms; its first line was \"uci\""},
        {"/bin/yes", "no UCI engine"},
        {"sleep 100", "no uciok within 300 ms"},
        {"sh -c 'echo a library is missing >&2; exit 127'", "it said: a library is missing"},
        {"sh -c 'exec cat /dev/zero'", "no uciok within 300 ms"},
        {"sh -c 'read -r line; echo uciok; exec sleep 100'", "no readyok within 300 ms"},
        {"sh -c 'read -r line; echo uciok; exit 3'",
         "ended before its first readyok (exit status 3)"},
        {"sh -c 'kill -STOP $$'", "no uciok within 300 ms"},
    };
    static const char *const faults[][2] = {
        {"--no-uciok", "no uciok within 300 ms"},
        {"--no-readyok", "no readyok within 300 ms"},
        {"--die-at-start", "ended before it said uciok (exit status 1)"},
        {"--flood-at-start", "no UCI engine"},
        {"--reject", "No such option: Threads value 1"},
    };
    (void)state;
    size_t engine_count = sizeof engines / sizeof *engines;
    for (size_t i = 0; i < engine_count + sizeof faults / sizeof *faults; i++) {
        bool fake = i >= engine_count;
        struct pool *pool;
        struct error err = {0};
        struct engine_config config =
            config_of(fake ? fake_engine(faults[i - engine_count][0]) : engines[i].command);
        config.start_deadline_ms = 300;
        assert_int_equal(pool_open(&config, 2, &pool, &err), -1);
        assert_null(pool);
        assert_int_equal(err.code, ERROR_FAILED);
        assert_contains(err.text, config.command);
        assert_contains(err.text, fake ? faults[i - engine_count][1] : engines[i].reason);
        assert_null(strchr(err.text, '\n'));
    }
}

/* It starts once and then never again. */
static void test_restart_that_fails(void **state)
{
    const struct fixture *fixture = *state;
    char folder[64], command[4600];
    struct list list;
    struct error err = {0};
    make_folder(folder);
    snprintf(command, sizeof command,
             "sh -c 'test -e %s/used && exit 4; touch %s/used; exec $0 --die-at 2' %s", folder,
             folder, fake_engine(""));
    struct engine_config config = config_of(command);
    config.max_restarts = 3;
    init_from(&list, fixture);
    assert_int_equal(list_run(&list, &config, 1, &err), -1);
    assert_int_equal(err.code, ERROR_RETRY);
    assert_contains(err.text, "exit status 4");
    assert_int_equal(list.total, 1); /* the second position has not failed twice: it stays open */
    remove_folder(folder);
}

static void test_engine_becomes_another_one(void **state)
{
    const struct fixture *fixture = *state;
    char folder[64], command[4600];
    struct list list;
    struct error err = {0};
    make_folder(folder);
    snprintf(
        command, sizeof command,
        "sh -c 'test -e %s/used && exec $0 --name Other; touch %s/used; exec $0 --die-at 2' %s",
        folder, folder, fake_engine(""));
    struct engine_config config = config_of(command);
    init_from(&list, fixture);
    assert_int_equal(list_run(&list, &config, 1, &err), -1);
    assert_int_equal(err.code, ERROR_FAILED);
    assert_contains(err.text, "\"Other\", not \"Fake 1\"");
    remove_folder(folder);
}

static int64_t milliseconds(void)
{
    return engine_clock_us() / 1000;
}

/* Closing takes no longer than the grace, whatever the engines do. */
static void test_close_is_quick(void **state)
{
    static const char *const arguments[] = {"", "--ignore-eof"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pool *pool;
        struct error err = {0};
        struct engine_config config = config_of(fake_engine(arguments[i]));
        assert_ok(pool_open(&config, 3, &pool, &err), &err);
        int64_t begin = milliseconds();
        pool_close(pool);
        assert_true(milliseconds() - begin < 1500);
    }
}

static void test_stop_while_engines_hang(void **state)
{
    const struct fixture *fixture = *state;
    struct list list;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine("--hang-at 2"));
    config.deadline_ms = 60000;
    init_from(&list, fixture);
    list.stop_after = 2;
    int64_t begin = milliseconds();
    assert_int_equal(list_run(&list, &config, 2, &err), -1);
    assert_true(milliseconds() - begin < 3000);
    assert_int_equal(err.code, ERROR_RETRY);
    assert_contains(err.text, "signal");
    assert_int_equal(list.total, 2);
}

/* An error of the caller ends the run as it is. */
static int done_fails(void *context, const struct pool_job *job, const struct label *label,
                      const char *reason, struct error *err)
{
    (void)context, (void)job, (void)label, (void)reason;
    return error_set(err, ERROR_DIFFERS, "the caller has had enough");
}

static void test_error_of_the_caller(void **state)
{
    const struct fixture *fixture = *state;
    struct list list;
    struct pool *pool;
    struct error err = {0};
    const struct pool_client client = {&list, list_next, done_fails, NULL, 0};
    struct engine_config config = config_of(fake_engine(""));
    init_from(&list, fixture);
    assert_ok(pool_open(&config, 2, &pool, &err), &err);
    assert_int_equal(pool_run(pool, &client, NULL, &err), -1);
    assert_int_equal(err.code, ERROR_DIFFERS);
    assert_string_equal(err.text, "the caller has had enough");
    pool_close(pool);
}

/* A caller that takes longer than the deadline makes no engine late. */
static int done_slowly(void *context, const struct pool_job *job, const struct label *label,
                       const char *reason, struct error *err)
{
    usleep(250000);
    return list_done(context, job, label, reason, err);
}

static void test_slow_caller(void **state)
{
    const struct fixture *fixture = *state;
    struct list list;
    struct pool *pool;
    struct error err = {0};
    const struct pool_client client = {&list, list_next, done_slowly, NULL, 0};
    struct engine_config config = config_of(fake_engine("--delay 20"));
    list_init(&list, (const char *const *)fixture->lines, 4, 1000);
    assert_ok(pool_open(&config, 2, &pool, &err), &err);
    assert_ok(pool_run(pool, &client, NULL, &err), &err);
    for (size_t i = 0; i < 4; i++) {
        assert_right(fixture, &list, i);
    }
    pool_stats(pool, &list.stats);
    assert_int_equal(list.stats.restarts, 0);
    /* The engine's time and not the caller's; what was taken is not given again. */
    pool_take_health(pool, &list.health);
    assert_int_equal(list.health.labels, 4);
    assert_true(list.health.search_us >= 4 * 20000 && list.health.slowest_us >= 20000);
    assert_true(health_quantile(&list.health, 0) > 20000 - 20000 / 16);
    pool_take_health(pool, &list.health);
    assert_int_equal(list.health.labels + list.health.search_us + list.health.slowest_us, 0);
    pool_close(pool);
}

/* Pids of the processes whose command line holds text; their number. */
static int count_processes(const char *text)
{
    char command[256];
    int count = -1;
    snprintf(command, sizeof command,
             "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -ao '%s' | wc -l", text);
    FILE *pipe = popen(command, "r");
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return count;
}

/*
 * SIGKILL of the program in the middle of a run: no engine is left soon after, whether it hangs and
 * ignores the end of its input, or is stopped.
 */
static void engines_die_with_us(const struct fixture *fixture, const char *fault)
{
    char pattern[64], arguments[128];
    snprintf(pattern, sizeof pattern, "name [o]rphan-%d%s", (int)getpid(), fault);
    snprintf(arguments, sizeof arguments, "--ignore-eof %s-at 2 --name orphan-%d%s", fault,
             (int)getpid(), fault);
    pid_t child = fork();
    if (child == 0) {
        struct list list;
        struct engine_config config = config_of(fake_engine(arguments));
        config.deadline_ms = 60000;
        init_from(&list, fixture);
        list_run(&list, &config, 3, NULL);
        _exit(0);
    }
    for (int i = 0; i < 200 && count_processes(pattern) != 3; i++) {
        usleep(20000);
    }
    assert_int_equal(count_processes(pattern), 3);
    usleep(200000); /* they come to their second position */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    usleep(500000);
    assert_int_equal(count_processes(pattern), 0);
}

static void test_engines_die_with_us(void **state)
{
    engines_die_with_us(*state, "--hang");
    engines_die_with_us(*state, "--stop");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dies_in_mid_search),
        cmocka_unit_test(test_hangs),
        cmocka_unit_test(test_is_stopped),
        cmocka_unit_test(test_closes_its_output),
        cmocka_unit_test(test_floods),
        cmocka_unit_test(test_answers_twice),
        cmocka_unit_test(test_late_answer_of_an_earlier_position),
        cmocka_unit_test(test_says_error_and_falls_silent),
        cmocka_unit_test(test_broken_numbers),
        cmocka_unit_test(test_answer_without_a_score),
        cmocka_unit_test(test_impossible_best_move),
        cmocka_unit_test(test_answers_after_the_deadline),
        cmocka_unit_test(test_window_of_restarts_is_a_window),
        cmocka_unit_test(test_harmless_oddities),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_engines_that_do_not_start),
        cmocka_unit_test(test_restart_that_fails),
        cmocka_unit_test(test_engine_becomes_another_one),
        cmocka_unit_test(test_close_is_quick),
        cmocka_unit_test(test_stop_while_engines_hang),
        cmocka_unit_test(test_error_of_the_caller),
        cmocka_unit_test(test_slow_caller),
        cmocka_unit_test(test_engines_die_with_us),
    };
    return cmocka_run_group_tests_name("faults", tests, set_up, tear_down);
}
