/* SPDX-License-Identifier: MIT */
/*
 * Values of nets, see score_net.h.
 */
#include "nnue/tools/score_net.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "nnue/core/safetensors.h"
#include "nnue/tools/fmath.h"
#include "nnue/tools/workers.h"

enum { CHUNK = 4096, BATCH = 64, MAGIC_SIZE = 9 };
enum { GRID_STEPS = 81, GRID_STEPS_A_DECADE = 10, GOLDEN_STEPS = 60 };

struct job {
    const plynnue_net *net;
    const struct samples *samples;
    double *values;
    bool floats;
    atomic_bool out_of_memory;
    atomic_size_t refused; /* position number + 1; 0: none */
};

/* Integer nets: a batch at a time. */
static size_t run_integers(struct job *job, size_t first, size_t count, void *scratch)
{
    struct plynnue_piece pieces[BATCH][PLYNNUE_PIECES_MAX];
    struct plynnue_position positions[BATCH];
    int32_t values[BATCH];
    for (size_t done = 0; done < count; done += BATCH) {
        size_t n = count - done < BATCH ? count - done : BATCH;
        const struct sample *samples = job->samples->items + first + done;
        for (size_t i = 0; i < n; i++)
            sample_to_pieces(&samples[i], pieces[i], &positions[i]);
        if (plynnue_eval_batch(job->net, positions, n, values, scratch))
            return first + done + 1;
        for (size_t i = 0; i < n; i++)
            job->values[first + done + i] = positions[i].side == WHITE ? values[i] : -values[i];
    }
    return 0;
}

/* Float nets: a batch would round. */
static size_t run_floats(struct job *job, size_t first, size_t count, plynnue_acc *acc)
{
    for (size_t i = first; i < first + count; i++) {
        struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
        struct plynnue_position position;
        double value;
        sample_to_pieces(&job->samples->items[i], pieces, &position);
        if (plynnue_acc_set(acc, &position))
            return i + 1;
        value = plynnue_acc_eval_float(acc, position.side);
        job->values[i] = position.side == WHITE ? value : -value;
    }
    return 0;
}

static void run_chunk(void *context, size_t chunk)
{
    struct job *job = context;
    size_t first = chunk * CHUNK, left = job->samples->count - first, refused = 0;
    size_t count = left < CHUNK ? left : CHUNK;
    plynnue_acc *acc = NULL;
    void *scratch = job->floats ? NULL : malloc(plynnue_batch_scratch(job->net));
    if (job->floats ? plynnue_acc_new(job->net, 0, &acc, NULL) != 0 : !scratch)
        atomic_store(&job->out_of_memory, true);
    else if (job->floats)
        refused = run_floats(job, first, count, acc);
    else
        refused = run_integers(job, first, count, scratch);
    if (refused)
        atomic_store(&job->refused, refused);
    plynnue_acc_free(acc);
    free(scratch);
}

int score_values(const plynnue_net *net, const struct samples *samples, unsigned threads,
                 double *values, struct error *err)
{
    struct plynnue_info info = {.size = sizeof info};
    struct job job = {.net = net, .samples = samples, .values = values};
    struct workers *workers;
    plynnue_net_info(net, &info);
    job.floats = info.is_float;
    atomic_init(&job.out_of_memory, false);
    atomic_init(&job.refused, 0);
    if (workers_new(threads, &workers, err))
        return -1;
    workers_run(workers, (samples->count + CHUNK - 1) / CHUNK, run_chunk, &job);
    workers_free(workers);
    if (atomic_load(&job.out_of_memory))
        return error_memory(err);
    if (atomic_load(&job.refused))
        return error_set(err, ERROR_FAILED, "a position near number %zu is none that a net can see",
                         atomic_load(&job.refused));
    return 0;
}

static double loss(const double *values, const struct samples *samples, double cp, double scale)
{
    double to_400 = 400 / scale, sum = 0; /* fmath_win_share's scale */
    for (size_t i = 0; i < samples->count; i++) {
        double difference = fmath_win_share(values[i] * cp * to_400) -
                            fmath_win_share(samples->items[i].cp * to_400);
        sum += difference * difference;
    }
    return sum;
}

/* Golden section between two exponents of ten. */
static double refine(const double *values, const struct samples *samples, double scale, double low,
                     double high)
{
    const double share = 0.6180339887498949;
    double a = high - share * (high - low), b = low + share * (high - low);
    double at_a = loss(values, samples, pow(10, a), scale);
    double at_b = loss(values, samples, pow(10, b), scale);
    for (unsigned i = 0; i < GOLDEN_STEPS && high - low > 1e-7; i++) {
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - share * (high - low);
            at_a = loss(values, samples, pow(10, a), scale);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + share * (high - low);
            at_b = loss(values, samples, pow(10, b), scale);
        }
    }
    return pow(10, (low + high) / 2);
}

/* The grid: four decades to both sides of what makes the values as large as the labels. */
double score_fit_unit(const double *values, const struct samples *samples, double scale)
{
    double sizes = 0, labels = 0, middle, best = 0, least = INFINITY;
    for (size_t i = 0; i < samples->count; i++) {
        sizes += fabs(values[i]);
        labels += fabs((double)samples->items[i].cp);
    }
    if (!(sizes > 0))
        return 0;
    middle = log10(labels > 0 ? labels / sizes : 1 / sizes);
    for (int i = 0; i < GRID_STEPS; i++) {
        int step = i - GRID_STEPS / 2;
        double at = middle + step / (double)GRID_STEPS_A_DECADE;
        double here = loss(values, samples, pow(10, at), scale);
        if (here < least) {
            least = here;
            best = at;
        }
    }
    return refine(values, samples, scale, best - 1.0 / GRID_STEPS_A_DECADE,
                  best + 1.0 / GRID_STEPS_A_DECADE);
}

static int fit(const plynnue_net *net, const struct samples *fit_on, double scale, unsigned threads,
               double *cp, struct error *err)
{
    struct samples first = *fit_on;
    double *values;
    int result;
    if (first.count > SCORE_FIT_MAX)
        first.count = SCORE_FIT_MAX;
    values = calloc(first.count + 1, sizeof *values);
    if (!values)
        return error_memory(err);
    result = score_values(net, &first, threads, values, err);
    if (!result)
        *cp = score_fit_unit(values, &first, scale);
    free(values);
    if (!result && !(*cp > 0))
        return error_set(err, ERROR_FAILED, "all values are 0: no unit can be fitted");
    return result;
}

int score_choose_unit(const plynnue_net *net, bool foreign, const struct score_unit *wanted,
                      const struct samples *fit_on, double scale, unsigned threads,
                      struct score_unit *unit, struct error *err)
{
    struct plynnue_info info = {.size = sizeof info};
    plynnue_net_info(net, &info);
    *unit = (struct score_unit){wanted->from, wanted->cp, info.cp_per_unit};
    if (unit->from == SCORE_UNIT_AUTO)
        unit->from = foreign || !(unit->own > 0) ? SCORE_UNIT_FITTED : SCORE_UNIT_OWN;
    if (unit->from == SCORE_UNIT_OWN && !(unit->own > 0))
        return error_set(err, ERROR_FAILED, "the net does not say what its unit is worth in cp");
    if (unit->from == SCORE_UNIT_OWN)
        unit->cp = unit->own;
    return unit->from == SCORE_UNIT_FITTED ? fit(net, fit_on, scale, threads, &unit->cp, err) : 0;
}

bool score_is_foreign(const char *path)
{
    char magic[MAGIC_SIZE];
    FILE *file = fopen(path, "rb");
    size_t size;
    if (!file)
        return false;
    size = fread(magic, 1, sizeof magic, file);
    (void)fclose(file);
    return !safetensors_detect(magic, size);
}
