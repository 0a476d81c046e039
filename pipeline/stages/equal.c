/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/equal.h"

#include <stdlib.h>
#include <string.h>

int equal_init(struct equal *equal, uint64_t samples, struct error *err)
{
    *equal = (struct equal){.capacity = (size_t)samples};
    equal->items = calloc(equal->capacity + 1, sizeof *equal->items);
    equal->next = calloc(equal->capacity + 1, sizeof *equal->next);
    equal->first = calloc(equal->capacity + 1, sizeof *equal->first);
    return equal->items && equal->next && equal->first ? 0 : error_memory(err);
}

void equal_free(struct equal *equal)
{
    free(equal->items);
    free(equal->next);
    free(equal->first);
    *equal = (struct equal){0};
}

void equal_add(struct equal *equal, int64_t sample, const uint8_t key[LABELKEY_SIZE])
{
    struct equal_item *item = &equal->items[equal->count++];
    memcpy(item->key, key, LABELKEY_SIZE);
    item->sample = sample;
}

static int compare(const void *a, const void *b)
{
    const struct equal_item *one = a, *other = b;
    int order = memcmp(one->key, other->key, LABELKEY_SIZE);
    return order != 0 ? order : (one->sample > other->sample) - (one->sample < other->sample);
}

void equal_link(struct equal *equal)
{
    qsort(equal->items, equal->count, sizeof *equal->items, compare);
    for (size_t i = 0; i < equal->count; i++) {
        int64_t sample = equal->items[i].sample;
        if (i > 0 && memcmp(equal->items[i].key, equal->items[i - 1].key, LABELKEY_SIZE) == 0) {
            int64_t before = equal->items[i - 1].sample;
            equal->first[sample] = equal->first[before];
            equal->next[before] = sample;
            equal->saved++;
        } else {
            equal->first[sample] = sample;
        }
    }
}
