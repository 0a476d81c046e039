/* SPDX-License-Identifier: MIT */
/*
 * Positions that occur more than once: which are duplicates inside a split, which leak from one
 * split into another, and how many stand in more than one split, by each of three keys.
 *
 * One sort serves all of it. Equal label keys have equal board keys, and equal board keys have
 * equal leak keys, so in the order of this key everything that any of them calls equal comes in
 * one group, and in a group train comes before test and test before validation:
 *
 *    0 28 leak key
 *   28  1 rank of the split: 0 train, 1 test, 2 validation
 *   29  4 what tells board keys of one leak key apart (poskey_nested)
 *         split.duplicates = "label-key":    else:
 *   33  2 half-move clock                    29 order
 *   35 29 order: shuffle draw, game, ply      2 half-move clock
 *
 * So the first of its kind is the one that stays, and items can be judged as they come. What must
 * be remembered of a group is which rights and clocks it has had in which splits.
 */
#ifndef PLYMILL_PIPELINE_STAGES_REPEATS_H
#define PLYMILL_PIPELINE_STAGES_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/chess/poskey.h"
#include "formats/gameid.h"
#include "formats/io/error.h"
#include "pipeline/recipe/settings.h"
#include "pipeline/stages/build.h"
#include "pipeline/stages/fate.h"

#define REPEATS_ORDER_SIZE (8 + GAMEID_MAX - 1 + 4)
#define REPEATS_KEY_SIZE   (POSKEY_NESTED_SIZE + 1 + REPEATS_ORDER_SIZE)

/* What makes two positions the same. */
enum repeat_key {
    REPEAT_LABEL, /* board and half-move clock */
    REPEAT_BOARD,
    REPEAT_LEAK, /* pieces and side, colours flipped and files mirrored too */
    REPEAT_KEYS,
    REPEAT_NONE = REPEAT_KEYS
};

/* Different positions that stand in more than one split; each: of them, those of a split. */
struct repeat_counts {
    int64_t shared[REPEAT_KEYS], each[REPEAT_KEYS][BUILD_SPLITS];
};

struct repeats; /* opaque */

/* By split.duplicates, split.leaks and split.leak_key. */
int repeats_new(const struct settings *settings, struct repeats **repeats, struct error *err);
void repeats_free(struct repeats *repeats);

void repeats_key(const struct repeats *repeats, const struct position *position, unsigned split,
                 const uint8_t order[REPEATS_ORDER_SIZE], uint8_t key[REPEATS_KEY_SIZE]);
/* The parts of a key. */
unsigned repeats_split(const uint8_t key[REPEATS_KEY_SIZE]);
const uint8_t *repeats_order(const struct repeats *repeats, const uint8_t key[REPEATS_KEY_SIZE]);

/* Keys in ascending order: FATE_DUPLICATE, FATE_LEAK or FATE_KEPT for each. -1: short memory. */
int repeats_judge(struct repeats *repeats, const uint8_t key[REPEATS_KEY_SIZE], enum fate *fate,
                  struct error *err);
/* After the last key. before: of all that were judged; after: of those that were kept. */
void repeats_finish(struct repeats *repeats, struct repeat_counts *before,
                    struct repeat_counts *after);

#define REPEATS_NAME_SIZE 64

/*
 * The names of these counts in the catalogue: "in several splits: leak key", which is
 * repeat_counts.shared, and each: "... of each split"; after: "left in several splits: ...".
 */
void repeats_name(enum repeat_key key, bool after, bool each, char out[REPEATS_NAME_SIZE]);
/* "label key", "board key", "leak key" */
const char *repeats_text(enum repeat_key key);

#endif
