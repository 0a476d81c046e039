/* SPDX-License-Identifier: MIT */
/*
 * Inputs that were moved or renamed since they were sampled. The catalogue knows an input by its
 * path; a file under a path that it does not know, with size and SHA-256 of an input that is not
 * named any more, is that input, and nothing has to be done again for it.
 */
#ifndef PLYMILL_PIPELINE_STAGES_MOVED_H
#define PLYMILL_PIPELINE_STAGES_MOVED_H

#include "pipeline/stages/build.h"
#include "pipeline/stages/inputs.h"

/* The digests that were taken while a build was open: none is taken twice. NULL is none. */
struct moved;

/*
 * Sets known_as of those inputs that were sampled under another path. Reads a file whole when its
 * size is that of an input that is missing among these, unless its digest was noted before.
 */
int moved_trace(struct build *build, struct inputs *inputs, struct error *err);
/* For a driver, outside a transaction: traces, and notes what had to be read for that. */
int moved_note(struct build *build, struct error *err);
void moved_free(struct moved *moved);

#endif
