/* SPDX-License-Identifier: MIT */
/*
 * The comparison of records: every field is seen with its flag and only with it; turning a record
 * changes what the side to move sees in nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/codec_compare.h"
#include "tests/unit/formats/sample_record.h"

static const struct codec_options usual = {.score_scale = 1.0};

static void assert_seen_by(const struct record *changed, unsigned flags, const char *name)
{
    struct record sample;
    assert_true(sample_record(&sample));
    const char *seen = codec_find_difference(&sample, changed, flags | CODEC_HOLDS_SIDE, &usual);
    if (seen == NULL || strcmp(seen, name) != 0)
        fail_msg("'%s' where '%s' was expected", seen != NULL ? seen : "nothing", name);
    unsigned others = CODEC_HOLDS_ALL & ~flags;
    assert_null(codec_find_difference(&sample, changed, others, &usual));
    assert_string_equal(codec_find_difference(&sample, changed, CODEC_HOLDS_ALL, &usual), name);
}

static void every_field_is_seen_with_its_flag(void **state)
{
    (void)state;
    struct record good, record;
    assert_true(sample_record(&good));
    assert_null(codec_find_difference(&good, &good, CODEC_HOLDS_ALL, &usual));
#define CHANGE(statement, flags, name)                                                             \
    record = good;                                                                                 \
    statement;                                                                                     \
    assert_seen_by(&record, flags, name)
    CHANGE(record.position.rook[WHITE][QUEEN_SIDE] = 0, CODEC_HOLDS_CASTLING, "castling");
    CHANGE(record.position.ep = 19, CODEC_HOLDS_EP, "en passant square");
    CHANGE(record.position.halfmove++, CODEC_HOLDS_HALFMOVE, "half-move clock");
    CHANGE(record.position.fullmove++, CODEC_HOLDS_FULLMOVE, "full-move number");
    CHANGE(record.played = MOVE_NONE, CODEC_HOLDS_BOTH_MOVES, "move played");
    CHANGE(record.label.final.value++, CODEC_HOLDS_LABEL | CODEC_HOLDS_SCORE, "score");
    CHANGE(record.label.final.kind = SCORE_MATE, CODEC_HOLDS_LABEL | CODEC_HOLDS_SCORE, "score");
    CHANGE(record.label.bound = BOUND_LOWER, CODEC_HOLDS_LABEL, "bound");
    CHANGE(record.label.exact.value++, CODEC_HOLDS_LABEL, "exact score");
    CHANGE(record.label.depth++, CODEC_HOLDS_LABEL, "depth");
    CHANGE(record.label.exact_depth++, CODEC_HOLDS_LABEL, "depth of the exact score");
    CHANGE(record.label.nodes++, CODEC_HOLDS_LABEL, "nodes");
    CHANGE(record.label.limit++, CODEC_HOLDS_LABEL, "limit");
    CHANGE(record.label.limit_kind = LIMIT_DEPTH, CODEC_HOLDS_LABEL, "limit");
    CHANGE(record.game_id[0] = 'b', CODEC_HOLDS_GAME_ID, "game id");
    CHANGE(record.ply++, CODEC_HOLDS_PLY, "ply");
    CHANGE(record.result = 2, CODEC_HOLDS_RESULT, "result");
    CHANGE(record.white_rating++, CODEC_HOLDS_RATINGS, "ratings");
    CHANGE(record.black_rating++, CODEC_HOLDS_RATINGS, "ratings");
    CHANGE(record.source = SOURCE_INPUT, CODEC_HOLDS_SOURCE, "source");
#undef CHANGE
}

static void the_board_is_always_seen(void **state)
{
    (void)state;
    struct record good, record;
    assert_true(sample_record(&good));
    record = good;
    position_remove(&record.position, 8);
    assert_string_equal(codec_find_difference(&good, &record, 0, &usual), "board");
    assert_string_equal(codec_find_difference(&good, &record, CODEC_HOLDS_ALL, &usual), "board");
    record = good;
    record.position.side = WHITE;
    assert_string_equal(codec_find_difference(&good, &record, CODEC_HOLDS_SIDE, &usual),
                        "side to move");
}

static void the_chosen_move_and_score_count(void **state)
{
    (void)state;
    const unsigned fields = CODEC_HOLDS_SIDE | CODEC_HOLDS_MOVE | CODEC_HOLDS_SCORE;
    struct codec_options options = {.move = CODEC_MOVE_BEST, .score_scale = 1.0};
    struct record good, record;
    assert_true(sample_record(&good));
    record = good;
    record.label.best_move = MOVE_NONE;
    assert_string_equal(codec_find_difference(&good, &record, fields, &options), "move");
    options.move = CODEC_MOVE_PLAYED;
    assert_null(codec_find_difference(&good, &record, fields, &options));
    record.played = MOVE_NONE;
    assert_string_equal(codec_find_difference(&good, &record, fields, &options), "move");
    record = good;
    record.label.final.value++;
    options.last_exact = true; /* a mate in 12 in both */
    assert_null(codec_find_difference(&good, &record, fields, &options));
    options.last_exact = false;
    options.score_scale = 0.4; /* -128.4 and -128: both are written -128 */
    assert_null(codec_find_difference(&good, &record, fields, &options));
    options.score_scale = 3.61;
    assert_string_equal(codec_find_difference(&good, &record, fields, &options), "score");
}

static void a_turned_record_is_the_same_without_its_side(void **state)
{
    (void)state;
    struct record black, white, twice;
    assert_true(sample_record(&black));
    codec_turn_to_white(&black, &white);
    assert_int_equal(white.position.side, WHITE);
    assert_int_equal(white.result, 1);
    assert_int_equal(white.white_rating, 1999);
    assert_int_equal(white.black_rating, 2512);
    assert_int_equal(white.played, ucimove_parse(&white.position, "e1g1", 4));
    assert_int_equal(white.label.best_move, ucimove_parse(&white.position, "a1d1", 4));
    char fen[FEN_MAX];
    fen_format(&white.position, FEN_XFEN, fen);
    assert_string_equal(fen, "r3k2r/pp3ppp/8/3p4/3P4/8/PP3PPP/R3K2R w KQk - 3 7");
    assert_true(position_board_is_sane(&white.position));
    codec_turn_to_white(&white, &twice);
    assert_true(same_record(&white, &twice));
    unsigned fields = CODEC_HOLDS_ALL & ~(unsigned)CODEC_HOLDS_SIDE;
    assert_null(codec_find_difference(&black, &white, fields, &usual));
    assert_non_null(codec_find_difference(&black, &white, CODEC_HOLDS_ALL, &usual));
    black.result = 2;
    codec_turn_to_white(&black, &white);
    assert_int_equal(white.result, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_seen_with_its_flag),
        cmocka_unit_test(the_board_is_always_seen),
        cmocka_unit_test(the_chosen_move_and_score_count),
        cmocka_unit_test(a_turned_record_is_the_same_without_its_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
