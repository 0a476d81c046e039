/* SPDX-License-Identifier: MIT */
/*
 * See scratch.h.
 */
#include "formats/io/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/io/fault.h"
#include "formats/io/fd.h"
#include "formats/io/file.h"

int scratch_open(const char *directory, const char *use, int *fd, struct error *err)
{
    char *name = file_name_format(err, "%s/%s" FILE_TEMPORARY_MARK "%ld-XXXXXX", directory, use,
                                  (long)getpid());
    if (name == NULL)
        return -1;
    *fd = mkostemp(name, O_CLOEXEC);
    if (*fd < 0)
        error_system(err, errno, "%s", directory);
    else
        unlink(name);
    free(name);
    return *fd < 0 ? -1 : 0;
}

int scratch_write(int fd, const void *data, size_t size)
{
    return fd_write_all(fd, data, size) < 0 ? errno : 0;
}

int scratch_read_at(int fd, uint64_t offset, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t got = fault_pread(fd, at, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EIO;
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return 0;
}
