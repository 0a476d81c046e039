/* SPDX-License-Identifier: MIT */
/*
 * See fault.h. The variable is read once, at the first call of any wrapper.
 */
#include "formats/io/fault.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum fault_kind {
    KIND_NONE,
    KIND_WRITE,
    KIND_READ,
    KIND_FSYNC,
    KIND_RENAME,
    KIND_MALLOC,
    KIND_PWRITE
};
enum fault_action { ACTION_NONE, ACTION_KILL, ACTION_FAIL, ACTION_SHORT, ACTION_FULL };

static pthread_once_t fault_once = PTHREAD_ONCE_INIT;
static enum fault_kind fault_kind;
static enum fault_action fault_action;
static uint64_t fault_at; /* 0: every call */
static atomic_uint_fast64_t fault_calls;

static unsigned word_index(const char *word, const char *const *words)
{
    for (unsigned i = 0; words[i] != NULL; i++)
        if (strcmp(word, words[i]) == 0)
            return i + 1;
    return 0;
}

static void fault_parse(void)
{
    static const char *const kinds[] = {"write",  "read",   "fsync", "rename",
                                        "malloc", "pwrite", NULL};
    static const char *const actions[] = {"kill", "fail", "short", "full", NULL};
    const char *text = getenv("PLYMILL_FAULT");
    char kind[16], action[16], end;
    unsigned long long at;
    if (text == NULL || sscanf(text, "%15[a-z]:%llu:%15[a-z]%c", kind, &at, action, &end) != 3)
        return;
    fault_kind = (enum fault_kind)word_index(kind, kinds);
    fault_action = (enum fault_action)word_index(action, actions);
    fault_at = at;
}

/* What is to happen at this call of that kind. */
static enum fault_action fault_strike(enum fault_kind kind)
{
    pthread_once(&fault_once, fault_parse);
    if (kind != fault_kind)
        return ACTION_NONE;
    uint64_t call = atomic_fetch_add(&fault_calls, 1) + 1;
    bool later = fault_action == ACTION_FULL && call > fault_at;
    if (fault_at != 0 && call != fault_at && !later)
        return ACTION_NONE;
    if (fault_action == ACTION_KILL)
        raise(SIGKILL);
    return fault_action;
}

/* True with errno set when the call is to fail. */
static bool fault_refuses(enum fault_action action)
{
    if (action == ACTION_FAIL)
        errno = EIO;
    else if (action == ACTION_FULL)
        errno = ENOSPC;
    else
        return false;
    return true;
}

ssize_t fault_write(int fd, const void *data, size_t size)
{
    enum fault_action action = fault_strike(KIND_WRITE);
    if (fault_refuses(action))
        return -1;
    return write(fd, data, action == ACTION_SHORT && size > 1 ? 1 : size);
}

ssize_t fault_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    enum fault_action action = fault_strike(KIND_PWRITE);
    if (fault_refuses(action))
        return -1;
    return pwrite(fd, data, action == ACTION_SHORT && size > 1 ? 1 : size, offset);
}

ssize_t fault_read(int fd, void *data, size_t size)
{
    enum fault_action action = fault_strike(KIND_READ);
    if (fault_refuses(action))
        return -1;
    return read(fd, data, action == ACTION_SHORT && size > 1 ? 1 : size);
}

ssize_t fault_pread(int fd, void *data, size_t size, off_t offset)
{
    enum fault_action action = fault_strike(KIND_READ);
    if (fault_refuses(action))
        return -1;
    return pread(fd, data, action == ACTION_SHORT && size > 1 ? 1 : size, offset);
}

int fault_fsync(int fd)
{
    return fault_refuses(fault_strike(KIND_FSYNC)) ? -1 : fsync(fd);
}

int fault_rename(const char *from, const char *to)
{
    return fault_refuses(fault_strike(KIND_RENAME)) ? -1 : rename(from, to);
}

static bool fault_no_memory(void)
{
    if (!fault_refuses(fault_strike(KIND_MALLOC)))
        return false;
    errno = ENOMEM;
    return true;
}

void *fault_malloc(size_t size)
{
    return fault_no_memory() ? NULL : malloc(size);
}

void *fault_realloc(void *old, size_t size)
{
    return fault_no_memory() ? NULL : realloc(old, size);
}
