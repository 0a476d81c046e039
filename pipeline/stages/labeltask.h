/* SPDX-License-Identifier: MIT */
/*
 * One shard of labels, made on any machine that sees the build directory, beside any number of
 * others: from recipe.toml, shards/ticket and the sealed samples alone. No lock is taken and
 * build.db is not opened. It may be run again, or twice at a time: what it publishes has the same
 * content whoever made it.
 */
#ifndef PLYMILL_PIPELINE_STAGES_LABELTASK_H
#define PLYMILL_PIPELINE_STAGES_LABELTASK_H

#include "pipeline/stages/build.h"

#define LABELTASK_CHECKPOINT_S 600

struct labeltask {
    unsigned shard;
    const char *scratch; /* a folder of this machine; the work is done in a fresh one in it */
    unsigned checkpoint_s;
};

/*
 * build: opened with BUILD_TASK. Does nothing when the shard is done. ERROR_RETRY after a signal:
 * labels made so far are kept in a checkpoint. ERROR_FAILED when the engine does not label as the
 * one that the labels were begun with: says so with both.
 */
int labeltask_run(struct build *build, const struct labeltask *task, struct error *err);

#endif
