/* SPDX-License-Identifier: MIT */
/*
 * Rows of feature maps against lists worked out elsewhere: HalfKP's from a bug report about its
 * orientation, HalfKA's and bullet's from the pages that describe them.
 */
#include "nnue/core/features.h"
#include "tests/unit/nnue/netgen.h"
#include "tests/unit/nnue/vectorfile.h"

#define ROTATED "tests/data/cases/039-halfkp-rotate-not-mirror/expected.md"

enum { LIST_SIZE = 256 };

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The view's rows in ascending order, with blanks between. */
static void list_rows(const struct feature_map *map, const char *fen, unsigned view,
                      char out[LIST_SIZE])
{
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    struct plynnue_position position = vectors_board(fen, pieces);
    struct board board;
    struct row_list rows;
    int length = 0;
    assert_int_equal(board_set(&board, &position), PLYNNUE_OK);
    feature_map_active(map, &board, view, &rows);
    assert_int_equal(rows.removed_count, 0);
    qsort(rows.added, rows.added_count, sizeof *rows.added, compare);
    out[0] = '\0';
    for (unsigned i = 0; i < rows.added_count; i++)
        length +=
            snprintf(out + length, LIST_SIZE - (size_t)length, "%s%u", i ? " " : "", rows.added[i]);
}

static void expect_rows(const struct feature_map *map, const char *fen, unsigned view,
                        const char *expected)
{
    char list[LIST_SIZE];
    list_rows(map, fen, view, list);
    assert_string_equal(list, expected);
}

/* Lines "FEN | white = rows" and "FEN | black = rows". */
static void test_halfkp_is_rotated(void **state)
{
    struct feature_map map;
    char line[256];
    unsigned facts = 0;
    FILE *file = fopen(ROTATED, "r");
    (void)state;
    assert_non_null(file);
    feature_map_halfkp(&map);
    assert_int_equal(map.rows, 41024);
    while (fgets(line, sizeof line, file)) {
        char *bar = strstr(line, " | "), *rows = strstr(line, " = ");
        if (!bar || !rows)
            continue;
        *bar = '\0';
        line[strcspn(line, "\n")] = '\0';
        rows[strcspn(rows, "\n")] = '\0';
        expect_rows(&map, line, strncmp(bar + 3, "black", 5) == 0, rows + 3);
        facts++;
    }
    assert_int_equal(facts, 8);
    fclose(file);
}

static const char pawns_black[] = "4k3/8/8/8/3p4/8/4P3/3K4 b - - 0 1";
static const char pawns_white[] = "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1";
static const char start[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

static void test_halfka_seed(void **state)
{
    struct feature_map map;
    (void)state;
    feature_map_halfka_seed(&map);
    assert_int_equal(map.rows, 22528);
    for (unsigned view = 0; view < 2; view++)
        expect_rows(&map, start, view,
                    "8 9 10 11 12 13 14 15 65 70 130 133 192 199 259 368 369 370 371 372 373 374 "
                    "375 441 446 506 509 568 575 635 644 700");
    expect_rows(&map, pawns_black, 1, "35 372 644 699");
    expect_rows(&map, pawns_black, 0, "11 348 644 699");
    expect_rows(&map, pawns_white, 0, "12 347 644 700");
    expect_rows(&map, pawns_white, 1, "35 372 644 700");
}

/* The same features in Stockfish's order, on all kings and pieces. */
static void test_halfka_orders(void **state)
{
    struct feature_map seed, stockfish;
    (void)state;
    feature_map_halfka_seed(&seed);
    feature_map_halfka_hm(&stockfish);
    assert_int_equal(stockfish.rows, seed.rows);
    for (unsigned view = 0; view < 2; view++)
        for (unsigned king = 0; king < 64; king++)
            for (unsigned piece = 0; piece < 12; piece++)
                for (unsigned square = 0; square < 64; square++) {
                    const struct feature_king *a = &seed.king[view][king];
                    const struct feature_king *b = &stockfish.king[view][king];
                    size_t row = a->base + seed.plane[view][piece] + (square ^ a->flip);
                    size_t other = b->base + stockfish.plane[view][piece] + (square ^ b->flip);
                    assert_int_equal(netgen_stockfish_row(row), other);
                }
    assert_int_equal(stockfish.king[0][4].base, 31 * 704);
    assert_int_equal(stockfish.king[0][63].base, 0);
}

static const uint8_t bullet_table[32] = {NETGEN_BULLET_TABLE_ENTRIES};

static void test_bullet(void **state)
{
    struct feature_map map;
    (void)state;
    feature_map_768(&map, NULL, false);
    assert_int_equal(map.rows, 768);
    assert_int_equal(map.slots, 1);
    expect_rows(&map, pawns_black, 1, "35 324 436 763");
    expect_rows(&map, pawns_black, 0, "12 323 411 764");
    feature_map_768(&map, bullet_table, true);
    assert_int_equal(map.rows, 7680);
    assert_int_equal(map.king_buckets, 10);
    expect_rows(&map, pawns_black, 1, "2340 2627 2739 3068");
    expect_rows(&map, pawns_black, 0, "2316 2627 2715 3068");
    expect_rows(&map, pawns_white, 0, "2315 2627 2716 3067");
    expect_rows(&map, pawns_white, 1, "2340 2627 2739 3067");
}

/* A king's move from one half to the other is no update, whatever its bucket. */
static void test_slots(void **state)
{
    struct feature_map map;
    (void)state;
    feature_map_768(&map, bullet_table, true);
    assert_int_equal(map.king[0][3].base, map.king[0][4].base);
    assert_int_not_equal(map.king[0][3].slot, map.king[0][4].slot);
    assert_int_equal(map.king[0][63].slot, map.king[0][62].slot); /* g8, h8: one bucket */
    assert_int_not_equal(map.king[0][63].slot, map.king[0][0].slot);
    assert_int_equal(map.slots, 20);
    feature_map_halfkp(&map);
    assert_int_equal(map.slots, 64);
    feature_map_p_hm(&map);
    assert_int_equal(map.slots, 2);
    assert_int_equal(map.rows, 768);
}

static void test_board_differences(void **state)
{
    struct plynnue_piece pieces[2][PLYNNUE_PIECES_MAX];
    struct plynnue_position position = vectors_board(start, pieces[0]);
    struct board a, b;
    (void)state;
    assert_int_equal(board_set(&a, &position), PLYNNUE_OK);
    position =
        vectors_board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", pieces[1]);
    assert_int_equal(board_set(&b, &position), PLYNNUE_OK);
    assert_true(board_differences(&a, &a) == 0);
    assert_true(board_differences(&a, &b) == (UINT64_C(1) << 12 | UINT64_C(1) << 28));
    for (unsigned square = 0; square < 64; square++)
        for (unsigned piece = 0; piece <= BOARD_EMPTY; piece++) {
            b = a;
            b.piece[square] = (uint8_t)piece;
            assert_true(board_differences(&a, &b) ==
                        (piece == a.piece[square] ? 0 : UINT64_C(1) << square));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halfkp_is_rotated),
        cmocka_unit_test(test_halfka_seed),
        cmocka_unit_test(test_halfka_orders),
        cmocka_unit_test(test_bullet),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_board_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
