/* SPDX-License-Identifier: MIT */
/*
 * The shard files: samples and labels in SQLite.
 *
 * A work file is in WAL mode with one writer and BEGIN IMMEDIATE; rows are inserted in id order in
 * batches. Sealing writes a copy in the order of the ids (VACUUM INTO, so that equal content is
 * equal bytes), syncs it, renames it to its final name and removes the work file: a file of that
 * name is complete and read-only (opened with immutable=1). The path given is always the final one;
 * the work file is PATH + STORE_WORK_SUFFIX.
 *
 * Schema (samples): meta(key TEXT PRIMARY KEY, value TEXT),
 *   game(id INTEGER PRIMARY KEY, game_id TEXT, split INTEGER, result INTEGER, white_rating INTEGER,
 *        black_rating INTEGER, plies INTEGER, opening INTEGER),
 *   sample(id INTEGER PRIMARY KEY, game INTEGER, ply INTEGER, position BLOB, move INTEGER,
 *          eval_kind INTEGER, eval_value INTEGER, eval_depth INTEGER, label BLOB)
 * Schema (labels): meta, label(sample INTEGER PRIMARY KEY, status, final_kind, final_value, bound,
 *   exact_kind, exact_value, exact_depth, move, depth, nodes, limit_kind, limit_value, reason TEXT)
 */
#ifndef PLYMILL_LABELER_STORE_H
#define PLYMILL_LABELER_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/chess/position.h"
#include "formats/gameid.h"
#include "formats/io/error.h"
#include "formats/label.h"

#define STORE_WORK_SUFFIX ".work"
#define STORE_REASON_MAX  256 /* of a label that is none, with the zero; longer ones are cut */

/*
 * Once, before any file is opened: writes of SQLite go through fault.h, as
 * PLYMILL_FAULT=pwrite:N:...
 */
void store_use_faults(void);

struct store_game {
    int64_t id; /* 1, 2, ... in a shard */
    char game_id[GAMEID_MAX];
    int split;  /* 0 train, 1 validation, 2 test */
    int result; /* White's view, 2 unknown */
    uint16_t white_rating, black_rating;
    uint32_t plies;
    uint64_t opening; /* games of one opening have the same */
};

struct store_sample {
    int64_t id;   /* 1, 2, ... in a shard, in (game, ply) order */
    int64_t game; /* store_game.id */
    uint32_t ply;
    struct position position;
    uint16_t move;     /* played, MOVE_NONE at the end of the game */
    struct score eval; /* what the game itself says (SCORE_NONE: nothing), side to move */
    uint16_t eval_depth;
    bool labeled; /* it keeps the label that it came with (a dataset's, record.h's bytes) */
    struct label label;
};

struct store_samples; /* a samples file being written, or a sealed one being read */
struct store_labels;  /* a labels file being written or continued, or a sealed one being read */

/* Starts anew: an unsealed work file of an earlier attempt is removed. */
int store_samples_create(const char *path, struct store_samples **store, struct error *err);
int store_samples_add_game(struct store_samples *store, const struct store_game *game,
                           struct error *err);
int store_samples_add(struct store_samples *store, const struct store_sample *sample,
                      struct error *err);
/* Seals, publishes and frees (in every case). Ids that do not count 1, 2, ... are an error. */
int store_samples_seal(struct store_samples *store, struct error *err);

/* Opens a sealed file. */
int store_samples_open(const char *path, struct store_samples **store, struct error *err);
int store_samples_count(struct store_samples *store, uint64_t *games, uint64_t *samples,
                        struct error *err);
/*
 * All samples in id order with their games, from the start; game may be NULL.
 * 1, 0 at the end, -1. store_samples_rewind starts again.
 */
int store_samples_next(struct store_samples *store, struct store_sample *sample,
                       struct store_game *game, struct error *err);
int store_samples_rewind(struct store_samples *store, struct error *err);
void store_samples_close(struct store_samples *store);

/* Creates or continues the work file of a labels shard. A sealed file of that name is an error. */
int store_labels_continue(const char *path, struct store_labels **store, struct error *err);
/* done[id] (an array of max_id + 1) for ids 1 .. max_id: is there a label already; returns their
 * number or -1. */
int64_t store_labels_done(struct store_labels *store, bool *done, int64_t max_id,
                          struct error *err);
/*
 * Adds a label; rows are written in batches and by store_labels_flush. reason may be NULL. A second
 * label for a sample is an error, which the next write reports.
 */
int store_labels_add(struct store_labels *store, int64_t sample, const struct label *label,
                     const char *reason, struct error *err);
int store_labels_flush(struct store_labels *store, struct error *err);
/* The label of a sample, flushed first if need be: 1, 0 when there is none, -1. reason may be NULL.
 */
int store_labels_get(struct store_labels *store, int64_t sample, struct label *label,
                     char reason[STORE_REASON_MAX], struct error *err);
/* Flushes, and writes what is there so far as a sealed file of that name, which must not exist. */
int store_labels_copy(struct store_labels *store, const char *path, struct error *err);
/* Seals, publishes and frees (in every case). expected: the number of labels it must hold. */
int store_labels_seal(struct store_labels *store, uint64_t expected, struct error *err);

/* Opens a sealed file. Iterates in sample id order: 1, 0, -1. reason may be NULL. */
int store_labels_open(const char *path, struct store_labels **store, struct error *err);
int store_labels_next(struct store_labels *store, int64_t *sample, struct label *label,
                      char reason[STORE_REASON_MAX], struct error *err);
/* Flushes (a work file stays for the next time) and frees. NULL is allowed. */
void store_labels_close(struct store_labels *store);

/* meta of either kind, in a work file. */
int store_samples_set_meta(struct store_samples *store, const char *key, const char *value,
                           struct error *err);
int store_labels_set_meta(struct store_labels *store, const char *key, const char *value,
                          struct error *err);
/* 1 with value filled (cut at size), 0 if there is no such key, -1. */
int store_samples_get_meta(struct store_samples *store, const char *key, char *value, size_t size,
                           struct error *err);
int store_labels_get_meta(struct store_labels *store, const char *key, char *value, size_t size,
                          struct error *err);

#endif
