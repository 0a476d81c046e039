/* SPDX-License-Identifier: MIT */
/*
 * Whether a net was trained on the records of a build or on others, whose games may be among those
 * that the build holds out.
 */
#ifndef PLYMILL_PIPELINE_REPORT_TRAINED_ON_H
#define PLYMILL_PIPELINE_REPORT_TRAINED_ON_H

#include "nnue/tools/origin.h"
#include "pipeline/stages/build.h"

#define TRAINED_ON_LINE_MAX 512

/* What a net is said to be trained on that is trained on this build, whose select is done. */
int trained_on_build(struct build *build, struct origin *origin, struct error *err);
/*
 * A sentence about the net (called name in it) when its metadata names other records than the
 * build's; "" when they are the same or one of the two is silent.
 */
int trained_on_other(const char *path, const char *name, const struct origin *build,
                     char line[TRAINED_ON_LINE_MAX], struct error *err);

#endif
