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
/*
 * Milliseconds after which a hang is taken for one. On a busy machine an engine without a fault can
 * take longer: then, and only then, the test is made again with four times the patience.
 */
#define HANG_FIRST_MS 200
#define HANG_LAST_MS  51200

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

/* Are there more late engines than hang by their fault? */
static bool is_busy(const struct list *list, unsigned hangs)
{
    return list->health.timeouts > hangs;
}

static void run_once(const struct fixture *fixture, const char *fault, unsigned patience_ms,
                     struct list *list)
{
    char folder[64], arguments[256];
    struct error err = {0};
    make_folder(folder);
    snprintf(arguments, sizeof arguments, "%s --once %s/struck", fault, folder);
    struct engine_config config = config_of(fake_engine(arguments));
    config.deadline_ms = patience_ms;
    init_from(list, fixture);
    int result = list_run(list, &config, 2, &err);
    remove_folder(folder);
    if (!is_busy(list, 1)) {
        assert_ok(result, &err);
    }
}

static void assert_struck_once(const struct fixture *fixture, const struct list *list,
                               unsigned hangs)
{
    for (size_t i = 0; i < POSITIONS; i++) {
        assert_right(fixture, list, i);
    }
    assert_int_equal(list->stats.labels, POSITIONS);
    assert_int_equal(list->stats.failures, 0);
    assert_int_equal(list->stats.restarts, 1);
    assert_int_equal(list->health.labels, POSITIONS);
    assert_int_equal(list->health.failures, 0);
    assert_int_equal(list->health.restarts, 1);
    assert_int_equal(list->health.timeouts, hangs);
}

/* A fault that strikes once costs one restart and no label. */
static void strikes_once(void **state, const char *fault)
{
    struct list list;
    run_once(*state, fault, PATIENCE_MS, &list);
    assert_struck_once(*state, &list, 0);
}

/* The same for one after which the engine says nothing, or no end of it. */
static void hangs_once(void **state, const char *fault)
{
    struct list list;
    unsigned patience_ms = HANG_FIRST_MS;
    do {
        run_once(*state, fault, patience_ms, &list);
        patience_ms *= 4;
    } while (is_busy(&list, 1) && patience_ms <= HANG_LAST_MS);
    assert_struck_once(*state, &list, 1);
}

/* The fault strikes where the FEN has the board of position 5, whose text only it has. */
static void run_position(const struct fixture *fixture, const char *fault, unsigned patience_ms,
                         struct list *list)
{
    char arguments[256];
    struct error err = {0};
    snprintf(arguments, sizeof arguments, "%s-on %.20s", fault, fixture->lines[5]);
    struct engine_config config = config_of(fake_engine(arguments));
    config.deadline_ms = patience_ms;
    init_from(list, fixture);
    int result = list_run(list, &config, 2, &err);
    if (!is_busy(list, 2)) {
        assert_ok(result, &err);
    }
}

static void assert_struck_position(const struct fixture *fixture, const struct list *list,
                                   const char *reason, unsigned restarts)
{
    for (size_t i = 0; i < POSITIONS; i++) {
        if (i != 5) {
            assert_right(fixture, list, i);
        }
    }
    assert_int_equal(list->answers[5], 1);
    assert_int_equal(list->labels[5].status, LABEL_FAILED);
    assert_int_equal(list->labels[5].final.kind, SCORE_NONE);
    assert_contains(list->reasons[5], reason);
    assert_int_equal(list->stats.failures, 1);
    assert_int_equal(list->stats.restarts, restarts);
    assert_int_equal(list->health.labels, POSITIONS - 1);
    assert_int_equal(list->health.failures, 1);
    assert_int_equal(list->health.restarts, restarts);
}

/* A position that strikes every engine is given up with a reason; all others are labeled. */
static void strikes_a_position(void **state, const char *fault, const char *reason,
                               unsigned restarts)
{
    struct list list;
    run_position(*state, fault, PATIENCE_MS, &list);
    assert_struck_position(*state, &list, reason, restarts);
    assert_int_equal(list.health.timeouts, 0);
}

/* The same for a position at which every engine hangs; the reason names the patience, too. */
static void hangs_at_a_position(void **state, const char *fault, const char *reason)
{
    char late[64];
    struct list list;
    unsigned patience_ms = HANG_FIRST_MS;
    do {
        run_position(*state, fault, patience_ms, &list);
        snprintf(late, sizeof late, "no bestmove within %u ms", patience_ms);
        patience_ms *= 4;
    } while (is_busy(&list, 2) && patience_ms <= HANG_LAST_MS);
    assert_struck_position(*state, &list, reason, 2);
    assert_contains(list.reasons[5], late);
    assert_int_equal(list.health.timeouts, 2);
}

static void test_dies_in_mid_search(void **state)
{
    strikes_once(state, "--die-at 3");
    strikes_a_position(state, "--die", "in the middle of a search (killed by signal 6", 2);
}

static void test_hangs(void **state)
{
    hangs_once(state, "--hang-at 3");
    hangs_at_a_position(state, "--hang", "");
}

static void test_is_stopped(void **state)
{
    hangs_once(state, "--stop-at 2");
    hangs_at_a_position(state, "--stop", "");
}

static void test_closes_its_output(void **state)
{
    strikes_once(state, "--close-at 4");
    strikes_a_position(state, "--close", "closed its output in the middle", 2);
}

static void test_floods(void **state)
{
    hangs_once(state, "--flood-at 2");
    hangs_at_a_position(state, "--flood", "");
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
    hangs_once(state, "--error-at 3");
    hangs_at_a_position(state, "--error", "ERROR: the net could not be read");
    hangs_once(state, "--critical-at 3");
    hangs_at_a_position(state, "--critical", "CRITICAL ERROR: the network");
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
    struct engine_config config = config_of(fake_engine("--delay 10000"));
    config.deadline_ms = 200;
    config.max_restarts = 3;
    init_from(&list, fixture);
    assert_int_equal(list_run(&list, &config, 1, &err), -1);
    assert_int_equal(err.code, ERROR_RETRY);
    assert_contains(err.text, "failed 4 times within 600 s");
    assert_contains(err.text, "no bestmove within 200 ms");
    assert_contains(err.text, "--delay 10000");
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
    config.max_restarts = 0;
    assert_int_equal(pool_open(&config, 1, &pool, &err), -1);
    assert_contains(err.text, "no memory");
    snprintf(command, sizeof command, "sh -c 'ulimit -v 200000; exec \"$0\" --grow-on %.20s' %s",
             fixture->lines[5], fake_engine(""));
    config.max_restarts = 10;
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

/* pool_open fails with one line: the command and the reason. */
static void assert_no_start(const struct engine_config *config, struct error *err)
{
    struct pool *pool;
    *err = (struct error){0};
    assert_int_equal(pool_open(config, 2, &pool, err), -1);
    assert_null(pool);
    assert_int_equal(err->code, ERROR_FAILED);
    assert_contains(err->text, config->command);
    assert_null(strchr(err->text, '\n'));
}

/* What is no engine, or refuses what it lists, is not tried again. */
static void test_no_engines(void **state)
{
    const struct {
        const char *command, *reason;
    } engines[] = {
        {"/no/such/engine", "no such file"},       {"plymill-no-such-engine", "not found in PATH"},
        {"/etc/passwd", "not executable"},         {"/bin/yes", "no UCI engine"},
        {NULL, "No such option: Threads value 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct error err;
        struct engine_config config =
            config_of(engines[i].command != NULL ? engines[i].command : fake_engine("--reject"));
        assert_no_start(&config, &err);
        assert_contains(err.text, engines[i].reason);
        assert_null(strstr(err.text, "failed to start"));
    }
}

/* What ends before it is ready is tried again, and then it is said how it ended the last time. */
static void test_engines_that_end_at_once(void **state)
{
    const struct {
        const char *command, *reason;
    } engines[] = {
        {"/bin/true", "ended before it said uciok (exit status 0)"},
        {"/bin/false", "ended before it said uciok (exit status 1)"},
        {"sh -c 'echo a library is missing >&2; exit 127'", "it said: a library is missing"},
        {"sh -c 'kill -KILL $$'", "ended before it said uciok (killed by signal 9"},
        {"sh -c 'read -r line; echo uciok; exit 3'",
         "ended before its first readyok (exit status 3)"},
        {NULL, "ended before it said uciok (exit status 1)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct error err;
        struct engine_config config = config_of(
            engines[i].command != NULL ? engines[i].command : fake_engine("--die-at-start"));
        config.max_restarts = 4;
        config.restart_window_s = 0; /* an engine that never starts ends it all the same */
        assert_no_start(&config, &err);
        assert_contains(err.text, engines[i].reason);
        assert_contains(err.text, "failed to start 5 times, the last time: it ended");
    }
}

/* Silence of a program that never was ready is final. How long the others take is not known. */
static void says_nothing(const char *command, const char *awaited, const char *more)
{
    char reason[128];
    struct error err;
    unsigned patience_ms = HANG_FIRST_MS;
    do {
        struct engine_config config = config_of(command);
        config.start_deadline_ms = patience_ms;
        assert_no_start(&config, &err);
        snprintf(reason, sizeof reason, "no %s within %u ms%s", awaited, patience_ms, more);
        patience_ms *= 4;
    } while (strstr(err.text, reason) == NULL && patience_ms <= HANG_LAST_MS);
    assert_contains(err.text, reason);
    assert_null(strstr(err.text, "failed to start"));
}

static void test_engines_that_do_not_start(void **state)
{
    (void)state;
    says_nothing("/bin/cat", "uciok", "; its first line was \"uci\"");
    says_nothing("sleep 100", "uciok", "");
    says_nothing("sh -c 'exec cat /dev/zero'", "uciok", "");
    says_nothing("sh -c 'read -r line; echo uciok; exec sleep 100'", "readyok", "");
    says_nothing("sh -c 'kill -STOP $$'", "uciok", "");
    says_nothing(fake_engine("--no-uciok"), "uciok", "");
    says_nothing(fake_engine("--no-readyok"), "readyok", "");
    struct error err;
    struct engine_config config = config_of(fake_engine("--flood-at-start"));
    assert_no_start(&config, &err);
    assert_contains(err.text, "no UCI engine");
}

/* The first `strikes` starts of an engine in the folder do what `fault` says, a line of sh. */
static void strike_starts(const char *folder, unsigned strikes, const char *fault, char *command,
                          size_t size)
{
    snprintf(command, size,
             "sh -c 'for n in $(seq %u); do mkdir %s/$n 2>/dev/null && { %s; }; done; exec $0' %s",
             strikes, folder, fault, fake_engine(""));
}

/* Engines killed before their first word cost a restart each, and no label. */
static void test_killed_at_the_start(void **state)
{
    static const char *const faults[] = {"kill -KILL $$", "exit 1",
                                         "read -r line; echo uciok; kill -KILL $$"};
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        for (unsigned workers = 1; workers <= 3; workers += 2) {
            char folder[64], command[4600];
            struct list list;
            struct error err = {0};
            make_folder(folder);
            strike_starts(folder, 3, faults[i], command, sizeof command);
            struct engine_config config = config_of(command);
            config.max_restarts = 3;
            init_from(&list, fixture);
            assert_ok(list_run(&list, &config, workers, &err), &err);
            for (size_t j = 0; j < POSITIONS; j++) {
                assert_right(fixture, &list, j);
            }
            assert_int_equal(list.stats.restarts, 3);
            assert_int_equal(list.health.restarts, 3);
            remove_folder(folder);
        }
    }
}

/* Once one is ready the command is an engine's: one that hangs at its start is started anew. */
static void test_hangs_at_the_start(void **state)
{
    const struct fixture *fixture = *state;
    char folder[64], command[4600], reason[64];
    struct list list;
    struct error err;
    unsigned patience_ms = HANG_FIRST_MS;
    do {
        make_folder(folder);
        strike_starts(folder, 1, "exec sleep 100", command, sizeof command);
        struct engine_config config = config_of(command);
        config.start_deadline_ms = patience_ms;
        err = (struct error){0};
        init_from(&list, fixture);
        (void)list_run(&list, &config, 2, &err);
        remove_folder(folder);
        snprintf(reason, sizeof reason, "no uciok within %u ms", patience_ms);
        patience_ms *= 4;
        /* Neither was ready in time: silence is final then. */
    } while ((is_busy(&list, 1) || strstr(err.text, reason)) && patience_ms <= HANG_LAST_MS);
    assert_string_equal(err.text, "");
    for (size_t i = 0; i < POSITIONS; i++) {
        assert_right(fixture, &list, i);
    }
    assert_int_equal(list.stats.restarts, 1);
    assert_int_equal(list.health.timeouts, 1);
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
        assert_true(milliseconds() - begin < PATIENCE_MS);
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
    assert_true(milliseconds() - begin < PATIENCE_MS);
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
struct slow_caller {
    struct list list;
    unsigned pause_ms;
};

static int done_slowly(void *context, const struct pool_job *job, const struct label *label,
                       const char *reason, struct error *err)
{
    struct slow_caller *caller = context;
    usleep(1000 * caller->pause_ms);
    return list_done(&caller->list, job, label, reason, err);
}

static void call_slowly(const struct fixture *fixture, unsigned patience_ms,
                        struct slow_caller *caller)
{
    struct list *list = &caller->list;
    struct pool *pool;
    struct error err = {0};
    const struct pool_client client = {caller, list_next, done_slowly, NULL, 0};
    struct engine_config config = config_of(fake_engine("--delay 20"));
    config.deadline_ms = patience_ms;
    caller->pause_ms = patience_ms + patience_ms / 4;
    list_init(list, (const char *const *)fixture->lines, 4, 1000);
    assert_ok(pool_open(&config, 2, &pool, &err), &err);
    assert_ok(pool_run(pool, &client, NULL, &err), &err);
    pool_stats(pool, &list->stats);
    pool_take_health(pool, &list->health);
    /* What was taken is not given again. */
    struct health after;
    pool_take_health(pool, &after);
    assert_int_equal(after.labels + after.search_us + after.slowest_us, 0);
    pool_close(pool);
}

static void test_slow_caller(void **state)
{
    struct slow_caller caller;
    const struct list *list = &caller.list;
    unsigned patience_ms = HANG_FIRST_MS;
    do {
        call_slowly(*state, patience_ms, &caller);
        patience_ms *= 4;
    } while (is_busy(list, 0) && patience_ms <= PATIENCE_MS);
    for (size_t i = 0; i < 4; i++) {
        assert_right(*state, list, i);
    }
    assert_int_equal(list->stats.restarts, 0);
    /* The engine's time and not the caller's. */
    assert_int_equal(list->health.labels, 4);
    assert_true(list->health.search_us >= 4 * 20000 && list->health.slowest_us >= 20000);
    assert_true(health_quantile(&list->health, 0) > 20000 - 20000 / 16);
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

/* Waits, with patience, until there are so many. */
static void assert_processes(const char *text, int count)
{
    for (int i = 0; i < 500 && count_processes(text) != count; i++) {
        usleep(20000);
    }
    assert_int_equal(count_processes(text), count);
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
    assert_processes(pattern, 3);
    usleep(200000); /* they come to their second position */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_processes(pattern, 0);
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
        cmocka_unit_test(test_no_engines),
        cmocka_unit_test(test_engines_that_end_at_once),
        cmocka_unit_test(test_engines_that_do_not_start),
        cmocka_unit_test(test_killed_at_the_start),
        cmocka_unit_test(test_hangs_at_the_start),
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
