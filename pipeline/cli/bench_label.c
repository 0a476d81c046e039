/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/bench_label.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"
#include "formats/io/file.h"
#include "labeler/command.h"
#include "labeler/engine.h"
#include "labeler/pool.h"
#include "labeler/signature_positions.h"
#include "labeler/store.h"

#define STORE_LABELS 50000
#define FOLDER_MAX   4096

/* The questions, and how far a run is. */
struct questions {
    struct position positions[BENCH_LABEL_POSITIONS_MAX];
    char fens[BENCH_LABEL_POSITIONS_MAX][FEN_MAX];
    unsigned count, next;
    uint64_t nodes;
};

/* Every move of the signature positions gives one, as many as are wanted. */
static void fill(struct questions *questions, unsigned wanted)
{
    for (unsigned turn = 0; questions->count < wanted && turn < MOVES_MAX; turn++) {
        for (unsigned i = 0; i < SIGNATURE_POSITIONS && questions->count < wanted; i++) {
            struct position position;
            uint16_t moves[MOVES_MAX];
            const char *fen = signature_positions[i];
            if (fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &position, NULL) != FEN_OK ||
                turn >= movegen_legal(&position, moves))
                continue;
            position_make(&position, moves[turn], NULL);
            if (!movegen_has_legal(&position))
                continue;
            fen_format_label_key(&position, questions->fens[questions->count]);
            questions->positions[questions->count++] = position;
        }
    }
}

static double cpu_us(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return 1e6 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static int next_job(void *context, struct pool_job *job, struct error *err)
{
    struct questions *questions = context;
    (void)err;
    if (questions->next == questions->count)
        return 0;
    unsigned at = questions->next++;
    *job = (struct pool_job){.tag = at,
                             .position = questions->positions[at],
                             .limit_kind = LIMIT_NODES,
                             .limit = questions->nodes};
    memcpy(job->fen, questions->fens[at], FEN_MAX);
    return 1;
}

static int take_label(void *context, const struct pool_job *job, const struct label *label,
                      const char *reason, struct error *err)
{
    (void)context;
    if (label->status == LABEL_OK)
        return 0;
    return error_set(err, ERROR_FAILED, "%s: %s", job->fen, reason ? reason : "no label");
}

struct pool_times {
    double engine_us, own_us, wall_us; /* engine: with its start; the others without */
};

static int time_pool(struct questions *questions, const struct bench_label_options *options,
                     unsigned workers, struct pool_times *times, struct error *err)
{
    const struct pool_client client = {.context = questions, .next = next_job, .done = take_label};
    struct pool *pool;
    double engine = cpu_us(RUSAGE_CHILDREN);
    questions->next = 0;
    if (pool_open(options->config, workers, &pool, err) < 0)
        return -1;
    double own = cpu_us(RUSAGE_SELF);
    int64_t wall = engine_clock_us();
    int status = pool_run(pool, &client, NULL, err);
    times->wall_us = (double)(engine_clock_us() - wall);
    times->own_us = cpu_us(RUSAGE_SELF) - own;
    pool_close(pool);
    times->engine_us = cpu_us(RUSAGE_CHILDREN) - engine;
    return status;
}

/* A process at the ends of two pipes. */
struct plain {
    FILE *to, *from;
    pid_t pid;
};

static int plain_start(struct plain *plain, const struct command *command, struct error *err)
{
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0)
        return error_system(err, errno, "pipe");
    plain->pid = fork();
    if (plain->pid < 0)
        return error_system(err, errno, "fork");
    if (plain->pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        execv(command->program, command->argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    plain->to = fdopen(in[1], "w");
    plain->from = fdopen(out[0], "r");
    return plain->to && plain->from ? 0 : error_memory(err);
}

/* Reads up to a line that begins with the word. */
static int plain_await(const struct plain *plain, const char *word, struct error *err)
{
    char line[8192];
    fflush(plain->to);
    while (fgets(line, sizeof line, plain->from))
        if (strncmp(line, word, strlen(word)) == 0)
            return 0;
    return error_set(err, ERROR_FAILED, "the engine ended before it said %s", word);
}

static int plain_ask(const struct plain *plain, const struct questions *questions,
                     const struct engine_config *config, struct error *err)
{
    fprintf(plain->to, "uci\n");
    if (plain_await(plain, "uciok", err) < 0)
        return -1;
    fprintf(plain->to,
            "setoption name Threads value 1\nsetoption name Hash value %u\n"
            "setoption name MultiPV value 1\nucinewgame\nisready\n",
            config->hash_mb);
    int status = plain_await(plain, "readyok", err);
    for (unsigned i = 0; i < questions->count && status == 0; i++) {
        fprintf(plain->to, "position fen %s\ngo nodes %" PRIu64 "\n", questions->fens[i],
                questions->nodes);
        status = plain_await(plain, "bestmove", err);
        fprintf(plain->to, "ucinewgame\nisready\n");
        if (status == 0)
            status = plain_await(plain, "readyok", err);
    }
    return status;
}

static int time_plain(struct questions *questions, const struct engine_config *config, double *us,
                      struct error *err)
{
    struct command command;
    struct plain plain = {0};
    double begin = cpu_us(RUSAGE_CHILDREN);
    if (command_parse(config->command, &command, err) < 0)
        return -1;
    int status = plain_start(&plain, &command, err);
    if (status == 0)
        status = plain_ask(&plain, questions, config, err);
    if (plain.to) {
        fprintf(plain.to, "quit\n");
        fclose(plain.to);
    }
    if (plain.from)
        fclose(plain.from);
    if (plain.pid > 0)
        waitpid(plain.pid, NULL, 0);
    *us = cpu_us(RUSAGE_CHILDREN) - begin;
    command_free(&command);
    return status;
}

/* One value a run; sorted by bench_spread_of. */
struct series {
    double pipe[BENCH_LABEL_RUNS_MAX], pool[BENCH_LABEL_RUNS_MAX], own[BENCH_LABEL_RUNS_MAX];
    double one[BENCH_LABEL_RUNS_MAX], all[BENCH_LABEL_RUNS_MAX];
    double pipe_start, pool_start; /* the least of all runs */
};

/* A run: pipe and pool, with and without questions, so that the start of the engine drops out. */
static int time_run(struct questions *questions, const struct bench_label_options *options,
                    struct series *series, unsigned run, struct error *err)
{
    struct pool_times start, one, all;
    double pipe_start, pipe;
    unsigned count = questions->count;
    questions->count = 0;
    if (time_plain(questions, options->config, &pipe_start, err) < 0 ||
        time_pool(questions, options, 1, &start, err) < 0)
        return -1;
    questions->count = count;
    if (time_plain(questions, options->config, &pipe, err) < 0 ||
        time_pool(questions, options, 1, &one, err) < 0 ||
        time_pool(questions, options, options->workers, &all, err) < 0)
        return -1;
    if (run == 0 || pipe_start < series->pipe_start)
        series->pipe_start = pipe_start;
    if (run == 0 || start.engine_us < series->pool_start)
        series->pool_start = start.engine_us;
    series->pipe[run] = pipe;
    series->pool[run] = one.engine_us;
    series->own[run] = one.own_us / count;
    series->one[run] = 1e6 * count / one.wall_us;
    series->all[run] = 1e6 * count / all.wall_us;
    return 0;
}

static int store_labels(const char *path, struct error *err)
{
    struct store_labels *store;
    struct label label = {.bound = BOUND_LOWER,
                          .limit_kind = LIMIT_NODES,
                          .depth = 9,
                          .exact_depth = 8,
                          .final = {SCORE_CP, 31},
                          .exact = {SCORE_CP, 28},
                          .nodes = 10001,
                          .limit = 10000};
    if (store_labels_continue(path, &store, err) < 0)
        return -1;
    for (int64_t id = 1; id <= STORE_LABELS; id++) {
        label.final.value = (int32_t)(id % 1000);
        if (store_labels_add(store, id, &label, NULL, err) < 0) {
            store_labels_close(store);
            return -1;
        }
    }
    return store_labels_seal(store, STORE_LABELS, err);
}

static int time_store(double *us, struct error *err)
{
    const char *base = getenv("TMPDIR");
    char folder[FOLDER_MAX];
    (void)snprintf(folder, sizeof folder, "%s/plymill-bench-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder))
        return error_system(err, errno, "%s", folder);
    char *path = file_join(folder, "labels.db", err);
    double begin = cpu_us(RUSAGE_SELF);
    int status = path ? store_labels(path, err) : -1;
    *us = (cpu_us(RUSAGE_SELF) - begin) / STORE_LABELS;
    if (path)
        file_remove(path, NULL);
    free(path);
    rmdir(folder);
    return status;
}

static int name_engine(const struct engine_config *config, char name[256], struct error *err)
{
    struct pool *pool;
    if (pool_open(config, 1, &pool, err) < 0)
        return -1;
    (void)snprintf(name, 256, "%s", engine_name(pool_first_engine(pool)));
    pool_close(pool);
    return 0;
}

static int measure(const struct bench_label_options *options, struct questions *questions,
                   struct series *series, struct bench_label *result, struct error *err)
{
    for (unsigned run = 0; run < options->runs; run++)
        if (time_run(questions, options, series, run, err) < 0)
            return -1;
    for (unsigned run = 0; run < options->runs; run++) {
        series->pipe[run] = (series->pipe[run] - series->pipe_start) / questions->count;
        series->pool[run] = (series->pool[run] - series->pool_start) / questions->count;
    }
    result->positions = questions->count;
    result->pipe_us = bench_spread_of(series->pipe, options->runs);
    result->pool_us = bench_spread_of(series->pool, options->runs);
    result->own_us = bench_spread_of(series->own, options->runs);
    result->one_rate = bench_spread_of(series->one, options->runs);
    result->all_rate = bench_spread_of(series->all, options->runs);
    /* Sorted by now. Whatever else the machine does only adds time: the best runs are compared. */
    result->ratio = series->pipe[0] / series->pool[0];
    result->scaling =
        series->all[options->runs - 1] / series->one[options->runs - 1] / options->workers;
    return time_store(&result->store_us, err);
}

int bench_label_run(const struct bench_label_options *options, struct bench_label *result,
                    struct error *err)
{
    struct questions *questions = calloc(1, sizeof *questions);
    struct series *series = calloc(1, sizeof *series);
    int status = -1;
    *result = (struct bench_label){0};
    if (!questions || !series) {
        error_memory(err);
    } else if (name_engine(options->config, result->engine, err) == 0) {
        questions->nodes = options->nodes;
        fill(questions, options->positions);
        status = measure(options, questions, series, result, err);
    }
    free(questions);
    free(series);
    return status;
}
