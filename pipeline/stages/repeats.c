/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/repeats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/bytes.h"

#define AT_RANK    POSKEY_BOARD_SIZE
#define AT_BOARD   (AT_RANK + 1)
#define BOARD_SIZE (POSKEY_NESTED_BOARD_SIZE - POSKEY_BOARD_SIZE)
#define BEHIND     (AT_BOARD + BOARD_SIZE) /* clock and order, or order and clock */
#define CLOCK_SIZE (POSKEY_NESTED_SIZE - POSKEY_NESTED_BOARD_SIZE)
#define CLOCK_BITS (8 * CLOCK_SIZE)

/* Rights and clock that a board of the group was met with, and in which splits (bits). */
struct kind {
    uint64_t which; /* the bytes that tell boards apart, then the clock */
    uint8_t met, kept;
};

struct repeats {
    enum repeat_key duplicates, leaks; /* REPEAT_NONE: are kept */
    size_t same;                       /* bytes of the key that make duplicates */
    bool any;                          /* a key was judged */
    uint8_t last[REPEATS_KEY_SIZE];    /* the key before */
    struct kind *kinds;                /* of the group, in order of `which` */
    size_t count, capacity;
    struct repeat_counts before, after;
};

static const uint8_t rank_of_split[BUILD_SPLITS] = {0, 2, 1}; /* and the other way round */

static enum repeat_key key_from(const char *word)
{
    if (strcmp(word, "board") == 0)
        return REPEAT_BOARD;
    if (strcmp(word, "label-key") == 0)
        return REPEAT_LABEL;
    return strcmp(word, "leak") == 0 ? REPEAT_LEAK : REPEAT_NONE;
}

int repeats_new(const struct settings *settings, struct repeats **repeats, struct error *err)
{
    struct repeats *made = calloc(1, sizeof *made);
    *repeats = made;
    if (!made)
        return error_memory(err);
    made->duplicates = key_from(settings_string(settings, "split.duplicates"));
    made->leaks = REPEAT_NONE;
    if (strcmp(settings_string(settings, "split.leaks"), "keep") != 0)
        made->leaks = key_from(settings_string(settings, "split.leak_key"));
    made->same = BEHIND + (made->duplicates == REPEAT_LABEL ? CLOCK_SIZE : 0);
    return 0;
}

void repeats_free(struct repeats *repeats)
{
    if (repeats)
        free(repeats->kinds);
    free(repeats);
}

static size_t at_order(const struct repeats *repeats)
{
    return repeats->same;
}

static size_t at_clock(const struct repeats *repeats)
{
    return repeats->duplicates == REPEAT_LABEL ? BEHIND : BEHIND + REPEATS_ORDER_SIZE;
}

void repeats_key(const struct repeats *repeats, const struct position *position, unsigned split,
                 const uint8_t order[REPEATS_ORDER_SIZE], uint8_t key[REPEATS_KEY_SIZE])
{
    uint8_t nested[POSKEY_NESTED_SIZE];
    poskey_nested(position, nested);
    memcpy(key, nested, POSKEY_BOARD_SIZE);
    key[AT_RANK] = rank_of_split[split];
    memcpy(key + AT_BOARD, nested + POSKEY_BOARD_SIZE, BOARD_SIZE);
    memcpy(key + at_clock(repeats), nested + POSKEY_NESTED_BOARD_SIZE, CLOCK_SIZE);
    memcpy(key + at_order(repeats), order, REPEATS_ORDER_SIZE);
}

unsigned repeats_split(const uint8_t key[REPEATS_KEY_SIZE])
{
    return rank_of_split[key[AT_RANK] % BUILD_SPLITS];
}

const uint8_t *repeats_order(const struct repeats *repeats, const uint8_t key[REPEATS_KEY_SIZE])
{
    return key + at_order(repeats);
}

static void add_shared(struct repeat_counts *counts, enum repeat_key key, unsigned splits)
{
    if ((splits & (splits - 1)) == 0) /* one at most */
        return;
    counts->shared[key]++;
    for (unsigned split = 0; split < BUILD_SPLITS; split++)
        counts->each[key][split] += splits >> split & 1;
}

/* Which boards the i-th kind and those behind it with the same board were met as; the next board.
 */
static size_t sum_board(const struct repeats *repeats, size_t i, unsigned *met, unsigned *kept)
{
    uint64_t board = repeats->kinds[i].which >> CLOCK_BITS;
    *met = *kept = 0;
    for (; i < repeats->count && repeats->kinds[i].which >> CLOCK_BITS == board; i++) {
        *met |= repeats->kinds[i].met;
        *kept |= repeats->kinds[i].kept;
    }
    return i;
}

static void end_group(struct repeats *repeats)
{
    unsigned all_met = 0, all_kept = 0;
    for (size_t i = 0; i < repeats->count; i++) {
        add_shared(&repeats->before, REPEAT_LABEL, repeats->kinds[i].met);
        add_shared(&repeats->after, REPEAT_LABEL, repeats->kinds[i].kept);
    }
    for (size_t i = 0; i < repeats->count;) {
        unsigned met, kept;
        i = sum_board(repeats, i, &met, &kept);
        add_shared(&repeats->before, REPEAT_BOARD, met);
        add_shared(&repeats->after, REPEAT_BOARD, kept);
        all_met |= met;
        all_kept |= kept;
    }
    add_shared(&repeats->before, REPEAT_LEAK, all_met);
    add_shared(&repeats->after, REPEAT_LEAK, all_kept);
    repeats->count = 0;
}

static uint64_t which_of(const struct repeats *repeats, const uint8_t *key)
{
    const uint8_t *clock = key + at_clock(repeats);
    uint64_t board = bytes_get_be32(key + AT_BOARD);
    return board << CLOCK_BITS | bytes_get_u16(clock);
}

/* Where the first kind that is not below `which` stands. */
static size_t search(const struct repeats *repeats, uint64_t which)
{
    size_t low = 0, high = repeats->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (repeats->kinds[middle].which < which)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The kind of that name, made if need be; NULL when memory is short. */
static struct kind *find_kind(struct repeats *repeats, uint64_t which, struct error *err)
{
    size_t at = search(repeats, which);
    if (at < repeats->count && repeats->kinds[at].which == which)
        return &repeats->kinds[at];
    if (repeats->count == repeats->capacity) {
        size_t capacity = repeats->capacity > 0 ? 2 * repeats->capacity : 64;
        struct kind *kinds = realloc(repeats->kinds, capacity * sizeof *kinds);
        if (!kinds) {
            error_memory(err);
            return NULL;
        }
        repeats->kinds = kinds;
        repeats->capacity = capacity;
    }
    struct kind *kind = &repeats->kinds[at];
    memmove(kind + 1, kind, (repeats->count - at) * sizeof *kind);
    repeats->count++;
    *kind = (struct kind){.which = which};
    return kind;
}

/* In which splits is a position kept that the leak key calls the same? */
static unsigned kept_in(const struct repeats *repeats, const struct kind *kind)
{
    unsigned met, kept = 0;
    if (repeats->leaks == REPEAT_LABEL)
        return kind->kept;
    if (repeats->leaks == REPEAT_BOARD) {
        size_t first = search(repeats, kind->which >> CLOCK_BITS << CLOCK_BITS);
        (void)sum_board(repeats, first, &met, &kept);
        return kept;
    }
    for (size_t i = 0; i < repeats->count; i++)
        kept |= repeats->kinds[i].kept;
    return kept;
}

int repeats_judge(struct repeats *repeats, const uint8_t key[REPEATS_KEY_SIZE], enum fate *fate,
                  struct error *err)
{
    bool again = repeats->any && repeats->duplicates != REPEAT_NONE &&
                 memcmp(repeats->last, key, repeats->same) == 0;
    if (repeats->any && memcmp(repeats->last, key, POSKEY_BOARD_SIZE) != 0)
        end_group(repeats);
    repeats->any = true;
    memcpy(repeats->last, key, REPEATS_KEY_SIZE);
    struct kind *kind = find_kind(repeats, which_of(repeats, key), err);
    if (!kind)
        return -1;
    uint8_t own = (uint8_t)(1u << repeats_split(key));
    kind->met |= own;
    *fate = FATE_KEPT;
    if (again)
        *fate = FATE_DUPLICATE;
    else if (repeats->leaks != REPEAT_NONE && kept_in(repeats, kind) & ~(unsigned)own)
        *fate = FATE_LEAK;
    else
        kind->kept |= own;
    return 0;
}

void repeats_finish(struct repeats *repeats, struct repeat_counts *before,
                    struct repeat_counts *after)
{
    end_group(repeats);
    repeats->any = false;
    *before = repeats->before;
    *after = repeats->after;
}

void repeats_name(enum repeat_key key, bool after, bool each, char out[REPEATS_NAME_SIZE])
{
    (void)snprintf(out, REPEATS_NAME_SIZE, "%sin several splits: %s%s", after ? "left " : "",
                   repeats_text(key), each ? ", of each split" : "");
}

const char *repeats_text(enum repeat_key key)
{
    static const char *const texts[REPEAT_KEYS] = {
        [REPEAT_LABEL] = "label key", [REPEAT_BOARD] = "board key", [REPEAT_LEAK] = "leak key"};
    return texts[key];
}
