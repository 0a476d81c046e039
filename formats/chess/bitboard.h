/* SPDX-License-Identifier: MIT */
/*
 * Sets of squares in 64 bits, a1 = bit 0. A leaf: it includes nothing of ours.
 */
#ifndef PLYMILL_FORMATS_CHESS_BITBOARD_H
#define PLYMILL_FORMATS_CHESS_BITBOARD_H

#include <stdbool.h>
#include <stdint.h>

#define BITBOARD_FILE_A UINT64_C(0x0101010101010101)
#define BITBOARD_RANK_1 UINT64_C(0xff)
/* The first and last rank: where no pawn can stand. */
#define BITBOARD_EDGE_RANKS UINT64_C(0xff000000000000ff)

static inline uint64_t bitboard_of(unsigned square)
{
    return UINT64_C(1) << square;
}

static inline uint64_t bitboard_file(unsigned file)
{
    return BITBOARD_FILE_A << file;
}

static inline uint64_t bitboard_rank(unsigned rank)
{
    return BITBOARD_RANK_1 << 8 * rank;
}

/* The lowest square of a set that is not empty. */
static inline unsigned bitboard_first(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

/* Takes the lowest square out of a set that is not empty. */
static inline unsigned bitboard_pop(uint64_t *set)
{
    unsigned square = bitboard_first(*set);
    *set &= *set - 1;
    return square;
}

static inline unsigned bitboard_count(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

/* More than one square? */
static inline bool bitboard_many(uint64_t set)
{
    return (set & (set - 1)) != 0;
}

/* a1 <-> a8 */
static inline uint64_t bitboard_flip_ranks(uint64_t set)
{
    return __builtin_bswap64(set);
}

/* a1 <-> h1 */
static inline uint64_t bitboard_mirror_files(uint64_t set)
{
    set = (set >> 1 & UINT64_C(0x5555555555555555)) | (set & UINT64_C(0x5555555555555555)) << 1;
    set = (set >> 2 & UINT64_C(0x3333333333333333)) | (set & UINT64_C(0x3333333333333333)) << 2;
    return (set >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (set & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
}

#endif
