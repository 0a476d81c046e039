/* SPDX-License-Identifier: MIT */
/*
 * See extsort.h. Items are gathered in one block of memory: their bytes from its begin upwards, an
 * index of them from its end downwards. Where the two meet, the index is sorted and the items
 * become a run in a temporary file. All runs of one pass stand in one file behind each other, so
 * that the number of open files never grows. More runs than one merge may take are merged pass by
 * pass.
 *
 * With a second thread there are two blocks: one is filled while the other becomes a run.
 *
 *   item in block and file: key size u32, data size u32, key, data
 */
#include "formats/io/extsort.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/io/bytes.h"
#include "formats/io/fault.h"
#include "formats/io/fd.h"
#include "formats/io/file.h"
#include "formats/io/scratch.h"

#define EXTSORT_MEMORY_MIN  (1u << 20)
#define EXTSORT_FAN_IN_MAX  256
#define EXTSORT_RUN_BUFFER  (64u << 10)  /* per run in a merge; grows to the largest item */
#define EXTSORT_OUT_BUFFER  (256u << 10) /* when a run is written */
#define EXTSORT_HEADER_SIZE 8
#define EXTSORT_BLOCK_MIN   (256u << 10) /* what a new sorter holds before it grows */

/* Where an item stands in the block; the first bytes of its key decide most comparisons. */
struct index_entry {
    uint64_t prefix; /* big-endian, padded with zeros */
    uint64_t offset;
};

/* A sorted run: bytes [begin, end) of the file of its pass. */
struct run {
    uint64_t begin, end;
};

struct run_list {
    int fd; /* -1: no file yet */
    struct run *runs;
    size_t count, capacity;
    uint64_t size; /* of the file */
};

/* Reads one run from its begin to its end. */
struct cursor {
    int fd;
    uint64_t at, end; /* what is not in the buffer yet */
    uint8_t *buffer;
    size_t capacity, begin, filled;
    struct extsort_item item; /* the current one, in the buffer */
};

struct merge {
    struct cursor cursors[EXTSORT_FAN_IN_MAX];
    unsigned heap[EXTSORT_FAN_IN_MAX]; /* of cursors, the smallest item on top */
    unsigned opened, live;
};

struct output {
    int fd;
    uint8_t *buffer; /* EXTSORT_OUT_BUFFER */
    size_t used;
    uint64_t written;
};

struct block {
    uint8_t *bytes;
    size_t size;  /* a multiple of sizeof(struct index_entry) */
    size_t used;  /* bytes of items */
    size_t count; /* of items, and of index entries at the end of the block */
};

struct extsort {
    char *directory;
    size_t memory; /* of a block, sorting included */
    unsigned fan_in;
    struct block block; /* being filled */
    size_t next;        /* items given out, when nothing was spilled */
    bool threaded;      /* a second thread spills */
    bool spilling;      /* it does: the next four are its own until it is joined */
    pthread_t thread;
    struct block full; /* what it spills; else empty memory */
    int spill_status;
    struct error spill_error;
    struct run_list spilled;
    struct merge *merge; /* of the last pass, NULL when nothing was spilled */
    bool started;        /* the merge's top was given out and must move on */
};

static int compare_bytes(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    size_t common = a_size < b_size ? a_size : b_size;
    int order = common > 0 ? memcmp(a, b, common) : 0;
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

static int compare_items(const struct extsort_item *a, const struct extsort_item *b)
{
    int order = compare_bytes(a->key, a->key_size, b->key, b->key_size);
    return order != 0 ? order : compare_bytes(a->data, a->data_size, b->data, b->data_size);
}

/* The item at these bytes, which hold all of it. */
static void item_at(const uint8_t *bytes, struct extsort_item *item)
{
    item->key_size = bytes_get_u32(bytes);
    item->data_size = bytes_get_u32(bytes + 4);
    item->key = bytes + EXTSORT_HEADER_SIZE;
    item->data = item->key + item->key_size;
}

static size_t item_bytes(const struct extsort_item *item)
{
    return (size_t)EXTSORT_HEADER_SIZE + item->key_size + item->data_size;
}

static uint64_t key_prefix(const struct extsort_item *item)
{
    uint8_t padded[8] = {0};
    if (item->key_size > 0)
        memcpy(padded, item->key, item->key_size < 8 ? item->key_size : 8);
    return bytes_get_be64(padded);
}

/* A shorter key padded with zeros may tie with a longer one: then the bytes decide. */
static int compare_entries(const void *left, const void *right, void *block)
{
    const struct index_entry *a = left, *b = right;
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix ? -1 : 1;
    struct extsort_item x, y;
    item_at((const uint8_t *)block + a->offset, &x);
    item_at((const uint8_t *)block + b->offset, &y);
    return compare_items(&x, &y);
}

int extsort_new(const char *directory, size_t memory, struct extsort **sorter, struct error *err)
{
    *sorter = NULL;
    struct extsort *made = fault_malloc(sizeof *made);
    if (made == NULL)
        return error_memory(err);
    *made = (struct extsort){.spilled.fd = -1};
    made->memory = memory > EXTSORT_MEMORY_MIN ? memory : EXTSORT_MEMORY_MIN;
    made->memory -= made->memory % sizeof(struct index_entry);
    size_t runs = made->memory / EXTSORT_RUN_BUFFER;
    made->fan_in = runs < EXTSORT_FAN_IN_MAX ? (unsigned)runs : EXTSORT_FAN_IN_MAX;
    made->directory = file_name_format(err, "%s", directory);
    if (made->directory == NULL) {
        extsort_free(made);
        return -1;
    }
    *sorter = made;
    return 0;
}

void extsort_use_thread(struct extsort *sorter)
{
    sorter->threaded = true;
    sorter->memory /= 2;
    sorter->memory -= sorter->memory % sizeof(struct index_entry);
}

static void run_list_free(struct run_list *list)
{
    if (list->fd >= 0)
        close(list->fd);
    free(list->runs);
    *list = (struct run_list){.fd = -1};
}

static int run_list_add(struct run_list *list, struct run run, struct error *err)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        struct run *runs = fault_realloc(list->runs, capacity * sizeof *runs);
        if (runs == NULL)
            return error_memory(err);
        list->runs = runs;
        list->capacity = capacity;
    }
    list->runs[list->count++] = run;
    list->size = run.end;
    return 0;
}

static int output_flush(const struct extsort *sorter, struct output *output, struct error *err)
{
    if (fd_write_all(output->fd, output->buffer, output->used) < 0)
        return error_system(err, errno, "%s: temporary file", sorter->directory);
    output->used = 0;
    return 0;
}

static int output_write(const struct extsort *sorter, struct output *output, const uint8_t *bytes,
                        size_t size, struct error *err)
{
    output->written += size;
    while (size > 0) {
        size_t part = EXTSORT_OUT_BUFFER - output->used;
        if (part > size)
            part = size;
        memcpy(output->buffer + output->used, bytes, part);
        output->used += part;
        bytes += part;
        size -= part;
        if (output->used == EXTSORT_OUT_BUFFER && output_flush(sorter, output, err) < 0)
            return -1;
    }
    return 0;
}

/* Prepares to write a run behind the others of a list, whose file is made when there is none. */
static int output_open(const struct extsort *sorter, struct run_list *list, struct output *output,
                       struct error *err)
{
    if (list->fd < 0 && scratch_open(sorter->directory, "sort", &list->fd, err) < 0)
        return -1;
    *output = (struct output){.fd = list->fd};
    if (lseek(list->fd, (off_t)list->size, SEEK_SET) < 0)
        return error_system(err, errno, "%s: temporary file", sorter->directory);
    output->buffer = fault_malloc(EXTSORT_OUT_BUFFER);
    return output->buffer == NULL ? error_memory(err) : 0;
}

static struct index_entry *block_index(const struct block *block)
{
    return (struct index_entry *)(void *)(block->bytes + block->size) - block->count;
}

static void block_sort(const struct block *block)
{
    if (block->count > 1)
        qsort_r(block_index(block), block->count, sizeof(struct index_entry), compare_entries,
                block->bytes);
}

/* Sorts a block and writes it as one more run; it is empty then. */
static int block_write(struct extsort *sorter, struct block *block, struct error *err)
{
    struct output output = {.fd = -1};
    int status = -1;
    block_sort(block);
    const struct index_entry *index = block_index(block);
    if (output_open(sorter, &sorter->spilled, &output, err) < 0)
        goto out;
    for (size_t i = 0; i < block->count; i++) {
        const uint8_t *bytes = block->bytes + index[i].offset;
        struct extsort_item item;
        item_at(bytes, &item);
        if (output_write(sorter, &output, bytes, item_bytes(&item), err) < 0)
            goto out;
    }
    if (output_flush(sorter, &output, err) < 0)
        goto out;
    uint64_t begin = sorter->spilled.size;
    status = run_list_add(&sorter->spilled, (struct run){begin, begin + output.written}, err);
    block->count = block->used = 0;
out:
    free(output.buffer);
    return status;
}

static void *spill_thread(void *context)
{
    struct extsort *sorter = context;
    sorter->spill_status = block_write(sorter, &sorter->full, &sorter->spill_error);
    return NULL;
}

/* Until the second thread is done with what it has. */
static int spill_wait(struct extsort *sorter, struct error *err)
{
    if (!sorter->spilling)
        return 0;
    pthread_join(sorter->thread, NULL);
    sorter->spilling = false;
    if (sorter->spill_status < 0 && err != NULL)
        *err = sorter->spill_error;
    return sorter->spill_status;
}

/* Makes a run of what is held, or has the second thread make it. */
static int block_spill(struct extsort *sorter, struct error *err)
{
    if (spill_wait(sorter, err) < 0)
        return -1;
    if (!sorter->threaded)
        return block_write(sorter, &sorter->block, err);
    struct block empty = sorter->full;
    sorter->full = sorter->block;
    sorter->block = empty;
    sorter->spilling = pthread_create(&sorter->thread, NULL, spill_thread, sorter) == 0;
    return sorter->spilling ? 0 : block_write(sorter, &sorter->full, err);
}

static int block_grow(struct block *block, size_t size, struct error *err)
{
    size_t old_size = block->size, index_size = block->count * sizeof(struct index_entry);
    uint8_t *bytes = fault_realloc(block->bytes, size);
    if (bytes == NULL)
        return error_memory(err);
    if (index_size > 0)
        memmove(bytes + size - index_size, bytes + old_size - index_size, index_size);
    block->bytes = bytes;
    block->size = size;
    return 0;
}

/*
 * Makes room for size bytes: the block doubles up to the memory, then what it holds is spilled.
 * Sorting takes as much again as the index.
 */
static int block_reserve(struct extsort *sorter, size_t size, struct error *err)
{
    const size_t entry = sizeof(struct index_entry);
    for (;;) {
        struct block *block = &sorter->block;
        size_t index = (block->count + 1) * entry;
        size_t needed = block->used + size + index;
        if (needed + index > sorter->memory && block->count > 0) {
            if (block_spill(sorter, err) < 0)
                return -1;
            continue;
        }
        if (needed <= block->size)
            return 0;
        size_t grown = block->size > 0 ? 2 * block->size : EXTSORT_BLOCK_MIN;
        if (grown > sorter->memory)
            grown = sorter->memory;
        if (grown < needed) /* one large item */
            grown = (needed + entry - 1) / entry * entry;
        if (block_grow(block, grown, err) < 0)
            return -1;
    }
}

int extsort_add(struct extsort *sorter, const struct extsort_item *item, struct error *err)
{
    if (item->key_size > EXTSORT_ITEM_MAX || item->data_size > EXTSORT_ITEM_MAX - item->key_size)
        return error_set(err, ERROR_FAILED, "an item to sort is over %u bytes", EXTSORT_ITEM_MAX);
    size_t size = item_bytes(item);
    if (block_reserve(sorter, size, err) < 0)
        return -1;
    struct block *block = &sorter->block;
    uint8_t *bytes = block->bytes + block->used;
    bytes_put_u32(bytes, item->key_size);
    bytes_put_u32(bytes + 4, item->data_size);
    bytes += EXTSORT_HEADER_SIZE;
    if (item->key_size > 0)
        memcpy(bytes, item->key, item->key_size);
    if (item->data_size > 0)
        memcpy(bytes + item->key_size, item->data, item->data_size);
    block->count++;
    *block_index(block) = (struct index_entry){key_prefix(item), block->used};
    block->used += size;
    return 0;
}

/* Makes size bytes from begin on stand in the buffer. */
static int cursor_need(struct cursor *cursor, size_t size, struct error *err)
{
    size_t left = cursor->filled - cursor->begin;
    if (left >= size)
        return 0;
    if (size > cursor->capacity) {
        uint8_t *buffer = fault_realloc(cursor->buffer, size);
        if (buffer == NULL)
            return error_memory(err);
        cursor->buffer = buffer;
        cursor->capacity = size;
    }
    if (left > 0)
        memmove(cursor->buffer, cursor->buffer + cursor->begin, left);
    uint64_t rest = cursor->end - cursor->at;
    size_t part = cursor->capacity - left;
    if (part > rest)
        part = (size_t)rest;
    if (lseek(cursor->fd, (off_t)cursor->at, SEEK_SET) < 0)
        return error_system(err, errno, "temporary file");
    ssize_t got = fd_read_full(cursor->fd, cursor->buffer + left, part);
    if (got < 0)
        return error_system(err, errno, "temporary file");
    cursor->begin = 0;
    cursor->filled = left + (size_t)got;
    cursor->at += (uint64_t)got;
    if (cursor->filled < size)
        return error_set(err, ERROR_FAILED, "temporary file: it ends too early");
    return 0;
}

/* Moves on: 1 with cursor->item, 0 at the end of the run, -1. */
static int cursor_next(struct cursor *cursor, struct error *err)
{
    if (cursor->begin == cursor->filled && cursor->at == cursor->end)
        return 0;
    if (cursor_need(cursor, EXTSORT_HEADER_SIZE, err) < 0)
        return -1;
    item_at(cursor->buffer + cursor->begin, &cursor->item);
    size_t size = item_bytes(&cursor->item);
    if (size > EXTSORT_ITEM_MAX + EXTSORT_HEADER_SIZE)
        return error_set(err, ERROR_FAILED, "temporary file: damaged");
    if (cursor_need(cursor, size, err) < 0)
        return -1;
    item_at(cursor->buffer + cursor->begin, &cursor->item); /* the buffer may have moved */
    cursor->begin += size;
    return 1;
}

static bool heap_less(const struct merge *merge, unsigned a, unsigned b)
{
    return compare_items(&merge->cursors[merge->heap[a]].item,
                         &merge->cursors[merge->heap[b]].item) < 0;
}

static void heap_sift(struct merge *merge, unsigned at)
{
    for (;;) {
        unsigned least = at;
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2 && child < merge->live; child++)
            if (heap_less(merge, child, least))
                least = child;
        if (least == at)
            return;
        unsigned cursor = merge->heap[at];
        merge->heap[at] = merge->heap[least];
        merge->heap[least] = cursor;
        at = least;
    }
}

static void merge_free(struct merge *merge)
{
    if (merge == NULL)
        return;
    for (unsigned i = 0; i < merge->opened; i++)
        free(merge->cursors[i].buffer);
    free(merge);
}

static int merge_open(const struct run_list *list, size_t first, size_t count, struct merge **merge,
                      struct error *err)
{
    struct merge *made = fault_malloc(sizeof *made);
    *merge = made;
    if (made == NULL)
        return error_memory(err);
    made->opened = made->live = 0;
    for (size_t i = first; i < first + count; i++) {
        struct cursor *cursor = &made->cursors[made->opened++];
        *cursor = (struct cursor){.fd = list->fd, .at = list->runs[i].begin};
        cursor->end = list->runs[i].end;
        cursor->buffer = fault_malloc(EXTSORT_RUN_BUFFER);
        if (cursor->buffer == NULL)
            return error_memory(err);
        cursor->capacity = EXTSORT_RUN_BUFFER;
        int got = cursor_next(cursor, err);
        if (got < 0)
            return -1;
        if (got > 0)
            made->heap[made->live++] = made->opened - 1;
    }
    for (unsigned at = made->live / 2; at-- > 0;)
        heap_sift(made, at);
    return 0;
}

/* Moves the top on; the next smallest item comes up. */
static int merge_advance(struct merge *merge, struct error *err)
{
    int got = cursor_next(&merge->cursors[merge->heap[0]], err);
    if (got < 0)
        return -1;
    if (got == 0)
        merge->heap[0] = merge->heap[--merge->live];
    heap_sift(merge, 0);
    return 0;
}

/* Merges some runs of one pass into one run of the next. */
static int merge_group(const struct extsort *sorter, size_t first, size_t count,
                       struct run_list *into, struct error *err)
{
    struct output output = {.fd = -1};
    struct merge *merge = NULL;
    int status = -1;
    if (output_open(sorter, into, &output, err) < 0 ||
        merge_open(&sorter->spilled, first, count, &merge, err) < 0)
        goto out;
    while (merge->live > 0) {
        const struct extsort_item *item = &merge->cursors[merge->heap[0]].item;
        const uint8_t *bytes = item->key - EXTSORT_HEADER_SIZE;
        if (output_write(sorter, &output, bytes, item_bytes(item), err) < 0 ||
            merge_advance(merge, err) < 0)
            goto out;
    }
    if (output_flush(sorter, &output, err) < 0)
        goto out;
    status = run_list_add(into, (struct run){into->size, into->size + output.written}, err);
out:
    merge_free(merge);
    free(output.buffer);
    return status;
}

static int merge_pass(struct extsort *sorter, struct error *err)
{
    struct run_list next = {.fd = -1};
    for (size_t first = 0; first < sorter->spilled.count; first += sorter->fan_in) {
        size_t left = sorter->spilled.count - first;
        size_t count = left < sorter->fan_in ? left : sorter->fan_in;
        if (merge_group(sorter, first, count, &next, err) < 0) {
            run_list_free(&next);
            return -1;
        }
    }
    run_list_free(&sorter->spilled);
    sorter->spilled = next;
    return 0;
}

static void block_free(struct block *block)
{
    free(block->bytes);
    *block = (struct block){.bytes = NULL};
}

int extsort_finish(struct extsort *sorter, struct error *err)
{
    if (spill_wait(sorter, err) < 0)
        return -1;
    block_free(&sorter->full);
    if (sorter->spilled.count == 0) {
        block_sort(&sorter->block);
        return 0;
    }
    if (sorter->block.count > 0 && block_write(sorter, &sorter->block, err) < 0)
        return -1;
    block_free(&sorter->block);
    while (sorter->spilled.count > sorter->fan_in)
        if (merge_pass(sorter, err) < 0)
            return -1;
    return merge_open(&sorter->spilled, 0, sorter->spilled.count, &sorter->merge, err);
}

int extsort_next(struct extsort *sorter, struct extsort_item *item, struct error *err)
{
    if (sorter->merge == NULL) {
        const struct block *block = &sorter->block;
        if (sorter->next == block->count)
            return 0;
        item_at(block->bytes + block_index(block)[sorter->next++].offset, item);
        return 1;
    }
    if (sorter->started && sorter->merge->live > 0 && merge_advance(sorter->merge, err) < 0)
        return -1;
    sorter->started = true;
    if (sorter->merge->live == 0)
        return 0;
    *item = sorter->merge->cursors[sorter->merge->heap[0]].item;
    return 1;
}

void extsort_free(struct extsort *sorter)
{
    if (sorter == NULL)
        return;
    (void)spill_wait(sorter, NULL);
    merge_free(sorter->merge);
    run_list_free(&sorter->spilled);
    block_free(&sorter->block);
    block_free(&sorter->full);
    free(sorter->directory);
    free(sorter);
}
