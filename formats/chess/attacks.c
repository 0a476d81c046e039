/* SPDX-License-Identifier: MIT */
/*
 * The attack tables, written as constant expressions of file and rank, so that the compiler fills
 * them. BOARD(ENTRY) is ENTRY(file, rank) for all squares in order; PAIRS does the same for the
 * second square of a pair.
 */
#include "formats/chess/attacks.h"

#define RANK_OF(ENTRY, r)                                                                          \
    ENTRY(0, r), ENTRY(1, r), ENTRY(2, r), ENTRY(3, r), ENTRY(4, r), ENTRY(5, r), ENTRY(6, r),     \
        ENTRY(7, r)
#define BOARD(ENTRY)                                                                               \
    RANK_OF(ENTRY, 0), RANK_OF(ENTRY, 1), RANK_OF(ENTRY, 2), RANK_OF(ENTRY, 3), RANK_OF(ENTRY, 4), \
        RANK_OF(ENTRY, 5), RANK_OF(ENTRY, 6), RANK_OF(ENTRY, 7)

/* A square as a set, empty when it is off the board; the masks only keep the shift in range there.
 */
#define AT(f, r)                                                                                   \
    ((f) >= 0 && (f) < 8 && (r) >= 0 && (r) < 8 ? UINT64_C(1) << (((r)&7) * 8 + ((f)&7)) : 0)

#define KNIGHT_FROM(f, r)                                                                          \
    AT((f) + 1, (r) + 2) | AT((f) + 2, (r) + 1) | AT((f) + 2, (r)-1) | AT((f) + 1, (r)-2) |        \
        AT((f)-1, (r)-2) | AT((f)-2, (r)-1) | AT((f)-2, (r) + 1) | AT((f)-1, (r) + 2)
#define KING_FROM(f, r)                                                                            \
    AT((f), (r) + 1) | AT((f) + 1, (r) + 1) | AT((f) + 1, (r)) | AT((f) + 1, (r)-1) |              \
        AT((f), (r)-1) | AT((f)-1, (r)-1) | AT((f)-1, (r)) | AT((f)-1, (r) + 1)
#define WHITE_PAWN_FROM(f, r) AT((f)-1, (r) + 1) | AT((f) + 1, (r) + 1)
#define BLACK_PAWN_FROM(f, r) AT((f)-1, (r)-1) | AT((f) + 1, (r)-1)

const uint64_t attacks_pawn_table[2][64] = {{BOARD(WHITE_PAWN_FROM)}, {BOARD(BLACK_PAWN_FROM)}};

/* Whole lines through a square: the two long diagonals are moved up or down by whole ranks. */
#define A1_H8           UINT64_C(0x8040201008040201)
#define A8_H1           UINT64_C(0x0102040810204080)
#define RANK_THROUGH(r) (UINT64_C(0xff) << 8 * (r))
#define FILE_THROUGH(f) (UINT64_C(0x0101010101010101) << (f))
#define DIAGONAL_THROUGH(f, r)                                                                     \
    ((r) >= (f) ? A1_H8 << 8 * (((r) - (f)) & 7) : A1_H8 >> 8 * (((f) - (r)) & 7))
#define ANTIDIAGONAL_THROUGH(f, r)                                                                 \
    ((f) + (r) >= 7 ? A8_H1 << 8 * (((f) + (r)-7) & 7) : A8_H1 >> 8 * ((7 - (f) - (r)) & 7))

#define LINES_FROM(f, r)                                                                           \
    {                                                                                              \
        RANK_THROUGH(r) ^ AT(f, r), FILE_THROUGH(f) ^ AT(f, r), DIAGONAL_THROUGH(f, r) ^ AT(f, r), \
            ANTIDIAGONAL_THROUGH(f, r) ^ AT(f, r)                                                  \
    }
#define ROOK_RAYS_FROM(f, r)   RANK_THROUGH(r) ^ FILE_THROUGH(f)
#define BISHOP_RAYS_FROM(f, r) DIAGONAL_THROUGH(f, r) ^ ANTIDIAGONAL_THROUGH(f, r)
#define QUEEN_RAYS_FROM(f, r)  ROOK_RAYS_FROM(f, r) ^ BISHOP_RAYS_FROM(f, r)

const uint64_t attacks_line_table[64][4] = {BOARD(LINES_FROM)};
const uint64_t attacks_empty_table[6][64] = {
    [KNIGHT] = {BOARD(KNIGHT_FROM)},  [BISHOP] = {BOARD(BISHOP_RAYS_FROM)},
    [ROOK] = {BOARD(ROOK_RAYS_FROM)}, [QUEEN] = {BOARD(QUEEN_RAYS_FROM)},
    [KING] = {BOARD(KING_FROM)},
};

/* Squares whose numbers lie between those of two, and of these the ones on the common line. */
#define NUMBER(f, r)          ((r)*8 + (f))
#define SPAN(low, high)       ((UINT64_C(1) << (high)) - (UINT64_C(2) << (low)))
#define NUMBERS_BETWEEN(a, b) ((a) < (b) ? SPAN(a, b) : (b) < (a) ? SPAN(b, a) : 0)
#define COMMON_LINE(f, r, g, s)                                                                    \
    ((r) == (s)               ? RANK_THROUGH(r)                                                    \
     : (f) == (g)             ? FILE_THROUGH(f)                                                    \
     : (r) - (f) == (s) - (g) ? DIAGONAL_THROUGH(f, r)                                             \
     : (r) + (f) == (s) + (g) ? ANTIDIAGONAL_THROUGH(f, r)                                         \
                              : 0)
#define BETWEEN(f, r, g, s) (COMMON_LINE(f, r, g, s) & NUMBERS_BETWEEN(NUMBER(f, r), NUMBER(g, s)))

#define PAIRS_ON_RANK(f, r, s)                                                                     \
    BETWEEN(f, r, 0, s), BETWEEN(f, r, 1, s), BETWEEN(f, r, 2, s), BETWEEN(f, r, 3, s),            \
        BETWEEN(f, r, 4, s), BETWEEN(f, r, 5, s), BETWEEN(f, r, 6, s), BETWEEN(f, r, 7, s)
#define PAIRS(f, r)                                                                                \
    {                                                                                              \
        PAIRS_ON_RANK(f, r, 0), PAIRS_ON_RANK(f, r, 1), PAIRS_ON_RANK(f, r, 2),                    \
            PAIRS_ON_RANK(f, r, 3), PAIRS_ON_RANK(f, r, 4), PAIRS_ON_RANK(f, r, 5),                \
            PAIRS_ON_RANK(f, r, 6), PAIRS_ON_RANK(f, r, 7)                                         \
    }

const uint64_t attacks_between_table[64][64] = {BOARD(PAIRS)};
