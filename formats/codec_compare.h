/* SPDX-License-Identifier: MIT */
/*
 * Are two records the same as far as a format can say? Asked by whoever reads back what it has
 * written, with the fields that both sides hold.
 */
#ifndef PLYMILL_FORMATS_CODEC_COMPARE_H
#define PLYMILL_FORMATS_CODEC_COMPARE_H

#include "formats/codec.h"
#include "formats/record.h"

/*
 * The record as its side to move sees it, with White as that side: board turned upside down,
 * colours changed, castling, en passant square, moves, result and ratings along with it. Nothing
 * changes when White is to move. That is what formats without CODEC_HOLDS_SIDE give back.
 */
void codec_turn_to_white(const struct record *record, struct record *turned);

/*
 * The name of the first field that differs ("castling", "score", ...), or NULL. fields: those that
 * are compared (enum codec_field, or-ed), as both formats hold them; pieces always are. Without
 * CODEC_HOLDS_SIDE both records are turned to White first. Moves and scores without
 * CODEC_HOLDS_BOTH_MOVES and CODEC_HOLDS_LABEL are the chosen ones; such scores are equal when they
 * are written alike, scaled and rounded. position.chess960 is not compared: it follows from the
 * rights.
 */
const char *codec_find_difference(const struct record *a, const struct record *b, unsigned fields,
                                  const struct codec_options *options);

#endif
