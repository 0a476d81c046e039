/* SPDX-License-Identifier: MIT */
/*
 * Files for what does not fit into memory: without a name from the start, so that a process that is
 * killed leaves nothing behind.
 */
#ifndef PLYMILL_FORMATS_IO_SCRATCH_H
#define PLYMILL_FORMATS_IO_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "formats/io/error.h"

/* use: a word in the name that the file has for a moment. close() the descriptor. */
int scratch_open(const char *directory, const char *use, int *fd, struct error *err);
/* Appends: 0, else errno. */
int scratch_write(int fd, const void *data, size_t size);
/* size bytes from offset on, from any thread: 0, else errno (EIO where the file ends first). */
int scratch_read_at(int fd, uint64_t offset, void *data, size_t size);

#endif
