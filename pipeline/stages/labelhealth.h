/* SPDX-License-Identifier: MIT */
/*
 * Writes down, while labels are made, how the engines did: stretch by stretch into build.db, where
 * the driver is at work, and as an event into the log. Neither is part of what is reproducible.
 */
#ifndef PLYMILL_PIPELINE_STAGES_LABELHEALTH_H
#define PLYMILL_PIPELINE_STAGES_LABELHEALTH_H

#include <stdint.h>

#include "labeler/pool.h"
#include "pipeline/stages/build.h"

#define LABELHEALTH_STRETCHES 64 /* a build is cut into, at most, if nothing stops it */
#define LABELHEALTH_LEAST_US  5000000

struct labelhealth {
    struct build *build;
    unsigned workers;
    uint64_t every;   /* labels of a stretch, at least */
    uint64_t labels;  /* asked for in this one so far */
    int64_t begun_us; /* of the monotonic clock */
};

/* total: labels that are still to be made. */
void labelhealth_begin(struct labelhealth *health, struct build *build, uint64_t total,
                       unsigned workers);
/* After every answer. */
int labelhealth_count(struct labelhealth *health, struct pool *pool, struct error *err);
/* What is left, also when the run failed; pool may be NULL. */
int labelhealth_end(struct labelhealth *health, struct pool *pool, struct error *err);

#endif
