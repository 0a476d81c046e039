/* SPDX-License-Identifier: MIT */
/*
 * See bench_train.h.
 */
#include "pipeline/cli/bench_train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nnue/tools/rng.h"
#include "nnue/tools/train_position.h"
#include "nnue/tools/train_step.h"
#include "pipeline/cli/bench_positions.h"
#include "pipeline/report/terminal.h"

/* What is timed: a net in training. */
struct contestant {
    struct train_model model;
    struct workers *workers;
    struct train_step *step;
    struct train_view view;
    double weight_decay;
    uint64_t steps;
    double power1, power2;
};

struct bench {
    const struct bench_train_options *options;
    uint8_t *positions;
    uint32_t *order;
    size_t count, batches;
    double *times; /* [runs * batches] */
};

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Material, so that there is something to learn. */
static void take_position(const struct plynnue_position *position, uint8_t *packed)
{
    static const int values[6] = {100, 300, 320, 500, 900, 0};
    struct sample sample = {.count = position->count, .result = SAMPLES_RESULT_UNKNOWN};
    for (unsigned i = 0; i < position->count; i++) {
        const struct plynnue_piece *piece = &position->pieces[i];
        sample.features[i] = feature769_index(piece->piece, piece->square);
        sample.cp += piece->piece < 6 ? values[piece->piece] : -values[piece->piece - 6];
    }
    if (position->side == 0)
        sample.features[sample.count++] = FEATURE769_WHITE_MOVE;
    train_position_pack(&sample, packed);
}

static int read_games(struct bench *bench, struct error *err)
{
    const struct bench_train_options *options = bench->options;
    struct bench_positions games;
    struct rng rng = {1};
    if (bench_positions_load(options->games, options->positions / BENCH_CHUNK + 1, &games, err))
        return -1;
    bench->count = options->positions;
    bench->batches = bench->count / options->batch;
    bench->positions = calloc(bench->count, TRAIN_POSITION_SIZE);
    bench->order = calloc(bench->count, sizeof *bench->order);
    bench->times = calloc(options->runs * bench->batches, sizeof *bench->times);
    int status = 0;
    if (!bench->positions || !bench->order || !bench->times)
        status = error_memory(err);
    for (size_t i = 0; status == 0 && i < bench->count; i++) {
        const struct bench_chunk *chunk = &games.chunks[i / BENCH_CHUNK % games.count];
        uint32_t j = rng_below(&rng, (uint32_t)i + 1);
        take_position(&chunk->positions[i % BENCH_CHUNK],
                      bench->positions + i * TRAIN_POSITION_SIZE);
        bench->order[i] = bench->order[j];
        bench->order[j] = (uint32_t)i;
    }
    bench_positions_free(&games);
    return status;
}

static void contestant_free(struct contestant *c)
{
    train_step_free(c->step);
    workers_free(c->workers);
    train_model_free(&c->model);
}

static int contestant_new(const struct bench *bench, enum plynnue_isa isa, unsigned threads,
                          bool best, struct contestant *c, struct error *err)
{
    struct train_step_options step = {
        .batch = bench->options->batch, .gain = 1, .dropout = best ? 0.1 : 0};
    *c = (struct contestant){
        .view = {best, best, 1}, .weight_decay = best ? 0.1 : 0, .power1 = 1, .power2 = 1};
    if (train_model_new(&c->model, &bench->options->arch, err) ||
        workers_new(threads, &c->workers, err) ||
        train_step_new(&c->model, c->workers, train_kernels_find(isa), &step, &c->step, err))
        return -1;
    train_model_initialise(&c->model, 1);
    return 0;
}

/* All batches once. times: NULL, or seconds of each by that clock. */
static void run_batches(const struct bench *bench, struct contestant *c, double *times)
{
    const size_t batch = bench->options->batch;
    const struct train_data data = {
        .positions = bench->positions, .count = bench->count, .target = {.scale = 400}};
    train_step_prepare(c->step, &data, bench->order, batch, &c->view);
    for (size_t i = 0; i < bench->batches; i++) {
        const size_t next = i + 1 < bench->batches ? i + 1 : 0;
        c->power1 *= TRAIN_BETA1;
        c->power2 *= TRAIN_BETA2;
        const struct train_move move = {.learning_rate = 1e-3,
                                        .weight_decay = c->weight_decay,
                                        .power1 = c->power1,
                                        .power2 = c->power2};
        double begun = seconds(CLOCK_PROCESS_CPUTIME_ID);
        train_step_run(c->step, &move, &data, bench->order + next * batch, batch, &c->view);
        if (times)
            times[i] = seconds(CLOCK_PROCESS_CPUTIME_ID) - begun;
    }
}

static struct bench_spread rates_of(const struct bench *bench)
{
    struct bench_spread time = bench_spread_of(bench->times, bench->options->runs * bench->batches);
    return (struct bench_spread){(double)bench->options->batch / time.median,
                                 (double)bench->options->batch / time.p95};
}

/* values: the net of the level before, or NULL; then that of this one. */
static int time_level(struct bench *bench, enum plynnue_isa isa, bool best,
                      struct bench_spread *rates, float **values, struct error *err)
{
    struct contestant c;
    int status = contestant_new(bench, isa, 1, best, &c, err);
    for (unsigned run = 0; status == 0 && run < bench->options->runs; run++)
        run_batches(bench, &c, bench->times + run * bench->batches);
    if (status == 0) {
        *rates = rates_of(bench);
        if (*values && memcmp(*values, c.model.values, c.model.total * sizeof **values) != 0)
            status = error_set(err, ERROR_FAILED, "the net trained by %s differs from others",
                               train_kernels_find(isa)->name);
        float *kept = *values;
        *values = c.model.values;
        c.model.values = kept;
    }
    contestant_free(&c);
    return status;
}

static int time_levels(struct bench *bench, struct bench_train *result, struct error *err)
{
    static const enum plynnue_isa levels[BENCH_TRAIN_ROWS_MAX] = {
        PLYNNUE_ISA_AVX512VNNI, PLYNNUE_ISA_AVX2, PLYNNUE_ISA_SCALAR};
    float *plain = NULL, *best = NULL;
    int status = 0;
    for (unsigned i = 0; i < BENCH_TRAIN_ROWS_MAX && status == 0; i++) {
        const struct train_kernels *kernels = train_kernels_find(levels[i]);
        if (!kernels || (bench->options->isa != PLYNNUE_ISA_AUTO &&
                         kernels != train_kernels_find(bench->options->isa)))
            continue;
        struct bench_train_row *row = &result->rows[result->count++];
        row->name = kernels->name;
        status = time_level(bench, levels[i], false, &row->plain, &plain, err);
        if (status == 0)
            status = time_level(bench, levels[i], true, &row->best, &best, err);
    }
    free(plain);
    free(best);
    return status;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double time_run(const struct bench *bench, struct contestant *c)
{
    double begun = seconds(CLOCK_MONOTONIC);
    run_batches(bench, c, NULL);
    return seconds(CLOCK_MONOTONIC) - begun;
}

/* In turn, so that what else the machine does, and its clock, is the same for both. */
static int time_threads(const struct bench *bench, struct bench_train *result, struct error *err)
{
    const struct bench_train_options *options = bench->options;
    const double positions = (double)(bench->batches * options->batch);
    struct contestant one = {.steps = 0}, all = {.steps = 0};
    int status = contestant_new(bench, options->isa, 1, false, &one, err);
    if (status == 0)
        status = contestant_new(bench, options->isa, options->threads, false, &all, err);
    for (unsigned run = 0; status == 0 && run < options->runs; run++) {
        result->one_thread = larger(result->one_thread, positions / time_run(bench, &one));
        result->all_threads = larger(result->all_threads, positions / time_run(bench, &all));
    }
    contestant_free(&one);
    contestant_free(&all);
    return status;
}

int bench_train_run(const struct bench_train_options *options, struct bench_train *result,
                    struct error *err)
{
    struct bench bench = {.options = options};
    *result = (struct bench_train){.count = 0};
    int status = read_games(&bench, err);
    result->positions = bench.batches * options->batch;
    if (status == 0)
        status = time_levels(&bench, result, err);
    if (status == 0)
        status = time_threads(&bench, result, err);
    free(bench.positions);
    free(bench.order);
    free(bench.times);
    return status;
}

void bench_train_print(const struct bench_train_options *options, const struct bench_train *result)
{
    printf("%s: %s positions, batches of %s, %u runs\n\n", options->games,
           TERMINAL_NUMBER(result->positions), TERMINAL_NUMBER(options->batch), options->runs);
    printf("%-44s %10s %10s %10s %10s\n", "positions a second of processor time, 1 thread", "plain",
           "p95", "best", "p95");
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_train_row *row = &result->rows[i];
        printf("  %-44s %10s %10s %10s %10s\n", row->name, TERMINAL_NUMBER(row->plain.median + 0.5),
               TERMINAL_NUMBER(row->plain.p95 + 0.5), TERMINAL_NUMBER(row->best.median + 0.5),
               TERMINAL_NUMBER(row->best.p95 + 0.5));
    }
    printf("\npositions a second by the clock, fastest run: 1 thread %s, %u threads %s, "
           "%.2f times as many\n",
           TERMINAL_NUMBER(result->one_thread + 0.5), options->threads,
           TERMINAL_NUMBER(result->all_threads + 0.5), result->all_threads / result->one_thread);
}

void bench_train_print_json(const struct bench_train_options *options,
                            const struct bench_train *result)
{
    printf("{\"bench\": \"train\", \"positions\": %zu, \"batch\": %zu, \"runs\": %u, "
           "\"threads\": %u,\n \"clock_one_thread\": %.0f, \"clock_all_threads\": %.0f,\n"
           " \"rows\": [",
           result->positions, options->batch, options->runs, options->threads, result->one_thread,
           result->all_threads);
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_train_row *row = &result->rows[i];
        printf("%s\n  {\"name\": \"%s\", \"plain_median_per_second\": %.0f, "
               "\"plain_p95_per_second\": %.0f, \"best_median_per_second\": %.0f, "
               "\"best_p95_per_second\": %.0f}",
               i ? "," : "", row->name, row->plain.median, row->plain.p95, row->best.median,
               row->best.p95);
    }
    printf("\n]}\n");
}
