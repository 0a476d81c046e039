/* SPDX-License-Identifier: MIT */
/*
 * The stage sample: archives of games in, sealed samples shards out.
 *
 * Games go through one external sort by (shard, game id, rank of a duplicate), so that the shards
 * are written one after the other, equal ids meet, and the order of inputs never shows.
 */
#ifndef PLYMILL_PIPELINE_STAGES_SAMPLE_H
#define PLYMILL_PIPELINE_STAGES_SAMPLE_H

#include "pipeline/stages/build.h"

/* Does nothing when the stage is done. */
int sample_run(struct build *build, struct error *err);

#endif
