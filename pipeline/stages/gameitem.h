/* SPDX-License-Identifier: MIT */
/*
 * A sampled game, or a position of a dataset, as an item of the external sort.
 *
 *   key   0  4 shard, big-endian        data   0  1 split
 *         4 18 game id, zero-padded            1  1 result
 *        22  1 0 if it has an eligible ply,    2  2 White's rating
 *              1 if not, 2 a dataset's
 *        23  4 ~plies, big-endian; the ply     4  2 Black's rating
 *              of a dataset's position
 *        27  4 ~evals, big-endian              6  4 plies
 *        31 32 SHA-256 of the game's text     10 28 sampler counts, 7 x u32
 *                                             38  8 opening
 *                                             46    samples: ply u32, packed position, move u16,
 *                                                   eval: kind u8, value i32, depth u16
 *                                             95 38 a dataset's: its label (record.h), where it
 *                                                   is kept
 *
 * Of games with the same id the first in this order wins: one with an eligible ply, then most
 * plies, then most evals, then the smallest SHA-256 of the text. Positions of datasets come behind
 * the games of their id, and all of them stay.
 */
#ifndef PLYMILL_PIPELINE_STAGES_GAMEITEM_H
#define PLYMILL_PIPELINE_STAGES_GAMEITEM_H

#include <stdint.h>

#include "formats/chess/poskey.h"
#include "formats/gameid.h"
#include "formats/io/buffer.h"
#include "formats/io/extsort.h"
#include "pipeline/stages/sampler.h"

#define GAMEITEM_ID_SIZE     18
#define GAMEITEM_KEY_SIZE    63
#define GAMEITEM_HEAD_SIZE   46
#define GAMEITEM_SAMPLE_SIZE (4 + POSKEY_PACKED_SIZE + 2 + 1 + 4 + 2)

struct gameitem {
    uint32_t shard;
    char game_id[GAMEID_MAX];
    uint32_t plies, evals;
    uint8_t text_sha256[32];
    uint8_t split;
    int8_t result;
    uint16_t white_rating, black_rating;
    struct sampler_counts counts;
    uint64_t opening; /* opening.h */
    bool lone;        /* a dataset's position: one sample, and plies, evals and text are nothing */
};

/* Fills key and appends head and samples to data (cleared first). */
int gameitem_encode(const struct gameitem *game, const struct sampler_pick *picks,
                    uint8_t key[GAMEITEM_KEY_SIZE], struct buffer *data, struct error *err);
/* 0, or -1 when the item is damaged. */
int gameitem_decode(const struct extsort_item *item, struct gameitem *game);
/* The index-th sample of the item. 0, or -1 when it is damaged. */
int gameitem_sample(const struct extsort_item *item, uint32_t index, struct sampler_pick *pick);

#endif
