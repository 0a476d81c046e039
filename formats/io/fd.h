/* SPDX-License-Identifier: MIT */
/*
 * Whole reads and writes on a file descriptor: short ones are continued, interrupted ones repeated.
 * Internal to formats/io; everybody else uses reader.h, writer.h and file.h.
 */
#ifndef PLYMILL_FORMATS_IO_FD_H
#define PLYMILL_FORMATS_IO_FD_H

#include <stddef.h>
#include <sys/types.h>

/* 0, or -1 with errno. */
int fd_write_all(int fd, const void *data, size_t size);
/* One read that was not interrupted: bytes, 0 at the end, -1 with errno. */
ssize_t fd_read_some(int fd, void *data, size_t size);
/* Fills data unless the file ends first: bytes read, -1 with errno. */
ssize_t fd_read_full(int fd, void *data, size_t size);
/* fsync; what cannot be synced (pipes, some folders) is no error. */
int fd_sync(int fd);

#endif
