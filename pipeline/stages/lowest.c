/* SPDX-License-Identifier: MIT */
/*
 * Entries are gathered to twice the number that is wanted, then sorted, freed of repetitions and
 * cut: a sort for every `count` additions, and half of the memory is the room for that.
 */
#include "pipeline/stages/lowest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024

struct entry {
    uint64_t draw;
    char game_id[GAMEID_MAX];
};

struct lowest {
    uint64_t count; /* wanted */
    size_t used, capacity;
    struct entry *entries;
    bool bounded; /* last is the highest that is admitted */
    struct entry last;
};

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->draw != y->draw)
        return x->draw < y->draw ? -1 : 1;
    return strcmp(x->game_id, y->game_id);
}

static struct entry entry_of(uint64_t draw, const char *game_id)
{
    struct entry entry = {.draw = draw};
    memcpy(entry.game_id, game_id, strnlen(game_id, GAMEID_MAX - 1));
    return entry;
}

int lowest_new(uint64_t count, struct lowest **out, struct error *err)
{
    struct lowest *lowest = calloc(1, sizeof *lowest);
    if (!lowest)
        return error_memory(err);
    lowest->count = count;
    *out = lowest;
    return 0;
}

void lowest_free(struct lowest *lowest)
{
    if (lowest)
        free(lowest->entries);
    free(lowest);
}

bool lowest_admits(const struct lowest *lowest, uint64_t draw, const char *game_id)
{
    struct entry entry = entry_of(draw, game_id);
    return !lowest->bounded || compare(&entry, &lowest->last) <= 0;
}

void lowest_finish(struct lowest *lowest)
{
    size_t kept = 0;
    if (lowest->used > 0)
        qsort(lowest->entries, lowest->used, sizeof *lowest->entries, compare);
    for (size_t i = 0; i < lowest->used && kept < lowest->count; i++)
        if (kept == 0 || compare(&lowest->entries[kept - 1], &lowest->entries[i]) != 0)
            lowest->entries[kept++] = lowest->entries[i];
    lowest->used = kept;
    lowest->bounded = kept == lowest->count;
    if (lowest->bounded)
        lowest->last = lowest->entries[kept - 1];
}

static int grow(struct lowest *lowest, struct error *err)
{
    size_t capacity = lowest->capacity ? 2 * lowest->capacity : FIRST_CAPACITY;
    struct entry *entries = realloc(lowest->entries, capacity * sizeof *entries);
    if (!entries)
        return error_memory(err);
    lowest->entries = entries;
    lowest->capacity = capacity;
    return 0;
}

int lowest_add(struct lowest *lowest, uint64_t draw, const char *game_id, struct error *err)
{
    if (!lowest_admits(lowest, draw, game_id))
        return 0;
    if (lowest->used >= FIRST_CAPACITY && lowest->used >= 2 * lowest->count)
        lowest_finish(lowest);
    if (lowest->used == lowest->capacity && grow(lowest, err) < 0)
        return -1;
    lowest->entries[lowest->used++] = entry_of(draw, game_id);
    return 0;
}

void lowest_rank(uint64_t draw, const char *game_id, char rank[LOWEST_RANK_SIZE])
{
    (void)snprintf(rank, LOWEST_RANK_SIZE, "%016" PRIx64 "%s", draw, game_id);
}

bool lowest_last_rank(const struct lowest *lowest, char rank[LOWEST_RANK_SIZE])
{
    if (lowest->bounded)
        lowest_rank(lowest->last.draw, lowest->last.game_id, rank);
    return lowest->bounded;
}
