/* SPDX-License-Identifier: MIT */
/*
 * Files that appear under their final name only when they are complete: written under a temporary
 * name in the same folder, fsynced, renamed, and the folder fsynced. All paths go through fault.h.
 */
#ifndef PLYMILL_FORMATS_IO_FILE_H
#define PLYMILL_FORMATS_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/io/buffer.h"
#include "formats/io/error.h"

/*
 * Temporary names are FINAL.tmp-PID, or FINAL.tmp-PID-N where that exists already (another host on
 * the same network folder, a rest of a killed run); file_is_temporary tells them from anything
 * else.
 */
#define FILE_TEMPORARY_MARK ".tmp-"

struct atomic_file;

/*
 * Opens a temporary file beside path. *file is owned by the caller until commit or discard. A path
 * that is a device or pipe is written directly; a folder is an error.
 */
int atomic_file_create(const char *path, struct atomic_file **file, struct error *err);
int atomic_file_write(struct atomic_file *file, const void *data, size_t size, struct error *err);
/* fsync only: the file is complete under its temporary name and commit will only rename. */
int atomic_file_sync(struct atomic_file *file, struct error *err);
/* The temporary name. */
const char *atomic_file_path(const struct atomic_file *file);
/* fsync, rename to the final name, fsync of the folder; frees file in every case. */
int atomic_file_commit(struct atomic_file *file, struct error *err);
/* Removes the temporary file; frees file. NULL is allowed. */
void atomic_file_discard(struct atomic_file *file);

/* A whole small file in one go. */
int file_write_all(const char *path, const void *data, size_t size, struct error *err);
/* Appends the whole file to buffer (its cap is the limit on the size). */
int file_read_all(const char *path, struct buffer *buffer, struct error *err);

/* A file of any size under another name, which appears when the copy is complete. */
int file_copy(const char *from, const char *to, struct error *err);

/* fsync of an existing file, rename, fsync of the target's folder. */
int file_publish(const char *from, const char *to, struct error *err);
bool file_exists(const char *path);
bool file_is_directory(const char *path);
bool file_is_temporary(const char *path);
/* -1 with the reason when it cannot be asked. */
int file_size(const char *path, uint64_t *size, struct error *err);
/* Removing what is not there is no error. */
int file_remove(const char *path, struct error *err);
/* Makes one folder; that it is there already is no error, a file of that name is. */
int file_make_directory(const char *path, struct error *err);
/* "dir/name" in a fresh allocation, or NULL with err set. The caller frees it. */
char *file_join(const char *directory, const char *name, struct error *err);
/* The folder that path stands in, "." where it names none, in a fresh allocation. */
char *file_folder(const char *path, struct error *err);
/* printf into a fresh allocation, or NULL with err set. The caller frees it. */
char *file_name_format(struct error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
