/* SPDX-License-Identifier: MIT */
/*
 * Records on their way through the sorts of the stage select: an item's data is the encoded record
 * without the zeros at its end, a fifth of it.
 */
#ifndef PLYMILL_PIPELINE_STAGES_SELECT_ITEM_H
#define PLYMILL_PIPELINE_STAGES_SELECT_ITEM_H

#include "formats/io/extsort.h"
#include "formats/record.h"
#include "pipeline/stages/repeats.h"

/* The order of samples that every sort ends in: shuffle draw, game id, ply. */
void select_order(const char *game_id, uint32_t ply, uint64_t draw,
                  uint8_t out[REPEATS_ORDER_SIZE]);
/* The game id that an order holds. */
void select_order_game(const uint8_t order[REPEATS_ORDER_SIZE], char game_id[GAMEID_MAX]);

/* bytes: an encoded record; its length without the zeros at its end. */
uint32_t select_trim(const uint8_t bytes[RECORD_SIZE]);
/* The way back: the zeros are put behind. -1 when there are too many bytes. */
int select_untrim(const uint8_t *bytes, uint32_t size, uint8_t out[RECORD_SIZE]);
/* A run that cannot be what was written. Returns -1. */
int select_damaged(struct error *err);

#endif
