/* SPDX-License-Identifier: MIT */
/*
 * The guard of a position against the plain questions that it saves: who attacks the king, and
 * whether a piece that goes somewhere leaves it safe.
 */
#include "formats/chess/legality.h"
#include "tests/unit/chess/chess_test.h"

static unsigned positions, checks, double_checks, pins;

/* Wherever an own piece goes from a square, though no rule lets it go there. */
static void check_piece(const struct position *position, const struct legality_guard *guard,
                        unsigned from)
{
    bool pinned = guard->pinned & bitboard_of(from);
    pins += pinned;
    for (unsigned to = 0; to < 64; to++) {
        if (position->colour[position->side] & bitboard_of(to))
            continue;
        bool safe = legality_of_piece_move(position, from, to);
        bool target = guard->targets & bitboard_of(to);
        if (pinned ? safe && !target : safe != target)
            fail_msg("from %u to %u: safe %d, pinned %d, target %d", from, to, safe, pinned,
                     target);
    }
}

/* A pinned piece that leaves every line of its king does not leave it safe. */
static bool is_pinned(const struct position *position, unsigned from)
{
    unsigned king = position_king(position, position->side);
    uint64_t lines = attacks_rook_rays(king) | attacks_bishop_rays(king);
    uint64_t own = position->colour[position->side];
    uint64_t others = ~(lines | own | position->colour[!position->side]);
    return others && !legality_of_piece_move(position, from, bitboard_first(others));
}

static void check_guard(const struct position *position, const uint16_t *moves, unsigned count)
{
    struct legality_guard guard = legality_find_guard(position);
    uint64_t pieces = position->colour[position->side] & ~position->type[KING];
    (void)moves;
    (void)count;
    assert_true(guard.checkers == position_checkers(position));
    positions++;
    checks += guard.checkers != 0;
    double_checks += bitboard_many(guard.checkers);
    while (pieces) {
        unsigned from = bitboard_pop(&pieces);
        check_piece(position, &guard, from);
        if (!guard.checkers)
            assert_int_equal(is_pinned(position, from), (guard.pinned & bitboard_of(from)) != 0);
    }
}

static void test_guard(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 12, 150, check_guard);
    assert_true(positions > 5000 && checks > 200 && double_checks > 0 && pins > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_guard)};
    return cmocka_run_group_tests_name("legality", tests, NULL, NULL);
}
