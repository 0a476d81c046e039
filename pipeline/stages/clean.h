/* SPDX-License-Identifier: MIT */
/*
 * What must not stay in a build directory: rests of a killed driver, and files made from what is
 * about to be made anew. A manifest, a dataset or records beside newer ones would be believed.
 */
#ifndef PLYMILL_PIPELINE_STAGES_CLEAN_H
#define PLYMILL_PIPELINE_STAGES_CLEAN_H

#include "formats/io/error.h"
#include "pipeline/stages/build.h"

/*
 * Removes temporary files of a folder, and in shards/ the work files that no one goes on with:
 * those of samples, and those of labels that are sealed.
 */
int clean_rests(const char *folder, struct error *err);
/*
 * Removes the output of a stage and of all behind it, manifest.json, SHA256SUMS, README.md and
 * report.html first. Shards stay: samples are replaced in place, and labels are never thrown away.
 */
int clean_outputs(const struct build *build, enum build_stage stage, struct error *err);

#endif
