/* SPDX-License-Identifier: MIT */
/*
 * The self-check of labeling: some labels are made a second time, by other engine processes, in
 * another order, and every field is compared. Which ones is drawn by the question itself
 * (label.audit of all), so that a build that is interrupted audits the same labels as one that is
 * not.
 *
 * A shard is audited when all of its labels are there and before it is sealed: a sealed shard has
 * passed.
 */
#ifndef PLYMILL_PIPELINE_STAGES_AUDIT_H
#define PLYMILL_PIPELINE_STAGES_AUDIT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "labeler/pool.h"
#include "labeler/store.h"
#include "pipeline/stages/labelkey.h"

#define AUDIT_WORKERS_MAX 4 /* processes beside those of the pool */

struct audit_item {
    uint64_t draw;
    int64_t sample;
    struct pool_job job;
};

struct audit {
    double share;
    const struct engine_config *config;
    unsigned workers;
    const volatile sig_atomic_t *stop;
    struct pool *pool; /* opened when it is first needed */
    struct audit_item *items;
    size_t count, capacity;
};

/* share: 0 to 1 of all labels. config outlives the audit. */
void audit_init(struct audit *audit, double share, const struct engine_config *config,
                unsigned workers, const volatile sig_atomic_t *stop);
void audit_close(struct audit *audit);
/* Forgets the questions of the last shard. */
void audit_begin(struct audit *audit);
/* Notes the question of a sample if it is drawn. */
int audit_consider(struct audit *audit, int64_t sample, const struct pool_job *job,
                   const uint8_t key[LABELKEY_SIZE], struct error *err);
/*
 * Makes the labels of the questions noted again, each question once, in the order of their draws.
 * Labels that are none (failed, no move) are passed over. ERROR_DIFFERS names the position and what
 * differs. *audited: how many were compared.
 */
int audit_run(struct audit *audit, struct store_labels *labels, uint64_t *audited,
              struct error *err);

#endif
