/* SPDX-License-Identifier: MIT */
/*
 * The positions that are trained or measured on, packed: in memory, or, when there are more than
 * may be held there, in a scratch file.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_SET_H
#define PLYMILL_NNUE_TOOLS_TRAIN_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/io/digest.h"
#include "formats/io/error.h"
#include "nnue/tools/samples.h"
#include "nnue/tools/scale_fit.h"

struct train_set;

/* Where a set is. */
struct train_place {
    const char *directory; /* for a scratch file of 48 bytes a position */
    uint64_t memory;       /* bytes that may be held in memory, else it is on disk */
};

/*
 * All records of a .rec file; last_exact: which score is the label. Their scores and results are
 * added to cells, unless it is NULL.
 */
int train_set_load(const char *path, bool last_exact, const struct train_place *place,
                   struct scale_cells *cells, struct train_set **set, struct error *err);
/* A set of capacity positions, which train_set_add then gives; train_set_finish ends that. */
int train_set_new(uint64_t capacity, const struct train_place *place, struct train_set **set,
                  struct error *err);
int train_set_add(struct train_set *set, const struct sample *sample, struct error *err);
int train_set_finish(struct train_set *set, struct error *err);
/* NULL is allowed. */
void train_set_free(struct train_set *set);

uint64_t train_set_count(const struct train_set *set);
/* Bytes held in memory: 0 when it is on disk. */
uint64_t train_set_memory(const struct train_set *set);
/* SHA-256 over the packed positions. */
const uint8_t *train_set_digest(const struct train_set *set);
/* Packed positions first .. first + count - 1, from any thread: 0, else errno. */
int train_set_read(const struct train_set *set, uint64_t first, size_t count, uint8_t *to);
/* These will be read soon. */
void train_set_announce(const struct train_set *set, uint64_t first, size_t count);

#endif
