/* SPDX-License-Identifier: MIT */
/*
 * See bench_convert.h. The pairs take turns, run by run, so that a machine that slows down slows
 * all of them.
 */
#include "pipeline/cli/bench_convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/codec_file.h"
#include "formats/io/reader.h"
#include "formats/pgn.h"
#include "pipeline/report/terminal.h"

#define GAME_ID     "benchmrk"
#define OUT_SIZE    ((size_t)64 << 10) /* bytes that are gathered before they are thrown away */
#define FORMAT_SIZE ((size_t)1 << 30)

struct bench {
    const struct bench_convert_options *options;
    struct bench_convert *result;
    struct record *records;
    struct buffer files[BENCH_CONVERT_FORMATS]; /* all records in each format */
    struct buffer out;
    double *times; /* [validate][from][to][run] */
};

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Material from the mover's view and something that changes from position to position. */
static int32_t score_of(const struct position *position, uint32_t ply)
{
    static const int values[6] = {100, 300, 320, 500, 900, 0};
    int sum = (int)(ply * 7919 % 61) - 30;
    for (unsigned type = PAWN; type < KING; type++) {
        uint64_t all = position->type[type];
        int mine = __builtin_popcountll(all & position->colour[position->side]);
        sum += values[type] * (2 * mine - __builtin_popcountll(all));
    }
    return sum;
}

static void take_game(struct bench *bench, const struct pgn_game *game)
{
    struct position position = game->start;
    struct bench_convert *result = bench->result;
    for (uint32_t ply = 0; ply < game->plies && result->positions < bench->options->positions;
         ply++) {
        struct score score = {.kind = SCORE_CP, .value = score_of(&position, ply)};
        struct record *record = &bench->records[result->positions++];
        *record = (struct record){.game_id = GAME_ID,
                                  .ply = ply,
                                  .position = position,
                                  .played = game->moves[ply],
                                  .result = (int8_t)game->result,
                                  .label = {.best_move = game->moves[ply],
                                            .final = score,
                                            .exact = score,
                                            .depth = 9,
                                            .exact_depth = 9,
                                            .nodes = 10000 + ply,
                                            .limit_kind = LIMIT_NODES,
                                            .limit = 10000}};
        position_make(&position, game->moves[ply], NULL);
    }
    result->games++;
}

static int read_games(struct bench *bench, struct error *err)
{
    const struct pgn_options options = {.variants = PGN_STANDARD, .skip_scores = true};
    const char *path = bench->options->games;
    struct reader *reader = NULL;
    struct pgn *pgn = NULL;
    const struct pgn_game *game;
    int status = -1;
    if (reader_open(path, false, &reader, err) < 0 ||
        pgn_new(reader, &options, NULL, &pgn, err) < 0)
        goto out;
    while (bench->result->positions < bench->options->positions &&
           (status = pgn_next(pgn, &game, err)) == 1)
        if (game->reject == PGN_ACCEPTED && game->result != PGN_UNKNOWN)
            take_game(bench, game);
    if (status >= 0)
        status = bench->result->positions > 0
                     ? 0
                     : error_set(err, ERROR_FAILED, "%s: no game with a result", path);
out:
    pgn_free(pgn);
    reader_close(reader);
    return status;
}

/* An encoder with its state. */
struct encoder {
    const struct codec *codec;
    struct codec_options options;
    void *state;
};

static int encoder_open(struct encoder *encoder, const struct codec *codec, struct buffer *out,
                        struct error *err)
{
    *encoder = (struct encoder){
        .codec = codec, .options = {.score_scale = 1, .chains = true, .move = CODEC_MOVE_PLAYED}};
    encoder->state = calloc(1, codec->encoder_size + 1);
    if (!encoder->state)
        return error_memory(err);
    return codec->begin ? codec->begin(encoder->state, out, err) : 0;
}

/* Ends the file when it went well so far, frees in any case. */
static int encoder_close(struct encoder *encoder, int status, struct buffer *out, struct error *err)
{
    if (status == 0 && encoder->codec->end)
        status = encoder->codec->end(encoder->state, out, err);
    if (encoder->state && encoder->codec->free_encoder)
        encoder->codec->free_encoder(encoder->state);
    free(encoder->state);
    return status;
}

static int write_file(struct bench *bench, size_t format, struct error *err)
{
    struct encoder encoder;
    struct buffer *out = &bench->files[format];
    enum codec_misfit misfit = CODEC_FITS;
    int status = encoder_open(&encoder, bench->result->formats[format], out, err);
    for (size_t i = 0; i < bench->result->positions && status == 0; i++)
        status = encoder.codec->encode(encoder.state, &bench->records[i], &encoder.options, out,
                                       &misfit, err);
    status = encoder_close(&encoder, status, out, err);
    bench->result->bytes[format] = out->length;
    return status;
}

static int write_files(struct bench *bench, struct error *err)
{
    int status = 0;
    for (size_t i = 0; codec_table[i] && status == 0; i++) {
        if (!codec_table[i]->encode || bench->result->count == BENCH_CONVERT_FORMATS)
            continue;
        size_t format = bench->result->count++;
        bench->result->formats[format] = codec_table[i];
        buffer_init(&bench->files[format], FORMAT_SIZE);
        status = write_file(bench, format, err);
    }
    return status;
}

static int copy(struct bench *bench, struct codec_reader *reader, struct encoder *encoder,
                uint64_t *written, struct error *err)
{
    struct record record;
    enum codec_misfit misfit;
    int status;
    while ((status = codec_reader_next(reader, &record, err)) == 1) {
        misfit = CODEC_FITS;
        if (encoder->codec->encode(encoder->state, &record, &encoder->options, &bench->out, &misfit,
                                   err) < 0)
            return -1;
        *written += misfit == CODEC_FITS;
        if (bench->out.length >= OUT_SIZE)
            buffer_clear(&bench->out);
    }
    return status;
}

static int convert(struct bench *bench, bool validate, size_t from, size_t to, struct error *err)
{
    const struct codec_options options = {
        .score_scale = 1, .move = CODEC_MOVE_PLAYED, .validate = validate};
    const struct codec *codec = bench->result->formats[from];
    struct codec_reader *reader = NULL;
    struct encoder encoder;
    uint64_t *written = &bench->result->pairs[validate][from][to].positions;
    *written = 0;
    buffer_clear(&bench->out);
    if (codec_reader_open_memory(codec->name, bench->files[from].data, bench->files[from].length,
                                 codec, &options, &reader, err) < 0)
        return -1;
    int status = encoder_open(&encoder, bench->result->formats[to], &bench->out, err);
    if (status == 0)
        status = copy(bench, reader, &encoder, written, err);
    status = encoder_close(&encoder, status, &bench->out, err);
    codec_reader_close(reader);
    return status;
}

static double *times_of(const struct bench *bench, size_t validate, size_t from, size_t to)
{
    size_t count = bench->result->count;
    return bench->times + ((validate * count + from) * count + to) * bench->options->runs;
}

static int time_pair(struct bench *bench, bool validate, size_t from, size_t to, unsigned run,
                     struct error *err)
{
    double begun = processor_seconds();
    if (convert(bench, validate, from, to, err) < 0)
        return -1;
    times_of(bench, validate, from, to)[run] = processor_seconds() - begun;
    return 0;
}

static int time_runs(struct bench *bench, struct error *err)
{
    size_t count = bench->result->count;
    for (unsigned run = 0; run < bench->options->runs; run++)
        for (int validate = 0; validate < 2; validate++)
            for (size_t from = 0; from < count; from++)
                for (size_t to = 0; to < count; to++)
                    if (time_pair(bench, validate, from, to, run, err) < 0)
                        return -1;
    return 0;
}

static void summarise(struct bench *bench)
{
    struct bench_convert *result = bench->result;
    for (size_t validate = 0; validate < 2; validate++)
        for (size_t from = 0; from < result->count; from++)
            for (size_t to = 0; to < result->count; to++) {
                struct bench_spread time =
                    bench_spread_of(times_of(bench, validate, from, to), bench->options->runs);
                double positions = (double)result->positions;
                result->pairs[validate][from][to].rate =
                    (struct bench_spread){positions / time.median, positions / time.p95};
            }
}

int bench_convert_run(const struct bench_convert_options *options, struct bench_convert *result,
                      struct error *err)
{
    struct bench bench = {.options = options, .result = result};
    *result = (struct bench_convert){.count = 0};
    buffer_init(&bench.out, FORMAT_SIZE);
    bench.records = calloc(options->positions, sizeof *bench.records);
    int status = bench.records ? read_games(&bench, err) : error_memory(err);
    if (status == 0)
        status = write_files(&bench, err);
    bench.times = calloc(2 * result->count * result->count * options->runs + 1, sizeof(double));
    if (status == 0)
        status = bench.times ? time_runs(&bench, err) : error_memory(err);
    if (status == 0)
        summarise(&bench);
    for (size_t i = 0; i < result->count; i++)
        buffer_free(&bench.files[i]);
    buffer_free(&bench.out);
    free(bench.records);
    free(bench.times);
    return status;
}

/* "-" where the second format can hold nothing of the first one's. */
static void print_rate(const struct bench_convert_pair *pair, bool p95)
{
    if (pair->positions == 0)
        printf(" %8s", "-");
    else
        printf(" %8.2f", (p95 ? pair->rate.p95 : pair->rate.median) / 1e6);
}

static void print_rates(const struct bench_convert *result, size_t validate, bool p95)
{
    printf("\n%-10s", p95 ? "95 % reach" : "median");
    for (size_t to = 0; to < result->count; to++)
        printf(" %8s", result->formats[to]->name);
    putchar('\n');
    for (size_t from = 0; from < result->count; from++) {
        printf("%-10s", result->formats[from]->name);
        for (size_t to = 0; to < result->count; to++)
            print_rate(&result->pairs[validate][from][to], p95);
        putchar('\n');
    }
}

void bench_convert_print(const struct bench_convert_options *options,
                         const struct bench_convert *result)
{
    printf("%s: %s positions of %s games, %u runs, one thread, all in memory\n", options->games,
           TERMINAL_NUMBER(result->positions), TERMINAL_NUMBER(result->games), options->runs);
    printf("millions of positions a second of processor time, from the row's format to the "
           "column's\n");
    for (size_t validate = 0; validate < 2; validate++) {
        printf("\n%s\n", validate ? "positions and moves checked" : "unchecked (--no-validate)");
        print_rates(result, validate, false);
        print_rates(result, validate, true);
    }
    printf("\n%-10s", "bytes each");
    for (size_t i = 0; i < result->count; i++)
        printf(" %8.2f", (double)result->bytes[i] / (double)result->positions);
    putchar('\n');
}

static void print_json_pair(const struct bench_convert *result, int validate, size_t from,
                            size_t to)
{
    const struct bench_convert_pair *pair = &result->pairs[validate][from][to];
    printf("%s\n  {\"from\": \"%s\", \"to\": \"%s\", \"validate\": %s, \"positions\": %" PRIu64
           ", \"median_per_second\": %.0f, \"p95_per_second\": %.0f}",
           (size_t)validate + from + to ? "," : "", result->formats[from]->name,
           result->formats[to]->name, validate ? "true" : "false", pair->positions,
           pair->rate.median, pair->rate.p95);
}

void bench_convert_print_json(const struct bench_convert_options *options,
                              const struct bench_convert *result)
{
    printf("{\"bench\": \"convert\", \"positions\": %zu, \"games\": %zu, \"runs\": %u,\n"
           " \"formats\": [",
           result->positions, result->games, options->runs);
    for (size_t i = 0; i < result->count; i++)
        printf("%s{\"name\": \"%s\", \"bytes\": %zu}", i ? ", " : "", result->formats[i]->name,
               result->bytes[i]);
    printf("],\n \"rows\": [");
    for (int validate = 0; validate < 2; validate++)
        for (size_t from = 0; from < result->count; from++)
            for (size_t to = 0; to < result->count; to++)
                print_json_pair(result, validate, from, to);
    printf("\n]}\n");
}
