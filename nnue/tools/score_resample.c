/* SPDX-License-Identifier: MIT */
/*
 * Metrics and intervals of a group, see score_resample.h.
 *
 * What a metric needs is added up once for each game; a resample then adds these sums, each as
 * often as its game was drawn. Medians need more than sums: the errors are sorted once, and walked
 * through with the weights of their games from somewhere below the middle on; what lies before is
 * a sum, too.
 */
#include "nnue/tools/score_resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/tools/fmath.h"
#include "nnue/tools/rng.h"
#include "nnue/tools/stats.h"

#define MEDIAN_MARGIN 4.0 /* roots of the count: eight standard errors of a median's place */

/* What is added up. x: the row's value, y: the label, both centred. */
enum {
    POSITIONS,
    SQUARES,
    ABSOLUTES,
    AGREE,
    DECIDED,
    X,
    Y,
    XX,
    YY,
    XY,
    BELOW, /* positions whose error has a place before work.start */
    SUMS
};

/* Over the positions of a game. */
struct sums {
    double of[SUMS];
};

/* Resamples that are added up together, so that each game's sums are fetched once for all. */
enum { BLOCK = 8 };

_Static_assert(SCORE_RESAMPLES % BLOCK == 0, "whole blocks");

struct weighed {
    double of[SUMS][BLOCK];
};

struct error_of {
    double error;
    uint32_t game;
};

struct work {
    const struct score_resample *input;
    struct score_group *group;
    size_t count;            /* positions */
    size_t start;            /* where the search for a median begins */
    uint32_t games;          /* of the group */
    size_t *positions;       /* [count] which ones of the set */
    uint32_t *game;          /* [count] number within the group */
    uint32_t *numbers;       /* [games of the set] number within the group + 1; 0: not in it */
    struct sums *sums;       /* [rows][games] */
    struct error_of *errors; /* [rows][count], ascending */
    bool *varies;            /* [rows] */
    double (*times)[BLOCK];  /* [games] how often each resample of a block holds the game */
    double *resampled;       /* [rows][SCORE_METRICS][SCORE_RESAMPLES] */
    double *ratios;          /* [SCORE_RESAMPLES] scratch */
};

static void work_free(struct work *w)
{
    free(w->positions);
    free(w->game);
    free(w->numbers);
    free(w->sums);
    free(w->errors);
    free(w->varies);
    free(w->times);
    free(w->resampled);
    free(w->ratios);
}

/* Finds the group's positions and numbers its games. Without games all is one game. */
static void list_positions(struct work *w)
{
    const struct score_set *set = w->input->set;
    for (size_t i = 0; i < set->samples.count; i++) {
        uint32_t *number;
        if (set->groups[i][w->group->by] != (int8_t)w->group->group)
            continue;
        number = &w->numbers[set->has_games ? set->samples.items[i].game : 0];
        if (!*number)
            *number = ++w->games;
        w->game[w->count] = *number - 1;
        w->positions[w->count++] = i;
    }
    w->group->games = set->has_games ? w->games : 0;
    w->start = (size_t)fmax(0, (double)w->count / 2 - MEDIAN_MARGIN * sqrt((double)w->count));
}

static int work_new(struct work *w)
{
    size_t n = w->group->positions, rows = w->input->row_count;
    w->positions = calloc(n, sizeof *w->positions);
    w->game = calloc(n, sizeof *w->game);
    w->numbers = calloc((size_t)w->input->set->samples.games + 1, sizeof *w->numbers);
    if (!w->positions || !w->game || !w->numbers)
        return -1;
    list_positions(w);
    w->sums = calloc(rows * w->games + 1, sizeof *w->sums);
    w->errors = calloc(rows * n, sizeof *w->errors);
    w->varies = calloc(rows, sizeof *w->varies);
    w->times = calloc((size_t)w->games + 1, sizeof *w->times);
    w->resampled = calloc(rows * SCORE_METRICS * SCORE_RESAMPLES, sizeof *w->resampled);
    w->ratios = calloc(SCORE_RESAMPLES, sizeof *w->ratios);
    return w->sums && w->errors && w->varies && w->times && w->resampled && w->ratios ? 0 : -1;
}

static int compare_errors(const void *a, const void *b)
{
    const struct error_of *x = a, *y = b;
    if (x->error != y->error)
        return x->error < y->error ? -1 : 1;
    return (x->game > y->game) - (x->game < y->game);
}

static void add_position(const struct work *w, double cp, double label, double x, double y,
                         struct sums *sums)
{
    double to_400 = 400 / w->input->scale; /* fmath_win_share's scale */
    double difference = fmath_win_share(cp * to_400) - fmath_win_share(label * to_400);
    sums->of[POSITIONS] += 1;
    sums->of[SQUARES] += difference * difference;
    sums->of[ABSOLUTES] += fabs(cp - label);
    sums->of[DECIDED] += label != 0;
    sums->of[AGREE] += (label > 0 && cp > 0) || (label < 0 && cp < 0);
    sums->of[X] += x;
    sums->of[Y] += y;
    sums->of[XX] += x * x;
    sums->of[YY] += y * y;
    sums->of[XY] += x * y;
}

static void add_row(struct work *w, unsigned row)
{
    const struct sample *items = w->input->set->samples.items;
    const double *cp = w->input->rows[row].cp;
    struct sums *sums = w->sums + (size_t)row * w->games;
    struct error_of *errors = w->errors + (size_t)row * w->count;
    double mean_x = 0, mean_y = 0;
    for (size_t k = 0; k < w->count; k++) {
        mean_x += cp[w->positions[k]] / (double)w->count;
        mean_y += items[w->positions[k]].cp / (double)w->count;
        w->varies[row] = w->varies[row] || cp[w->positions[k]] != cp[w->positions[0]];
    }
    for (size_t k = 0; k < w->count; k++) {
        double value = cp[w->positions[k]], label = items[w->positions[k]].cp;
        add_position(w, value, label, value - mean_x, label - mean_y, &sums[w->game[k]]);
        errors[k] = (struct error_of){fabs(value - label), w->game[k]};
    }
    qsort(errors, w->count, sizeof *errors, compare_errors);
    for (size_t k = 0; k < w->start; k++)
        sums[errors[k].game].of[BELOW] += 1;
}

/* Every game's sums times its weights. */
static void weigh(const struct work *w, unsigned row, struct weighed *all)
{
    const struct sums *sums = w->sums + (size_t)row * w->games;
    memset(all, 0, sizeof *all);
    for (uint32_t g = 0; g < w->games; g++)
        for (unsigned i = 0; i < SUMS; i++)
            for (unsigned b = 0; b < BLOCK; b++)
                all->of[i][b] += w->times[g][b] * sums[g].of[i];
}

/* Of the errors, each as often as its game is in resample b of the block. */
static double weighted_median(const struct work *w, unsigned row, const struct weighed *all,
                              unsigned b)
{
    const struct error_of *errors = w->errors + (size_t)row * w->count;
    uint64_t total = (uint64_t)all->of[POSITIONS][b], seen = (uint64_t)all->of[BELOW][b];
    uint64_t lower_place = (total - 1) / 2, upper_place = total / 2;
    double lower = 0;
    bool found = false;
    size_t k = w->start;
    if (seen > lower_place) /* this draw's median lies before all that was expected */
        seen = k = 0;
    for (; k < w->count; k++) {
        seen += (uint64_t)w->times[errors[k].game][b];
        if (!found && seen > lower_place) {
            lower = errors[k].error;
            found = true;
        }
        if (seen > upper_place)
            return (lower + errors[k].error) / 2;
    }
    return lower;
}

/* The variances are sums of squares around a mean near zero: rounding leaves far less than this. */
static double correlation(const struct weighed *all, unsigned b, bool varies)
{
    double n = all->of[POSITIONS][b], x = all->of[X][b], y = all->of[Y][b], least = 1e-12 * n;
    double xx = all->of[XX][b] - x * x / n, yy = all->of[YY][b] - y * y / n;
    double xy = all->of[XY][b] - x * y / n;
    return varies && xx > least && yy > least ? xy / (sqrt(xx) * sqrt(yy)) : 0;
}

/* Of every resample of the block that stands in times. */
static void compute_metrics(const struct work *w, unsigned row, double out[SCORE_METRICS][BLOCK])
{
    struct weighed all;
    weigh(w, row, &all);
    for (unsigned b = 0; b < BLOCK; b++) {
        double n = all.of[POSITIONS][b], decided = all.of[DECIDED][b];
        out[SCORE_WDL_MSE][b] = all.of[SQUARES][b] / n;
        out[SCORE_MAE][b] = all.of[ABSOLUTES][b] / n;
        out[SCORE_MEDIAN][b] = weighted_median(w, row, &all, b);
        out[SCORE_CORRELATION][b] = correlation(&all, b, w->varies[row]);
        out[SCORE_SIGN][b] = decided > 0 ? all.of[AGREE][b] / decided : 0;
    }
}

/* A block of resamples, each of as many games as there are, drawn with replacement. */
static void draw_games(struct work *w, struct rng *rng)
{
    memset(w->times, 0, w->games * sizeof *w->times);
    for (unsigned b = 0; b < BLOCK; b++)
        for (uint32_t i = 0; i < w->games; i++)
            w->times[rng_below(rng, w->games)][b] += 1;
}

static double *resampled(const struct work *w, unsigned row, unsigned metric)
{
    return w->resampled + ((size_t)row * SCORE_METRICS + metric) * SCORE_RESAMPLES;
}

static void resample(struct work *w)
{
    struct rng rng = {SCORE_SEED};
    for (size_t r = 0; r < SCORE_RESAMPLES; r += BLOCK) {
        draw_games(w, &rng);
        for (unsigned row = 0; row < w->input->row_count; row++) {
            double values[SCORE_METRICS][BLOCK];
            compute_metrics(w, row, values);
            for (unsigned m = 0; m < SCORE_METRICS; m++)
                memcpy(resampled(w, row, m) + r, values[m], sizeof values[m]);
        }
    }
}

static double ratio_of(double value, double by)
{
    return by > 0 ? value / by : 1;
}

static void set_range(struct score_value *value, double *values)
{
    stats_sort(values, SCORE_RESAMPLES);
    value->low = values[stats_place(SCORE_RESAMPLES, 25, 1000)];
    value->high = values[stats_place(SCORE_RESAMPLES, 975, 1000)];
}

/* Ratios first: the ranges of metrics sort what the ratios need in order. */
static void fill_ratio_ranges(struct work *w, unsigned row, unsigned m, unsigned baseline)
{
    unsigned other = w->input->row_count - SCORE_BASELINES + baseline;
    const double *values = resampled(w, row, m), *by = resampled(w, other, m);
    for (size_t r = 0; r < SCORE_RESAMPLES; r++)
        w->ratios[r] = ratio_of(values[r], by[r]);
    set_range(&w->group->rows[row].ratio[m][baseline], w->ratios);
}

static void fill_ranges(struct work *w)
{
    unsigned rows = w->input->row_count;
    for (unsigned row = 0; row < rows; row++)
        for (unsigned m = 0; m < SCORE_RATIO_METRICS; m++)
            for (unsigned baseline = 0; baseline < SCORE_BASELINES; baseline++)
                fill_ratio_ranges(w, row, m, baseline);
    for (unsigned row = 0; row < rows; row++)
        for (unsigned m = 0; m < SCORE_METRICS; m++)
            set_range(&w->group->rows[row].metric[m], resampled(w, row, m));
}

static void fill_values(struct work *w)
{
    unsigned rows = w->input->row_count, first = rows - SCORE_BASELINES;
    for (uint32_t g = 0; g < w->games; g++)
        for (unsigned b = 0; b < BLOCK; b++)
            w->times[g][b] = 1;
    for (unsigned row = 0; row < rows; row++) {
        double values[SCORE_METRICS][BLOCK];
        w->group->rows[row].name = w->input->rows[row].name;
        compute_metrics(w, row, values);
        for (unsigned m = 0; m < SCORE_METRICS; m++)
            w->group->rows[row].metric[m] =
                (struct score_value){values[m][0], values[m][0], values[m][0]};
    }
    for (unsigned row = 0; row < rows; row++)
        for (unsigned m = 0; m < SCORE_RATIO_METRICS; m++)
            for (unsigned k = 0; k < SCORE_BASELINES; k++) {
                double ratio = ratio_of(w->group->rows[row].metric[m].value,
                                        w->group->rows[first + k].metric[m].value);
                w->group->rows[row].ratio[m][k] = (struct score_value){ratio, ratio, ratio};
            }
}

int score_resample_group(const struct score_resample *input, struct score_group *group)
{
    struct work work = {.input = input, .group = group};
    int result = work_new(&work);
    if (!result) {
        for (unsigned row = 0; row < input->row_count; row++)
            add_row(&work, row);
        fill_values(&work);
        if (input->set->has_games) {
            resample(&work);
            fill_ranges(&work);
        }
    }
    work_free(&work);
    return result;
}
