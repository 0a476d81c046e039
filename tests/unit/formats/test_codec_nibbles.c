/* SPDX-License-Identifier: MIT */
/*
 * The board of 24 bytes: drawn by hand, and plain C against byte shuffles over random boards, full
 * and damaged ones among them.
 */
#include "tests/unit/formats/codec_packed_test.h"

#include "formats/chess/bitboard.h"
#include "formats/codec_nibbles.h"
#include "formats/codec_nibbles_steps.h"
#include "tests/unit/skip.h"

#define RANDOM_BOARDS 200000u

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Kb1, Ra1 (may castle), pawn c2; black king g8, queen h8. */
static const uint8_t drawn[NIBBLES_SIZE] = {0x03, 0x04, 0, 0, 0, 0, 0, 0xc0, 0x56, 0xd0, 0x0c};
static const uint8_t drawn_turned[NIBBLES_SIZE] = {0xc0, 0, 0, 0, 0, 0, 0x04, 3, 0x45, 0xb8, 0x0d};

static void a_drawn_board(void **state)
{
    struct position position, back;
    uint64_t unmoved = 0;
    uint8_t bytes[NIBBLES_SIZE];
    struct error err = {0};
    (void)state;
    position_clear(&position);
    back = position;
    position_put(&position, piece_make(WHITE, ROOK), 0);
    position_put(&position, piece_make(WHITE, KING), 1);
    position_put(&position, piece_make(WHITE, PAWN), 10);
    position_put(&position, piece_make(BLACK, KING), 62);
    position_put(&position, piece_make(BLACK, QUEEN), 63);
    nibbles_pack(&position, 1, false, bytes);
    assert_memory_equal(bytes, drawn, sizeof bytes);
    nibbles_pack(&position, 0, true, bytes);
    assert_memory_equal(bytes, drawn_turned, sizeof bytes);
    assert_int_equal(nibbles_unpack(drawn, &back, &unmoved, &err), 0);
    assert_true(position_equal(&position, &back));
    assert_int_equal(unmoved, 1);
}

static void assert_unpack_error(const uint8_t bytes[NIBBLES_SIZE], const char *text)
{
    struct position position;
    struct error err = {0};
    uint64_t unmoved;
    assert_int_equal(nibbles_unpack(bytes, &position, &unmoved, &err), -1);
    assert_string_equal(err.text, text);
}

/* Pieces of one kind on all squares of the set, with the kings on a1 and h8 before and behind. */
static void put_pieces(uint64_t occupied, unsigned code, uint8_t bytes[NIBBLES_SIZE])
{
    unsigned count = bitboard_count(occupied);
    memset(bytes, 0, NIBBLES_SIZE);
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(occupied >> 8 * i);
    for (unsigned n = 0; n < count && n < 32; n++) {
        unsigned one = n == 0 ? KING : n == count - 1 ? KING + 8 : code;
        bytes[8 + n / 2] |= (uint8_t)(one << 4 * (n & 1));
    }
}

static void impossible_boards(void **state)
{
    uint8_t bytes[NIBBLES_SIZE];
    struct position position;
    struct error err = {0};
    uint64_t unmoved;
    (void)state;
    memset(bytes, 0, sizeof bytes);
    assert_unpack_error(bytes, "White has 0 kings");
    memcpy(bytes, drawn, sizeof bytes);
    bytes[8] = 0x76;
    assert_unpack_error(bytes, "no piece has the code 7, on b1");
    bytes[8] = 0xf6;
    assert_unpack_error(bytes, "no piece has the code 15, on b1");
    bytes[8] = 0x55;
    assert_unpack_error(bytes, "White has 2 kings");
    memcpy(bytes, drawn, sizeof bytes);
    bytes[10] = 0x0d;
    assert_unpack_error(bytes, "Black has 2 kings");
    bytes[9] = 0xc0;
    bytes[10] = 0x1c;
    assert_unpack_error(bytes, "codes of more than the 5 pieces");
    bytes[10] = 0x0c;
    assert_unpack_error(bytes, "Black has 0 kings");
    memcpy(bytes, drawn, sizeof bytes);
    bytes[23] = 0x10;
    assert_unpack_error(bytes, "codes of more than the 5 pieces");
    memcpy(bytes, drawn, sizeof bytes);
    bytes[8] = 0x50;
    assert_unpack_error(bytes, "a pawn stands on the first or last rank");
    put_pieces(UINT64_C(0x800000000000ffff), KNIGHT, bytes); /* 16 of White */
    assert_int_equal(nibbles_unpack(bytes, &position, &unmoved, &err), 0);
    put_pieces(UINT64_C(0x800000000001ffff), KNIGHT, bytes);
    assert_unpack_error(bytes, "White has 17 pieces, over 16");
    put_pieces(UINT64_C(0x800000000001ffff), KNIGHT + 8, bytes);
    assert_unpack_error(bytes, "Black has 17 pieces, over 16");
    put_pieces(UINT64_C(0x80000000ffffffff), KNIGHT, bytes);
    assert_unpack_error(bytes, "33 pieces, over 32");
    put_pieces(~UINT64_C(0), KNIGHT, bytes);
    assert_unpack_error(bytes, "64 pieces, over 32");
}

static void full_board_has_no_codes_left(void **state)
{
    uint8_t bytes[NIBBLES_SIZE];
    struct position start, position;
    struct error err = {0};
    uint64_t unmoved = 0;
    (void)state;
    position_start(&start);
    nibbles_pack(&start, 0x81, false, bytes);
    position = start;
    memset(position.board, 0, sizeof position.board);
    memset(position.type, 0, sizeof position.type);
    assert_int_equal(nibbles_unpack(bytes, &position, &unmoved, &err), 0);
    assert_true(position_equal(&start, &position));
    assert_int_equal(unmoved, 0x81);
}

#if NIBBLES_HAVE_SHUFFLES
/* Any codes on any squares, few or many. */
static void compare_spread(uint64_t *random)
{
    uint8_t codes[NIBBLES_CODES_SIZE], boards[2][64];
    uint64_t planes[2][4], occupied = next_random(random);
    for (unsigned i = 0; i < NIBBLES_CODES_SIZE; i++)
        codes[i] = (uint8_t)next_random(random);
    for (unsigned i = (unsigned)(next_random(random) % 4); i > 0; i--)
        occupied &= next_random(random);
    struct nibbles_count count[2] = {
        nibbles_spread_plain(occupied, codes, boards[0], planes[0]),
        nibbles_spread_shuffled(occupied, codes, boards[1], planes[1]),
    };
    assert_int_equal(count[0].pieces, bitboard_count(occupied));
    assert_int_equal(count[1].pieces, count[0].pieces);
    if (count[0].pieces > NIBBLES_PIECES_MAX)
        return;
    assert_int_equal(count[1].black, count[0].black);
    assert_memory_equal(planes[0], planes[1], sizeof planes[0]);
    uint64_t odd = planes[0][2] & planes[0][1]; /* codes 6, 7, 14, 15 */
    for (unsigned square = 0; square < 64; square++)
        if (!(odd & bitboard_of(square)))
            assert_int_equal(boards[0][square], boards[1][square]);
}

static void compare_gather(uint64_t *random)
{
    uint8_t codes[2][NIBBLES_CODES_SIZE], board[64];
    uint64_t occupied = next_random(random), set;
    while (bitboard_count(occupied) > NIBBLES_PIECES_MAX)
        occupied &= next_random(random);
    memset(board, PIECE_NONE, sizeof board);
    for (set = occupied; set;)
        board[bitboard_pop(&set)] = (uint8_t)(next_random(random) % PIECE_NONE);
    for (int turned = 0; turned < 2; turned++) {
        nibbles_gather_plain(board, occupied, turned, codes[0]);
        nibbles_gather_shuffled(board, occupied, turned, codes[1]);
        assert_memory_equal(codes[0], codes[1], sizeof codes[0]);
    }
}
#endif

static void shuffles_do_the_same(void **state)
{
    (void)state;
#if NIBBLES_HAVE_SHUFFLES
    uint64_t random = 5;
    if (!nibbles_can_shuffle())
        SKIP_BECAUSE("this processor has no byte shuffles");
    for (unsigned i = 0; i < RANDOM_BOARDS; i++) {
        compare_spread(&random);
        compare_gather(&random);
    }
#else
    SKIP_BECAUSE("no byte shuffles for this kind of processor");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drawn_board),
        cmocka_unit_test(impossible_boards),
        cmocka_unit_test(full_board_has_no_codes_left),
        cmocka_unit_test(shuffles_do_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
