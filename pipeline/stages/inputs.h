/* SPDX-License-Identifier: MIT */
/*
 * The archives that input.files names: files, "-" for stdin, folders (the .pgn, .pgn.zst and
 * .pgn.gz files right in them, in order of name), and patterns with * ? [ ] where no file of that
 * very name exists. A file that is named twice, also by another path, is listed once.
 */
#ifndef PLYMILL_PIPELINE_STAGES_INPUTS_H
#define PLYMILL_PIPELINE_STAGES_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "pipeline/stages/build.h"

struct input_path {
    char *path;      /* as it was named first */
    char *canonical; /* what makes two paths the same file */
    char *known_as;  /* its path when it was sampled, if that was another (moved.h); else NULL */
};

struct inputs {
    struct input_path *items; /* owned */
    size_t count, capacity;
};

/* Those that are there to be read; what names nothing is an error. inputs: {0}, to be freed. */
int inputs_find(const struct build *build, struct inputs *inputs, struct error *err);
/*
 * The same for saying whether a build is done: what is no longer there is listed as it was when it
 * was sampled, so that archives may be removed when they are no longer needed.
 */
int inputs_recall(const struct build *build, struct inputs *inputs, struct error *err);
/* In a transaction of the caller: notes what folders and patterns stand for now. */
int inputs_note(const struct build *build, struct error *err);
void inputs_free(struct inputs *inputs);
/* Does the path's name end as an archive of games does: .pgn, .pgn.zst, .pgn.gz? */
bool inputs_is_archive_name(const char *path);

#endif
