/* SPDX-License-Identifier: MIT */
/*
 * Calibration and errors of a net, on positions whose numbers are known: sigmoid(0) = 0.5 and
 * sigmoid(1) = 0.7310585786.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/chess/fen.h"
#include "formats/codec.h"
#include "pipeline/report/report_net_plots.h"

#define PAGE_MAX (1u << 20)
#define HALF     REPORT_CALIBRATION_LEAST

static const char kings[] = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

typedef void draw_plot(struct html *html, const struct report_net_view *view);

static char *draw(draw_plot *plot, const struct report_net_view *view)
{
    struct buffer out;
    struct html html;
    struct error err = {0};
    buffer_init(&out, PAGE_MAX);
    html_begin(&html, &out, &err);
    plot(&html, view);
    assert_int_equal(html_end(&html), 0);
    return out.data;
}

/* Adds positions of bare kings, or of all pieces, with this label and result. */
static void add(struct score_set *set, bool full, int32_t cp, int8_t result, int count)
{
    struct error err = {0};
    struct record record = {.result = result, .label = {.status = LABEL_OK}};
    record.label.final = record.label.exact = (struct score){SCORE_CP, cp};
    if (full)
        position_start(&record.position);
    else
        assert_int_equal(
            fen_parse(kings, strlen(kings), FEN_REJECT_BAD_CASTLING, &record.position, NULL),
            FEN_OK);
    for (int i = 0; i < count; i++)
        assert_int_equal(score_set_add(set, &record, CODEC_HOLDS_LABEL, false, &err), 0);
}

static void test_errors(void **state)
{
    (void)state;
    double error = report_net_error(400, 0), other = report_net_error(0, 400);
    assert_true(error > 23.10585 && error < 23.10586);
    assert_true(other > 23.10585 && other < 23.10586);
    assert_true(report_net_error(-77, -77) == 0);
}

/* The net gives 50 %: half of the labels say 50, half 73.1, on average 11.6 more. */
static void test_calibration(void **state)
{
    (void)state;
    static const double cp[2 * HALF];
    struct score_set set = {0};
    add(&set, true, 0, 0, HALF);
    add(&set, true, 400, 1, HALF);
    char *page = draw(report_net_plot_calibration, &(struct report_net_view){"net", 2, &set, cp});
    assert_non_null(strstr(page, "id=\"calibration-3-title\""));
    assert_non_null(strstr(page, "given 50.0\u00a0%, labels 61.6\u00a0%, 40 positions"));
    assert_non_null(strstr(page, "given 50.0\u00a0%, games 75.0\u00a0%, 40 positions"));
    assert_non_null(strstr(page, "labels lie 11.6 points off it"));
    free(page);
    score_set_free(&set);
}

/* A point needs so many positions, and of results so many that are known. */
static void test_calibration_of_few(void **state)
{
    (void)state;
    static const double cp[HALF];
    struct score_set set = {0};
    add(&set, true, 0, 0, HALF - 1);
    char *page = draw(report_net_plot_calibration, &(struct report_net_view){"net", 0, &set, cp});
    assert_null(strstr(page, "positions</title>"));
    free(page);
    add(&set, true, 0, SAMPLES_RESULT_UNKNOWN, 1);
    page = draw(report_net_plot_calibration, &(struct report_net_view){"net", 0, &set, cp});
    assert_non_null(strstr(page, "labels 50.0\u00a0%, 20 positions</title>"));
    assert_null(strstr(page, "games 50.0"));
    free(page);
    score_set_free(&set);
}

static void test_errors_by_phase_and_score(void **state)
{
    (void)state;
    static const double cp[8];
    struct score_set set = {0};
    add(&set, true, 49, 0, 1);
    add(&set, false, 0, 0, 2);
    add(&set, false, -400, 0, 3);
    add(&set, true, 400, 0, 2);
    char *page = draw(report_net_plot_errors, &(struct report_net_view){"net", 0, &set, cp});
    assert_non_null(strstr(page, ">3.1 points, 1 position</title>"));
    assert_non_null(strstr(page, ">0.0 points, 2 positions</title>"));
    assert_non_null(strstr(page, ">23.1 points, 3 positions</title>"));
    assert_non_null(strstr(page, ">23.1 points, 2 positions</title>"));
    assert_non_null(strstr(page, ">20\u201324</text>"));
    assert_non_null(strstr(page, ">50\u2013149</text>"));
    assert_non_null(strstr(page, ">\u2265\u00a01000</text>"));
    free(page);
    score_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_calibration),
        cmocka_unit_test(test_calibration_of_few),
        cmocka_unit_test(test_errors_by_phase_and_score),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
