/* SPDX-License-Identifier: MIT */
/*
 * Labels of a build whose inputs changed. Its shards hold other samples then, but most questions
 * are the same: the folder of shards is set aside as DIR/previous/0, 1, ... in one rename, its
 * labels are taken by whoever asks the same again (reuse.h), and it is removed when all labels are
 * there.
 */
#ifndef PLYMILL_PIPELINE_STAGES_PREVIOUS_H
#define PLYMILL_PIPELINE_STAGES_PREVIOUS_H

#include "pipeline/stages/build.h"

#define PREVIOUS_FOLDER "previous"

/* Is anything set aside? 1, 0, -1. */
int previous_exists(const struct build *build, struct error *err);
/* Sets the shards aside and makes an empty folder of shards. */
int previous_set_aside(struct build *build, struct error *err);
int previous_remove(const struct build *build, struct error *err);

/* Called with the path of each folder that was set aside. */
typedef int previous_function(void *context, const char *folder, struct error *err);
int previous_each(const struct build *build, previous_function *function, void *context,
                  struct error *err);

#endif
