/* SPDX-License-Identifier: MIT */
/*
 * Blocks of signed LEB128 numbers, as .nnue files hold arrays since Stockfish 16:
 *
 *     17 bytes  COMPRESSED_LEB128
 *      4 bytes  n, little-endian
 *      n bytes  numbers: 7 bits a byte, lowest first; bit 7: more follow; bit 6 of the last byte is
 *               the sign
 *
 * A block is proved sound as a whole before a number of it is used: then reading cannot fail.
 */
#ifndef PLYNNUE_LEB128_H
#define PLYNNUE_LEB128_H

#include <stdbool.h>

#include "nnue/core/plynnue.h"

#define LEB128_HEAD_SIZE 21 /* bytes before the numbers */

/* The numbers of a block that are still unread. */
struct leb128 {
    const uint8_t *next, *end;
    uint64_t offset; /* of the first number in the file, for errors */
};

/* Does a block start here? Only the 17 letters are looked at. */
bool leb128_detect(const uint8_t *bytes, size_t size);
/*
 * The block that starts at bytes, byte `offset` of the file, of which size bytes are there. It ends
 * at (*block).end. PLYNNUE_EFORMAT: no block, or longer than what is there.
 */
int leb128_open(const uint8_t *bytes, size_t size, uint64_t offset, struct leb128 *block,
                struct plynnue_error *error);
/* How many numbers the block holds if it is sound. */
uint64_t leb128_count(const struct leb128 *block);
/*
 * Proves that the block holds exactly count numbers and no byte more, each of at most `bits` (16 or
 * 32) bits with its sign and not longer than such a number has to be at most. PLYNNUE_EFORMAT with
 * the byte of the file where it is not so.
 */
int leb128_check(const struct leb128 *block, uint64_t count, unsigned bits,
                 struct plynnue_error *error);
/* The next count numbers of a block that was checked for that many bits. */
void leb128_read_i16(struct leb128 *block, int16_t *out, size_t count);
void leb128_read_i32(struct leb128 *block, int32_t *out, size_t count);

#endif
