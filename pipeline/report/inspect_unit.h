/* SPDX-License-Identifier: MIT */
/*
 * Which unit the scores of a dataset file are in. Some formats always hold centipawns, the others
 * do not say it; the manifest of the build that wrote the file does, and stands in the folder above
 * it (DIR/dataset/train.plain.zst, DIR/manifest.json) or, where somebody put the files of a dataset
 * together, beside it.
 */
#ifndef PLYMILL_PIPELINE_REPORT_INSPECT_UNIT_H
#define PLYMILL_PIPELINE_REPORT_INSPECT_UNIT_H

#include <stdbool.h>

#include "formats/codec.h"

#define INSPECT_PATH_MAX 4096

struct inspect_unit {
    double scale;                  /* units to a centipawn; 1: centipawns */
    char source[INSPECT_PATH_MAX]; /* the manifest's path; empty where the format says it */
};

/*
 * False when the format does not say it and no manifest lists a file of this name in a format that
 * it gives a unit for.
 */
bool inspect_find_unit(const char *path, const struct codec *codec, struct inspect_unit *unit);

#endif
