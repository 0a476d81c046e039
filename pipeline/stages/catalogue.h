/* SPDX-License-Identifier: MIT */
/*
 * build.db, the catalogue of a build: what was read, which shards exist and how far they are, who
 * made the labels, what came out, and how often each thing happened. Only the driver opens it.
 *
 * A stage writes its rows and its stage key in one transaction at its very end; before that the
 * catalogue says that the stage is not done. The stage key is a digest of everything that the
 * stage's output depends on (recipe keys, inputs, the stage before it), so that "done" means done
 * with this.
 *
 * Of a finished build the catalogue is sealed: PATH.sha256 holds its digest as sha256sum writes it.
 * The seal is removed before anything is written, so that one that is there holds.
 */
#ifndef PLYMILL_PIPELINE_STAGES_CATALOGUE_H
#define PLYMILL_PIPELINE_STAGES_CATALOGUE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/io/digest.h"
#include "formats/io/error.h"

#define CATALOGUE_VERSION    "2"
#define CATALOGUE_NAME_MAX   256
#define CATALOGUE_VALUE_MAX  2048
#define CATALOGUE_SPLIT_NONE (-1)
#define CATALOGUE_SEAL       ".sha256" /* behind the catalogue's path */

struct catalogue;

/* Opens or creates; read_only: must be there, is not written. Another format version is refused. */
int catalogue_open(const char *path, bool read_only, struct catalogue **catalogue,
                   struct error *err);
void catalogue_close(struct catalogue *catalogue);
/* Writes the seal where there is none; nothing within a transaction. */
int catalogue_seal(struct catalogue *catalogue, struct error *err);

int catalogue_begin(struct catalogue *catalogue, struct error *err);
int catalogue_commit(struct catalogue *catalogue, struct error *err);
void catalogue_rollback(struct catalogue *catalogue);

/* 1 with value filled, 0 when the key is not there, -1. */
int catalogue_get(struct catalogue *catalogue, const char *key, char value[CATALOGUE_VALUE_MAX],
                  struct error *err);
/* value NULL removes the key. */
int catalogue_set(struct catalogue *catalogue, const char *key, const char *value,
                  struct error *err);

/* A named count of a stage; split 0, 1, 2 or CATALOGUE_SPLIT_NONE. */
struct catalogue_count {
    char stage[32], name[64];
    int split;
    int64_t value;
};
int catalogue_put_count(struct catalogue *catalogue, const struct catalogue_count *count,
                        struct error *err);

struct catalogue_input {
    char path[CATALOGUE_VALUE_MAX];
    char sha256[DIGEST_HEX_SIZE];
    int64_t bytes, games, plies, rejected;
};
int catalogue_put_input(struct catalogue *catalogue, const struct catalogue_input *input,
                        struct error *err);

struct catalogue_reject {
    char path[CATALOGUE_VALUE_MAX], reason[64], text[256];
    char rank[64]; /* lowest.h; "" where it is not known */
    int64_t game, offset, ply;
};
int catalogue_put_reject(struct catalogue *catalogue, const struct catalogue_reject *reject,
                         struct error *err);
/* Forgets rejects that rank behind `last`, which max_games refuses whatever else is wrong; the
 * number or -1. */
int64_t catalogue_cut_rejects(struct catalogue *catalogue, const char *last, struct error *err);
/* How many there are for a reason; the number or -1. */
int64_t catalogue_count_rejects(struct catalogue *catalogue, const char *reason, struct error *err);

struct catalogue_shard {
    int64_t id, games, samples;
    int64_t labels; /* -1 until its labels are sealed */
};
int catalogue_put_shard(struct catalogue *catalogue, const struct catalogue_shard *shard,
                        struct error *err);

struct catalogue_file {
    char name[CATALOGUE_NAME_MAX]; /* relative to the build directory */
    char stage[32];
    char content_sha256[DIGEST_HEX_SIZE], file_sha256[DIGEST_HEX_SIZE];
    int64_t content_bytes, file_bytes, records;
};
/* Is it a shard, which depends on how a build is cut, and not a part of the dataset? */
bool catalogue_file_is_shard(const struct catalogue_file *file);
int catalogue_put_file(struct catalogue *catalogue, const struct catalogue_file *file,
                       struct error *err);

/*
 * How engines did over a stretch of the label stage, of some seconds or a run's rest. Rows are a
 * log: they are of this machine and its clock, and nothing else may depend on them.
 */
struct catalogue_health {
    int64_t labels;                                   /* answers of engines */
    int64_t failures;                                 /* positions given up */
    int64_t restarts;                                 /* engines killed and started anew */
    int64_t timeouts;                                 /* of these, for being late */
    int64_t workers;                                  /* engines at a time */
    int64_t nodes;                                    /* of the answers, summed */
    int64_t search_us, median_us, p95_us, slowest_us; /* of the answers: sum and distribution */
    int64_t wall_us;                                  /* of the stretch */
};
int catalogue_add_health(struct catalogue *catalogue, const struct catalogue_health *health,
                         struct error *err);
/* When there are no labels any more that they are about. */
int catalogue_forget_health(struct catalogue *catalogue, struct error *err);

/* Removes what a stage wrote: its counts, files, key; for "sample" also inputs, shards, rejects. */
int catalogue_forget(struct catalogue *catalogue, const char *stage, struct error *err);

/*
 * Iteration in a fixed order (health as it was added, inputs by digest and path, rejects by path
 * and game, shards by id, files by name, counts by stage, name, split). The function's negative
 * answer ends it.
 */
typedef int catalogue_count_function(void *context, const struct catalogue_count *, struct error *);
typedef int catalogue_input_function(void *context, const struct catalogue_input *, struct error *);
typedef int catalogue_reject_function(void *context, const struct catalogue_reject *,
                                      struct error *);
typedef int catalogue_shard_function(void *context, const struct catalogue_shard *, struct error *);
typedef int catalogue_health_function(void *context, const struct catalogue_health *,
                                      struct error *);
typedef int catalogue_file_function(void *context, const struct catalogue_file *, struct error *);
int catalogue_each_count(struct catalogue *, catalogue_count_function *, void *, struct error *);
int catalogue_each_input(struct catalogue *, catalogue_input_function *, void *, struct error *);
int catalogue_each_reject(struct catalogue *, catalogue_reject_function *, void *, struct error *);
int catalogue_each_shard(struct catalogue *, catalogue_shard_function *, void *, struct error *);
int catalogue_each_health(struct catalogue *, catalogue_health_function *, void *, struct error *);
int catalogue_each_file(struct catalogue *, catalogue_file_function *, void *, struct error *);

#endif
