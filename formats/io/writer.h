/* SPDX-License-Identifier: MIT */
/*
 * A stream of bytes into a file (atomic, see file.h) or stdout, plain or zstd, with the digests
 * that a manifest needs: of the content, which is what builds are compared by, and of the file as
 * stored.
 */
#ifndef PLYMILL_FORMATS_IO_WRITER_H
#define PLYMILL_FORMATS_IO_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/io/digest.h"
#include "formats/io/error.h"

#define WRITER_ZSTD_LEVEL 3

struct writer;

struct writer_result {
    char content_sha256[DIGEST_HEX_SIZE]; /* of the bytes given to writer_write */
    char file_sha256[DIGEST_HEX_SIZE];    /* of the bytes in the file */
    uint64_t content_bytes, file_bytes;
};

/* path "-" is stdout (not atomic). */
int writer_create(const char *path, bool zstd, struct writer **writer, struct error *err);
int writer_write(struct writer *writer, const void *data, size_t size, struct error *err);
int writer_printf(struct writer *writer, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Completes the file, gives it its final name, frees writer in every case. result may be NULL. */
int writer_commit(struct writer *writer, struct writer_result *result, struct error *err);
/*
 * In two steps, for a check between them: finish flushes and syncs everything and fills result, the
 * file still has its temporary name writer_path(); publish renames and frees. After a failed finish
 * the caller discards.
 */
int writer_finish(struct writer *writer, struct writer_result *result, struct error *err);
const char *writer_path(const struct writer *writer);
int writer_publish(struct writer *writer, struct error *err);
/* Removes what was written; frees. NULL is allowed. */
void writer_discard(struct writer *writer);

#endif
