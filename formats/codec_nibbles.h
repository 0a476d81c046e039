/* SPDX-License-Identifier: MIT */
/*
 * A board in 24 bytes, as bulletformat and marlinformat both begin:
 *
 *   offset size
 *        0    8  occupied squares, u64 LE, a1 = bit 0
 *        8   16  a nibble per occupied square in square order, low nibble first, zeros behind:
 *                P0 N1 B2 R3 Q4 K5, 6 = rook that may still castle (marlinformat only), +8 = black
 *
 * A board may be packed as the other side sees it: squares mirrored up and down, colours swapped.
 */
#ifndef PLYMILL_FORMATS_CODEC_NIBBLES_H
#define PLYMILL_FORMATS_CODEC_NIBBLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "formats/chess/position.h"
#include "formats/io/error.h"
#include "formats/record.h"

#define NIBBLES_SIZE 24

/* Rooks on `unmoved` squares get code 6. turned: as Black sees it. */
void nibbles_pack(const struct position *position, uint64_t unmoved, bool turned,
                  uint8_t out[NIBBLES_SIZE]);
/*
 * Sets colour, type and board of position, whatever stood there, and nothing else; *unmoved gets
 * the squares with code 6. -1 unless position_board_is_sane, every code is one and nothing stands
 * behind the last piece.
 */
int nibbles_unpack(const uint8_t in[NIBBLES_SIZE], struct position *position, uint64_t *unmoved,
                   struct error *err);

/*
 * Zeroes a record but for its position, of which the decoders of this family set every field: that
 * is most of a record, and clearing it first takes a tenth of their time.
 */
static inline void nibbles_clear_record(struct record *record)
{
    const size_t behind = offsetof(struct record, position) + sizeof record->position;
    memset(record, 0, offsetof(struct record, position));
    memset((char *)record + behind, 0, sizeof *record - behind);
}

#endif
