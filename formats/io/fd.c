/* SPDX-License-Identifier: MIT */
/*
 * See fd.h.
 */
#include "formats/io/fd.h"

#include <errno.h>

#include "formats/io/fault.h"

int fd_write_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t done = fault_write(fd, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

ssize_t fd_read_some(int fd, void *data, size_t size)
{
    ssize_t done;
    do
        done = fault_read(fd, data, size);
    while (done < 0 && errno == EINTR);
    return done;
}

ssize_t fd_read_full(int fd, void *data, size_t size)
{
    size_t total = 0;
    while (total < size) {
        ssize_t done = fd_read_some(fd, (char *)data + total, size - total);
        if (done < 0)
            return -1;
        if (done == 0)
            break;
        total += (size_t)done;
    }
    return (ssize_t)total;
}

int fd_sync(int fd)
{
    if (fault_fsync(fd) == 0 || errno == EINVAL || errno == EROFS)
        return 0;
    return -1;
}
