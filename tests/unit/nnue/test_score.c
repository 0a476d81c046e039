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
    material_fit(&samples, found);
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
    material_fit(&samples, found);
    assert_close(found[0], 120, 1e-2);
    assert_close(found[5], 30, 1e-2);
    assert_close(found[2], 300, 0);
    assert_close(found[4], 900, 0);
    samples_free(&samples);
}

static void test_table_by_hand(void **state)
{
    static const char fen[] = "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1";
    static const double cp[4] = {400, -400, 100, 0};
    struct samples samples = {0};
    struct score_entry entry = {"net", cp};
    struct score_table table;
    double half = 1 / (1 + exp(-1.0)) - 0.5;
    static const int labels[4] = {0, -400, -100, 200};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct sample sample = make_sample(fen, labels[i], i / 2);
        assert_int_equal(samples_add(&samples, &sample, NULL), 0);
    }
    samples.games = 2;
    assert_int_equal(score_measure(&samples, &samples, &entry, 1, &table, NULL), 0);
    assert_int_equal(table.count, 4);
    assert_int_equal(table.games, 2);
    double quarter = 1 / (1 + exp(-0.25)), middle = 1 / (1 + exp(-0.5));
    double squares =
        half * half + (2 * quarter - 1) * (2 * quarter - 1) + (middle - 0.5) * (middle - 0.5);
    assert_close(table.rows[0].wdl_mse, squares / 4, 1e-12);
    assert_close(table.rows[0].mae, (400 + 0 + 200 + 200) / 4.0, 1e-12);
    assert_close(table.rows[0].median, 200, 1e-12);
    assert_close(table.rows[0].sign, 1 / 3.0, 1e-12);
    assert_close(table.constant, -75, 1e-12);
    assert_string_equal(table.rows[1].name, "constant");
    assert_close(table.rows[1].mae, (75 + 325 + 25 + 275) / 4.0, 1e-12);
    assert_close(table.rows[2].mae, (200 + 600 + 300 + 0) / 4.0, 1e-12);
    assert_close(table.rows[3].ratio, 1, 0);
    assert_close(table.rows[3].ratio_range.low, 1, 0);
    /* With two games a resample is one of them twice, or both. */
    assert_close(table.rows[0].mae_range.low, 200, 1e-12);
    assert_close(table.rows[0].mae_range.high, 200, 1e-12);
    assert_close(table.rows[1].mae_range.low, (25 + 275) / 2.0, 1e-12);
    assert_close(table.rows[1].mae_range.high, (75 + 325) / 2.0, 1e-12);
    samples_free(&samples);
}

/*
 * The same errors in one position a game and in ten copies of it: the estimate stays, and so does
 * the interval, since copies are no news. An interval over positions would shrink by the root of
 * ten.
 */
static void test_intervals_go_by_game(void **state)
{
    struct samples once = {0}, copies = {0};
    struct score_table narrow, wide;
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
    struct score_entry entry = {"zero", cp};
    assert_int_equal(score_measure(&once, &once, &entry, 1, &narrow, NULL), 0);
    assert_int_equal(score_measure(&once, &copies, &entry, 1, &wide, NULL), 0);
    assert_close(wide.rows[0].mae, narrow.rows[0].mae, 1e-9);
    assert_close(wide.rows[0].mae_range.low, narrow.rows[0].mae_range.low, 1e-9);
    assert_close(wide.rows[0].mae_range.high, narrow.rows[0].mae_range.high, 1e-9);
    /* Of a mean of 200 the interval is about 2 * 1.96 standard errors wide. */
    double sum = 0, squares = 0;
    for (size_t i = 0; i < once.count; i++) {
        double error = fabs((double)once.items[i].cp);
        sum += error;
        squares += error * error;
    }
    double deviation = sqrt(squares / 200 - sum / 200 * (sum / 200)) / sqrt(200);
    double width = narrow.rows[0].mae_range.high - narrow.rows[0].mae_range.low;
    assert_close(width / (2 * 1.96 * deviation), 1, 0.1);
    assert_int_equal(score_judge(&narrow.rows[0]), SCORE_WORSE);
    free(cp);
    samples_free(&once);
    samples_free(&copies);
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
    assert_int_equal(score_predict(net, &samples, cp, NULL), 0);
    assert_close(cp[0], -206, 0);
    assert_close(cp[1], 238, 0);
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
        cmocka_unit_test(test_intervals_go_by_game),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_samples_out_of_records),
        cmocka_unit_test(test_predict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
