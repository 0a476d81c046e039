/* SPDX-License-Identifier: MIT */
/*
 * The stage select: from sealed shards to shuffled record files, one for each split.
 *
 * Three external sorts: by duplicate key within a split (the smallest shuffle draw stays), by leak
 * key over the splits, and by shuffle draw. Every sample gets its one fate on the way.
 */
#ifndef PLYMILL_PIPELINE_STAGES_SELECT_H
#define PLYMILL_PIPELINE_STAGES_SELECT_H

#include "pipeline/stages/build.h"

/* Does nothing when the stage is done. Needs complete labels. */
int select_run(struct build *build, struct error *err);
/* "DIR/records/train.rec"; a fresh string or NULL with err set. */
char *select_record_path(const struct build *build, int split, struct error *err);

#endif
