/* SPDX-License-Identifier: MIT */
/*
 * The parts of the `.binpack` format: stems, and the text of the moves that continue one. How they
 * make a file stands in codec_binpack.c.
 */
#ifndef PLYMILL_FORMATS_CODEC_BINPACK_H
#define PLYMILL_FORMATS_CODEC_BINPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/chess/position.h"
#include "formats/io/error.h"

#define BINPACK_STEM_SIZE 32
#define BINPACK_PLY_MAX   16383 /* of a stem: 14 bits */
/* Bits that one position of move text takes at most: piece 4, move 5, score 4 blocks of 5. */
#define BINPACK_TEXT_MAX 29

/* A position as the format has it. */
struct binpack_entry {
    struct position position;
    uint32_t ply;
    uint16_t move; /* chess/types.h */
    int16_t score; /* both from the side to move */
    int8_t result;
};

/* An entry that fits: ply, and no castling of Chess960. */
void binpack_stem_pack(const struct binpack_entry *entry, uint8_t out[BINPACK_STEM_SIZE]);
/*
 * All fields; the full-move number is reckoned from the ply. The position is sane
 * (position_board_is_sane), its rights and en passant square fit the board; the move may be any.
 * -1 with what is wrong.
 */
int binpack_stem_unpack(const uint8_t in[BINPACK_STEM_SIZE], struct binpack_entry *entry,
                        struct error *err);

/* Is the move one that move text can name: pseudo-legal, castling by the right alone? Any 16 bits
 * may be asked. */
bool binpack_move_is_known(const struct position *position, uint16_t move);
/*
 * Can a known move be made without losing a piece's square or a king? Not if it takes the king or
 * castles over pieces.
 */
bool binpack_move_is_sound(const struct position *position, uint16_t move);

/* A number of bits of move text, the first one highest. */
struct binpack_text {
    uint32_t bits;
    unsigned count;
};

/* A known move and a change of score as text. False when the move is not known. */
bool binpack_text_encode(const struct position *position, uint16_t move, int16_t change,
                         struct binpack_text *text);
/*
 * From a window whose highest bit comes first, with at least BINPACK_TEXT_MAX bits or zeros behind
 * the end. The move is known. Gives the number of bits, or -1 with what is wrong.
 */
int binpack_text_decode(const struct position *position, uint64_t window, uint16_t *move,
                        int16_t *change, struct error *err);

/* 0, -1, 1, -2, ... to 0, 1, 2, 3, ...: how the format writes signed numbers of 16 bits. */
static inline uint16_t binpack_zigzag(int16_t value)
{
    unsigned bits = (uint16_t)value;
    return (uint16_t)(bits << 1 ^ (0 - (bits >> 15)));
}

static inline int16_t binpack_unzigzag(uint16_t value)
{
    return (int16_t)(uint16_t)(value >> 1 ^ (0 - (value & 1u)));
}

#endif
