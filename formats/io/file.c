/* SPDX-License-Identifier: MIT */
/*
 * See file.h.
 */
#include "formats/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/io/fault.h"
#include "formats/io/fd.h"

#define FILE_CHUNK          (64u << 10)
#define FILE_NAMES_TO_TRY   1000
#define FILE_MODE           0666 /* less the umask */
#define FILE_DIRECTORY_MODE 0777

struct atomic_file {
    char *path;      /* the final name */
    char *temporary; /* equal to path for a device or pipe */
    int fd;
    bool direct; /* no rename: a device or pipe */
    bool dirty;  /* written to since the last fsync */
};

char *file_name_format(struct error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *name = length < 0 ? NULL : fault_malloc((size_t)length + 1);
    if (name == NULL) {
        error_memory(err);
        return NULL;
    }
    va_start(args, format);
    vsnprintf(name, (size_t)length + 1, format, args);
    va_end(args);
    return name;
}

char *file_join(const char *directory, const char *name, struct error *err)
{
    size_t length = strlen(directory);
    bool slash = length > 0 && directory[length - 1] == '/';
    return file_name_format(err, "%s%s%s", directory, length == 0 || slash ? "" : "/", name);
}

char *file_folder(const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return file_name_format(err, ".");
    size_t length = slash == path ? 1 : (size_t)(slash - path);
    return file_name_format(err, "%.*s", (int)length, path);
}

static int folder_sync(const char *path, struct error *err)
{
    char *folder = file_folder(path, err);
    if (folder == NULL)
        return -1;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = fd < 0 || fd_sync(fd) < 0;
    if (failed)
        error_system(err, errno, "%s", folder);
    if (fd >= 0)
        close(fd);
    free(folder);
    return failed ? -1 : 0;
}

static void atomic_file_free(struct atomic_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    free(file->temporary);
    free(file->path);
    free(file);
}

static int open_direct(struct atomic_file *file, struct error *err)
{
    file->temporary = file_name_format(err, "%s", file->path);
    if (file->temporary == NULL)
        return -1;
    file->direct = true;
    file->fd = open(file->path, O_WRONLY | O_CLOEXEC);
    return file->fd < 0 ? error_system(err, errno, "%s", file->path) : 0;
}

static int open_temporary(struct atomic_file *file, struct error *err)
{
    long pid = (long)getpid();
    for (int i = 0; i < FILE_NAMES_TO_TRY; i++) {
        free(file->temporary);
        file->temporary =
            i == 0 ? file_name_format(err, "%s" FILE_TEMPORARY_MARK "%ld", file->path, pid)
                   : file_name_format(err, "%s" FILE_TEMPORARY_MARK "%ld-%d", file->path, pid, i);
        if (file->temporary == NULL)
            return -1;
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
        if (file->fd >= 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return error_system(err, errno, "%s", file->path);
}

int atomic_file_create(const char *path, struct atomic_file **file, struct error *err)
{
    *file = NULL;
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return error_system(err, EISDIR, "%s", path);
    struct atomic_file *made = fault_malloc(sizeof *made);
    if (made == NULL)
        return error_memory(err);
    *made = (struct atomic_file){.fd = -1, .dirty = true};
    made->path = file_name_format(err, "%s", path);
    bool special = exists && !S_ISREG(status.st_mode);
    if (made->path == NULL || (special ? open_direct : open_temporary)(made, err) < 0) {
        atomic_file_free(made);
        return -1;
    }
    *file = made;
    return 0;
}

int atomic_file_write(struct atomic_file *file, const void *data, size_t size, struct error *err)
{
    file->dirty = true;
    if (fd_write_all(file->fd, data, size) < 0)
        return error_system(err, errno, "%s", file->path);
    return 0;
}

int atomic_file_sync(struct atomic_file *file, struct error *err)
{
    if (file->dirty && fd_sync(file->fd) < 0)
        return error_system(err, errno, "%s", file->path);
    file->dirty = false;
    return 0;
}

const char *atomic_file_path(const struct atomic_file *file)
{
    return file->temporary;
}

int atomic_file_commit(struct atomic_file *file, struct error *err)
{
    if (atomic_file_sync(file, err) < 0)
        goto fail;
    int closed = close(file->fd);
    file->fd = -1;
    if (closed < 0 || (!file->direct && fault_rename(file->temporary, file->path) < 0)) {
        error_system(err, errno, "%s", file->path);
        goto fail;
    }
    int synced = file->direct ? 0 : folder_sync(file->path, err);
    atomic_file_free(file);
    return synced;
fail:
    atomic_file_discard(file);
    return -1;
}

void atomic_file_discard(struct atomic_file *file)
{
    if (file == NULL)
        return;
    if (!file->direct)
        unlink(file->temporary);
    atomic_file_free(file);
}

int file_write_all(const char *path, const void *data, size_t size, struct error *err)
{
    struct atomic_file *file;
    if (atomic_file_create(path, &file, err) < 0)
        return -1;
    if (atomic_file_write(file, data, size, err) < 0) {
        atomic_file_discard(file);
        return -1;
    }
    return atomic_file_commit(file, err);
}

/* Appends the rest of fd. The errors name no path yet. */
static int read_descriptor(int fd, struct buffer *buffer, struct error *err)
{
    char chunk[FILE_CHUNK];
    for (;;) {
        ssize_t got = fd_read_some(fd, chunk, sizeof chunk);
        if (got < 0)
            return error_set(err, ERROR_FAILED, "%s", strerror(errno));
        if (got == 0)
            return buffer_reserve(buffer, 0, err);
        if (buffer_append(buffer, chunk, (size_t)got, err) < 0)
            return -1;
    }
}

int file_read_all(const char *path, struct buffer *buffer, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_system(err, errno, "%s", path);
    int status = read_descriptor(fd, buffer, err);
    close(fd);
    return status < 0 ? error_prefix(err, "%s", path) : 0;
}

int file_publish(const char *from, const char *to, struct error *err)
{
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_system(err, errno, "%s", from);
    int synced = fd_sync(fd);
    int errnum = errno;
    close(fd);
    if (synced < 0)
        return error_system(err, errnum, "%s", from);
    if (fault_rename(from, to) < 0)
        return error_system(err, errno, "%s", to);
    return folder_sync(to, err);
}

bool file_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

bool file_is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The end of a name from the mark on: PID or PID-N. */
static bool is_temporary_tail(const char *tail)
{
    size_t digits = strspn(tail, "0123456789");
    if (digits == 0)
        return false;
    tail += digits;
    if (*tail == '\0')
        return true;
    digits = *tail == '-' ? strspn(tail + 1, "0123456789") : 0;
    return digits > 0 && tail[1 + digits] == '\0';
}

bool file_is_temporary(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *at = slash != NULL ? slash + 1 : path;
    while ((at = strstr(at, FILE_TEMPORARY_MARK)) != NULL) {
        at += strlen(FILE_TEMPORARY_MARK);
        if (is_temporary_tail(at))
            return true;
    }
    return false;
}

int file_size(const char *path, uint64_t *size, struct error *err)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return error_system(err, errno, "%s", path);
    *size = (uint64_t)status.st_size;
    return 0;
}

int file_remove(const char *path, struct error *err)
{
    if (unlink(path) < 0 && errno != ENOENT)
        return error_system(err, errno, "%s", path);
    return 0;
}

int file_make_directory(const char *path, struct error *err)
{
    if (mkdir(path, FILE_DIRECTORY_MODE) == 0)
        return 0;
    int errnum = errno;
    if (errnum == EEXIST && file_is_directory(path))
        return 0;
    if (errnum == EEXIST)
        errnum = ENOTDIR;
    return error_system(err, errnum, "%s", path);
}
