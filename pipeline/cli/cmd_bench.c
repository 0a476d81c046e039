/* SPDX-License-Identifier: MIT */
/*
 * See cmd_bench.h. Times differ from run to run: nothing that is printed here goes into a build.
 */
#include "pipeline/cli/cmd_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/io/cores.h"
#include "pipeline/cli/bench_convert.h"
#include "pipeline/cli/bench_label.h"
#include "pipeline/cli/bench_nnue.h"
#include "pipeline/cli/bench_positions.h"
#include "pipeline/cli/bench_scan.h"
#include "pipeline/cli/bench_train.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/report/terminal.h"
#include "pipeline/stages/label.h"

#define DEFAULT_FILE "configs/demo.pgn.zst"
#define DEFAULT_RUNS 5

#define LABEL_POSITIONS   200
#define NNUE_POSITIONS    20480
#define CONVERT_POSITIONS 20000
#define NNUE_RUNS         20
#define TRAIN_POSITIONS   65536
#define TRAIN_BATCH       1024

static const char *const descriptions[BENCH_SCAN_ROWS] = {
    [BENCH_ZSTD] = "libzstd alone, archive to text",
    [BENCH_SKIP] = "text, every game refused by its tags",
    [BENCH_TEXT] = "text, every move checked and hashed",
    [BENCH_ARCHIVE] = "archive, every move checked and hashed",
};

/* Bytes in nanoseconds are GB/s. */
static double megabytes_per_second(const struct bench_scan *scan, double ns)
{
    return (double)scan->text_bytes * 1000 / ns;
}

static void print_table(const char *path, unsigned runs, const struct bench_scan *scan)
{
    printf("%s: %s games, %s half-moves, %.1f MB of text, %.1f bytes each\n", path,
           TERMINAL_NUMBER(scan->games), TERMINAL_NUMBER(scan->plies),
           (double)scan->text_bytes / 1e6, (double)scan->text_bytes / (double)scan->plies);
    printf("%u runs, one thread, all in memory; processor time per half-move%s\n\n", runs,
           scan->repacked ? "; packed by zstd at level 3 first" : "");
    printf("%-40s %10s %10s %10s\n", "", "median ns", "p95 ns", "MB/s");
    for (int row = 0; row < BENCH_SCAN_ROWS; row++) {
        const struct bench_spread *time = &scan->rows[row];
        printf("%-40s %10.1f %10.1f %10.0f\n", descriptions[row],
               time->median / (double)scan->plies, time->p95 / (double)scan->plies,
               megabytes_per_second(scan, time->median));
    }
}

static void print_json(unsigned runs, const struct bench_scan *scan)
{
    printf("{\"bench\": \"scan\", \"games\": %" PRIu64 ", \"plies\": %" PRIu64
           ", \"hash\": \"%016" PRIx64 "\", \"text_bytes\": %" PRIu64
           ", \"archive_bytes\": %" PRIu64 ", \"repacked\": %s, \"runs\": %u,\n \"rows\": [",
           scan->games, scan->plies, scan->hash, scan->text_bytes, scan->archive_bytes,
           scan->repacked ? "true" : "false", runs);
    for (int row = 0; row < BENCH_SCAN_ROWS; row++) {
        const struct bench_spread *time = &scan->rows[row];
        printf("%s\n  {\"name\": \"%s\", \"median_ns\": %.2f, \"p95_ns\": %.2f, "
               "\"megabytes_per_second\": %.1f}",
               row ? "," : "", bench_scan_name((enum bench_scan_row)row),
               time->median / (double)scan->plies, time->p95 / (double)scan->plies,
               megabytes_per_second(scan, time->median));
    }
    printf("\n]}\n");
}

static void print_label_row(const char *name, const struct bench_spread *spread)
{
    printf("%-48s %10.1f %10.1f\n", name, spread->median, spread->p95);
}

static void print_label_table(const struct bench_label_options *options,
                              const struct bench_label *label)
{
    printf("%s: %s positions at %s nodes, %u runs\n\n", label->engine,
           TERMINAL_NUMBER(label->positions), TERMINAL_NUMBER(options->nodes), options->runs);
    printf("%-48s %10s %10s\n", "microseconds of processor time per label", "median", "p95");
    print_label_row("engine, driven by a plain pipe", &label->pipe_us);
    print_label_row("engine, driven by plymill", &label->pool_us);
    print_label_row("plymill itself", &label->own_us);
    printf("%-48s %10.2f\n", "storing", label->store_us);
    printf("\n%-48s %10s %10s\n", "labels per second", "median", "p95");
    print_label_row("1 worker", &label->one_rate);
    char name[32];
    (void)snprintf(name, sizeof name, "%u workers", options->workers);
    print_label_row(name, &label->all_rate);
    printf("\n%-48s %10.3f\n", "labels per engine second, plymill to plain pipe", label->ratio);
    printf("%-48s %10.3f\n", "labels per second and worker, all workers to one", label->scaling);
    printf("%-48s %10.3f\n", "per cent of a core for storing 500 labels/s",
           label->store_us * BENCH_STORE_RATE / 1e4);
}

static void print_label_json(const struct bench_label_options *options,
                             const struct bench_label *label)
{
    printf("{\"bench\": \"label\", \"positions\": %u, \"nodes\": %" PRIu64
           ", \"runs\": %u, \"workers\": %u,\n"
           " \"pipe_engine_us\": %.1f, \"plymill_engine_us\": %.1f, \"plymill_us\": %.1f, "
           "\"store_us\": %.2f,\n \"rate_one\": %.2f, \"rate_all\": %.2f, \"ratio\": %.4f, "
           "\"scaling\": %.4f}\n",
           label->positions, options->nodes, options->runs, options->workers, label->pipe_us.median,
           label->pool_us.median, label->own_us.median, label->store_us, label->one_rate.median,
           label->all_rate.median, label->ratio, label->scaling);
}

static int run_label(const struct invocation *invocation, unsigned runs, struct error *err)
{
    struct engine_config config;
    struct bench_label label;
    long long positions;
    const struct settings *settings = invocation->settings;
    if (invocation->argument_count > 1)
        return error_set(err, ERROR_USAGE, "bench label takes no file");
    if (invocation_integer(invocation, "positions", 1, BENCH_LABEL_POSITIONS_MAX, LABEL_POSITIONS,
                           &positions, err) < 0 ||
        label_config_from(settings, &config, err) < 0)
        return -1;
    const struct bench_label_options options = {
        .config = &config,
        .nodes = (uint64_t)settings_integer(settings, "label.nodes"),
        .positions = (unsigned)positions,
        .runs = runs,
        .workers = label_workers(settings)};
    int status = bench_label_run(&options, &label, err);
    if (status == 0 && invocation_has(invocation, "json"))
        print_label_json(&options, &label);
    else if (status == 0)
        print_label_table(&options, &label);
    label_config_free(&config);
    return status;
}

static int run_scan(const struct invocation *invocation, unsigned runs, struct error *err)
{
    const char *path = invocation->argument_count > 1 ? invocation->arguments[1] : DEFAULT_FILE;
    struct bench_scan scan;
    if (invocation->argument_count > 2)
        return error_set(err, ERROR_USAGE, "bench scan takes one file");
    if (bench_scan_run(path, runs, &scan, err) < 0)
        return -1;
    if (invocation_has(invocation, "json"))
        print_json(runs, &scan);
    else
        print_table(path, runs, &scan);
    return 0;
}

static int run_convert(const struct invocation *invocation, unsigned runs, struct error *err)
{
    const char *games = invocation_value(invocation, "games");
    struct bench_convert result;
    long long positions;
    if (invocation->argument_count > 1)
        return error_set(err, ERROR_USAGE, "bench convert takes its games by --games");
    if (invocation_integer(invocation, "positions", 1, BENCH_CONVERT_POSITIONS_MAX,
                           CONVERT_POSITIONS, &positions, err) < 0)
        return -1;
    const struct bench_convert_options options = {
        .games = games ? games : DEFAULT_FILE, .positions = (size_t)positions, .runs = runs};
    if (bench_convert_run(&options, &result, err) < 0)
        return -1;
    if (invocation_has(invocation, "json"))
        bench_convert_print_json(&options, &result);
    else
        bench_convert_print(&options, &result);
    return 0;
}

static int run_nnue(const struct invocation *invocation, unsigned runs, struct error *err)
{
    const char *games = invocation_value(invocation, "games");
    const char *nets[BENCH_NNUE_NETS_MAX];
    size_t net_count = (size_t)invocation->argument_count - 1;
    long long positions;
    enum plynnue_isa isa;
    if (net_count > BENCH_NNUE_NETS_MAX)
        return error_set(err, ERROR_USAGE, "bench nnue takes at most %d nets", BENCH_NNUE_NETS_MAX);
    if (invocation_integer(invocation, "positions", BENCH_CHUNK,
                           (long long)BENCH_NNUE_CHUNKS_MAX * BENCH_CHUNK, NNUE_POSITIONS,
                           &positions, err) < 0 ||
        netarg_isa(invocation, &isa, err) < 0)
        return -1;
    for (size_t i = 0; i < net_count; i++)
        nets[i] = invocation->arguments[i + 1];
    const struct bench_nnue_options options = {.games = games ? games : DEFAULT_FILE,
                                               .nets = nets,
                                               .net_count = net_count,
                                               .arch = invocation_value(invocation, "arch"),
                                               .isa = isa,
                                               .runs = runs,
                                               .chunks = (size_t)positions / BENCH_CHUNK};
    struct bench_nnue result;
    if (bench_nnue_run(&options, &result, err) < 0)
        return -1;
    if (invocation_has(invocation, "json"))
        bench_nnue_print_json(&options, &result);
    else
        bench_nnue_print(&options, &result);
    return 0;
}

static unsigned train_threads(const struct settings *settings)
{
    int64_t threads = settings_integer(settings, "build.threads");
    return threads > 0 ? (unsigned)threads : cores_available();
}

static int run_train(const struct invocation *invocation, unsigned runs, struct error *err)
{
    const char *games = invocation_value(invocation, "games");
    const char *arch = invocation_value(invocation, "arch");
    struct bench_train_options options = {.games = games ? games : DEFAULT_FILE,
                                          .runs = runs,
                                          .threads = train_threads(invocation->settings)};
    struct bench_train result;
    long long positions, batch;
    if (invocation->argument_count > 1)
        return error_set(err, ERROR_USAGE, "bench train takes its games by --games");
    if (invocation_integer(invocation, "batch", 1, BENCH_TRAIN_POSITIONS_MAX, TRAIN_BATCH, &batch,
                           err) < 0 ||
        invocation_integer(invocation, "positions", batch, BENCH_TRAIN_POSITIONS_MAX,
                           batch > TRAIN_POSITIONS ? batch : TRAIN_POSITIONS, &positions,
                           err) < 0 ||
        netarg_isa(invocation, &options.isa, err) < 0 ||
        train_arch_parse(arch ? arch : "769->128->32->1", &options.arch, err) < 0)
        return -1;
    options.positions = (size_t)positions;
    options.batch = (size_t)batch;
    if (bench_train_run(&options, &result, err) < 0)
        return -1;
    if (invocation_has(invocation, "json"))
        bench_train_print_json(&options, &result);
    else
        bench_train_print(&options, &result);
    return 0;
}

/* What can be measured. */
static const struct {
    const char *name;
    unsigned runs_max, runs;
    int (*run)(const struct invocation *invocation, unsigned runs, struct error *err);
} benches[] = {{"scan", BENCH_RUNS_MAX, DEFAULT_RUNS, run_scan},
               {"label", BENCH_LABEL_RUNS_MAX, DEFAULT_RUNS, run_label},
               {"convert", BENCH_CONVERT_RUNS_MAX, DEFAULT_RUNS, run_convert},
               {"nnue", BENCH_NNUE_RUNS_MAX, NNUE_RUNS, run_nnue},
               {"train", BENCH_TRAIN_RUNS_MAX, DEFAULT_RUNS, run_train}};

static int run(struct invocation *invocation, struct error *err)
{
    const char *what = invocation->arguments[0];
    long long runs;
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
        if (strcmp(what, benches[i].name) != 0)
            continue;
        if (invocation_integer(invocation, "runs", 1, benches[i].runs_max, benches[i].runs, &runs,
                               err) < 0)
            return -1;
        return benches[i].run(invocation, (unsigned)runs, err);
    }
    return error_set(err, ERROR_USAGE,
                     "there is no benchmark \"%s\", only scan, label, convert, nnue and train",
                     what);
}

const struct command command_bench = {
    .name = "bench",
    .arguments = "scan [FILE] | label | convert | nnue [NET...] | train",
    .summary = "measures reading, labeling, converting datasets, evaluating and training nets",
    .details =
        "scan reads FILE (" DEFAULT_FILE
        " unless given) into memory and times on one thread, in turn: "
        "libzstd decoding it; its text with every game refused by its tags, as a filter of the "
        "recipe does; its text and the archive itself with every move checked and every position "
        "hashed. Processor time per half-move of the games that could be read.\n"
        "label asks the engine the same questions through plymill and through a plain pipe: what "
        "counts is the engine's processor time per label, and what plymill needs itself.\n"
        "convert times every dataset format into every other on positions of games "
        "(--games, " DEFAULT_FILE
        " unless given), with and without the check of positions and moves.\n"
        "nnue times one evaluation of TinyNNUE nets and of every NET on positions of games "
        "(--games, " DEFAULT_FILE " unless given), at every instruction set that this CPU has: of "
        "scattered positions, after a move, and of an accumulator that is up to date. Beside it "
        "stands TinyNNUE in plain C with three sets of compiler flags.\n"
        "train times steps of training (forward, backward and Adam) of a net (--arch, "
        "769->128->32->1 unless given) on positions of games, at every instruction set that this "
        "CPU has, as the preset tinynnue trains and with what the preset best adds.",
    .sections = SECTION_LABEL | SECTION_BUILD,
    .minimum = 1,
    .maximum = -1,
    .options =
        {{"runs", "N", "how often each is timed [5; nnue: 20]"},
         {"positions", "N",
          "how many are labeled, converted, evaluated or trained on [200; convert: 20000; nnue: "
          "20480; train: 65536]"},
         {"batch", "N", "train: positions of a step [1024]"},
         {"games", "FILE", "convert, nnue, train: where positions come from"},
         NETARG_ARCH_OPTION,
         NETARG_ISA_OPTION,
         {"json", NULL, "the same numbers as JSON"}},
    .examples = {"plymill bench scan --runs 15 --json games.pgn.zst",
                 "plymill bench nnue nn-62ef826d1a6d.nnue --isa avx2"},
    .no_progress = true,
    .run = run,
};
