/* SPDX-License-Identifier: MIT */
/*
 * manifest.json of a finished build, and the build id.
 *
 * The build id is SHA-256 over a canonical text: the output version, the recipe's effective keys,
 * the engine's name, net, options and signature, the counts, and name and content digest of every
 * record and dataset file. What may differ between two equal builds (input files and their digests,
 * .zst digests, library versions, paths, workers) stands in the manifest outside the id.
 */
#ifndef PLYMILL_PIPELINE_STAGES_MANIFEST_H
#define PLYMILL_PIPELINE_STAGES_MANIFEST_H

#include "formats/io/buffer.h"
#include "pipeline/stages/build.h"

/* Writes it when it is not there with the present build id. Does nothing before all stages are
 * done. */
int manifest_run(struct build *build, struct error *err);
/* Appends its text, as it follows from catalogue and settings. */
int manifest_render(struct build *build, const char *id, struct buffer *out, struct error *err);
int manifest_build_id(struct build *build, char id[DIGEST_HEX_SIZE], struct error *err);

#endif
