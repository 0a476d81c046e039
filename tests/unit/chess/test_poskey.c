/* SPDX-License-Identifier: MIT */
/*
 * Keys: the bytes, equality exactly where it is due (case 013), symmetry of the leak key, and
 * unpacking that believes nothing.
 */
#include "formats/chess/poskey.h"
#include "tests/unit/chess/chess_test.h"

static bool same_board_key(const char *a, const char *b)
{
    struct position first = test_position(a), second = test_position(b);
    uint8_t key[2][POSKEY_BOARD_SIZE];

    poskey_board(&first, key[0]);
    poskey_board(&second, key[1]);
    return memcmp(key[0], key[1], POSKEY_BOARD_SIZE) == 0;
}

static void test_layout(void **state)
{
    static const uint8_t expected[POSKEY_PACKED_SIZE] = {
        0xff, 0xff, 0,    0,    0,    0,    0xff, 0xff, /* occupied */
        0x13, 0x42, 0x25, 0x31, 0,    0,    0,    0,    /* R N B Q K B N R, pawns */
        0x66, 0x66, 0x66, 0x66, 0x79, 0xa8, 0x8b, 0x97, /* black pawns, r n b q k b n r */
        0,    0x07, 0x07, 64,                           /* White; rooks on h and a; no ep */
        0x34, 0x12, 0xcd, 0xab, 0,    0,    0,    0};
    struct position position = test_position(TEST_START_FEN);
    uint8_t packed[POSKEY_PACKED_SIZE], label[POSKEY_LABEL_SIZE];

    (void)state;
    position.halfmove = 0x1234;
    position.fullmove = 0xabcd;
    poskey_pack(&position, packed);
    assert_memory_equal(packed, expected, sizeof packed);
    poskey_label(&position, label);
    assert_memory_equal(label, expected, sizeof label);
}

static void test_layout_of_rights(void **state)
{
    struct position position = test_position("1r2k1r1/8/8/3pP3/8/8/8/1R2K1R1 w GBg d6 0 1");
    uint8_t packed[POSKEY_PACKED_SIZE];

    (void)state;
    poskey_pack(&position, packed);
    assert_int_equal(packed[25], 0x16); /* white: g and b */
    assert_int_equal(packed[26], 0xf6); /* black: g and none */
    assert_int_equal(packed[27], 43);
    assert_int_equal(packed[32], 1);
}

static char *input_of_case_013;

static void check_case_013(char *key, char *value)
{
    char *line = test_next_line(&input_of_case_013), *second;

    assert_memory_equal(key, "line ", 5);
    assert_non_null(line);
    assert_non_null(second = test_cut(line, "\t"));
    assert_int_equal(same_board_key(line, second), strncmp(value, "same", 4) == 0);
}

static void test_case_013_dedup_key_en_passant(void **state)
{
    char *text = test_read_file("tests/data/cases/013-dedup-key-en-passant/input.tsv");

    (void)state;
    input_of_case_013 = text;
    test_each_fact("013-dedup-key-en-passant", check_case_013);
    free(text);
}

static void test_label_key_holds_the_clock(void **state)
{
    struct position position = test_position("4k3/8/8/8/8/8/8/4K3 w - - 3 9"), other = position;
    uint8_t a[POSKEY_LABEL_SIZE], b[POSKEY_LABEL_SIZE];

    (void)state;
    other.fullmove = 10;
    poskey_label(&position, a);
    poskey_label(&other, b);
    assert_memory_equal(a, b, sizeof a);
    other.halfmove = 4;
    poskey_label(&other, b);
    assert_memory_not_equal(a, b, sizeof a);
}

/* The same position, its colour flip, its file mirror, both; rights and en passant do not count. */
static void test_leak_key(void **state)
{
    static const char *const same[] = {
        "r3k2r/8/8/3pP3/8/8/8/R3K1N1 w Qkq d6 0 1", "r3k2r/8/8/3pP3/8/8/8/R3K1N1 w - - 9 33",
        "r3k1n1/8/8/8/3Pp3/8/8/R3K2R b - - 0 1", "r2k3r/8/8/3Pp3/8/8/8/1N1K3R w - - 0 1",
        "1n1k3r/8/8/8/3pP3/8/8/R2K3R b - - 0 1"};
    static const char *const different[] = {
        "r3k2r/8/8/3pP3/8/8/8/R3K1N1 b - - 0 1", "r3k1n1/8/8/3pP3/8/8/8/R3K2R w - - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K1B1 w - - 0 1", "r3k2r/8/8/8/3pP3/8/8/R3K1N1 w - - 0 1"};
    struct position position = test_position(same[0]);
    uint8_t first[POSKEY_BOARD_SIZE], key[POSKEY_BOARD_SIZE];

    (void)state;
    poskey_leak(&position, first);
    for (size_t i = 1; i < sizeof same / sizeof *same; i++) {
        position = test_position(same[i]);
        poskey_leak(&position, key);
        assert_memory_equal(first, key, sizeof key);
    }
    for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
        position = test_position(different[i]);
        poskey_leak(&position, key);
        assert_memory_not_equal(first, key, sizeof key);
    }
}

/* The leak key is the smallest of four board keys. */
static void test_leak_key_is_smallest(void **state)
{
    static const char *const views[] = {
        "4k3/8/8/2p5/8/8/1P6/4K3 w - - 0 1", "4k3/1p6/8/8/2P5/8/8/4K3 b - - 0 1",
        "3k4/8/8/5p2/8/8/6P1/3K4 w - - 0 1", "3k4/6p1/8/8/5P2/8/8/3K4 b - - 0 1"};
    uint8_t smallest[POSKEY_BOARD_SIZE], key[POSKEY_BOARD_SIZE], leak[POSKEY_BOARD_SIZE];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct position position = test_position(views[i]);
        poskey_board(&position, key);
        poskey_leak(&position, leak);
        if (i == 0 || memcmp(key, smallest, sizeof key) < 0)
            memcpy(smallest, key, sizeof key);
    }
    assert_memory_equal(leak, smallest, sizeof leak);
}

/* Do the prefixes of the nested key say what the keys themselves say? */
static void compare_nested(const struct position *a, const struct position *b)
{
    uint8_t nested[2][POSKEY_NESTED_SIZE], key[2][POSKEY_LABEL_SIZE];

    poskey_nested(a, nested[0]);
    poskey_nested(b, nested[1]);
    poskey_leak(a, key[0]);
    poskey_leak(b, key[1]);
    assert_memory_equal(nested[0], key[0], POSKEY_BOARD_SIZE);
    assert_memory_equal(nested[1], key[1], POSKEY_BOARD_SIZE);
    poskey_board(a, key[0]);
    poskey_board(b, key[1]);
    assert_int_equal(memcmp(nested[0], nested[1], POSKEY_NESTED_BOARD_SIZE) == 0,
                     memcmp(key[0], key[1], POSKEY_BOARD_SIZE) == 0);
    poskey_label(a, key[0]);
    poskey_label(b, key[1]);
    assert_int_equal(memcmp(nested[0], nested[1], POSKEY_NESTED_SIZE) == 0,
                     memcmp(key[0], key[1], POSKEY_LABEL_SIZE) == 0);
}

static struct position flip_colours(const struct position *position)
{
    struct position flipped;

    position_clear(&flipped);
    for (unsigned square = 0; square < 64; square++) {
        unsigned piece = position->board[square];
        if (piece != PIECE_NONE)
            position_put(&flipped,
                         piece_make(!piece_colour((uint8_t)piece), piece_type_of((uint8_t)piece)),
                         square ^ 56);
    }
    flipped.side = !position->side;
    return flipped;
}

static void check_nested(const struct position *position, const uint16_t *moves, unsigned count)
{
    struct position other = *position;

    (void)moves;
    (void)count;
    compare_nested(position, &other);
    other.fullmove++;
    compare_nested(position, &other);
    other.halfmove++;
    compare_nested(position, &other);
    other.ep = SQUARE_NONE;
    compare_nested(position, &other);
    other.rook[WHITE][KING_SIDE] = SQUARE_NONE;
    compare_nested(position, &other);
    other = flip_colours(position);
    compare_nested(position, &other);
}

static void test_nested_key(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 10, 150, check_nested);
}

/* Mirrored files and their own mirror image: the views of one leak key are told apart. */
static void test_nested_key_of_mirrors(void **state)
{
    static const char *const fens[] = {
        "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",    "3k4/8/8/8/8/8/8/3K3R w - - 0 1",
        "r3k3/8/8/8/8/8/8/4K3 b - - 0 1",    "3k3r/8/8/8/8/8/8/3K4 b - - 0 1",
        "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",    "4k3/8/8/8/8/8/8/R3K3 w - - 1 1",
        "4k3/8/8/8/8/8/8/R2K4 w - - 0 1",    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"};
    enum { COUNT = sizeof fens / sizeof *fens };

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < COUNT; j++) {
            struct position a = test_position(fens[i]), b = test_position(fens[j]);
            compare_nested(&a, &b);
        }
    }
}

static void check_round_trip(const struct position *position, const uint16_t *moves, unsigned count)
{
    struct position unpacked;
    uint8_t packed[POSKEY_PACKED_SIZE];

    (void)moves;
    (void)count;
    poskey_pack(position, packed);
    assert_int_equal(poskey_unpack(packed, &unpacked), 0);
    assert_true(position_equal(position, &unpacked));
}

static void test_round_trips(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 10, 150, check_round_trip);
}

/* Every flip of a bit is refused, or gives a sound position that packs to the same bytes. */
static void check_flips(const struct position *position, const uint16_t *moves, unsigned count)
{
    uint8_t packed[POSKEY_PACKED_SIZE], again[POSKEY_PACKED_SIZE];

    (void)moves;
    (void)count;
    poskey_pack(position, packed);
    for (unsigned bit = 0; bit < 8 * POSKEY_PACKED_SIZE; bit++) {
        struct position unpacked;
        packed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (poskey_unpack(packed, &unpacked) == 0) {
            char fen[FEN_MAX];
            poskey_pack(&unpacked, again);
            assert_memory_equal(packed, again, sizeof packed);
            fen_format(&unpacked, FEN_SHREDDER, fen);
            test_position(fen);
        }
        packed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void test_flipped_bits(void **state)
{
    (void)state;
    test_random_games(test_start_fens, 2, 100, check_flips);
}

static void test_refused(void **state)
{
    static const struct {
        unsigned offset;
        uint8_t value;
        const char *what;
    } rows[] = {
        {8, 0x1c, "a piece code of 12"},
        {8, 0x15, "two white kings"},
        {10, 0x24, "no white king"},
        {8, 0x10, "a pawn on the first rank"},
        {7, 0x7f, "a nibble behind the last piece"},
        {24, 2, "a third side"},
        {25, 0x06, "a white right without a rook"},
        {25, 0x70, "rights on the wrong sides"},
        {25, 0x08, "a file behind the board"},
        {27, 20, "an en passant square that nobody can use"},
        {27, 65, "no square at all"},
        {30, 0, "full-move number 0"},
        {32, 2, "an unknown flag"},
        {33, 1, "padding"},
        {35, 1, "padding"},
    };
    struct position position;
    uint8_t packed[POSKEY_PACKED_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        position_start(&position);
        poskey_pack(&position, packed);
        packed[rows[i].offset] = rows[i].value;
        if (poskey_unpack(packed, &position) == 0)
            fail_msg("%s", rows[i].what);
    }
}

/* What only the whole board shows. */
static void test_refused_positions(void **state)
{
    struct position position = test_position("4k3/8/8/8/8/8/8/4K2R w - - 0 1");
    uint8_t packed[POSKEY_PACKED_SIZE];

    (void)state;
    position_remove(&position, 7);
    position_put(&position, piece_make(WHITE, ROOK), 36);
    poskey_pack(&position, packed);
    assert_int_equal(poskey_unpack(packed, &position), -1); /* the king could be taken */

    position = test_position("4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
    position_put(&position, piece_make(WHITE, KNIGHT), 40);
    poskey_pack(&position, packed);
    assert_int_equal(poskey_unpack(packed, &position), -1); /* 17 white pieces */

    position = test_position("4k3/8/8/8/8/8/8/4KR1R w F - 0 1");
    poskey_pack(&position, packed);
    packed[32] = 0;
    assert_int_equal(poskey_unpack(packed, &position), -1); /* odd castling in standard chess */

    memset(packed, 0, sizeof packed);
    assert_int_equal(poskey_unpack(packed, &position), -1);
    memset(packed, 0xff, sizeof packed);
    assert_int_equal(poskey_unpack(packed, &position), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_layout_of_rights),
        cmocka_unit_test(test_case_013_dedup_key_en_passant),
        cmocka_unit_test(test_label_key_holds_the_clock),
        cmocka_unit_test(test_leak_key),
        cmocka_unit_test(test_leak_key_is_smallest),
        cmocka_unit_test(test_nested_key),
        cmocka_unit_test(test_nested_key_of_mirrors),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
