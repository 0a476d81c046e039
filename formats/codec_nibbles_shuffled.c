/* SPDX-License-Identifier: MIT */
/*
 * Two ranks at a time: a byte shuffle moves the codes of a rank, which stand side by side, to their
 * squares, or the pieces of a rank side by side. What moves where is a table over the 256 ways in
 * which a rank can be occupied. This takes a quarter of the time of a loop over the pieces.
 */
#include "formats/codec_nibbles_steps.h"

#if NIBBLES_HAVE_SHUFFLES

#include <immintrin.h>
#include <string.h>

#include "formats/chess/bitboard.h"
#include "formats/chess/hints.h"

#define SHUFFLE __attribute__((target("ssse3,popcnt")))

/* A code that no piece has on the board and that turns into PIECE_NONE as codes turn to pieces. */
#define CODE_EMPTY 14
#define BYTES      UINT64_C(0x0101010101010101)
/* A shuffle gives zero for it, also when up to 56 was added or 16 taken away. */
#define ZERO_BYTE 0xa0

#define BIT(m, i) ((m) >> (i)&1u)
#define COUNT(m)                                                                                   \
    (BIT(m, 0) + BIT(m, 1) + BIT(m, 2) + BIT(m, 3) + BIT(m, 4) + BIT(m, 5) + BIT(m, 6) + BIT(m, 7))
/* The number of a square among the occupied ones. */
#define RANK_OF(m, i) COUNT((m) & ((1u << (i)) - 1))

#define SPREAD_1(m, i) ((uint64_t)(BIT(m, i) ? RANK_OF(m, i) : ZERO_BYTE) << 8 * (i))
#define SPREAD(m)                                                                                  \
    (SPREAD_1(m, 0) | SPREAD_1(m, 1) | SPREAD_1(m, 2) | SPREAD_1(m, 3) | SPREAD_1(m, 4) |          \
     SPREAD_1(m, 5) | SPREAD_1(m, 6) | SPREAD_1(m, 7))

#define GATHER_1(m, i) (BIT(m, i) ? (uint64_t)(i) << 8 * RANK_OF(m, i) : 0)
#define GATHER(m)                                                                                  \
    (GATHER_1(m, 1) | GATHER_1(m, 2) | GATHER_1(m, 3) | GATHER_1(m, 4) | GATHER_1(m, 5) |          \
     GATHER_1(m, 6) | GATHER_1(m, 7) |                                                             \
     (uint64_t)ZERO_BYTE * BYTES << 4 * COUNT(m) << 4 * COUNT(m))

#define EACH_4(f, m)  f((m)), f((m) + 1u), f((m) + 2u), f((m) + 3u)
#define EACH_16(f, m) EACH_4(f, m), EACH_4(f, (m) + 4u), EACH_4(f, (m) + 8u), EACH_4(f, (m) + 12u)
#define EACH_64(f, m)                                                                              \
    EACH_16(f, m), EACH_16(f, (m) + 16u), EACH_16(f, (m) + 32u), EACH_16(f, (m) + 48u)
#define EACH_256(f) EACH_64(f, 0u), EACH_64(f, 64u), EACH_64(f, 128u), EACH_64(f, 192u)

static const uint64_t spread_table[256] = {EACH_256(SPREAD)};
static const uint64_t gather_table[256] = {EACH_256(GATHER)};

static inline __m128i load(const void *bytes)
{
    return _mm_loadu_si128((const __m128i *)bytes);
}

static inline void store(void *bytes, __m128i vector)
{
    _mm_storeu_si128((__m128i *)bytes, vector);
}

/* 32 nibbles, each in a byte, xor CODE_EMPTY. */
static inline void open_codes(const uint8_t *codes, __m128i bytes[2])
{
    __m128i nibble = _mm_set1_epi8(15), empty = _mm_set1_epi8(CODE_EMPTY), packed = load(codes);
    __m128i low = _mm_xor_si128(_mm_and_si128(packed, nibble), empty);
    __m128i high = _mm_xor_si128(_mm_and_si128(_mm_srli_epi16(packed, 4), nibble), empty);
    bytes[0] = _mm_unpacklo_epi8(low, high);
    bytes[1] = _mm_unpackhi_epi8(low, high);
}

/* Bytes 0 .. 31; zero for what is ZERO_BYTE or more. */
static IN_LINE SHUFFLE __m128i pick_bytes(const __m128i bytes[2], __m128i from)
{
    __m128i low = _mm_shuffle_epi8(bytes[0], _mm_adds_epu8(from, _mm_set1_epi8(0x70)));
    __m128i high = _mm_shuffle_epi8(bytes[1], _mm_sub_epi8(from, _mm_set1_epi8(16)));
    return _mm_or_si128(low, high);
}

/* Two ranks from `square` on: pieces onto the board; the codes on their squares. */
static IN_LINE SHUFFLE __m128i spread_ranks(uint64_t occupied, unsigned square,
                                            const __m128i bytes[2], unsigned *used, uint8_t *board)
{
    uint64_t low = occupied >> square & 255, high = occupied >> square >> 8 & 255;
    unsigned middle = *used + bitboard_count(low);
    __m128i from = _mm_set_epi64x((int64_t)(spread_table[high] + middle * BYTES),
                                  (int64_t)(spread_table[low] + *used * BYTES));
    __m128i code = _mm_xor_si128(pick_bytes(bytes, from), _mm_set1_epi8(CODE_EMPTY));
    __m128i skipped = _mm_srli_epi16(_mm_and_si128(code, _mm_set1_epi8(8)), 2);
    store(board + square, _mm_sub_epi8(code, skipped));
    *used = middle + bitboard_count(high);
    return code;
}

static inline uint64_t bit_of_bytes(__m128i bytes, int bit)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(_mm_slli_epi16(bytes, 7 - bit));
}

static IN_LINE uint64_t bit_of_squares(const __m128i codes[4], int bit)
{
    return bit_of_bytes(codes[0], bit) | bit_of_bytes(codes[1], bit) << 16 |
           bit_of_bytes(codes[2], bit) << 32 | bit_of_bytes(codes[3], bit) << 48;
}

SHUFFLE struct nibbles_count nibbles_spread_shuffled(uint64_t occupied,
                                                     const uint8_t codes[NIBBLES_CODES_SIZE],
                                                     uint8_t board[64], uint64_t planes[4])
{
    __m128i code[4];
    __m128i bytes[2];
    unsigned used = 0;
    open_codes(codes, bytes);
    code[0] = spread_ranks(occupied, 0, bytes, &used, board);
    code[1] = spread_ranks(occupied, 16, bytes, &used, board);
    code[2] = spread_ranks(occupied, 32, bytes, &used, board);
    code[3] = spread_ranks(occupied, 48, bytes, &used, board);
    planes[0] = bit_of_squares(code, 0) & occupied;
    planes[1] = bit_of_squares(code, 1) & occupied;
    planes[2] = bit_of_squares(code, 2) & occupied;
    planes[3] = bit_of_squares(code, 3) & occupied;
    return (struct nibbles_count){used, bitboard_count(planes[3])};
}

/* The codes of two ranks; turned: the lower one seen from above is the higher one. */
static IN_LINE __m128i codes_of_ranks(const uint8_t *board, unsigned square, bool turned)
{
    __m128i piece = load(board + (turned ? 48 - square : square));
    __m128i is_black = _mm_cmpgt_epi8(piece, _mm_set1_epi8(KING));
    __m128i code = _mm_add_epi8(piece, _mm_and_si128(is_black, _mm_set1_epi8(2)));
    return turned ? _mm_xor_si128(_mm_shuffle_epi32(code, 0x4e), _mm_set1_epi8(8)) : code;
}

/* 32 bytes, each a nibble, into 16. */
static inline __m128i close_codes(const uint8_t *bytes)
{
    __m128i low = load(bytes), high = load(bytes + 16), byte = _mm_set1_epi16(255);
    low = _mm_or_si128(low, _mm_srli_epi16(low, 4));
    high = _mm_or_si128(high, _mm_srli_epi16(high, 4));
    return _mm_packus_epi16(_mm_and_si128(low, byte), _mm_and_si128(high, byte));
}

static IN_LINE SHUFFLE void gather_ranks(const uint8_t *board, uint64_t occupied, unsigned square,
                                         bool turned, uint8_t *bytes, unsigned *used)
{
    uint64_t low = occupied >> square & 255, high = occupied >> square >> 8 & 255;
    __m128i from =
        _mm_set_epi64x((int64_t)(gather_table[high] + 8 * BYTES), (int64_t)gather_table[low]);
    __m128i code = _mm_shuffle_epi8(codes_of_ranks(board, square, turned), from);
    _mm_storel_epi64((__m128i *)(bytes + *used), code);
    *used += bitboard_count(low);
    _mm_storel_epi64((__m128i *)(bytes + *used), _mm_unpackhi_epi64(code, code));
    *used += bitboard_count(high);
}

static IN_LINE SHUFFLE void gather_board(const uint8_t *board, uint64_t occupied, bool turned,
                                         uint8_t *codes)
{
    uint8_t bytes[64] = {0};
    unsigned used = 0;
    gather_ranks(board, occupied, 0, turned, bytes, &used);
    gather_ranks(board, occupied, 16, turned, bytes, &used);
    gather_ranks(board, occupied, 32, turned, bytes, &used);
    gather_ranks(board, occupied, 48, turned, bytes, &used);
    store(codes, close_codes(bytes));
}

SHUFFLE void nibbles_gather_shuffled(const uint8_t board[64], uint64_t occupied, bool turned,
                                     uint8_t codes[NIBBLES_CODES_SIZE])
{
    if (turned)
        gather_board(board, bitboard_flip_ranks(occupied), true, codes);
    else
        gather_board(board, occupied, false, codes);
}

#endif
