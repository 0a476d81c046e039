/* SPDX-License-Identifier: MIT */
/* The positions that a net gets most wrong: which they are, and what stands under their boards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/chess/types.h"
#include "pipeline/report/report_boards.h"

#define PAGE_MAX (1u << 20)

static struct record start_record(const char *game, uint32_t ply, struct score score)
{
    struct record record = {.ply = ply};
    position_start(&record.position);
    (void)snprintf(record.game_id, sizeof record.game_id, "%s", game);
    record.label = (struct label){
        .status = LABEL_OK, .best_move = move_make(12, 28, MOVE_NORMAL), .depth = 1, .nodes = 1};
    record.label.final = record.label.exact = score;
    return record;
}

static char *draw(const struct report_worst *worst)
{
    struct buffer out;
    struct html html;
    struct error err = {0};
    buffer_init(&out, PAGE_MAX);
    html_begin(&html, &out, &err);
    report_boards_write(&html, 0, "a<b", false, worst);
    assert_int_equal(html_end(&html), 0);
    return out.data;
}

static size_t occurrences(const char *page, const char *word)
{
    size_t count = 0;
    for (const char *at = page; (at = strstr(at, word)); at++)
        count++;
    return count;
}

/* Of one more than there is room for, the least wrong one is left out; equal ones keep their order.
 */
static void test_the_worst_are_kept(void **state)
{
    (void)state;
    struct report_worst worst = {0};
    struct record record = start_record("game", 0, (struct score){SCORE_CP, 0});
    for (uint32_t i = 0; i <= REPORT_BOARDS; i++) {
        record.ply = i;
        report_worst_add(&worst, &record, i == 7 ? 10 : i == 12 ? -900 : 300, 0);
    }
    assert_int_equal(worst.count, REPORT_BOARDS);
    assert_int_equal(worst.boards[0].record.ply, 12);
    for (uint32_t i = 1; i < REPORT_BOARDS; i++) {
        assert_int_not_equal(worst.boards[i].record.ply, 7);
        assert_true(i == 1 || worst.boards[i].record.ply > worst.boards[i - 1].record.ply);
    }
}

static void test_what_stands_under_a_board(void **state)
{
    (void)state;
    struct report_worst worst = {0};
    struct record lichess = start_record("abcd1234", 17, (struct score){SCORE_CP, 1250});
    struct record other = start_record("x0123456789abcdef", 8, (struct score){SCORE_MATE, -3});
    lichess.position.side = BLACK;
    report_worst_add(&worst, &lichess, 900.4, -1250);
    report_worst_add(&worst, &other, -20, -2000);
    char *page = draw(&worst);
    assert_non_null(strstr(page, "Where a&lt;b errs most"));
    assert_non_null(strstr(page, "label \u22121,250, net +900<"));
    assert_non_null(strstr(page, "label Black mates in 3, net \u221220<"));
    assert_int_equal(occurrences(page, "<a href="), 1);
    assert_non_null(
        strstr(page, "<a href=\"https://lichess.org/abcd1234#17\" rel=\"noreferrer\">"));
    assert_non_null(strstr(page, "game x0123456789abcdef, ply\u00a08"));
    assert_int_equal(occurrences(page, "<b>White to move</b>"), 1);
    assert_int_equal(occurrences(page, "<b>Black to move</b>"), 1);
    assert_int_equal(occurrences(page, "class=\"best-move\""), 4);
    assert_int_equal(occurrences(page, "<use "), 64);
    assert_non_null(strstr(page, "The 2 positions of test "));
    assert_non_null(strstr(page, "view; the squares of the best move that came with the label are "
                                 "shaded. Games"));
    assert_non_null(strstr(page, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq"));
    /* White's king on e1, Black's queen on d8, 20 units a square. */
    assert_non_null(strstr(page, "#piece-5\" x=\"80\" y=\"140\" class=\"white-piece\""));
    assert_non_null(strstr(page, "#piece-4\" x=\"60\" y=\"0\" class=\"black-piece\""));
    free(page);
}

/* As evals out of games come: nothing is shaded, and nothing is said of it. */
static void test_no_best_move(void **state)
{
    (void)state;
    struct report_worst worst = {0};
    struct record record = start_record("abcd1234", 17, (struct score){SCORE_CP, 0});
    record.label.best_move = MOVE_NONE;
    report_worst_add(&worst, &record, 300, 0);
    char *page = draw(&worst);
    assert_non_null(strstr(page, "The 1 position of test "));
    assert_non_null(strstr(page, "White\u2019s view. Games"));
    assert_null(strstr(page, "shaded"));
    assert_null(strstr(page, "best-move"));
    free(page);
}

static void test_no_position(void **state)
{
    (void)state;
    char *page = draw(&(struct report_worst){0});
    assert_true(page == NULL || *page == '\0');
    free(page);
}

/* Records without a score have no value; another number of records is another file. */
static void test_records_of_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/plymill-boards-XXXXXX";
    const double cp[] = {5, 700};
    const struct score scores[] = {{SCORE_CP, 10}, {SCORE_NONE, 0}, {SCORE_CP, -40}};
    struct error err = {0};
    struct record_writer *writer = NULL;
    struct writer_result result;
    struct report_worst worst;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(record_writer_create(path, 3, &writer, &err), 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct record record = start_record("abcd1234", i, scores[i]);
        record.label.final = (struct score){SCORE_CP, 0};
        assert_int_equal(record_writer_add(writer, &record, &err), 0);
    }
    assert_int_equal(record_writer_commit(writer, &result, &err), 0);
    assert_int_equal(report_worst_read(path, true, cp, 2, &worst, &err), 0);
    assert_int_equal(worst.count, 2);
    assert_int_equal(worst.boards[0].record.ply, 2);
    assert_int_equal(worst.boards[1].record.ply, 0);
    assert_int_equal(report_worst_read(path, true, cp, 1, &worst, &err), -1);
    assert_non_null(strstr(err.text, path));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_worst_are_kept), cmocka_unit_test(test_what_stands_under_a_board),
        cmocka_unit_test(test_no_best_move),       cmocka_unit_test(test_no_position),
        cmocka_unit_test(test_records_of_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
