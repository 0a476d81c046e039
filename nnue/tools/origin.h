/* SPDX-License-Identifier: MIT */
/*
 * What a net was trained on, as its file says it: so that nobody scores a net on games that it has
 * seen without being told. It stands in the metadata of a safetensors file, as "key=value" between
 * blanks in the description of a .nnue, and in lines "key=value" behind the first of the side file
 * NET.arch of a quantised.bin.
 */
#ifndef PLYMILL_NNUE_TOOLS_ORIGIN_H
#define PLYMILL_NNUE_TOOLS_ORIGIN_H

#include "formats/io/digest.h"
#include "formats/io/error.h"
#include "nnue/tools/safetensors_write.h"

#define ORIGIN_TEXTS      4
#define ORIGIN_SEED_MAX   24
#define ORIGIN_SHARES_MAX 64

/* "" where nothing is known. */
struct origin {
    char records[DIGEST_HEX_SIZE];  /* train.records: SHA-256 of train.rec */
    char build[DIGEST_HEX_SIZE];    /* train.build: the build id, when the build was finished */
    char seed[ORIGIN_SEED_MAX];     /* split.seed */
    char shares[ORIGIN_SHARES_MAX]; /* split.shares, "90,5,5" */
};

/* From a net file or its side file; all "" when they say nothing. */
int origin_read(const char *path, struct origin *origin, struct error *err);
/* What is known as metadata that points into origin; the number of entries. */
size_t origin_texts(const struct origin *origin, struct text_out out[ORIGIN_TEXTS]);

#endif
