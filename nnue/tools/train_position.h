/* SPDX-License-Identifier: MIT */
/*
 * A position as training keeps it, in memory and in scratch files: 48 bytes, little-endian.
 *
 *    0  40  the features of its pieces (0 .. 767, ascending), zeros behind them: 32 numbers of 10
 *           bits, four of them in five bytes, the first in the lowest bits
 *   40   4  label, cp, White's view, signed
 *   44   1  pieces
 *   45   1  result of the game, as in struct sample
 *   46   1  1: White to move
 *   47   1  zero
 *
 * 32 bytes would do for a board (occupied squares and their pieces), but putting its features in
 * order again takes four times as long, a tenth of a step.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_POSITION_H
#define PLYMILL_NNUE_TOOLS_TRAIN_POSITION_H

#include <stdint.h>

#include "nnue/tools/samples.h"

#define TRAIN_POSITION_SIZE 48

void train_position_pack(const struct sample *sample, uint8_t out[TRAIN_POSITION_SIZE]);
/* All but the game, which becomes 0. */
void train_position_unpack(const uint8_t in[TRAIN_POSITION_SIZE], struct sample *sample);
/* Pieces on the board. */
unsigned train_position_pieces(const uint8_t in[TRAIN_POSITION_SIZE]);

#endif
