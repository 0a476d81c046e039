/* SPDX-License-Identifier: MIT */
/*
 * Which stages that were done are to be done again, and why: said before anything is.
 */
#ifndef PLYMILL_PIPELINE_STAGES_AGAIN_H
#define PLYMILL_PIPELINE_STAGES_AGAIN_H

#include "pipeline/stages/build.h"

#define AGAIN_TEXT_MAX 512

/*
 * "select, export: done again, since filter.capture was \"drop\", now \"keep\"", by recipe.toml as
 * it lies there. 1, 0 when nothing that was done is to be done again, -1.
 */
int again_describe(struct build *build, char text[AGAIN_TEXT_MAX], struct error *err);

#endif
