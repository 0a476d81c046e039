/* SPDX-License-Identifier: MIT */
/*
 * Score arithmetic on lists small enough to work out by hand, material fitted to labels that
 * material made, and intervals that know about games.
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "formats/chess/ucimove.h"
#include "nnue/tools/fmath.h"
#include "nnue/tools/playout.h"
#include "nnue/tools/score.h"
#include "nnue/tools/score_condition.h"
#include "nnue/tools/score_net.h"
#include "nnue/tools/stats.h"
#include "tests/unit/nnue/synthetic.h"

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g, expected %.12g", value, expected);
}

static void test_stats(void **state)
{
    double odd[] = {5, 1, 3}, even[] = {4, 1, 2, 8};
    /* Anscombe's first set: r = 0.81642 in every textbook */
    static const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    static const double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    static const double flat[11] = {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1};
    (void)state;
    stats_sort(odd, 3);
    stats_sort(even, 4);
    assert_close(stats_median(odd, 3), 3, 0);
    assert_close(stats_median(even, 4), 3, 0);
    assert_close(stats_correlation(x, y, 11), 0.81642, 5e-6);
    assert_close(stats_correlation(x, flat, 11), 0, 0);
    assert_int_equal(stats_place(308, 99, 100), 304); /* place ceil(304.92) = 305, from 1 */
    assert_int_equal(stats_place(100, 99, 100), 98);
    assert_int_equal(stats_place(1, 25, 1000), 0);
}

static struct sample make_sample(const char *fen, int cp, uint32_t game)
{
    struct sample sample;
    assert_true(sample_from_fen(fen, &sample));
    sample.cp = cp;
    sample.game = game;
    return sample;
}

static void test_material(void **state)
{
    static const double weights[MATERIAL_TERMS] = {1, 10, 100, 1000, 10000, 0.5};
    struct sample sample = make_sample("r1bqk3/ppp5/8/8/8/8/PPPP4/RN1QK2R b - - 0 1", 0, 0);
    (void)state;
    /* +1 pawn, +1 knight, -1 bishop, +1 rook, 0 queens, Black to move */
    assert_close(material_cp(&sample, weights), 1 + 10 - 100 + 1000 - 0.5, 1e-9);
    assert_close(material_cp(&sample, material_standard), 100 + 300 - 300 + 500, 1e-9);
}

/* Labels made by weights are fitted by those weights. */
static void test_fit_finds_the_weights(void **state)
{
    static const double truth[MATERIAL_TERMS] = {82, 337, 365, 477, 1025, 28};
    struct samples samples = {0};
    double found[MATERIAL_TERMS];
    (void)state;
    assert_int_equal(playout_samples(3, 3000, &samples, NULL), 0);
    for (size_t i = 0; i < samples.count; i++)
        samples.items[i].cp = (int32_t)material_cp(&samples.items[i], truth);
    material_fit(&samples, SCORE_SCALE, found);
    for (unsigned i = 0; i < MATERIAL_TERMS; i++)
        assert_close(found[i], truth[i], 1e-3);
    samples_free(&samples);
}

/* No queens, no bishops: their weights stay, nothing becomes infinite. */
static void test_fit_without_some_pieces(void **state)
{
    struct samples samples = {0};
    struct sample list[2] = {make_sample("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", 150, 0),
                             make_sample("4k3/p7/8/8/8/8/8/4K3 w - - 0 1", -90, 1)};
    double found[MATERIAL_TERMS];
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(samples_add(&samples, &list[i], NULL), 0);
    material_fit(&samples, SCORE_SCALE, found);
    assert_close(found[0], 120, 1e-2);
    assert_close(found[5], 30, 1e-2);
    assert_close(found[2], 300, 0);
    assert_close(found[4], 900, 0);
    samples_free(&samples);
}

/* Samples as a set in which nothing but whole is a group. Owns what samples own. */
static struct score_set set_of(const struct samples *samples)
{
    struct score_set set = {.samples = *samples, .has_games = true};
    set.groups = malloc(samples->count * sizeof *set.groups);
    assert_non_null(set.groups);
    memset(set.groups, SCORE_GROUP_NONE, samples->count * sizeof *set.groups);
    for (size_t i = 0; i < samples->count; i++)
        set.groups[i][SCORE_BY_ALL] = 0;
    return set;
}

/* The table of one net, fitted on other samples. */
static struct score_table measure(const struct samples *train, const struct score_set *set,
                                  const double *cp, unsigned threads)
{
    struct score_entry entry = {"net", cp};
    struct score_floor floor;
    struct score_table table;
    score_fit_floor(train, SCORE_SCALE, &floor);
    assert_int_equal(score_measure(set, &entry, 1, &floor, SCORE_SCALE, threads, &table, NULL), 0);
    return table;
}

static const struct score_value *metric_of(const struct score_table *table, unsigned row,
                                           enum score_metric metric)
{
    return &table->groups[0]->rows[row].metric[metric];
}

static void test_table_by_hand(void **state)
{
    static const char fen[] = "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1";
    static const double cp[4] = {400, -400, 100, 0};
    struct samples samples = {0};
    double half = 1 / (1 + exp(-1.0)) - 0.5;
    static const int labels[4] = {0, -400, -100, 200};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct sample sample = make_sample(fen, labels[i], i / 2);
        assert_int_equal(samples_add(&samples, &sample, NULL), 0);
    }
    samples.games = 2;
    struct score_set set = set_of(&samples);
    struct score_table table = measure(&samples, &set, cp, 1);
    assert_int_equal(table.rows, 4);
    assert_int_equal(table.group_count, 1);
    assert_int_equal(table.groups[0]->games, 2);
    double quarter = 1 / (1 + exp(-0.25)), middle = 1 / (1 + exp(-0.5));
    double squares =
        half * half + (2 * quarter - 1) * (2 * quarter - 1) + (middle - 0.5) * (middle - 0.5);
    assert_close(metric_of(&table, 0, SCORE_WDL_MSE)->value, squares / 4, 1e-12);
    assert_close(metric_of(&table, 0, SCORE_MAE)->value, (400 + 0 + 200 + 200) / 4.0, 1e-12);
    assert_close(metric_of(&table, 0, SCORE_MEDIAN)->value, 200, 1e-12);
    assert_close(metric_of(&table, 0, SCORE_SIGN)->value, 1 / 3.0, 1e-12);
    /* x - 25: 375 -425 75 -25, y + 75: 75 -325 -25 275 */
    assert_close(metric_of(&table, 0, SCORE_CORRELATION)->value, 157500 / sqrt(327500.0 * 187500.0),
                 1e-12);
    assert_close(table.floor.constant, -75, 1e-12);
    assert_string_equal(table.groups[0]->rows[1].name, "constant");
    assert_close(metric_of(&table, 1, SCORE_MAE)->value, (75 + 325 + 25 + 275) / 4.0, 1e-12);
    assert_close(metric_of(&table, 1, SCORE_CORRELATION)->value, 0, 0);
    assert_close(metric_of(&table, 2, SCORE_MAE)->value, (200 + 600 + 300 + 0) / 4.0, 1e-12);
    assert_close(table.groups[0]->rows[3].ratio[SCORE_WDL_MSE][SCORE_MATERIAL_FITTED].value, 1, 0);
    assert_close(table.groups[0]->rows[3].ratio[SCORE_WDL_MSE][SCORE_MATERIAL_FITTED].low, 1, 0);
    assert_close(table.groups[0]->rows[0].ratio[SCORE_MAE][SCORE_CONSTANT].value, 200 / 175.0,
                 1e-12);
    /* With two games a resample is one of them twice, or both. */
    assert_close(metric_of(&table, 0, SCORE_MAE)->low, 200, 1e-12);
    assert_close(metric_of(&table, 0, SCORE_MAE)->high, 200, 1e-12);
    assert_close(metric_of(&table, 1, SCORE_MAE)->low, (25 + 275) / 2.0, 1e-12);
    assert_close(metric_of(&table, 1, SCORE_MAE)->high, (75 + 325) / 2.0, 1e-12);
    /* The errors are 400 0 and 200 200: medians 200 of each, and of both. */
    assert_close(metric_of(&table, 0, SCORE_MEDIAN)->low, 200, 1e-12);
    assert_close(metric_of(&table, 1, SCORE_MEDIAN)->low, 150, 1e-12);
    assert_close(metric_of(&table, 1, SCORE_MEDIAN)->high, 200, 1e-12);
    /* Game 1: one of one signs right. Game 2: none of two. */
    assert_close(metric_of(&table, 0, SCORE_SIGN)->low, 0, 0);
    assert_close(metric_of(&table, 0, SCORE_SIGN)->high, 1, 0);
    score_table_free(&table);
    score_set_free(&set);
}

/* Without games every interval is the value, and nothing is judged. */
static void test_no_games(void **state)
{
    struct samples samples = {0};
    double *cp = calloc(100, sizeof *cp);
    (void)state;
    assert_int_equal(playout_samples(4, 100, &samples, NULL), 0);
    for (size_t i = 0; i < samples.count; i++)
        samples.items[i].cp = (int32_t)(i % 7) * 50 - 100;
    struct score_set set = set_of(&samples);
    set.has_games = false;
    struct score_table table = measure(&samples, &set, cp, 1);
    assert_false(table.has_intervals);
    assert_int_equal(table.groups[0]->games, 0);
    for (unsigned m = 0; m < SCORE_METRICS; m++) {
        const struct score_value *value = metric_of(&table, 0, (enum score_metric)m);
        assert_true(value->low == value->value && value->high == value->value);
    }
    score_table_free(&table);
    score_set_free(&set);
    free(cp);
}

static void test_no_positions(void **state)
{
    struct score_set set = {.has_games = true};
    struct score_floor floor = {0};
    struct score_table table;
    struct error err = {.text = ""};
    (void)state;
    assert_int_equal(score_measure(&set, NULL, 0, &floor, SCORE_SCALE, 1, &table, &err), -1);
    assert_string_equal(err.text, "no positions to score on");
    score_table_free(&table);
}

/*
 * The same errors in one position a game and in ten copies of it: the estimate stays, and so does
 * the interval, since copies are no news. An interval over positions would shrink by the root of
 * ten.
 */
static void test_intervals_go_by_game(void **state)
{
    struct samples once = {0}, copies = {0};
    double *cp = calloc(2000, sizeof *cp);
    (void)state;
    assert_int_equal(playout_samples(4, 200, &once, NULL), 0);
    for (size_t i = 0; i < once.count; i++) {
        once.items[i].game = (uint32_t)i;
        once.items[i].cp = (int32_t)material_cp(&once.items[i], material_standard) + 50;
        for (unsigned k = 0; k < 10; k++)
            assert_int_equal(samples_add(&copies, &once.items[i], NULL), 0);
    }
    once.games = copies.games = 200;
    struct score_set few = set_of(&once), many = set_of(&copies);
    struct score_table narrow = measure(&once, &few, cp, 1), wide = measure(&once, &many, cp, 1);
    for (unsigned m = 0; m < SCORE_METRICS; m++) {
        const struct score_value *a = metric_of(&narrow, 0, (enum score_metric)m);
        const struct score_value *b = metric_of(&wide, 0, (enum score_metric)m);
        assert_close(b->value, a->value, 1e-9);
        assert_close(b->low, a->low, 1e-9);
        assert_close(b->high, a->high, 1e-9);
    }
    /* Of a mean of 200 the interval is about 2 * 1.96 standard errors wide. */
    double sum = 0, squares = 0;
    for (size_t i = 0; i < few.samples.count; i++) {
        double error = fabs((double)few.samples.items[i].cp);
        sum += error;
        squares += error * error;
    }
    double deviation = sqrt(squares / 200 - sum / 200 * (sum / 200)) / sqrt(200);
    const struct score_value *mae = metric_of(&narrow, 0, SCORE_MAE);
    assert_close((mae->high - mae->low) / (2 * 1.96 * deviation), 1, 0.1);
    assert_int_equal(score_judge(&narrow.groups[0]->rows[0], SCORE_MATERIAL_FITTED), SCORE_WORSE);
    assert_int_equal(score_judge(&narrow.groups[0]->rows[3], SCORE_MATERIAL_FITTED),
                     SCORE_UNDECIDED);
    score_table_free(&narrow);
    score_table_free(&wide);
    free(cp);
    score_set_free(&few);
    score_set_free(&many);
}

/* Groups are measured apart: a net that is right about one and says nothing of the other. */
static void test_groups(void **state)
{
    struct samples samples = {0};
    double cp[400];
    (void)state;
    assert_int_equal(playout_samples(5, 400, &samples, NULL), 0);
    for (size_t i = 0; i < samples.count; i++) {
        samples.items[i].game = (uint32_t)i / 4;
        samples.items[i].cp = (int32_t)(i % 11) * 30 - 145;
        cp[i] = i % 2 ? samples.items[i].cp : 0;
    }
    samples.games = 100;
    struct score_set set = set_of(&samples);
    for (size_t i = 0; i < samples.count; i++)
        set.groups[i][SCORE_BY_SIDE] = i % 2;
    struct score_table table = measure(&samples, &set, cp, 1),
                       again = measure(&samples, &set, cp, 3);
    assert_int_equal(table.group_count, 3);
    assert_int_equal(table.groups[1]->positions, 200);
    assert_int_equal(table.groups[2]->games, 100);
    assert_close(table.groups[2]->rows[0].metric[SCORE_MAE].high, 0, 0);
    assert_close(table.groups[2]->rows[0].metric[SCORE_CORRELATION].low, 1, 1e-12);
    assert_close(table.groups[1]->rows[0].metric[SCORE_CORRELATION].value, 0, 0);
    assert_close(table.groups[1]->rows[0].metric[SCORE_MAE].value,
                 2 * metric_of(&table, 0, SCORE_MAE)->value, 1e-9);
    assert_int_equal(score_judge(&table.groups[2]->rows[0], SCORE_CONSTANT), SCORE_BETTER);
    /* Any number of threads gives the same bits. */
    for (unsigned i = 0; i < table.group_count; i++)
        assert_memory_equal(table.groups[i], again.groups[i], sizeof *table.groups[i]);
    score_table_free(&table);
    score_table_free(&again);
    score_set_free(&set);
}

static void put_record(struct score_set *set, const char *fen, struct score score,
                       enum score_bound bound, const char *id, unsigned source)
{
    struct record record = {.position = synthetic_position(fen),
                            .source = (uint8_t)source,
                            .label = {.final = score, .bound = (uint8_t)bound}};
    snprintf(record.game_id, sizeof record.game_id, "%s", id);
    assert_int_equal(score_set_add(set, &record, CODEC_HOLDS_ALL, false, NULL), 0);
}

static const char *group_name(const struct score_set *set, size_t i, enum score_by by)
{
    int group = set->groups[i][by];
    return group == SCORE_GROUP_NONE ? "-" : score_group_name(by, (unsigned)group);
}

/* The bounds of every group, at the limit and one past it. */
static void test_which_group(void **state)
{
    static const struct {
        const char *fen;
        struct score score;
        enum score_bound bound;
        const char *id;
        unsigned source;
        const char *names[5]; /* pieces, label, kind, source, site */
    } cases[] = {{"4k3/8/8/8/8/8/PPPPPP2/4K3 w - - 0 1",
                  {SCORE_CP, 49},
                  BOUND_EXACT,
                  "abcdefgh",
                  SOURCE_ENGINE,
                  {"2-8", "0-49", "exact", "engine", "lichess"}},
                 {"4k3/8/8/8/8/8/PPPPPPP1/4K3 b - - 0 1",
                  {SCORE_CP, -50},
                  BOUND_LOWER,
                  "xabcdefg",
                  SOURCE_LICHESS_EVAL,
                  {"9-16", "50-149", "bound", "lichess-eval", "lichess"}},
                 {"4k3/pppppp2/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
                  {SCORE_CP, -149},
                  BOUND_UPPER,
                  "x0123456789abcdef",
                  SOURCE_PGN_COMMENT,
                  {"9-16", "50-149", "bound", "pgn-comment", "other"}},
                 {"4k3/ppppppp1/8/8/8/8/PPPPPPPP/4K3 b - - 0 1",
                  {SCORE_CP, 150},
                  BOUND_EXACT,
                  "p0123456789abcdef",
                  SOURCE_INPUT,
                  {"17-24", "150-399", "exact", "input", "none"}},
                 {"4k1n1/pppppppp/8/8/8/8/PPPPPPPP/1N2KBNR w - - 0 1",
                  {SCORE_CP, 399},
                  BOUND_EXACT,
                  "",
                  SOURCE_ENGINE,
                  {"17-24", "150-399", "exact", "engine", "none"}},
                 {"2b1k1n1/pppppppp/8/8/8/8/PPPPPPPP/1N2KBNR w - - 0 1",
                  {SCORE_CP, 999},
                  BOUND_EXACT,
                  "",
                  SOURCE_ENGINE,
                  {"17-24", "400-999", "exact", "engine", "none"}},
                 {"1nb1k1n1/pppppppp/8/8/8/8/PPPPPPPP/1N2KBNR w - - 0 1",
                  {SCORE_CP, -1000},
                  BOUND_EXACT,
                  "",
                  SOURCE_ENGINE,
                  {"25-32", "1000-", "exact", "engine", "none"}},
                 {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                  {SCORE_MATE, 3},
                  BOUND_EXACT,
                  "",
                  SOURCE_ENGINE,
                  {"25-32", "mate", "exact", "engine", "none"}}};
    static const enum score_by by[5] = {SCORE_BY_PIECES, SCORE_BY_LABEL, SCORE_BY_KIND,
                                        SCORE_BY_SOURCE, SCORE_BY_SITE};
    struct score_set set = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_record(&set, cases[i].fen, cases[i].score, cases[i].bound, cases[i].id,
                   cases[i].source);
        for (unsigned k = 0; k < 5; k++)
            assert_string_equal(group_name(&set, i, by[k]), cases[i].names[k]);
        assert_string_equal(group_name(&set, i, SCORE_BY_SIDE),
                            strstr(cases[i].fen, " b ") ? "black" : "white");
    }
    assert_int_equal(set.samples.mates, 1);
    put_record(&set, cases[0].fen, (struct score){SCORE_NONE, 0}, BOUND_EXACT, "", SOURCE_INPUT);
    assert_int_equal(set.unlabeled, 1);
    assert_int_equal(set.samples.count, sizeof cases / sizeof *cases);
    score_set_free(&set);
}

/* What a source does not hold is in no group. */
static void test_unknown_groups(void **state)
{
    struct record record = {.position = synthetic_position("4k3/8/8/8/8/8/P7/4K3 w - - 0 1"),
                            .label = {.final = {SCORE_CP, 5}}};
    struct score_set set = {0};
    (void)state;
    assert_int_equal(score_set_add(&set, &record, CODEC_HOLDS_SCORE, false, NULL), 0);
    assert_string_equal(group_name(&set, 0, SCORE_BY_ALL), "all");
    assert_string_equal(group_name(&set, 0, SCORE_BY_PIECES), "2-8");
    assert_string_equal(group_name(&set, 0, SCORE_BY_KIND), "-");
    assert_string_equal(group_name(&set, 0, SCORE_BY_SIDE), "-");
    assert_string_equal(group_name(&set, 0, SCORE_BY_SOURCE), "-");
    assert_string_equal(group_name(&set, 0, SCORE_BY_SITE), "-");
    score_set_free(&set);
}

/* Labels made of values times 3.28 say that a unit is worth that much, also with noise around it.
 */
static void test_unit_is_fitted(void **state)
{
    struct samples samples = {0};
    double values[2000];
    (void)state;
    assert_int_equal(playout_samples(3, 2000, &samples, NULL), 0);
    for (size_t i = 0; i < samples.count; i++) {
        values[i] = (double)((int)(i * 37 % 401) - 200);
        samples.items[i].cp = (int32_t)(values[i] * 3.28 + (i % 2 ? 30 : -30));
    }
    assert_close(score_fit_unit(values, &samples, SCORE_SCALE), 3.28, 0.02);
    for (size_t i = 0; i < samples.count; i++)
        values[i] *= 1e5;
    assert_close(1e5 * score_fit_unit(values, &samples, SCORE_SCALE), 3.28, 0.02);
    memset(values, 0, sizeof values);
    assert_close(score_fit_unit(values, &samples, SCORE_SCALE), 0, 0);
    samples_free(&samples);
}

/* A table of two nets with wdl_mse 0.4 and 0.6 and baselines 1.0, 0.9, 0.8. */
static bool holds(const char *text, char line[SCORE_CONDITION_LINE_MAX])
{
    static struct score_group group = {
        .rows = {{.name = "a", .metric = {{.value = 0.4}, {.value = 80}}},
                 {.name = "b", .metric = {{.value = 0.6}, {.value = 120}}},
                 {.name = "constant", .metric = {{.value = 1.0}, {.value = 200}}},
                 {.name = "material", .metric = {{.value = 0.9}, {.value = 180}}},
                 {.name = "material fitted", .metric = {{.value = 0.8}, {.value = 160}}}}};
    struct score_table table = {.rows = 5, .nets = 2, .group_count = 1, .groups = {&group}};
    struct score_condition condition;
    struct error err = {.text = ""};
    if (score_condition_parse(text, 2, &condition, &err))
        fail_msg("%s", err.text);
    return score_condition_holds(&condition, &table, line);
}

static void test_conditions(void **state)
{
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {{"wdl_mse > 0.62 * material_fit", true}, /* b: 0.6 > 0.496 */
                 {"net1.wdl_mse > 0.62 * material_fit", false},
                 {" net1 . wdl_mse>0.49*material_fit ", true},
                 {"mae<80", false},
                 {"mae<=80", true},
                 {"mae >= 120.5", false},
                 {"net2.mae > 1.4 * net1", true},
                 {"net2.mae > 1.6 * net1", false},
                 {"wdl_mse > 0.6 * constant", false},
                 {"wdl_mse >= 0.6 * constant", true},
                 {"mae > 0.6 * material", true}};
    static const char *const wrong[] = {"",
                                        "wdl_mse",
                                        "wdl_mse > ",
                                        "wdl_mse = 1",
                                        "loss > 1",
                                        "net3.mae > 1",
                                        "net0.mae > 1",
                                        "mae > 1 * nothing",
                                        "mae > 1 *",
                                        "mae > nan",
                                        "mae > 1 material",
                                        "netx.mae > 1",
                                        "mae > 1 * net3"};
    char line[SCORE_CONDITION_LINE_MAX];
    struct score_condition condition;
    struct error err;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (holds(cases[i].text, line) != cases[i].holds)
            fail_msg("%s", cases[i].text);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (!score_condition_parse(wrong[i], 2, &condition, &err) || err.code != ERROR_USAGE)
            fail_msg("%s was read", wrong[i]);
    assert_true(holds("wdl_mse > 0.62 * material_fit", line));
    assert_string_equal(line,
                        "wdl_mse of b is 0.6, over 0.496 (0.62 times that of material fitted)");
    assert_false(holds("mae > 120", line));
    assert_string_equal(line, "");
}

static void test_targets(void **state)
{
    struct score cp = {SCORE_CP, 31}, mate = {SCORE_MATE, 3}, mated = {SCORE_MATE, -2};
    struct score lost = {SCORE_MATE, 0};
    (void)state;
    assert_int_equal(samples_target(&cp, WHITE), 31);
    assert_int_equal(samples_target(&cp, BLACK), -31);
    assert_int_equal(samples_target(&mate, WHITE), SAMPLES_MATE_CP);
    assert_int_equal(samples_target(&mate, BLACK), -SAMPLES_MATE_CP);
    assert_int_equal(samples_target(&mated, BLACK), SAMPLES_MATE_CP);
    assert_int_equal(samples_target(&lost, WHITE), -SAMPLES_MATE_CP);
    const struct score least = {SCORE_CP, INT32_MIN};
    assert_int_equal(samples_target(&least, WHITE), -INT32_MAX);
    assert_int_equal(samples_target(&least, BLACK), INT32_MAX);
}

static void add_record(struct record_writer *writer, const char *game, const char *fen, int final,
                       int exact)
{
    struct record record = {.ply = 12,
                            .position = synthetic_position(fen),
                            .label = {.final = {SCORE_CP, final}, .exact = {SCORE_CP, exact}}};
    snprintf(record.game_id, sizeof record.game_id, "%s", game);
    record.label.limit_kind = LIMIT_NODES;
    record.label.best_move = ucimove_parse(&record.position, "e1d1", 4);
    if (record.label.best_move == MOVE_NONE)
        record.label.best_move = ucimove_parse(&record.position, "e8d8", 4);
    assert_int_equal(record_writer_add(writer, &record, NULL), 0);
}

/* Games are numbered by name, whatever the order; Black's scores are turned; either score is used.
 */
static void test_samples_out_of_records(void **state)
{
    static const char white[] = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    static const char black[] = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
    char path[] = "/tmp/plymill-samples-XXXXXX";
    struct record_writer *writer;
    struct samples samples;
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(record_writer_create(path, 3, &writer, NULL), 0);
    add_record(writer, "zzzzzzzz", white, 10, 11);
    add_record(writer, "aaaaaaaa", black, 20, 21);
    add_record(writer, "zzzzzzzz", black, 30, 31);
    assert_int_equal(record_writer_commit(writer, NULL, NULL), 0);
    for (unsigned exact = 0; exact < 2; exact++) {
        assert_int_equal(samples_load(path, exact, &samples, NULL), 0);
        assert_int_equal(samples.count, 3);
        assert_int_equal(samples.games, 2);
        assert_int_equal(samples.items[0].game, 1);
        assert_int_equal(samples.items[1].game, 0);
        assert_int_equal(samples.items[2].game, 1);
        assert_int_equal(samples.items[0].cp, 10 + (int)exact);
        assert_int_equal(samples.items[1].cp, -20 - (int)exact);
        assert_int_equal(samples.items[0].count, 4);
        assert_true(sample_white_moves(&samples.items[0]));
        assert_int_equal(samples.items[1].count, 3);
        samples_free(&samples);
    }
    unlink(path);
    assert_int_equal(samples_load(path, false, &samples, NULL), -1);
}

/* A net's values from White's view, whoever is to move: vectors line 1 to 3. */
static void test_predict(void **state)
{
    struct tinynnue_float floats = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct buffer bytes = synthetic_file(&floats, 24);
    plynnue_net *net = synthetic_open(&bytes, NULL);
    struct sample list[2] = {
        make_sample("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0, 0),
        make_sample("4k3/8/8/8/3p4/8/4P3/3K4 b - - 0 1", 0, 0)};
    struct samples samples = {.items = list, .count = 2, .games = 1};
    double cp[2];
    (void)state;
    assert_int_equal(score_values(net, &samples, 1, cp, NULL), 0);
    assert_close(cp[0], -206, 0);
    assert_close(cp[1], 238, 0);
    const struct score_unit own = {.from = SCORE_UNIT_AUTO}, given = {SCORE_UNIT_GIVEN, 0.5, 0};
    struct score_unit unit;
    assert_int_equal(score_choose_unit(net, false, &own, &samples, SCORE_SCALE, 1, &unit, NULL), 0);
    assert_int_equal(unit.from, SCORE_UNIT_OWN);
    assert_close(unit.cp, 1, 0);
    assert_int_equal(score_choose_unit(net, true, &given, &samples, SCORE_SCALE, 1, &unit, NULL),
                     0);
    assert_close(unit.cp, 0.5, 0);
    /* Both labels half of what the net says. */
    list[0].cp = -103;
    list[1].cp = 119;
    assert_int_equal(score_choose_unit(net, true, &own, &samples, SCORE_SCALE, 1, &unit, NULL), 0);
    assert_int_equal(unit.from, SCORE_UNIT_FITTED);
    assert_close(unit.cp, 0.5, 1e-4);
    plynnue_net_close(net);
    buffer_free(&bytes);
    tinynnue_float_free(&floats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stats),
        cmocka_unit_test(test_material),
        cmocka_unit_test(test_fit_finds_the_weights),
        cmocka_unit_test(test_fit_without_some_pieces),
        cmocka_unit_test(test_table_by_hand),
        cmocka_unit_test(test_no_games),
        cmocka_unit_test(test_no_positions),
        cmocka_unit_test(test_intervals_go_by_game),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_which_group),
        cmocka_unit_test(test_unknown_groups),
        cmocka_unit_test(test_unit_is_fitted),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_samples_out_of_records),
        cmocka_unit_test(test_predict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
