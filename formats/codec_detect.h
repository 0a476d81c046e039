/* SPDX-License-Identifier: MIT */
/*
 * Which dataset format a file is in. The name says it, but .jsonl and .csv are what Lichess's
 * evaluations and puzzles are called, too: there the first line decides.
 */
#ifndef PLYMILL_FORMATS_CODEC_DETECT_H
#define PLYMILL_FORMATS_CODEC_DETECT_H

#include "formats/codec.h"
#include "formats/io/error.h"

/*
 * By name and first line. ERROR_USAGE when the name ends in no extension of a dataset format; -1
 * also when the file must be looked into and cannot be read.
 */
int codec_detect(const char *path, const struct codec **codec, struct error *err);

#endif
