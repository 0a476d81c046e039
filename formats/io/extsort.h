/* SPDX-License-Identifier: MIT */
/*
 * Sorting on disk: items of a key and data, given in any order and number, come back in the order
 * of their keys (bytes compared as unsigned, a shorter key before its extensions; equal keys: the
 * data decides likewise, so the order of input never shows). Memory is bounded; what exceeds it is
 * spilled as sorted runs into unlinked temporary files of the given folder and merged. The result
 * is the same for any memory size.
 */
#ifndef PLYMILL_FORMATS_IO_EXTSORT_H
#define PLYMILL_FORMATS_IO_EXTSORT_H

#include <stddef.h>
#include <stdint.h>

#include "formats/io/error.h"

#define EXTSORT_ITEM_MAX (16u << 20) /* cap on key and data together */

struct extsort;

struct extsort_item {
    const uint8_t *key, *data; /* valid until the next call */
    uint32_t key_size, data_size;
};

/* directory: for the runs; memory: bytes to hold before spilling (at least 1 MiB is used). */
int extsort_new(const char *directory, size_t memory, struct extsort **sorter, struct error *err);
/*
 * Before the first item: a second thread makes the runs, in half of the memory, while more is added
 * to the other half. The result is the same.
 */
void extsort_use_thread(struct extsort *sorter);
int extsort_add(struct extsort *sorter, const struct extsort_item *item, struct error *err);
/* No more items: call once, then extsort_next until it returns 0. */
int extsort_finish(struct extsort *sorter, struct error *err);
/* 1 with *item filled, 0 at the end, -1 on an error. */
int extsort_next(struct extsort *sorter, struct extsort_item *item, struct error *err);
void extsort_free(struct extsort *sorter);

#endif
