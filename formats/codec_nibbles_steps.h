/* SPDX-License-Identifier: MIT */
/*
 * The two steps of codec_nibbles.h that touch every piece, in plain C and, where the processor has
 * them, with byte shuffles (SSSE3 and POPCNT, chosen at run time). Both give the same bytes.
 */
#ifndef PLYMILL_FORMATS_CODEC_NIBBLES_STEPS_H
#define PLYMILL_FORMATS_CODEC_NIBBLES_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/chess/types.h"

#define NIBBLES_CODES_SIZE 16
#define NIBBLES_PIECES_MAX 32

#if defined(__x86_64__)
#define NIBBLES_HAVE_SHUFFLES 1
#else
#define NIBBLES_HAVE_SHUFFLES 0
#endif

struct nibbles_count {
    unsigned pieces, black; /* all, and those of them whose code has bit 3 */
};

/*
 * Codes onto the board: board gets pieces and PIECE_NONE, planes[i] the occupied squares whose code
 * has bit i. Over NIBBLES_PIECES_MAX of them (and on squares whose code
 * is 6, 7, 14 or 15) board and planes hold nothing of use.
 */
struct nibbles_count nibbles_spread_plain(uint64_t occupied,
                                          const uint8_t codes[NIBBLES_CODES_SIZE],
                                          uint8_t board[64], uint64_t planes[4]);
/*
 * The codes of the pieces on the occupied squares, at most NIBBLES_PIECES_MAX, and zeros behind.
 * turned: of the board mirrored up and down with colours swapped; `occupied` is that of the board
 * as it stands.
 */
void nibbles_gather_plain(const uint8_t board[64], uint64_t occupied, bool turned,
                          uint8_t codes[NIBBLES_CODES_SIZE]);

#if NIBBLES_HAVE_SHUFFLES
static inline bool nibbles_can_shuffle(void)
{
    return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
}

struct nibbles_count nibbles_spread_shuffled(uint64_t occupied,
                                             const uint8_t codes[NIBBLES_CODES_SIZE],
                                             uint8_t board[64], uint64_t planes[4]);
void nibbles_gather_shuffled(const uint8_t board[64], uint64_t occupied, bool turned,
                             uint8_t codes[NIBBLES_CODES_SIZE]);
#endif

#endif
