/* SPDX-License-Identifier: MIT */
/*
 * A position packed into a few bytes: exact (no hash), so that two keys are equal if and only if
 * what they hold is.
 *
 *   offset size
 *        0    8  occupied squares, u64 LE
 *        8   16  a nibble per occupied square in square order, low nibble first: the piece; zeros
 *       24    1  side to move
 *       25    2  castling: per right (white K, Q, black K, Q) a nibble: rook's file, 15 = none
 *       27    1  en passant square, 64 = none
 *  packed position: 28 bytes above, then
 *       28    2  half-move clock, u16 LE
 *       30    2  full-move number, u16 LE
 *       32    1  flags: bit 0 = chess960
 *       33    3  zero
 */
#ifndef PLYMILL_FORMATS_CHESS_POSKEY_H
#define PLYMILL_FORMATS_CHESS_POSKEY_H

#include <stdint.h>

#include "formats/chess/position.h"

#define POSKEY_BOARD_SIZE        28
#define POSKEY_LABEL_SIZE        (POSKEY_BOARD_SIZE + 2)
#define POSKEY_PACKED_SIZE       36
#define POSKEY_NESTED_BOARD_SIZE (POSKEY_BOARD_SIZE + 4)
#define POSKEY_NESTED_SIZE       (POSKEY_NESTED_BOARD_SIZE + 2)

/* Board key: pieces, side, castling, legal en passant. Finds duplicates. */
void poskey_board(const struct position *position, uint8_t out[POSKEY_BOARD_SIZE]);
/*
 * Label key: the board key and the half-move clock in the bytes 28, 29 (30 in all): what an engine
 * is asked, since the full-move number is always sent as 1.
 */
void poskey_label(const struct position *position, uint8_t out[POSKEY_LABEL_SIZE]);
/*
 * Leak key: without castling and en passant, the smallest (bytes compared) board key of the
 * position, its colour flip, its file mirror, and both. Finds leaks between splits.
 */
void poskey_leak(const struct position *position, uint8_t out[POSKEY_BOARD_SIZE]);
/*
 * All three in one, so that one sort brings together what any of them calls equal: the first
 * POSKEY_BOARD_SIZE bytes are the leak key, the first POSKEY_NESTED_BOARD_SIZE are equal where
 * board keys are, the whole is where label keys are.
 *
 *       28    1  which view gave the leak key: 0 as it is, 1 colours flipped, 2 files, 3 both
 *       29    2  castling    31  1  en passant    32  2  half-move clock
 */
void poskey_nested(const struct position *position, uint8_t out[POSKEY_NESTED_SIZE]);

/* The whole position, for stores and records. */
void poskey_pack(const struct position *position, uint8_t out[POSKEY_PACKED_SIZE]);
/* 0, or -1 when the bytes hold no valid position (kings, piece codes, counts, rights, ep). */
int poskey_unpack(const uint8_t in[POSKEY_PACKED_SIZE], struct position *position);

#endif
