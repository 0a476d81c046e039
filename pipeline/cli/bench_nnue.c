/* SPDX-License-Identifier: MIT */
/*
 * See bench_nnue.h. A contestant is a net at one instruction set, or one of the plain loops; it is
 * timed chunk by chunk, and what reading the clock takes is measured first and taken off.
 * Medians are those of a processor of one's own, unless others have half of all chunks.
 */
#include "pipeline/cli/bench_nnue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/io/fault.h"
#include "nnue/core/kernels.h"
#include "nnue/tools/quantize.h"
#include "nnue/tools/rng.h"
#include "nnue/tools/tinynet.h"
#include "pipeline/cli/bench_positions.h"
#include "pipeline/cli/netarg.h"

enum { CLOCK_PAIRS = 1001, SEED = 12345, SHUFFLE_SEED = 1 };

/* Whose values must be equal. */
enum { GROUP_FLOAT, GROUP_TINY, GROUP_EVEN, GROUP_FILES };

struct contestant {
    unsigned group;
    plynnue_net *net; /* NULL: a plain loop */
    plynnue_acc *stack;
    plynnue_acc *fresh[BENCH_CHUNK]; /* one a position: evaluated again, they only go forward */
    void *scratch;
    const struct plain *plain;
    bool is_float;
    double *times[BENCH_COLUMNS]; /* [runs * chunks] */
    size_t timed[BENCH_COLUMNS];
    int64_t sum[BENCH_COLUMNS]; /* of values, from the side to move */
};

struct bench {
    const struct bench_nnue_options *options;
    struct bench_nnue *result;
    struct bench_positions games;
    uint32_t *scattered; /* [chunks * BENCH_CHUNK], see scattered_at */
    struct plain_float floats;
    struct plain_int ints;
    struct contestant *contestants;
    size_t count, capacity;
    double clock_ns;
};

static double read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/*
 * Not the processor's time: to read that is a system call, after which caches and guesses of
 * branches have to be won back, a fifth of the time of a chunk of the smallest net.
 */
static double now_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

static double measure_clock(void)
{
    double times[CLOCK_PAIRS];
    for (int i = 0; i < CLOCK_PAIRS; i++) {
        double begun = now_ns();
        times[i] = now_ns() - begun;
    }
    return bench_spread_of(times, CLOCK_PAIRS).median;
}

static void note_time(const struct bench *bench, struct contestant *c,
                      enum bench_nnue_column column, double ns)
{
    ns -= bench->clock_ns;
    c->times[column][c->timed[column]++] = (ns > 0 ? ns : 0) / BENCH_CHUNK;
}

/* The i-th of all positions but those that chunks start with, in random order. */
static const struct plynnue_position *scattered_at(const struct bench *bench, size_t i)
{
    uint32_t number = bench->scattered[i];
    return &bench->games.chunks[number / BENCH_CHUNK].positions[number % BENCH_CHUNK + 1];
}

/* The library. */

static void time_batch(const struct bench *bench, struct contestant *c, size_t chunk)
{
    struct plynnue_position positions[BENCH_CHUNK];
    int32_t values[BENCH_CHUNK];
    for (unsigned i = 0; i < BENCH_CHUNK; i++)
        positions[i] = *scattered_at(bench, chunk * BENCH_CHUNK + i);
    double begun = now_ns();
    plynnue_eval_batch(c->net, positions, BENCH_CHUNK, values, c->scratch);
    note_time(bench, c, BENCH_REFRESH, now_ns() - begun);
    for (unsigned i = 0; i < BENCH_CHUNK; i++)
        c->sum[BENCH_REFRESH] += values[i];
}

static void time_moves(const struct bench *bench, struct contestant *c,
                       const struct bench_chunk *chunk)
{
    int64_t sum = 0;
    int side = chunk->positions[0].side;
    plynnue_acc_set(c->stack, &chunk->positions[0]);
    plynnue_acc_eval(c->stack, side);
    double begun = now_ns();
    for (unsigned i = 0; i < BENCH_CHUNK; i++) {
        side ^= 1;
        plynnue_acc_push(c->stack, &chunk->deltas[i]);
        sum += plynnue_acc_eval(c->stack, side);
    }
    note_time(bench, c, BENCH_UPDATE, now_ns() - begun);
    c->sum[BENCH_UPDATE] += sum;
}

static void time_forward(const struct bench *bench, struct contestant *c,
                         const struct bench_chunk *chunk)
{
    int64_t sum = 0;
    int side = chunk->positions[0].side;
    for (unsigned i = 0; i < BENCH_CHUNK; i++) {
        plynnue_acc_set(c->fresh[i], &chunk->positions[i + 1]);
        plynnue_acc_eval(c->fresh[i], chunk->positions[i + 1].side);
    }
    double begun = now_ns();
    for (unsigned i = 0; i < BENCH_CHUNK; i++) {
        side ^= 1;
        sum += plynnue_acc_eval(c->fresh[i], side);
    }
    note_time(bench, c, BENCH_FORWARD, now_ns() - begun);
    c->sum[BENCH_FORWARD] += sum;
}

/* The plain loops. */

static void active_rows(const struct plynnue_position *position, struct plain_rows *rows)
{
    rows->removed_count = 0;
    rows->added_count = position->count;
    for (unsigned i = 0; i < position->count; i++)
        rows->added[i] = feature769_index(position->pieces[i].piece, position->pieces[i].square);
    if (position->side == 0)
        rows->added[rows->added_count++] = FEATURE769_WHITE_MOVE;
}

/* side: who moves. */
static void changed_rows(const struct plynnue_delta *delta, unsigned side, struct plain_rows *rows)
{
    rows->removed_count = delta->removed_count;
    rows->added_count = delta->added_count;
    for (unsigned i = 0; i < delta->removed_count; i++)
        rows->removed[i] = feature769_index(delta->removed[i].piece, delta->removed[i].square);
    for (unsigned i = 0; i < delta->added_count; i++)
        rows->added[i] = feature769_index(delta->added[i].piece, delta->added[i].square);
    if (side == 0)
        rows->removed[rows->removed_count++] = FEATURE769_WHITE_MOVE;
    else
        rows->added[rows->added_count++] = FEATURE769_WHITE_MOVE;
}

static void time_plain(const struct bench *bench, struct contestant *c,
                       enum bench_nnue_column column, const struct plain_rows rows[BENCH_CHUNK],
                       const uint8_t side[BENCH_CHUNK], int32_t acc[PLAIN_H1],
                       float float_acc[PLAIN_H1])
{
    const struct plain *plain = c->plain;
    float floats = 0;
    int64_t sum = 0;
    double begun = now_ns();
    if (c->is_float)
        for (unsigned i = 0; i < BENCH_CHUNK; i++)
            floats += (column == BENCH_REFRESH ? plain->float_refresh : plain->float_update)(
                &bench->floats, float_acc, &rows[i]);
    else
        for (unsigned i = 0; i < BENCH_CHUNK; i++) {
            int32_t value = (column == BENCH_REFRESH ? plain->int_refresh : plain->int_update)(
                &bench->ints, acc, &rows[i]);
            sum += side[i] ? -value : value;
        }
    note_time(bench, c, column, now_ns() - begun);
    /* A float sum is used, so that nothing is left out. */
    c->sum[column] += sum + (int64_t)floats;
}

static void time_plain_chunk(const struct bench *bench, struct contestant *c, size_t index)
{
    const struct bench_chunk *chunk = &bench->games.chunks[index];
    struct plain_rows rows[BENCH_CHUNK], start;
    uint8_t side[BENCH_CHUNK];
    int32_t acc[PLAIN_H1];
    float float_acc[PLAIN_H1];
    for (unsigned i = 0; i < BENCH_CHUNK; i++) {
        const struct plynnue_position *position = scattered_at(bench, index * BENCH_CHUNK + i);
        active_rows(position, &rows[i]);
        side[i] = position->side;
    }
    time_plain(bench, c, BENCH_REFRESH, rows, side, acc, float_acc);
    active_rows(&chunk->positions[0], &start);
    (void)c->plain->int_refresh(&bench->ints, acc, &start);
    (void)c->plain->float_refresh(&bench->floats, float_acc, &start);
    for (unsigned i = 0; i < BENCH_CHUNK; i++) {
        changed_rows(&chunk->deltas[i], chunk->positions[i].side, &rows[i]);
        side[i] = chunk->positions[i + 1].side;
    }
    time_plain(bench, c, BENCH_UPDATE, rows, side, acc, float_acc);
}

static void time_contestant(const struct bench *bench, struct contestant *c)
{
    memset(c->sum, 0, sizeof c->sum);
    if (!c->net) {
        for (size_t i = 0; i < bench->games.count; i++)
            time_plain_chunk(bench, c, i);
        return;
    }
    for (size_t i = 0; i < bench->games.count; i++)
        time_batch(bench, c, i);
    for (size_t i = 0; i < bench->games.count; i++)
        time_moves(bench, c, &bench->games.chunks[i]);
    for (size_t i = 0; i < bench->games.count; i++)
        time_forward(bench, c, &bench->games.chunks[i]);
}

/* Contestants. */

static struct contestant *add_contestant(struct bench *bench, unsigned group, struct error *err)
{
    if (bench->count == bench->capacity) {
        size_t capacity = bench->capacity ? 2 * bench->capacity : 16;
        struct contestant *grown = realloc(bench->contestants, capacity * sizeof *grown);
        if (!grown) {
            error_memory(err);
            return NULL;
        }
        bench->contestants = grown;
        bench->capacity = capacity;
    }
    struct contestant *c = &bench->contestants[bench->count];
    memset(c, 0, sizeof *c);
    c->group = group;
    for (unsigned i = 0; i < BENCH_COLUMNS; i++) {
        c->times[i] = fault_malloc(bench->options->runs * bench->games.count * sizeof *c->times[i]);
        if (!c->times[i]) {
            error_memory(err);
            return NULL;
        }
    }
    bench->count++;
    return c;
}

static int add_plain(struct bench *bench, struct error *err)
{
    for (unsigned flags = 0; flags < PLAIN_FLAGS; flags++)
        for (unsigned integer = 0; integer < 2; integer++) {
            struct contestant *c = add_contestant(bench, integer ? GROUP_TINY : GROUP_FLOAT, err);
            if (!c)
                return -1;
            c->plain = plain_find((enum plain_flags)flags);
            c->is_float = !integer;
        }
    return 0;
}

/* What the library needs of it: a stack, an accumulator a position, scratch memory. */
static int prepare_net(struct contestant *c, struct error *err)
{
    int code = plynnue_acc_new(c->net, BENCH_CHUNK, &c->stack, NULL);
    for (unsigned i = 0; i < BENCH_CHUNK && !code; i++)
        code = plynnue_acc_new(c->net, 0, &c->fresh[i], NULL);
    c->scratch = fault_malloc(plynnue_batch_scratch(c->net));
    return code || !c->scratch ? error_memory(err) : 0;
}

/* net becomes the bench's. */
static int add_net(struct bench *bench, unsigned group, const char *name, plynnue_net *net,
                   struct error *err)
{
    struct bench_nnue_row *row = &bench->result->rows[bench->result->row_count++];
    struct plynnue_info info = {.size = sizeof info};
    struct contestant *c = add_contestant(bench, group, err);
    if (!c) {
        plynnue_net_close(net);
        return -1;
    }
    c->net = net;
    plynnue_net_info(net, &info);
    c->is_float = info.is_float;
    row->isa = info.isa;
    row->is_float = info.is_float;
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    memcpy(row->arch, info.arch, sizeof row->arch);
    return prepare_net(c, err);
}

/* Levels in the order of the table: the next one behind isa that is to be timed, or NEON + 1. */
static unsigned next_level(const struct bench_nnue_options *options, unsigned isa)
{
    for (isa++; isa <= PLYNNUE_ISA_NEON; isa++)
        if (options->isa == PLYNNUE_ISA_AUTO
                ? isa != PLYNNUE_ISA_SCALAR && kernels_find((enum plynnue_isa)isa)
                : isa == options->isa)
            return isa;
    return isa;
}

static unsigned first_level(const struct bench_nnue_options *options)
{
    unsigned isa = next_level(options, PLYNNUE_ISA_AUTO);
    return isa <= PLYNNUE_ISA_NEON ? isa : PLYNNUE_ISA_SCALAR;
}

static int add_tiny(struct bench *bench, unsigned group, const char *name, struct buffer *bytes,
                    unsigned isa, struct error *err)
{
    const struct plynnue_options options = {.size = sizeof options, .isa = (enum plynnue_isa)isa};
    struct plynnue_error why = {.text = ""};
    plynnue_net *net;
    if (plynnue_net_from_memory(bytes->data, bytes->length, &options, &net, &why))
        return error_set(err, ERROR_FAILED, "%s: %s", name, why.text);
    return add_net(bench, group, name, net, err);
}

static void draw_floats(struct rng *rng, float *out, size_t count, uint64_t m)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (float)((int64_t)((rng_next(rng) >> 33) % (2 * m + 1)) - (int64_t)m) / 10000.0F;
}

/*
 * A net of random weights. How long a TinyNNUE takes does not depend on them, but for one thing:
 * where the second layer's are far from their ends, levels without a byte dot product need fewer
 * instructions. Trained nets are so (a tenth of the largest on average); evenly drawn ones are not.
 */
static int draw_net(struct tinynnue_float *net, bool even, struct error *err)
{
    enum { PEAKED_POWER = 9 }; /* odd; |x|^9 is a tenth on average */
    struct rng rng = {SEED};
    if (tinynnue_float_new(net, PLAIN_H1, PLAIN_H2))
        return error_memory(err);
    draw_floats(&rng, net->w1, (size_t)FEATURE769_COUNT * PLAIN_H1, 3599);
    draw_floats(&rng, net->b1, PLAIN_H1, 4999);
    draw_floats(&rng, net->w2, (size_t)PLAIN_H2 * PLAIN_H1, 2499);
    for (size_t i = 0; i < (size_t)PLAIN_H2 * PLAIN_H1 && !even; i++) {
        float drawn = net->w2[i] / 0.2499F;
        for (unsigned power = 1; power < PEAKED_POWER; power++)
            net->w2[i] *= drawn;
    }
    draw_floats(&rng, net->b2, PLAIN_H2, 4999);
    draw_floats(&rng, net->w3, PLAIN_H2, 7499);
    draw_floats(&rng, net->b3, 1, 4999);
    return 0;
}

static void copy_numbers(struct bench *bench, const struct tinynnue_float *floats,
                         const struct tinynnue_int *ints)
{
    struct plain_float *f = &bench->floats;
    struct plain_int *n = &bench->ints;
    memcpy(f->w1, floats->w1, sizeof f->w1);
    memcpy(f->b1, floats->b1, sizeof f->b1);
    memcpy(f->w2, floats->w2, sizeof f->w2);
    memcpy(f->b2, floats->b2, sizeof f->b2);
    memcpy(f->w3, floats->w3, sizeof f->w3);
    f->b3 = *floats->b3;
    memcpy(n->w1, ints->w1, sizeof n->w1);
    memcpy(n->b1, ints->b1, sizeof n->b1);
    memcpy(n->w2, ints->w2, sizeof n->w2);
    memcpy(n->b2, ints->b2, sizeof n->b2);
    memcpy(n->w3, ints->w3, sizeof n->w3);
    n->b3 = *ints->b3;
    memcpy(n->multiplier, ints->multiplier, sizeof n->multiplier);
    n->shift = ints->shift;
}

/* The file in bytes, at all levels. */
static int add_levels(struct bench *bench, unsigned group, const char *name, struct buffer *bytes,
                      struct error *err)
{
    int status = 0;
    for (unsigned isa = first_level(bench->options); isa <= PLYNNUE_ISA_NEON && status == 0;
         isa = next_level(bench->options, isa))
        status = add_tiny(bench, group, name, bytes, isa, err);
    return status;
}

static int add_float_net(struct bench *bench, const struct tinynnue_float *floats,
                         struct error *err)
{
    struct buffer bytes;
    buffer_init(&bytes, TINYNET_FILE_MAX);
    int status = tinynet_encode_float(floats, NULL, 0, &bytes, err);
    if (status == 0)
        status = add_levels(bench, GROUP_FLOAT, "TinyNNUE fp32", &bytes, err);
    buffer_free(&bytes);
    return status;
}

static int add_int_net(struct bench *bench, unsigned group, const char *name,
                       const struct quantized *q, struct error *err)
{
    struct buffer bytes;
    buffer_init(&bytes, TINYNET_FILE_MAX);
    int status = tinynet_encode_int(&q->net, q->scale, NULL, 0, &bytes, err);
    if (status == 0)
        status = add_levels(bench, group, name, &bytes, err);
    buffer_free(&bytes);
    return status;
}

/* The net that all loops have, as floats and integers; or the one with even weights. */
static int add_tinynnue(struct bench *bench, bool even, struct error *err)
{
    struct tinynnue_float floats = {.w1 = NULL};
    struct quantized q;
    if (draw_net(&floats, even, err) < 0)
        return -1;
    int status = quantize_net(&floats, QUANTIZE_SHIFT, &q, err);
    if (status == 0) {
        if (even) {
            status = add_int_net(bench, GROUP_EVEN, "TinyNNUE int8, even weights", &q, err);
        } else {
            copy_numbers(bench, &floats, &q.net);
            status = add_float_net(bench, &floats, err);
            if (status == 0)
                status = add_int_net(bench, GROUP_TINY, "TinyNNUE int8", &q, err);
        }
        quantized_free(&q);
    }
    tinynnue_float_free(&floats);
    return status;
}

static int add_files(struct bench *bench, struct error *err)
{
    const struct bench_nnue_options *options = bench->options;
    for (size_t i = 0; i < options->net_count; i++) {
        const char *path = options->nets[i], *slash = strrchr(path, '/');
        for (unsigned isa = first_level(options); isa <= PLYNNUE_ISA_NEON;
             isa = next_level(options, isa)) {
            plynnue_net *net;
            if (netarg_open_as(path, options->arch, (enum plynnue_isa)isa, &net, err) < 0 ||
                add_net(bench, GROUP_FILES + (unsigned)i, slash ? slash + 1 : path, net, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* Results. */

static int scatter(struct bench *bench, struct error *err)
{
    size_t count = bench->games.count * BENCH_CHUNK;
    struct rng rng = {SHUFFLE_SEED};
    bench->scattered = fault_malloc(count * sizeof *bench->scattered);
    if (!bench->scattered)
        return error_memory(err);
    for (uint32_t i = 0; i < count; i++)
        bench->scattered[i] = i;
    for (uint32_t i = (uint32_t)count; i > 1; i--) {
        uint32_t other = rng_below(&rng, i), held = bench->scattered[i - 1];
        bench->scattered[i - 1] = bench->scattered[other];
        bench->scattered[other] = held;
    }
    return 0;
}

/* All ways to a value, and all contestants with the same net, must come to the same sum. */
static int compare_sums(const struct bench *bench, struct error *err)
{
    for (size_t i = 0; i < bench->count; i++) {
        const struct contestant *c = &bench->contestants[i], *first = bench->contestants;
        while (first->group != c->group)
            first++;
        for (unsigned column = 0; column < BENCH_COLUMNS && !c->is_float; column++)
            if (c->timed[column] && c->sum[column] != first->sum[BENCH_REFRESH])
                return error_set(err, ERROR_DIFFERS,
                                 "values differ between levels: sums %" PRId64 " and %" PRId64
                                 "; plymill check says where",
                                 c->sum[column], first->sum[BENCH_REFRESH]);
    }
    return 0;
}

static void summarise(struct bench *bench)
{
    struct bench_nnue_row *row = bench->result->rows;
    unsigned plain = 0;
    for (size_t i = 0; i < bench->count; i++) {
        struct contestant *c = &bench->contestants[i];
        struct bench_nnue_plain *loops = &bench->result->plain[plain / 2];
        struct bench_spread *to = c->net ? row->ns : c->is_float ? loops->float_ns : loops->int_ns;
        for (unsigned column = 0; column < BENCH_COLUMNS; column++)
            if (c->timed[column])
                to[column] = bench_spread_of(c->times[column], c->timed[column]);
        if (c->net)
            row++;
        else
            plain++;
    }
    for (unsigned i = 0; i < PLAIN_FLAGS; i++)
        bench->result->plain[i].flags = plain_find((enum plain_flags)i)->flags;
}

static void free_contestant(struct contestant *c)
{
    plynnue_acc_free(c->stack);
    for (unsigned i = 0; i < BENCH_CHUNK; i++)
        plynnue_acc_free(c->fresh[i]);
    plynnue_net_close(c->net);
    free(c->scratch);
    for (unsigned i = 0; i < BENCH_COLUMNS; i++)
        free(c->times[i]);
}

static void time_all(struct bench *bench)
{
    double begun = now_ns(), used = read_ns(CLOCK_THREAD_CPUTIME_ID);
    bench->clock_ns = measure_clock();
    for (unsigned run = 0; run < bench->options->runs; run++)
        for (size_t i = 0; i < bench->count; i++)
            time_contestant(bench, &bench->contestants[i]);
    used = read_ns(CLOCK_THREAD_CPUTIME_ID) - used;
    bench->result->processor_share = used / (now_ns() - begun);
}

static int run_all(struct bench *bench, struct error *err)
{
    const struct bench_nnue_options *options = bench->options;
    if (bench_positions_load(options->games, options->chunks, &bench->games, err) < 0 ||
        scatter(bench, err) < 0 || add_plain(bench, err) < 0 ||
        add_tinynnue(bench, false, err) < 0 || add_tinynnue(bench, true, err) < 0 ||
        add_files(bench, err) < 0)
        return -1;
    time_all(bench);
    if (compare_sums(bench, err) < 0)
        return -1;
    summarise(bench);
    bench->result->games = bench->games.games;
    bench->result->chunks = bench->games.count;
    return 0;
}

int bench_nnue_run(const struct bench_nnue_options *options, struct bench_nnue *result,
                   struct error *err)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return error_memory(err);
    memset(result, 0, sizeof *result);
    bench->options = options;
    bench->result = result;
    int status = run_all(bench, err);
    for (size_t i = 0; i < bench->count; i++)
        free_contestant(&bench->contestants[i]);
    free(bench->contestants);
    free(bench->scattered);
    bench_positions_free(&bench->games);
    free(bench);
    return status;
}
