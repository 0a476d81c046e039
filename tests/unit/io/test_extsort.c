/* SPDX-License-Identifier: MIT */
/*
 * Sorting on disk against qsort over the same items, with little and with much memory.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "formats/io/extsort.h"

#define ITEMS        200000
#define KEY_MAX      12
#define MEMORY_LARGE ((size_t)1 << 30)

struct plain_item {
    uint32_t key_size, data_size;
    uint8_t key[KEY_MAX], data[KEY_MAX];
};

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Short keys over few letters, so that ties, prefixes and zero bytes are many. */
static struct plain_item *random_items(size_t count)
{
    struct plain_item *items = calloc(count, sizeof *items);
    assert_non_null(items);
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < count; i++) {
        items[i].key_size = (uint32_t)(random_next(&state) % (KEY_MAX + 1));
        items[i].data_size = (uint32_t)(random_next(&state) % (KEY_MAX + 1));
        for (unsigned k = 0; k < items[i].key_size; k++)
            items[i].key[k] = (uint8_t)(random_next(&state) % 4 * 85);
        for (unsigned k = 0; k < items[i].data_size; k++)
            items[i].data[k] = (uint8_t)random_next(&state);
    }
    return items;
}

static int order_bytes(const uint8_t *a, uint32_t a_size, const uint8_t *b, uint32_t b_size)
{
    for (uint32_t i = 0; i < a_size && i < b_size; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return a_size == b_size ? 0 : a_size < b_size ? -1 : 1;
}

static int order_items(const void *left, const void *right)
{
    const struct plain_item *a = left, *b = right;
    int order = order_bytes(a->key, a->key_size, b->key, b->key_size);
    return order != 0 ? order : order_bytes(a->data, a->data_size, b->data, b->data_size);
}

static struct extsort *sorter_with(const struct plain_item *items, size_t count, size_t memory,
                                   bool thread)
{
    struct extsort *sorter;
    struct error err = {0};
    assert_int_equal(extsort_new("/tmp", memory, &sorter, &err), 0);
    if (thread)
        extsort_use_thread(sorter);
    for (size_t i = 0; i < count; i++) {
        struct extsort_item item = {items[i].key, items[i].data, items[i].key_size,
                                    items[i].data_size};
        assert_int_equal(extsort_add(sorter, &item, &err), 0);
    }
    assert_int_equal(extsort_finish(sorter, &err), 0);
    return sorter;
}

static void check_sorted(struct extsort *sorter, const struct plain_item *sorted, size_t count)
{
    struct extsort_item item;
    struct error err = {0};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(extsort_next(sorter, &item, &err), 1);
        assert_int_equal(item.key_size, sorted[i].key_size);
        assert_int_equal(item.data_size, sorted[i].data_size);
        assert_memory_equal(item.key, sorted[i].key, item.key_size);
        assert_memory_equal(item.data, sorted[i].data, item.data_size);
    }
    assert_int_equal(extsort_next(sorter, &item, &err), 0);
    assert_int_equal(extsort_next(sorter, &item, &err), 0);
}

static void sorts_like_qsort_in_any_memory(void **state)
{
    (void)state;
    struct plain_item *items = random_items(ITEMS);
    static const size_t memories[] = {0, 3 << 20, MEMORY_LARGE}; /* 0: the smallest there is */
    struct extsort *sorters[6];
    for (size_t i = 0; i < 6; i++)
        sorters[i] = sorter_with(items, ITEMS, memories[i / 2], i % 2);
    qsort(items, ITEMS, sizeof *items, order_items);
    for (size_t i = 0; i < 6; i++) {
        check_sorted(sorters[i], items, ITEMS);
        extsort_free(sorters[i]);
    }
    free(items);
}

/* 40 MiB in 1 MiB: more runs than one merge takes (16 at that memory), so passes are needed. */
static void sort_in_passes(bool thread)
{
    enum { COUNT = 40 << 10, SIZE = 1 << 10 };
    struct extsort *sorter;
    struct error err = {0};
    assert_int_equal(extsort_new("/tmp", 1 << 20, &sorter, &err), 0);
    if (thread)
        extsort_use_thread(sorter);
    uint8_t data[SIZE] = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t number = (i * 25717u) % COUNT; /* 25717 is prime to COUNT */
        uint8_t key[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                          (uint8_t)number};
        memcpy(data + 500, key, 4);
        struct extsort_item item = {key, data, 4, SIZE};
        assert_int_equal(extsort_add(sorter, &item, &err), 0);
    }
    assert_int_equal(extsort_finish(sorter, &err), 0);
    struct extsort_item item;
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(extsort_next(sorter, &item, &err), 1);
        uint8_t key[4] = {(uint8_t)(i >> 24), (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
        assert_memory_equal(item.key, key, 4);
        assert_memory_equal(item.data + 500, key, 4);
    }
    assert_int_equal(extsort_next(sorter, &item, &err), 0);
    extsort_free(sorter);
}

static void sorts_in_several_passes(void **state)
{
    (void)state;
    sort_in_passes(false);
    sort_in_passes(true);
}

/* The cap on an item, in less memory than it needs, and one byte past it. */
static void takes_items_up_to_the_cap(void **state)
{
    (void)state;
    struct extsort *sorter;
    struct error err = {0};
    uint8_t *data = calloc(1, EXTSORT_ITEM_MAX);
    assert_non_null(data);
    assert_int_equal(extsort_new("/tmp", 0, &sorter, &err), 0);
    for (uint8_t i = 3; i-- > 0;) {
        uint8_t key = i;
        data[EXTSORT_ITEM_MAX - 2] = i;
        struct extsort_item item = {&key, data, 1, EXTSORT_ITEM_MAX - 1};
        assert_int_equal(extsort_add(sorter, &item, &err), 0);
        item.data_size++;
        assert_int_equal(extsort_add(sorter, &item, &err), -1);
    }
    assert_int_equal(extsort_finish(sorter, &err), 0);
    struct extsort_item item;
    for (uint8_t i = 0; i < 3; i++) {
        assert_int_equal(extsort_next(sorter, &item, &err), 1);
        assert_int_equal(item.key[0], i);
        assert_int_equal(item.data_size, EXTSORT_ITEM_MAX - 1);
        assert_int_equal(item.data[EXTSORT_ITEM_MAX - 2], i);
    }
    assert_int_equal(extsort_next(sorter, &item, &err), 0);
    extsort_free(sorter);
    free(data);
}

static void an_empty_sort_ends_at_once(void **state)
{
    (void)state;
    for (int thread = 0; thread < 2; thread++) {
        struct extsort *sorter = sorter_with(NULL, 0, 0, thread);
        check_sorted(sorter, NULL, 0);
        extsort_free(sorter);
    }
}

static void a_missing_folder_is_named(void **state)
{
    (void)state;
    struct extsort *sorter;
    struct error err = {0};
    assert_int_equal(extsort_new("/nonexistent-folder", 0, &sorter, &err), 0);
    uint8_t *data = calloc(1, 1 << 20);
    struct extsort_item item = {data, data, 4, 600 << 10};
    assert_int_equal(extsort_add(sorter, &item, &err), 0);
    assert_int_equal(extsort_add(sorter, &item, &err), -1);
    assert_non_null(strstr(err.text, "/nonexistent-folder"));
    extsort_free(sorter);
    free(data);
}

/* Files may grow to 1 MB only, as on a full disk; the error comes with a later call, or the end. */
static int fill_with_limit(bool thread, struct error *err)
{
    struct extsort *sorter;
    uint8_t *data = calloc(1, 100 << 10);
    assert_int_equal(extsort_new("/tmp", 1 << 20, &sorter, err), 0);
    if (thread)
        extsort_use_thread(sorter);
    int status = 0;
    for (uint8_t i = 0; i < 100 && status == 0; i++) {
        struct extsort_item item = {&i, data, 1, 100 << 10};
        status = extsort_add(sorter, &item, err);
    }
    if (status == 0)
        status = extsort_finish(sorter, err);
    extsort_free(sorter);
    free(data);
    return status;
}

static void a_run_that_cannot_be_written(void **state)
{
    (void)state;
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){1000000, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct error err[2] = {{0}};
    int status[2];
    for (int thread = 0; thread < 2; thread++)
        status[thread] = fill_with_limit(thread, &err[thread]);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    for (int thread = 0; thread < 2; thread++) {
        assert_int_equal(status[thread], -1);
        assert_string_equal(err[thread].text, "/tmp: temporary file: File too large");
    }
}

/* What is given up while the second thread writes. */
static void a_sort_that_is_given_up(void **state)
{
    (void)state;
    struct plain_item *items = random_items(ITEMS);
    struct extsort *sorter;
    struct error err = {0};
    assert_int_equal(extsort_new("/tmp", 0, &sorter, &err), 0);
    extsort_use_thread(sorter);
    for (size_t i = 0; i < ITEMS; i++) {
        struct extsort_item item = {items[i].key, items[i].data, items[i].key_size,
                                    items[i].data_size};
        assert_int_equal(extsort_add(sorter, &item, &err), 0);
    }
    extsort_free(sorter);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_like_qsort_in_any_memory),
        cmocka_unit_test(sorts_in_several_passes),
        cmocka_unit_test(takes_items_up_to_the_cap),
        cmocka_unit_test(an_empty_sort_ends_at_once),
        cmocka_unit_test(a_missing_folder_is_named),
        cmocka_unit_test(a_run_that_cannot_be_written),
        cmocka_unit_test(a_sort_that_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
