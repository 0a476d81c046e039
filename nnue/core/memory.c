/* SPDX-License-Identifier: MIT */
/*
 * Memory for weights, see memory.h.
 */
#include "nnue/core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)

void *memory_new(size_t size)
{
    size_t alignment = size >= HUGE_PAGE ? HUGE_PAGE : MEMORY_ALIGNMENT;
    void *memory;
    if (size > SIZE_MAX - alignment)
        return NULL;
    size = (size + alignment - 1) / alignment * alignment;
    memory = aligned_alloc(alignment, size ? size : alignment);
    if (!memory)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (alignment == HUGE_PAGE)
        (void)madvise(memory, size, MADV_HUGEPAGE); /* a wish: it works without */
#endif
    memset(memory, 0, size);
    return memory;
}

void memory_free(void *memory)
{
    free(memory);
}
