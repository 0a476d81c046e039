/* SPDX-License-Identifier: MIT */
/*
 * manifest.json and SHA256SUMS of a finished build, and the build id.
 *
 * The build id is SHA-256 over a canonical text: the output version, the recipe's effective keys,
 * the engine's name, net, options and signature, the counts, and name and content digest of every
 * record and dataset file. What may differ between two equal builds (input files and their digests,
 * .zst digests, library versions, paths, workers) stands in the manifest outside the id.
 */
#ifndef PLYMILL_PIPELINE_STAGES_MANIFEST_H
#define PLYMILL_PIPELINE_STAGES_MANIFEST_H

#include "pipeline/stages/build.h"

/* Writes both files when they are not there with the present build id. Needs all stages done. */
int manifest_run(struct build *build, struct error *err);
int manifest_build_id(struct build *build, char id[DIGEST_HEX_SIZE], struct error *err);

#endif
