/* SPDX-License-Identifier: MIT */
/*
 * A build in which nothing was left. That is a result like any other, with a build id and files
 * that hold nothing, and mostly not what somebody wanted: so it is said, and no net is proposed.
 */
#ifndef PLYMILL_PIPELINE_CLI_EMPTY_H
#define PLYMILL_PIPELINE_CLI_EMPTY_H

#include "pipeline/stages/build.h"

/* No sample after the first stage: 1, and a line on stderr says so; 0 when there are some; -1. */
int empty_tell_samples(struct build *build, struct error *err);
/* The same of records of the training split after the third. */
int empty_tell_records(struct build *build, struct error *err);

#endif
