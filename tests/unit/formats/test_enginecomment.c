/* SPDX-License-Identifier: MIT */
/*
 * Comments of engine matches: values by hand, and the ply that they belong to. Mates: cutechess
 * writes "+M1" before the mating move and "-M2" before the one that allows it: half-moves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/enginecomment.h"
#include "formats/io/reader.h"
#include "formats/pgn.h"

struct comment_case {
    const char *text;
    enum score_kind kind;
    int32_t value;
    uint16_t depth;
};

static const struct comment_case cases[] = {
    {"+0.31/18 1.2s}", SCORE_CP, 31, 18},
    {"-0.17/15 0.30s}", SCORE_CP, -17, 15},
    {"0.00/31 48s}", SCORE_CP, 0, 31},
    {" +12.05/9 0.1s, White wins by adjudication }", SCORE_CP, 1205, 9},
    {"\n-1.5/7}", SCORE_CP, -150, 7},
    {"-0.00/7}", SCORE_CP, 0, 7},
    {"+0.314/22 1s}", SCORE_CP, 31, 22},
    {"+0.315/22 1s}", SCORE_CP, 32, 22},
    {"+0.31/18/25 1.2s}", SCORE_CP, 31, 18},
    {"+9999.99/999 1s}", SCORE_CP, 999999, 999},
    {"+10000.00/9 1s}", SCORE_NONE, 0, 0},
    {"+0.31/1000 1s}", SCORE_NONE, 0, 0},
    {"+M1/24 0.1s}", SCORE_MATE, 1, 24},
    {"-M2/24 0.1s}", SCORE_MATE, -1, 24},
    {"+M35/23 0.14s}", SCORE_MATE, 18, 23},
    {"-M18/13 0.14s}", SCORE_MATE, -9, 13},
    {"+M12/20 0.14s}", SCORE_MATE, 6, 20},
    {"-M5/10 0.14s}", SCORE_MATE, -3, 10},
    {"+M0/10 0.14s}", SCORE_NONE, 0, 0},
    {"0.00/0 0.214s}", SCORE_NONE, 0, 0}, /* the engine said nothing */
    {"1/2-1/2 Gulko,B-Short,N/New York 1994}", SCORE_NONE, 0, 0},
    {"+0.31 1.2s}", SCORE_NONE, 0, 0},
    {"+31/18 1.2s}", SCORE_NONE, 0, 0},
    {"+0./18 1.2s}", SCORE_NONE, 0, 0},
    {"0.5/1.5 1.2s}", SCORE_NONE, 0, 0},
    {"book}", SCORE_NONE, 0, 0},
    {"[%eval 0.31]}", SCORE_NONE, 0, 0},
    {"+}", SCORE_NONE, 0, 0},
    {"M}", SCORE_NONE, 0, 0},
    {"}", SCORE_NONE, 0, 0},
    {"", SCORE_NONE, 0, 0},
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct score score = {SCORE_NONE, 0};
        uint16_t depth = 0;
        bool read = enginecomment_read(cases[i].text, &score, &depth);
        if (read != (cases[i].kind != SCORE_NONE) || score.kind != cases[i].kind ||
            score.value != cases[i].value || depth != cases[i].depth)
            fail_msg("\"%s\": %d, kind %d, value %d, depth %u", cases[i].text, read, score.kind,
                     (int)score.value, depth);
    }
}

/* The first comment behind a move that is one, for the position before it; none of variations. */
static void test_plies(void **state)
{
    static const char text[] =
        "[A \"\"]\n\n{+9.99/9 1s} 1. e4 {book} e5 {+0.10/5 1s} {+0.20/6 1s} "
        "2. Nf3 ({+0.5/9 1s} 2. d4 {+0.6/9 1s}) {[%eval 0.3]} {-0.30/7 1s} 2... Nc6 *";
    static const struct score want[] = {
        {SCORE_NONE, 0}, {SCORE_CP, 10}, {SCORE_CP, -30}, {SCORE_NONE, 0}};
    const struct pgn_options options = {.variants = PGN_STANDARD};
    const struct pgn_game *game;
    struct reader *reader;
    struct pgn *pgn;
    (void)state;
    assert_int_equal(reader_open_memory(text, sizeof text - 1, &reader, NULL), 0);
    assert_int_equal(pgn_new(reader, &options, NULL, &pgn, NULL), 0);
    assert_int_equal(pgn_next(pgn, &game, NULL), 1);
    assert_int_equal(game->reject, PGN_ACCEPTED);
    assert_int_equal(game->plies, 4);
    for (uint32_t ply = 0; ply < 4; ply++) {
        assert_int_equal(game->comments[ply].kind, want[ply].kind);
        if (want[ply].kind != SCORE_NONE)
            assert_int_equal(game->comments[ply].value, want[ply].value);
    }
    assert_int_equal(game->comment_depths[1], 5);
    assert_int_equal(game->comment_depths[2], 7);
    assert_int_equal(game->comment_count, 2);
    assert_int_equal(game->eval_count, 1);
    assert_int_equal(game->evals[3].value, 30);
    assert_int_equal(pgn_next(pgn, &game, NULL), 0);
    pgn_free(pgn);
    reader_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_plies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
