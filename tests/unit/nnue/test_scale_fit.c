/* SPDX-License-Identifier: MIT */
/*
 * The fitted scale: found again where results follow it, exactly or by chance; what does not count.
 */
#include <math.h>

#include "nnue/tools/rng.h"
#include "nnue/tools/scale_fit.h"
#include "tests/unit/nnue/synthetic.h"

static struct scale_cells *cells_new(void)
{
    struct scale_cells *cells = calloc(1, sizeof *cells);
    assert_non_null(cells);
    return cells;
}

/* Results that follow a sigmoid exactly give its scale back. */
static void test_exact(void **state)
{
    static const int scales[] = {25, 173, 400, 2990};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct scale_cells *cells = cells_new();
        for (int cell = 0; cell < SCALE_FIT_CELLS; cell++) {
            const double cp = cell - SCALE_FIT_CP_MAX;
            cells->known[cell] = 1000000;
            cells->half_points[cell] = (int64_t)(2e6 / (1 + exp(-cp / scales[i])) + 0.5);
        }
        assert_int_equal(scale_fit(cells), scales[i]);
        free(cells);
    }
}

/* Results drawn with the chances that a scale gives, seen by either side. */
static void test_drawn(void **state)
{
    struct scale_cells *cells = cells_new();
    struct rng rng = {5};
    (void)state;
    for (int i = 0; i < 40000; i++) {
        const int cp = (int)rng_below(&rng, 2001) - 1000; /* White's view */
        const unsigned side = i % 2 ? BLACK : WHITE;
        const struct score score = {SCORE_CP, side == WHITE ? cp : -cp};
        const bool won = (double)rng_unit(&rng) < 1 / (1 + exp(-cp / 250.0));
        scale_cells_add(cells, &score, side, won ? 1 : -1);
    }
    assert_in_range(scale_fit(cells), 240, 260);
    free(cells);
}

/* The last score that counts and the first that does not; mates; no score; no result. */
static void test_what_counts(void **state)
{
    static const struct {
        struct score score;
        int result;
        int64_t known;
    } tries[] = {{{SCORE_CP, 2000}, 1, 1},  {{SCORE_CP, -2000}, 0, 1},     {{SCORE_CP, 2001}, 1, 0},
                 {{SCORE_CP, -2001}, 1, 0}, {{SCORE_CP, INT32_MIN}, 1, 0}, {{SCORE_MATE, 3}, 1, 0},
                 {{SCORE_NONE, 0}, 1, 0},   {{SCORE_CP, 10}, 2, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct scale_cells *cells = cells_new();
        int64_t known = 0;
        scale_cells_add(cells, &tries[i].score, BLACK, tries[i].result);
        for (int cell = 0; cell < SCALE_FIT_CELLS; cell++)
            known += cells->known[cell];
        assert_int_equal(known, tries[i].known);
        assert_int_equal(scale_fit(cells) > 0, known > 0);
        free(cells);
    }
}

static void test_cells(void **state)
{
    struct scale_cells *cells = cells_new();
    const struct score score = {SCORE_CP, 300};
    (void)state;
    scale_cells_add(cells, &score, BLACK, -1);
    scale_cells_add(cells, &score, BLACK, 0);
    scale_cells_add(cells, &score, WHITE, 1);
    assert_int_equal(cells->known[SCALE_FIT_CP_MAX - 300], 2);
    assert_int_equal(cells->half_points[SCALE_FIT_CP_MAX - 300], 1);
    assert_int_equal(cells->known[SCALE_FIT_CP_MAX + 300], 1);
    assert_int_equal(cells->half_points[SCALE_FIT_CP_MAX + 300], 2);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_what_counts),
        cmocka_unit_test(test_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
