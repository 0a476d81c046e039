/* SPDX-License-Identifier: MIT */
/*
 * What the binary formats ask of a record with options.validate, in the same words.
 */
#ifndef PLYMILL_FORMATS_CODEC_CHECK_H
#define PLYMILL_FORMATS_CODEC_CHECK_H

#include <stdint.h>

#include "formats/chess/position.h"
#include "formats/io/error.h"

/* Could it occur in a game, as far as position_find_fault sees? -1 with the reason. */
int codec_check_position(const struct position *position, struct error *err);
/* Is the move legal, or MOVE_NONE? -1 with the move and the position. */
int codec_check_move(const struct position *position, uint16_t move, struct error *err);
/* Promotion bits with another kind than promotion, which nobody writes: -1. MOVE_NONE is fine. */
int codec_check_move_bits(uint16_t move, struct error *err);

#endif
