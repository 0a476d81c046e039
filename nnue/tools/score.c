/* SPDX-License-Identifier: MIT */
/*
 * Scoring, see score.h.
 */
#include "nnue/tools/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/tools/fmath.h"
#include "nnue/tools/rng.h"
#include "nnue/tools/stats.h"

enum { ROWS_MAX = SCORE_NETS_MAX + SCORE_BASELINES };

/* A row's errors summed over the positions of one game. */
struct game_sums {
    double squares, absolutes;
};

struct scorer {
    const struct samples *split;
    struct score_table *table;
    double *labels;         /* [positions] */
    double *errors;         /* [positions] scratch */
    uint32_t *sizes;        /* [games] positions */
    struct game_sums *sums; /* [rows][games] */
    uint32_t *times;        /* [games] how often a resample holds the game */
    double *resampled[3];   /* [rows][SCORE_RESAMPLES] wdl_mse, mae, ratio */
};

int score_predict(const plynnue_net *net, const struct samples *samples, double *cp,
                  struct error *err)
{
    struct plynnue_info info = {.size = sizeof info};
    struct plynnue_error error;
    plynnue_acc *acc;
    plynnue_net_info(net, &info);
    if (!(info.cp_per_unit > 0))
        return error_set(err, ERROR_FAILED, "the net does not say what its unit is worth in cp");
    if (plynnue_acc_new(net, 0, &acc, &error))
        return error_set(err, ERROR_FAILED, "%s", error.text);
    for (size_t i = 0; i < samples->count; i++) {
        struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
        struct plynnue_position position;
        double value;
        sample_to_pieces(&samples->items[i], pieces, &position);
        if (plynnue_acc_set(acc, &position)) {
            plynnue_acc_free(acc);
            return error_set(err, ERROR_FAILED, "position %zu is none that a net can see", i + 1);
        }
        value = plynnue_acc_eval_float(acc, position.side) * info.cp_per_unit;
        cp[i] = position.side == 0 ? value : -value;
    }
    plynnue_acc_free(acc);
    return 0;
}

static void scorer_free(struct scorer *s)
{
    free(s->labels);
    free(s->errors);
    free(s->sizes);
    free(s->sums);
    free(s->times);
    for (unsigned i = 0; i < 3; i++)
        free(s->resampled[i]);
}

static int scorer_new(struct scorer *s, const struct samples *split, struct score_table *table,
                      struct error *err)
{
    size_t n = split->count, games = split->games;
    *s = (struct scorer){.split = split, .table = table};
    s->labels = calloc(n, sizeof(double));
    s->errors = calloc(n, sizeof(double));
    s->sizes = calloc(games, sizeof *s->sizes);
    s->times = calloc(games, sizeof *s->times);
    s->sums = calloc(ROWS_MAX * games, sizeof *s->sums);
    for (unsigned i = 0; i < 3; i++)
        s->resampled[i] = calloc((size_t)ROWS_MAX * SCORE_RESAMPLES, sizeof(double));
    if (!s->labels || !s->errors || !s->sizes || !s->times || !s->sums || !s->resampled[0] ||
        !s->resampled[1] || !s->resampled[2])
        return error_memory(err);
    for (size_t i = 0; i < n; i++) {
        s->labels[i] = split->items[i].cp;
        s->sizes[split->items[i].game]++;
    }
    return 0;
}

static double sign_agreement(const double *cp, const double *labels, size_t count)
{
    size_t agree = 0, decided = 0;
    for (size_t i = 0; i < count; i++) {
        decided += labels[i] != 0;
        agree += (labels[i] > 0 && cp[i] > 0) || (labels[i] < 0 && cp[i] < 0);
    }
    return decided ? (double)agree / (double)decided : 0;
}

/* Fills the next row of the table but for intervals and ratio, and its sums by game. */
static void add_row(struct scorer *s, const char *name, const double *cp)
{
    size_t n = s->split->count;
    struct score_row *row = &s->table->rows[s->table->count];
    struct game_sums *sums = s->sums + (size_t)s->table->count++ * s->split->games;
    double squares = 0, absolutes = 0;
    for (size_t i = 0; i < n; i++) {
        double difference = fmath_win_share(cp[i]) - fmath_win_share(s->labels[i]);
        struct game_sums *game = &sums[s->split->items[i].game];
        s->errors[i] = fabs(cp[i] - s->labels[i]);
        game->squares += difference * difference;
        game->absolutes += s->errors[i];
        squares += difference * difference;
        absolutes += s->errors[i];
    }
    stats_sort(s->errors, n);
    row->name = name;
    row->wdl_mse = squares / (double)n;
    row->mae = absolutes / (double)n;
    row->median = stats_median(s->errors, n);
    row->correlation = stats_correlation(cp, s->labels, n);
    row->sign = sign_agreement(cp, s->labels, n);
}

static void add_material(struct scorer *s, const char *name, const double *weights, double *cp)
{
    for (size_t i = 0; i < s->split->count; i++)
        cp[i] = material_cp(&s->split->items[i], weights);
    add_row(s, name, cp);
}

/* cp: [positions] scratch. */
static void add_baselines(struct scorer *s, const struct samples *train, double *cp)
{
    double sum = 0;
    for (size_t i = 0; i < train->count; i++)
        sum += train->items[i].cp;
    s->table->constant = sum / (double)train->count;
    for (size_t i = 0; i < s->split->count; i++)
        cp[i] = s->table->constant;
    add_row(s, "constant", cp);
    add_material(s, "material", material_standard, cp);
    material_fit(train, s->table->fitted);
    add_material(s, "material fitted", s->table->fitted, cp);
}

/* As many games as there are, drawn with replacement: how often each was drawn. Gives positions. */
static double draw_games(struct scorer *s, struct rng *rng)
{
    uint32_t games = s->split->games;
    double positions = 0;
    memset(s->times, 0, games * sizeof *s->times);
    for (uint32_t i = 0; i < games; i++) {
        uint32_t game = rng_below(rng, games);
        s->times[game]++;
        positions += s->sizes[game];
    }
    return positions;
}

/* Resample number r of one row, from the sums of the games that were drawn. */
static void resample_row(struct scorer *s, size_t row, size_t r, double positions)
{
    const struct game_sums *sums = s->sums + row * s->split->games;
    size_t at = row * SCORE_RESAMPLES + r;
    double squares = 0, absolutes = 0;
    for (uint32_t g = 0; g < s->split->games; g++) {
        squares += s->times[g] * sums[g].squares;
        absolutes += s->times[g] * sums[g].absolutes;
    }
    s->resampled[0][at] = squares / positions;
    s->resampled[1][at] = absolutes / positions;
}

/* All rows see the same resamples, so that ratios are of errors on the same games. */
static void resample(struct scorer *s)
{
    struct rng rng = {SCORE_SEED};
    size_t rows = s->table->count;
    for (size_t r = 0; r < SCORE_RESAMPLES; r++) {
        double positions = draw_games(s, &rng), fitted;
        for (size_t row = 0; row < rows; row++)
            resample_row(s, row, r, positions);
        fitted = s->resampled[0][(rows - 1) * SCORE_RESAMPLES + r];
        for (size_t at = r; at < rows * SCORE_RESAMPLES; at += SCORE_RESAMPLES)
            s->resampled[2][at] = fitted > 0 ? s->resampled[0][at] / fitted : 1;
    }
}

static struct score_interval interval(double *values)
{
    stats_sort(values, SCORE_RESAMPLES);
    return (struct score_interval){values[stats_place(SCORE_RESAMPLES, 25, 1000)],
                                   values[stats_place(SCORE_RESAMPLES, 975, 1000)]};
}

static void fill_intervals(struct scorer *s)
{
    double fitted = s->table->rows[s->table->count - 1].wdl_mse;
    for (unsigned i = 0; i < s->table->count; i++) {
        struct score_row *row = &s->table->rows[i];
        size_t at = (size_t)i * SCORE_RESAMPLES;
        row->ratio = fitted > 0 ? row->wdl_mse / fitted : 1;
        row->wdl_mse_range = interval(s->resampled[0] + at);
        row->mae_range = interval(s->resampled[1] + at);
        row->ratio_range = interval(s->resampled[2] + at);
    }
}

int score_measure(const struct samples *train, const struct samples *split,
                  const struct score_entry *nets, unsigned net_count, struct score_table *table,
                  struct error *err)
{
    struct scorer scorer = {.split = split};
    double *cp;
    int result = -1;
    memset(table, 0, sizeof *table);
    if (!train->count || !split->count)
        return error_set(err, ERROR_FAILED, "%s holds no positions",
                         train->count ? "the split" : "train");
    if (net_count > SCORE_NETS_MAX)
        return error_set(err, ERROR_USAGE, "at most %d nets at a time", SCORE_NETS_MAX);
    table->positions = split->count;
    table->games = split->games;
    table->mates = split->mates;
    table->nets = net_count;
    cp = calloc(split->count, sizeof *cp);
    if (!cp) {
        error_memory(err);
    } else if (!scorer_new(&scorer, split, table, err)) {
        for (unsigned i = 0; i < net_count; i++)
            add_row(&scorer, nets[i].name, nets[i].cp);
        add_baselines(&scorer, train, cp);
        resample(&scorer);
        fill_intervals(&scorer);
        result = 0;
    }
    scorer_free(&scorer);
    free(cp);
    return result;
}

enum score_verdict score_judge(const struct score_row *row)
{
    if (row->ratio_range.high < 1)
        return SCORE_BETTER;
    return row->ratio_range.low > 1 ? SCORE_WORSE : SCORE_UNDECIDED;
}
