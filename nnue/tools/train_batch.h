/* SPDX-License-Identifier: MIT */
/*
 * The positions of one step, turned into what the net sees: active features of each view and the
 * target, by chunks of positions that use the same head.
 *
 * With augmentation a position is seen as it is, with colours and sides swapped (score and result
 * turned, the move of the other side), mirrored file by file, or both: which, is drawn anew for
 * every position and epoch.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_BATCH_H
#define PLYMILL_NNUE_TOOLS_TRAIN_BATCH_H

#include "formats/io/error.h"
#include "nnue/tools/train_arch.h"
#include "nnue/tools/train_targets.h"

#define TRAIN_CHUNK 64 /* positions of a unit of work, at most */

/* The positions that are trained or measured on: a window of them, see train_window.h. */
struct train_data {
    const uint8_t *positions; /* [count][TRAIN_POSITION_SIZE] */
    size_t count;
    uint64_t first; /* number of the first within the epoch: their draws go by it */
    struct train_target target;
};

/* How positions are seen. */
struct train_view {
    bool flip, mirror; /* may they be turned so? */
    uint64_t key;      /* of the draws of this epoch */
};

struct train_chunk {
    uint32_t first, count; /* places */
    unsigned head;
};

struct train_batch {
    unsigned views;
    size_t capacity, count;
    uint32_t *index;     /* [capacity] the position at a place, places in order of head */
    uint32_t *dropout;   /* [capacity] keys of dropout */
    double *targets;     /* [capacity] for White, or for the side to move with two views */
    uint16_t *rows;      /* [capacity][views][TRAIN_ROWS_MAX] active features */
    uint8_t *row_counts; /* [capacity] of each view */
    struct train_chunk *chunks;
    size_t chunk_count;
};

int train_batch_new(const struct train_arch *arch, size_t capacity, struct train_batch *batch,
                    struct error *err);
void train_batch_free(struct train_batch *batch);
/* Takes data[order[0 .. count - 1]] (order NULL: data[begin ..]): places and chunks. */
void train_batch_take(struct train_batch *batch, const struct train_arch *arch,
                      const struct train_data *data, const uint32_t *order, size_t begin,
                      size_t count);
/* Fills in what belongs to the places of a chunk. */
void train_batch_fill(struct train_batch *batch, const struct train_arch *arch,
                      const struct train_data *data, const struct train_view *view, size_t chunk);
/* The active features of a view of a place. */
static inline const uint16_t *train_batch_rows(const struct train_batch *batch, size_t place,
                                               unsigned view)
{
    return batch->rows + (place * batch->views + view) * TRAIN_ROWS_MAX;
}

#endif
