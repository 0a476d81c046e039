/* SPDX-License-Identifier: MIT */
/*
 * The attack tables and slider arithmetic against walking square by square.
 */
#include "formats/chess/attacks.h"
#include "tests/unit/chess/chess_test.h"

static const int rook_steps[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
static const int bishop_steps[][2] = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};

static bool on_board(int file, int rank)
{
    return file >= 0 && file < 8 && rank >= 0 && rank < 8;
}

/* Up to and with the first occupied square in each direction. */
static uint64_t walk(unsigned square, uint64_t occupied, const int (*steps)[2])
{
    uint64_t seen = 0;

    for (unsigned i = 0; i < 4; i++) {
        int file = (int)square_file(square) + steps[i][0];
        int rank = (int)square_rank(square) + steps[i][1];
        while (on_board(file, rank)) {
            uint64_t here = bitboard_of((unsigned)(rank * 8 + file));
            seen |= here;
            if (occupied & here)
                break;
            file += steps[i][0];
            rank += steps[i][1];
        }
    }
    return seen;
}

static void test_sliders(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (unsigned square = 0; square < 64; square++) {
        assert_int_equal(attacks_rook_rays(square), walk(square, 0, rook_steps));
        assert_int_equal(attacks_bishop_rays(square), walk(square, 0, bishop_steps));
        for (unsigned i = 0; i < 300; i++) {
            uint64_t occupied = test_random(&random);
            if (i % 3)
                occupied &= test_random(&random);
            uint64_t rook = walk(square, occupied, rook_steps);
            uint64_t bishop = walk(square, occupied, bishop_steps);
            assert_int_equal(attacks_rook(square, occupied), rook);
            assert_int_equal(attacks_bishop(square, occupied), bishop);
            assert_int_equal(attacks_queen(square, occupied), rook | bishop);
        }
    }
}

static void test_leapers(void **state)
{
    (void)state;
    for (unsigned from = 0; from < 64; from++) {
        for (unsigned to = 0; to < 64; to++) {
            int df = (int)square_file(to) - (int)square_file(from);
            int dr = (int)square_rank(to) - (int)square_rank(from);
            uint64_t bit = bitboard_of(to);
            assert_int_equal((attacks_knight(from) & bit) != 0, df * df + dr * dr == 5);
            assert_int_equal((attacks_king(from) & bit) != 0,
                             df * df <= 1 && dr * dr <= 1 && from != to);
            assert_int_equal((attacks_pawn(WHITE, from) & bit) != 0, df * df == 1 && dr == 1);
            assert_int_equal((attacks_pawn(BLACK, from) & bit) != 0, df * df == 1 && dr == -1);
        }
    }
}

/* Between two squares lies what each sees of the other's way with only these two on the board. */
static void test_between(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 64; a++) {
        for (unsigned b = 0; b < 64; b++) {
            uint64_t expected = 0, both = bitboard_of(a) | bitboard_of(b);
            for (unsigned i = 0; i < 2 && a != b; i++) {
                const int(*steps)[2] = i ? bishop_steps : rook_steps;
                if (walk(a, both, steps) & bitboard_of(b))
                    expected |= walk(a, both, steps) & walk(b, both, steps);
            }
            /* Two crossing lines may meet beside the common one: keep what lies on it. */
            for (uint64_t rest = expected; rest;) {
                unsigned c = bitboard_pop(&rest);
                int cross = ((int)square_file(b) - (int)square_file(a)) *
                                ((int)square_rank(c) - (int)square_rank(a)) -
                            ((int)square_rank(b) - (int)square_rank(a)) *
                                ((int)square_file(c) - (int)square_file(a));
                if (cross)
                    expected &= ~bitboard_of(c);
            }
            assert_int_equal(attacks_between(a, b), expected);
        }
    }
}

static void test_attacks_of(void **state)
{
    uint64_t occupied = UINT64_C(0x00ff00100800ff00);

    (void)state;
    assert_int_equal(attacks_of(piece_make(WHITE, PAWN), 12, occupied), attacks_pawn(WHITE, 12));
    assert_int_equal(attacks_of(piece_make(BLACK, PAWN), 12, occupied), attacks_pawn(BLACK, 12));
    assert_int_equal(attacks_of(piece_make(BLACK, QUEEN), 27, occupied),
                     walk(27, occupied, rook_steps) | walk(27, occupied, bishop_steps));
    assert_int_equal(attacks_of(PIECE_NONE, 27, occupied), 0);
}

static void test_mirrors(void **state)
{
    (void)state;
    for (unsigned square = 0; square < 64; square++) {
        assert_int_equal(bitboard_flip_ranks(bitboard_of(square)), bitboard_of(square ^ 56));
        assert_int_equal(bitboard_mirror_files(bitboard_of(square)), bitboard_of(square ^ 7));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sliders), cmocka_unit_test(test_leapers),
        cmocka_unit_test(test_between), cmocka_unit_test(test_attacks_of),
        cmocka_unit_test(test_mirrors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
