/* SPDX-License-Identifier: MIT */
/*
 * See cores.h.
 */
#include "formats/io/cores.h"

#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#define CORES_MAX 65536 /* a set that is too small for the system's processors is an error */

static unsigned count_allowed(void)
{
    unsigned count = 0;
    for (unsigned most = CPU_SETSIZE; count == 0 && most <= CORES_MAX; most *= 2) {
        cpu_set_t *set = CPU_ALLOC(most);
        size_t size = CPU_ALLOC_SIZE(most);
        if (set == NULL)
            return 0;
        if (sched_getaffinity(0, size, set) == 0)
            count = (unsigned)CPU_COUNT_S(size, set);
        CPU_FREE(set);
    }
    return count;
}

unsigned cores_available(void)
{
    unsigned allowed = count_allowed();
    long online = allowed > 0 ? (long)allowed : sysconf(_SC_NPROCESSORS_ONLN);
    return online > 1 ? (unsigned)online : 1;
}
