/* SPDX-License-Identifier: MIT */
/*
 * Comparing labels: a change of any field is a difference, and says which.
 */
#include "labeler/label_diff.h"

#include "formats/chess/types.h"
#include "tests/unit/labeler/labeler_test.h"

static struct label sample_label(void)
{
    return (struct label){.bound = BOUND_LOWER,
                          .limit_kind = LIMIT_NODES,
                          .best_move = move_make(12, 28, MOVE_NORMAL),
                          .depth = 9,
                          .exact_depth = 8,
                          .final = {SCORE_CP, 31},
                          .exact = {SCORE_CP, 28},
                          .nodes = 10001,
                          .limit = 10000};
}

static void assert_differs(const struct label *changed, const char *words)
{
    char text[128] = "";
    struct label label = sample_label();
    assert_true(label_diff(&label, changed, text, sizeof text));
    assert_string_equal(text, words);
    assert_true(label_diff(changed, &label, text, sizeof text));
}

static void test_equal_labels(void **state)
{
    (void)state;
    char text[8] = "as was";
    struct label one = sample_label(), other = sample_label();
    assert_false(label_diff(&one, &other, text, sizeof text));
    assert_string_equal(text, "as was");
    /* Where there is no score its value means nothing. */
    one.exact = (struct score){SCORE_NONE, 5};
    other.exact = (struct score){SCORE_NONE, 6};
    assert_false(label_diff(&one, &other, text, sizeof text));
}

static void test_every_field_counts(void **state)
{
    (void)state;
    struct label label = sample_label();
    label.final.value = 30;
    assert_differs(&label, "final score cp 31 (lower bound), and then cp 30 (lower bound)");
    label = sample_label();
    label.final.kind = SCORE_MATE;
    assert_differs(&label, "final score cp 31 (lower bound), and then mate 31 (lower bound)");
    label = sample_label();
    label.bound = BOUND_EXACT;
    assert_differs(&label, "final score cp 31 (lower bound), and then cp 31 (exact)");
    label = sample_label();
    label.exact.kind = SCORE_NONE;
    assert_differs(&label, "last exact score cp 28, and then none");
    label = sample_label();
    label.exact_depth = 7;
    assert_differs(&label, "depth of the exact score 8, and then 7");
    label = sample_label();
    label.best_move = move_make(12, 20, MOVE_NORMAL);
    assert_differs(&label, "best move e2e4, and then e2e3");
    label = sample_label();
    label.depth = 10;
    assert_differs(&label, "depth 9, and then 10");
    label = sample_label();
    label.nodes++;
    assert_differs(&label, "nodes 10001, and then 10002");
    label = sample_label();
    label.limit++;
    assert_differs(&label, "limit 10000, and then 10001");
    label = sample_label();
    label.limit_kind = LIMIT_DEPTH;
    assert_differs(&label, "kind of limit 1, and then 2");
    label = sample_label();
    label.status = LABEL_FAILED;
    assert_differs(&label, "a label, and then no answer");
}

static void test_text_is_cut(void **state)
{
    (void)state;
    char text[9];
    struct label one = sample_label(), other = sample_label();
    other.nodes = 7;
    assert_true(label_diff(&one, &other, text, sizeof text));
    assert_string_equal(text, "nodes 10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_labels),
        cmocka_unit_test(test_every_field_counts),
        cmocka_unit_test(test_text_is_cut),
    };
    return cmocka_run_group_tests_name("label_diff", tests, NULL, NULL);
}
