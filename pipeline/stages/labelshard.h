/* SPDX-License-Identifier: MIT */
/*
 * One shard of labels, from the first to the seal: what is there already stays; what earlier builds
 * know is taken (reuse.h); of equal questions one is asked (equal.h); drawn labels are made again
 * (audit.h); then the file is sealed.
 *
 * The sealed file's meta says how many labels came how: "equal", "reused", "audited"; and what they
 * are labels of: "ticket" (ticket.h).
 *
 * The work file lies beside the shard, or in scratch of the machine's own. Then a copy of it is put
 * beside the shard now and then, as NNNN.labels.db.checkpoint, which whoever goes on with the shard
 * takes up; and so is the sealed file when it is complete.
 */
#ifndef PLYMILL_PIPELINE_STAGES_LABELSHARD_H
#define PLYMILL_PIPELINE_STAGES_LABELSHARD_H

#include "labeler/pool.h"
#include "labeler/store.h"
#include "pipeline/report/progress.h"
#include "pipeline/stages/audit.h"
#include "pipeline/stages/build.h"
#include "pipeline/stages/labelhealth.h"
#include "pipeline/stages/reuse.h"

/* What the shards of a run share. */
struct label_work {
    struct build *build;
    const struct engine_config *config; /* NULL when labels come from the games */
    unsigned workers;
    const struct fingerprint *engine; /* NULL when labels come from the games */
    const char *scratch;              /* a folder of one's own, NULL: work beside the shards */
    unsigned checkpoint_s;            /* with scratch: seconds from copy to copy */
    struct pool *pool;                /* opened when an engine is asked for the first time */
    struct audit audit;               /* share 0: none */
    struct labelhealth health;        /* begun before the first shard */
    const struct reuse *reuse;        /* may be NULL */
    bool mixed; /* what is there or reused may be another engine's: not audited */
    struct progress progress;
    uint64_t done, total; /* labels, for progress */
};

#define LABELSHARD_CHECKPOINT ".checkpoint" /* behind the name of the labels shard */

/* Is the sealed labels shard of these samples, settings and engine? 0; ERROR_FAILED says not. */
int labelshard_check(const struct label_work *work, unsigned shard, struct error *err);

/* *count: the number of samples, which is that of labels on success. */
int labelshard_run(struct label_work *work, unsigned shard, uint64_t *count, struct error *err);

/* How labels came about, summed over sealed shards. */
struct label_savings {
    uint64_t equal, reused, audited;
};
/* Adds what the sealed labels of a shard say. */
int labelshard_savings(const struct build *build, unsigned shard, struct label_savings *savings,
                       struct error *err);

#endif
