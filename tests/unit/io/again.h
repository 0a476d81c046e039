/* SPDX-License-Identifier: MIT */
/*
 * Runs the test program again, as a child with a fault point and a task. Faults are read once in a
 * process, so that each needs a process of its own.
 */
#ifndef PLYMILL_TESTS_IO_AGAIN_H
#define PLYMILL_TESTS_IO_AGAIN_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The status of waitpid of `program task path` under the fault (NULL: none). */
static inline int run_again(const char *fault, const char *task, const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        if (fault != NULL)
            setenv("PLYMILL_FAULT", fault, 1);
        else
            unsetenv("PLYMILL_FAULT");
        execl("/proc/self/exe", "again", task, path, (char *)NULL);
        _exit(99);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

/* Its exit code, or -1 when a signal ended it. */
static inline int run_again_code(const char *fault, const char *task, const char *path)
{
    int status = run_again(fault, task, path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
