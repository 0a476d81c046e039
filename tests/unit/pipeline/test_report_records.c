/* SPDX-License-Identifier: MIT */
/* What the report counts in records, and the training log that it reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "pipeline/report/plots.h"
#include "pipeline/report/report_losses.h"
#include "pipeline/report/report_records.h"

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

static bool near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

static struct record record_of(const char *fen, int32_t cp, int8_t result)
{
    struct record record = {.result = result, .label = {.final = {SCORE_CP, cp}}};
    assert_int_equal(fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, &record.position, NULL),
                     FEN_OK);
    return record;
}

static int64_t at_score(const struct report_records *records, int cp)
{
    return records->score[cp + REPORT_SCORE_CLIP];
}

static void test_phase(void **state)
{
    (void)state;
    static const struct {
        const char *fen;
        unsigned phase;
    } cases[] = {{START, 24},
                 {"4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1", 0},
                 {"4k3/8/8/8/8/8/8/R3K2R w - - 0 1", 4},
                 {"3qk3/8/8/8/8/8/8/1NB1K3 w - - 0 1", 6},
                 {"qqqqk3/8/8/8/8/8/8/QQQQK3 w - - 0 1", 24}}; /* 32: more than a full set */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record record = record_of(cases[i].fen, 0, 0);
        assert_int_equal(report_phase(&record.position), cases[i].phase);
    }
}

static void test_scores_are_turned_to_white(void **state)
{
    (void)state;
    struct report_records *records = calloc(1, sizeof *records);
    struct record record = record_of("4k3/8/8/8/8/8/8/R3K2R b - - 0 1", 300, -1);
    report_records_add(records, &record, false);
    assert_int_equal(at_score(records, -300), 1);
    assert_int_equal(at_score(records, 300), 0);
    assert_int_equal(records->white_moves, 0);
    assert_int_equal(records->pieces[4], 1);
    assert_int_equal(records->results[RESULT_BLACK_WINS], 1);
    assert_int_equal(records->games.half_points[-300 + SCALE_FIT_CP_MAX], 0);
    assert_int_equal(records->games.known[-300 + SCALE_FIT_CP_MAX], 1);
    free(records);
}

/* Labels that say nothing of their search count in no mean; what is too deep counts as the last. */
static void test_searches(void **state)
{
    (void)state;
    static const struct {
        uint16_t depth;
        uint64_t nodes;
    } labels[] = {
        {0, 0}, {REPORT_DEPTHS - 1, 500}, {REPORT_DEPTHS, 1500}, {10, 0}, {0, UINT64_MAX}};
    struct report_records *parts = calloc(2, sizeof *parts);
    struct report_records *records = calloc(1, sizeof *records);
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        struct record record = record_of(START, 0, 0);
        record.label.depth = labels[i].depth;
        record.label.nodes = labels[i].nodes;
        report_records_add(&parts[i % 2], &record, false);
    }
    report_records_sum(records, &parts[0]);
    report_records_sum(records, &parts[1]);
    assert_int_equal(records->searches, 3);
    assert_int_equal(records->depth_sum, 2 * REPORT_DEPTHS - 1 + 10);
    assert_int_equal(records->depth[REPORT_DEPTHS - 1], 2);
    assert_int_equal(records->depth[10], 1);
    assert_int_equal(records->depth[0], 0);
    assert_int_equal(records->counted, 3);
    assert_int_equal(records->nodes_sum, 1000000002000);
    assert_int_equal(records->nodes_most, 1000000000000);
    free(parts);
    free(records);
}

/* Of 402 searches two may stand in the column of others, three of 403 may not. */
static void test_depths_far_from_the_others(void **state)
{
    (void)state;
    for (int deep = 2; deep <= 3; deep++) {
        struct report_records *records = calloc(1, sizeof *records);
        struct buffer out;
        struct html html;
        struct error err = {0};
        buffer_init(&out, 1u << 20);
        html_begin(&html, &out, &err);
        records->searches = 400 + deep;
        records->depth[10] = 400;
        records->depth[40] = deep;
        plots_depth(&html, records);
        assert_int_equal(html_end(&html), 0);
        bool cut = strstr(out.data, "0.5\u00a0% went deeper than 10 and stand in the last column.");
        assert_int_equal(cut, deep == 2);
        assert_int_equal(strstr(out.data, "40 plies deep: 3 positions") != NULL, deep == 3);
        buffer_free(&out);
        free(records);
    }
}

static void test_scores_at_the_clip_and_past_it(void **state)
{
    (void)state;
    struct report_records *records = calloc(1, sizeof *records);
    struct record record = record_of(START, 2000, 1);
    report_records_add(records, &record, false);
    assert_int_equal(records->clipped, 0);
    record = record_of(START, 2001, 1);
    report_records_add(records, &record, false);
    assert_int_equal(records->clipped, 1);
    assert_int_equal(at_score(records, 2000), 2);
    assert_int_equal(records->games.known[4000], 1); /* what is clipped takes no part in the fit */
    record = record_of(START, -5, 1);
    record.label.final.kind = SCORE_MATE;
    report_records_add(records, &record, false);
    assert_int_equal(at_score(records, -2000), 1);
    assert_int_equal(records->clipped, 2);
    assert_int_equal(records->mates, 1);
    record = record_of(START, INT32_MIN, 1);
    record.position.side = BLACK;
    report_records_add(records, &record, false);
    assert_int_equal(at_score(records, 2000), 3);
    free(records);
}

static void test_the_score_in_use(void **state)
{
    (void)state;
    struct report_records *records = calloc(1, sizeof *records);
    struct record record = record_of(START, 50, 2);
    record.label.bound = BOUND_LOWER;
    record.label.exact = (struct score){SCORE_CP, 20};
    record.ply = 7;
    report_records_add(records, &record, false);
    report_records_add(records, &record, true);
    assert_int_equal(at_score(records, 50), 1);
    assert_int_equal(at_score(records, 20), 1);
    assert_int_equal(records->bounds, 1);
    assert_int_equal(records->results[RESULT_NONE], 2);
    assert_int_equal(records->ply[0], 2);
    assert_int_equal(scale_fit(&records->games), 0);
    free(records);
}

static void test_plies_at_the_last_column_and_past_it(void **state)
{
    (void)state;
    struct report_records *records = calloc(1, sizeof *records);
    struct record record = record_of(START, 0, 0);
    const uint32_t last = REPORT_PLY_WIDTH * (REPORT_PLIES - 1);
    const uint32_t plies[] = {last - 1, last, last + REPORT_PLY_WIDTH, UINT32_MAX};
    for (size_t i = 0; i < 4; i++) {
        record.ply = plies[i];
        report_records_add(records, &record, false);
    }
    assert_int_equal(records->ply[REPORT_PLIES - 2], 1);
    assert_int_equal(records->ply[REPORT_PLIES - 1], 3);
    free(records);
}

static void test_median(void **state)
{
    (void)state;
    struct report_records *records = calloc(1, sizeof *records);
    assert_int_equal(report_median_score(records), 0);
    static const int scores[] = {-700, -20, 35, 90, 1500};
    for (size_t i = 0; i < 5; i++) {
        struct record record = record_of(START, scores[i], 0);
        report_records_add(records, &record, false);
    }
    assert_int_equal(report_median_score(records), 35);
    free(records);
}

static void test_log_is_read(void **state)
{
    (void)state;
    struct report_losses losses = {0};
    struct error err = {0};
    const char *text = "epoch,train_loss,validation_loss\n1,0.05,0.06\n2,0.04,0.055\n";
    assert_int_equal(report_losses_parse(text, &losses, &err), 0);
    assert_int_equal(losses.count, 2);
    assert_true(losses.has_validation);
    assert_true(near(losses.train[1], 0.04));
    assert_true(near(losses.validation[0], 0.06));
    report_losses_free(&losses);
    assert_int_equal(
        report_losses_parse("epoch,train_loss,validation_loss\n1,0.05,\n", &losses, &err), 0);
    assert_int_equal(losses.count, 1);
    assert_false(losses.has_validation);
    report_losses_free(&losses);
}

static void test_bad_logs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {{"", "line 1"},
                 {"step,loss\n", "line 1"},
                 {"epoch,train_loss,validation_loss\n1,0.05\n", "line 2"},
                 {"epoch,train_loss,validation_loss\n1,0.05,0.06\n2,x,0.05\n", "line 3"},
                 {"epoch,train_loss,validation_loss\n1,nan,0.06\n", "line 2"},
                 {"epoch,train_loss,validation_loss\n1,0.05,0.06", "line 2"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct report_losses losses = {0};
        struct error err = {0};
        assert_int_equal(report_losses_parse(cases[i].text, &losses, &err), -1);
        assert_non_null(strstr(err.text, cases[i].want));
        report_losses_free(&losses);
    }
}

static void test_epochs_at_the_limit_and_past_it(void **state)
{
    (void)state;
    for (int epochs = REPORT_EPOCHS_MAX; epochs <= REPORT_EPOCHS_MAX + 1; epochs++) {
        struct buffer text;
        struct report_losses losses = {0};
        struct error err = {0};
        buffer_init(&text, REPORT_LOG_MAX);
        buffer_printf(&text, NULL, "epoch,train_loss,validation_loss\n");
        for (int i = 1; i <= epochs; i++)
            buffer_printf(&text, NULL, "%d,0.5,0.5\n", i);
        assert_int_equal(report_losses_parse(text.data, &losses, &err),
                         epochs == REPORT_EPOCHS_MAX ? 0 : -1);
        report_losses_free(&losses);
        buffer_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phase),
        cmocka_unit_test(test_scores_are_turned_to_white),
        cmocka_unit_test(test_searches),
        cmocka_unit_test(test_depths_far_from_the_others),
        cmocka_unit_test(test_scores_at_the_clip_and_past_it),
        cmocka_unit_test(test_the_score_in_use),
        cmocka_unit_test(test_plies_at_the_last_column_and_past_it),
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_log_is_read),
        cmocka_unit_test(test_bad_logs),
        cmocka_unit_test(test_epochs_at_the_limit_and_past_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
