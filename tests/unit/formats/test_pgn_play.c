/* SPDX-License-Identifier: MIT */
/*
 * The board of the PGN reader, move by move, against boards made afresh: every legal move of the
 * positions of random games, as a plain move where its text is one and as any move.
 */
#include "formats/pgn_play.h"

#include "formats/chess/san.h"
#include "tests/unit/chess/chess_test.h"

static unsigned plain_moves, other_moves, captures, lost_rights, en_passant;

static void assert_same_play(const struct pgn_play *play, const struct position *after)
{
    struct pgn_play fresh;
    pgn_play_begin(&fresh, after);
    fresh.position.halfmove = play->position.halfmove; /* not kept */
    assert_true(position_equal(&play->position, &fresh.position));
    assert_true(play->guard.checkers == fresh.guard.checkers);
    assert_true(play->guard.pinned == fresh.guard.pinned);
    assert_true(play->guard.targets == fresh.guard.targets);
    assert_true(play->keepers == fresh.keepers);
    assert_true(play->sum == fresh.sum && play->hash == pgn_hash_board(after));
}

static void count_move(const struct position *before, const struct position *after, uint16_t move)
{
    plain_moves++;
    captures += position_captured(before, move) != PIECE_NONE;
    lost_rights += memcmp(before->rook, after->rook, sizeof before->rook) != 0;
    en_passant += after->ep != SQUARE_NONE;
}

static void check_plain(const struct pgn_play *before, const struct position *after, uint16_t move)
{
    const struct position *position = &before->position;
    struct pgn_play play = *before;
    struct san_plain plain = {0};
    char text[SAN_MAX + SAN_PLAIN_MAX] = "";
    san_format(position, move, text);
    const char *end = san_plain_is_file(*text)
                          ? san_plain_pawn(position, &before->guard, position->side, text, &plain)
                          : san_plain_piece(position, &before->guard, position->side, text, &plain);
    if (!end || move_kind(move) != MOVE_NORMAL)
        return;
    assert_int_equal(move_make(plain.from, plain.to, MOVE_NORMAL), move);
    pgn_play_plain(&play, position->side, &plain);
    assert_same_play(&play, after);
    count_move(position, after, move);
}

static void check_moves(const struct position *position, const uint16_t *moves, unsigned count)
{
    struct pgn_play before;
    pgn_play_begin(&before, position);
    for (unsigned i = 0; i < count; i++) {
        struct pgn_play play = before;
        struct position after = *position;
        position_make(&after, moves[i], NULL);
        pgn_play_move(&play, moves[i]);
        assert_same_play(&play, &after);
        check_plain(&before, &after, moves[i]);
        other_moves++;
    }
}

static void test_moves(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 4, 120, check_moves);
    assert_true(plain_moves > other_moves / 2 && plain_moves > 10000);
    assert_true(captures > 500 && lost_rights > 50 && en_passant > 20);
}

/* The move number grows to its end and stays there. */
static void test_number(void **state)
{
    struct position start;
    struct pgn_play play;
    struct san_plain plain = {0};
    (void)state;
    start = test_position("7k/8/8/8/8/8/8/K7 b - - 0 65534");
    pgn_play_begin(&play, &start);
    const char *const moves[] = {"Kg8..", "Kb1..", "Kh8..", "Ka1..", "Kg8.."};
    for (unsigned i = 0; i < 5; i++) {
        unsigned us = play.position.side;
        assert_non_null(san_plain_piece(&play.position, &play.guard, us, moves[i], &plain));
        pgn_play_plain(&play, us, &plain);
        assert_int_equal(play.position.fullmove, 65535);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_number),
    };
    return cmocka_run_group_tests_name("pgn play", tests, NULL, NULL);
}
