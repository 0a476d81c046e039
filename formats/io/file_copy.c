/* SPDX-License-Identifier: MIT */
/*
 * Copies between file systems, as a file that is made in local scratch goes to a shared folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "formats/io/fault.h"
#include "formats/io/file.h"

#define CHUNK (64u << 10)

static int copy_bytes(int fd, const char *from, struct atomic_file *file, struct error *err)
{
    char chunk[CHUNK];
    ssize_t size;
    while ((size = fault_read(fd, chunk, sizeof chunk)) != 0) {
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return error_system(err, errno, "%s", from);
        if (atomic_file_write(file, chunk, (size_t)size, err) < 0)
            return -1;
    }
    return 0;
}

int file_copy(const char *from, const char *to, struct error *err)
{
    struct atomic_file *file;
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_system(err, errno, "%s", from);
    int status = atomic_file_create(to, &file, err);
    if (status == 0 && copy_bytes(fd, from, file, err) < 0) {
        atomic_file_discard(file);
        status = -1;
    } else if (status == 0) {
        status = atomic_file_commit(file, err);
    }
    close(fd);
    return status;
}
