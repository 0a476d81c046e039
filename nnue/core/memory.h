/* SPDX-License-Identifier: MIT */
/*
 * Memory for weights: aligned for the widest vectors, zero, and in huge pages where it is large, so
 * that rows scattered over tens of megabytes do not miss the address cache each time.
 */
#ifndef PLYNNUE_MEMORY_H
#define PLYNNUE_MEMORY_H

#include <stddef.h>

#define MEMORY_ALIGNMENT 64

/* Zeroed bytes at a multiple of MEMORY_ALIGNMENT; NULL when there are none. memory_free frees. */
void *memory_new(size_t size);
/* NULL is allowed. */
void memory_free(void *memory);

/* size rounded up so that what follows it is aligned. */
static inline size_t memory_align(size_t size)
{
    return (size + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

#endif
