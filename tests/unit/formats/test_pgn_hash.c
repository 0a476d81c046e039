/* SPDX-License-Identifier: MIT */
/*
 * The hash of boards against its definition, and as the sum that the reader gives.
 */
#include "formats/pgn.h"
#include "formats/pgn_hash.h"
#include "tests/unit/chess/chess_test.h"

/* Of the start position, by hand from the formula of the scan line. */
static void test_definition(void **state)
{
    struct position position;
    (void)state;
    position_start(&position);
    uint64_t x = UINT64_C(0xffff) * UINT64_C(0x9E3779B97F4A7C15) +
                 UINT64_C(0xffff000000000000) * UINT64_C(0xC2B2AE3D27D4EB4F) +
                 UINT64_C(0x00ff00000000ff00) * UINT64_C(0x165667B19E3779F9) +
                 UINT64_C(0x4200000000000042) * UINT64_C(0xD6E8FEB86659FD93) +
                 UINT64_C(0x2400000000000024) * UINT64_C(0xA0761D6478BD642F) +
                 UINT64_C(0x8100000000000081) * UINT64_C(0xE7037ED1A0B428DB) +
                 UINT64_C(0x0800000000000008) * UINT64_C(0x8EBC6AF09C88C6E3) +
                 UINT64_C(0x1000000000000010) * UINT64_C(0x589965CC75374CC3);
    x ^= x >> 32;
    x *= UINT64_C(0x9FB21C651E98DF25);
    assert_true(pgn_hash_board(&position) == (x ^ x >> 29));
    x += UINT64_C(0x2545F4914F6CDD1D);
    position.side = BLACK;
    assert_true(pgn_hash_board(&position) == (x ^ x >> 29));
}

static uint64_t replay(const struct pgn_game *game)
{
    struct position position = game->start;
    uint64_t sum = 0;
    for (uint32_t ply = 0; ply < game->plies; ply++) {
        position_make(&position, game->moves[ply], NULL);
        sum += pgn_hash_board(&position);
    }
    return sum;
}

/* Castling both ways, en passant, promotions with and without capture. */
static void test_reader(void **state)
{
    static const char text[] =
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 bxc6 5. O-O Qe7 6. d4 d5 7. exd5 Bb7 8. dxc6 O-O-O "
        "9. cxb7+ Kb8 10. dxe5 f5 11. exf6 Qxf6 12. Bg5 Qxb2 13. Bxd8 h5 14. Bxc7+ Kxb7 15. Bd8 h4 "
        "16. h3 g5 17. a4 g4 18. a5 gxh3 19. g3 h2+ 20. Kg2 h1=Q+ *\n"
        "[FEN \"n6k/1P6/8/8/8/8/8/K7 w - - 0 1\"] 1. bxa8=N Kg7 *\n";
    const struct pgn_options options = {.variants = PGN_STANDARD | PGN_FROM_POSITION};
    const struct pgn_game *game;
    struct reader *reader;
    struct pgn *pgn;
    struct error err;
    (void)state;
    assert_int_equal(reader_open_memory(text, sizeof text - 1, &reader, &err), 0);
    assert_int_equal(pgn_new(reader, &options, NULL, &pgn, &err), 0);
    for (unsigned number = 0; number < 2; number++) {
        assert_int_equal(pgn_next(pgn, &game, &err), 1);
        assert_int_equal(game->reject, PGN_ACCEPTED);
        assert_true(game->hash == replay(game) && game->hash != 0);
    }
    pgn_free(pgn);
    reader_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_reader),
    };
    return cmocka_run_group_tests_name("pgn hash", tests, NULL, NULL);
}
