/* SPDX-License-Identifier: MIT */
/*
 * Scoring, see score.h: the values of every row on all positions, cut into groups, each of which is
 * one unit of work for a thread (score_resample.c).
 */
#include "nnue/tools/score.h"

#include <stdlib.h>
#include <string.h>

#include "nnue/tools/score_resample.h"
#include "nnue/tools/workers.h"

static const char *const baseline_names[SCORE_BASELINES] = {[SCORE_CONSTANT] = "constant",
                                                            [SCORE_MATERIAL] = "material",
                                                            [SCORE_MATERIAL_FITTED] =
                                                                "material fitted"};

const char *score_baseline_name(enum score_baseline baseline)
{
    return baseline_names[baseline];
}

const char *score_metric_name(enum score_metric metric)
{
    static const char *const names[SCORE_METRICS] = {"wdl_mse", "mae", "median", "correlation",
                                                     "sign"};
    return names[metric];
}

void score_fit_floor(const struct samples *train, double scale, struct score_floor *floor)
{
    double sum = 0;
    for (size_t i = 0; i < train->count; i++)
        sum += train->items[i].cp;
    floor->constant = sum / (double)train->count;
    material_fit(train, scale, floor->fitted);
}

/* The baselines' say on every position: [SCORE_BASELINES][positions]. */
static double *predict_baselines(const struct samples *samples, const struct score_floor *floor)
{
    size_t n = samples->count;
    double *cp = calloc(SCORE_BASELINES * n, sizeof *cp);
    for (size_t i = 0; cp && i < n; i++) {
        cp[SCORE_CONSTANT * n + i] = floor->constant;
        cp[SCORE_MATERIAL * n + i] = material_cp(&samples->items[i], material_standard);
        cp[SCORE_MATERIAL_FITTED * n + i] = material_cp(&samples->items[i], floor->fitted);
    }
    return cp;
}

struct job {
    struct score_resample input;
    struct score_table *table;
    int *results; /* [group_count] */
};

static void measure_group(void *context, size_t i)
{
    struct job *job = context;
    job->results[i] = score_resample_group(&job->input, job->table->groups[i]);
}

/* A group with its name and size, if it holds a position. */
static int add_group(const struct score_set *set, enum score_by by, unsigned number,
                     struct score_table *table, struct error *err)
{
    struct score_group *group;
    size_t positions = 0;
    for (size_t i = 0; i < set->samples.count; i++)
        positions += set->groups[i][by] == (int8_t)number;
    if (!positions)
        return 0;
    group = calloc(1, sizeof *group);
    if (!group)
        return error_memory(err);
    group->by = by;
    group->group = number;
    group->positions = positions;
    table->groups[table->group_count++] = group;
    return 0;
}

static int add_groups(const struct score_set *set, struct score_table *table, struct error *err)
{
    for (unsigned by = 0; by < SCORE_BY_COUNT; by++)
        for (unsigned i = 0; i < score_by_groups((enum score_by)by); i++)
            if (add_group(set, (enum score_by)by, i, table, err))
                return -1;
    return 0;
}

static int measure_groups(struct job *job, unsigned threads, struct error *err)
{
    struct workers *workers;
    int failed = 0;
    job->results = calloc(job->table->group_count, sizeof *job->results);
    if (!job->results)
        return error_memory(err);
    if (workers_new(threads, &workers, err)) {
        free(job->results);
        return -1;
    }
    workers_run(workers, job->table->group_count, measure_group, job);
    workers_free(workers);
    for (unsigned i = 0; i < job->table->group_count; i++)
        failed = failed || job->results[i];
    free(job->results);
    return failed ? error_memory(err) : 0;
}

static void list_rows(const struct score_entry *nets, unsigned net_count, const double *baselines,
                      size_t positions, struct score_entry *rows)
{
    for (unsigned i = 0; i < net_count; i++)
        rows[i] = nets[i];
    for (unsigned i = 0; i < SCORE_BASELINES; i++)
        rows[net_count + i] = (struct score_entry){baseline_names[i], baselines + i * positions};
}

int score_measure(const struct score_set *set, const struct score_entry *nets, unsigned net_count,
                  const struct score_floor *floor, double scale, unsigned threads,
                  struct score_table *table, struct error *err)
{
    struct score_entry rows[SCORE_NETS_MAX + SCORE_BASELINES];
    struct job job = {.table = table};
    double *baselines;
    int result;
    memset(table, 0, sizeof *table);
    if (!set->samples.count)
        return error_set(err, ERROR_FAILED, "no positions to score on");
    if (net_count > SCORE_NETS_MAX)
        return error_set(err, ERROR_USAGE, "at most %d nets at a time", SCORE_NETS_MAX);
    table->scale = scale;
    table->mates = set->samples.mates;
    table->has_intervals = set->has_games;
    table->nets = net_count;
    table->rows = net_count + SCORE_BASELINES;
    table->floor = *floor;
    baselines = predict_baselines(&set->samples, floor);
    if (!baselines)
        return error_memory(err);
    list_rows(nets, net_count, baselines, set->samples.count, rows);
    job.input = (struct score_resample){set, rows, table->rows, scale};
    result = add_groups(set, table, err);
    if (!result)
        result = measure_groups(&job, threads, err);
    free(baselines);
    return result;
}

void score_table_free(struct score_table *table)
{
    for (unsigned i = 0; i < table->group_count; i++)
        free(table->groups[i]);
    table->group_count = 0;
}

enum score_verdict score_judge(const struct score_row *row, enum score_baseline baseline)
{
    const struct score_value *ratio = &row->ratio[SCORE_WDL_MSE][baseline];
    if (ratio->high < 1)
        return SCORE_BETTER;
    return ratio->low > 1 ? SCORE_WORSE : SCORE_UNDECIDED;
}
