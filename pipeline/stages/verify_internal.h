/* SPDX-License-Identifier: MIT */
/*
 * The parts of verify: bytes of files (verify_files.c), catalogue and manifest (verify_manifest.c),
 * shards and audit (verify_shards.c), records and datasets (verify_dataset.c).
 *
 * Each returns 0 when it could look, whatever it found: differences go through verify_differs. -1
 * with err set ends it all.
 */
#ifndef PLYMILL_PIPELINE_STAGES_VERIFY_INTERNAL_H
#define PLYMILL_PIPELINE_STAGES_VERIFY_INTERNAL_H

#include "formats/io/buffer.h"
#include "pipeline/stages/build.h"
#include "pipeline/stages/verify.h"

struct verify {
    const char *directory;
    const struct verify_options *options;
    struct verify_counts *counts;
    struct build *build; /* opened when the bytes of its files are right */
    char first[ERROR_TEXT_MAX];
};

/* Notes a difference. */
void verify_differs(struct verify *verify, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * An error out of reading what should be whole is a difference: 0, and err is empty again. A
 * signal, short memory and a full disk are none: -1.
 */
int verify_take(struct verify *verify, struct error *err);
int verify_check_stop(const struct verify *verify, struct error *err);

/* Seal and SHA256SUMS. */
int verify_files(struct verify *verify, struct error *err);
/* Inputs that are there, by their digests as they were read. */
int verify_inputs(struct verify *verify, struct error *err);
/* build.db against manifest.json and SHA256SUMS, and files that nobody lists. */
int verify_manifest(struct verify *verify, struct error *err);
int verify_shards(struct verify *verify, struct error *err);
int verify_audit(struct verify *verify, struct error *err);
int verify_records(struct verify *verify, struct error *err);
int verify_dataset(struct verify *verify, struct error *err);

#endif
