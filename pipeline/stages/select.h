/* SPDX-License-Identifier: MIT */
/*
 * The stage select: from sealed shards to shuffled record files, one for each split.
 *
 * Every sample gets its one fate on the way: by itself (fate.h), then among the others of its
 * opening (filter.per_opening), then among equal positions (repeats.h). What is kept is put in the
 * order of its draw. All that needs others is sorted on disk, in build.memory.
 */
#ifndef PLYMILL_PIPELINE_STAGES_SELECT_H
#define PLYMILL_PIPELINE_STAGES_SELECT_H

#include "pipeline/stages/build.h"

/* Does nothing when the stage is done. Needs complete labels. */
int select_run(struct build *build, struct error *err);
/* "DIR/records/train.rec"; a fresh string or NULL with err set. */
char *select_record_path(const struct build *build, int split, struct error *err);

#endif
