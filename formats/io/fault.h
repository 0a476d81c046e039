/* SPDX-License-Identifier: MIT */
/*
 * Fault points: every write, read, fsync, rename and allocation of formats/io goes through these
 * wrappers, and the environment variable PLYMILL_FAULT makes the n-th call of one kind fail, so
 * that crash tests are counted and repeatable and not a matter of timing.
 *
 *   PLYMILL_FAULT=write:17:kill     SIGKILL instead of the 17th write
 *   PLYMILL_FAULT=fsync:2:fail      the 2nd fsync returns EIO
 *   PLYMILL_FAULT=write:5:full      the 5th write, and every later one, returns ENOSPC
 *   PLYMILL_FAULT=read:3:short      the 3rd read returns one byte
 *
 * Kinds: write, read, fsync, rename, malloc, pwrite (SQLite's writes, where the program says so);
 * actions: kill, fail, short, full. `read:0:short` makes every read return one byte. The counters
 * are the one process-wide state of the libraries: they exist to count calls of the whole process.
 * Without the variable the wrappers cost one compare.
 */
#ifndef PLYMILL_FORMATS_IO_FAULT_H
#define PLYMILL_FORMATS_IO_FAULT_H

#include <stddef.h>
#include <sys/types.h>

ssize_t fault_write(int fd, const void *data, size_t size);
ssize_t fault_pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t fault_read(int fd, void *data, size_t size);
ssize_t fault_pread(int fd, void *data, size_t size, off_t offset); /* counts as a read */
int fault_fsync(int fd);
int fault_rename(const char *from, const char *to);
void *fault_malloc(size_t size);
void *fault_realloc(void *old, size_t size);

#endif
