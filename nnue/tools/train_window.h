/* SPDX-License-Identifier: MIT */
/*
 * The order of an epoch, and the part of it that is at hand: a window.
 *
 * A set of no more positions than a window holds is shuffled as a whole. A larger one is cut into
 * blocks of TRAIN_BLOCK neighbours; the blocks are shuffled, and what stands behind each other then
 * is shuffled window by window. So a set on disk is read in long stretches, in the memory of a
 * window, and the order is the same when it is in memory. A pass without a shuffle goes by windows
 * too.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_WINDOW_H
#define PLYMILL_NNUE_TOOLS_TRAIN_WINDOW_H

#include "nnue/tools/rng.h"
#include "nnue/tools/train_batch.h"
#include "nnue/tools/train_set.h"
#include "nnue/tools/workers.h"

#define TRAIN_WINDOW (1u << 20) /* positions; 52 MiB with their order */
#define TRAIN_BLOCK  4096u      /* 192 KiB */

struct train_window;

/*
 * largest: positions of the largest set; most: of a window (TRAIN_WINDOW). Windows but the last of
 * a pass hold whole batches, so batch is at most `most`. workers outlive it.
 */
int train_window_new(uint64_t largest, size_t most, size_t batch, struct workers *workers,
                     struct train_window **window, struct error *err);
void train_window_free(struct train_window *window);
/* A pass over a set, which outlives it, begins: in an order that is drawn, or (rng NULL) as it is.
 */
void train_window_begin(struct train_window *window, const struct train_set *set,
                        const struct rng *rng);
/*
 * 1 with positions, count and first of data filled, for the positions until the next call; 0 at the
 * end of the pass; -1 when they cannot be read.
 */
int train_window_next(struct train_window *window, struct train_data *data, struct error *err);
/* The order of the positions in a window of a drawn pass: [count] places in data->positions. */
const uint32_t *train_window_order(const struct train_window *window);

#endif
