/* SPDX-License-Identifier: MIT */
/*
 * marlinformat's packed board, which is a record of `marlin` files and opens every game of `viri`
 * files. The layout is drawn in codec_marlin.c.
 */
#ifndef PLYMILL_FORMATS_CODEC_MARLIN_H
#define PLYMILL_FORMATS_CODEC_MARLIN_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/codec.h"

#define MARLIN_SIZE      32
#define MARLIN_SCORE_MAX INT16_MAX

/* What a packed board cannot say about a position: CODEC_FITS or CODEC_HALFMOVE_RANGE. */
enum codec_misfit marlin_find_misfit(const struct position *position);
/* A position that fits. score and result (-1, 0, 1) from White's view. */
void marlin_pack(const struct position *position, long score, int result, uint8_t out[MARLIN_SIZE]);
/*
 * All fields of position; chess960 is set where the rights need it. validate: also that the
 * position is legal and the byte that means nothing is zero.
 */
int marlin_unpack(const uint8_t in[MARLIN_SIZE], bool validate, struct position *position,
                  long *score, int *result, struct error *err);
/*
 * What a record read from a format of this family says: score from White's view is turned; the ply
 * is reckoned from the full-move number, as if the game had begun with move 1 of White.
 */
void marlin_set_record(struct record *record, const struct codec_options *options, long score,
                       int result);

#endif
