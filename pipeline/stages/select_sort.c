/* SPDX-License-Identifier: MIT */
/*
 * The second part of the stage select: what only shows when samples stand beside others. Two
 * external sorts, or three with filter.per_opening, each in bounded memory.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/draw.h"
#include "formats/io/bytes.h"
#include "pipeline/stages/select_internal.h"
#include "pipeline/stages/select_item.h"

int select_add_candidate(struct select_stage *stage, const struct position *position,
                         unsigned split, const uint8_t order[REPEATS_ORDER_SIZE],
                         const uint8_t encoded[RECORD_SIZE], struct error *err)
{
    uint8_t key[REPEATS_KEY_SIZE];
    repeats_key(stage->repeats, position, split, order, key);
    const struct extsort_item item = {
        .key = key, .key_size = sizeof key, .data = encoded, .data_size = select_trim(encoded)};
    return extsort_add(stage->candidates, &item, err);
}

typedef int item_function(struct select_stage *stage, void *context,
                          const struct extsort_item *item, struct error *err);

static int each_item(struct select_stage *stage, struct extsort *sorter, item_function *function,
                     void *context, struct error *err)
{
    struct extsort_item item;
    int status = extsort_finish(sorter, err);
    while (status == 0 && (status = extsort_next(sorter, &item, err)) == 1) {
        status = build_check_stop(stage->build, err);
        if (status == 0)
            status = function(stage, context, &item, err);
    }
    return status;
}

struct opening_run {
    uint8_t opening[8];
    int64_t count; /* items of it so far */
};

/* Of each opening those with the smallest draws go on. */
static int cap_opening(struct select_stage *stage, void *context, const struct extsort_item *item,
                       struct error *err)
{
    struct opening_run *run = context;
    struct record record;
    uint8_t encoded[RECORD_SIZE];
    if (memcmp(run->opening, item->key, sizeof run->opening) != 0)
        run->count = 0;
    memcpy(run->opening, item->key, sizeof run->opening);
    uint8_t split = item->data[0];
    if (split >= BUILD_SPLITS || select_untrim(item->data + 1, item->data_size - 1, encoded) < 0 ||
        record_decode(encoded, &record) < 0)
        return select_damaged(err);
    if (++run->count > stage->per_opening) {
        stage->fates[split][FATE_OPENING]++;
        return 0;
    }
    return select_add_candidate(stage, &record.position, split, item->key + sizeof run->opening,
                                encoded, err);
}

/* To its place in the shuffle. */
static int shuffle_item(struct select_stage *stage, const struct extsort_item *candidate,
                        struct error *err)
{
    uint8_t key[SELECT_SHUFFLE_KEY_SIZE];
    key[0] = (uint8_t)repeats_split(candidate->key);
    memcpy(key + 1, repeats_order(stage->repeats, candidate->key), REPEATS_ORDER_SIZE);
    if (stage->by_game) {
        char game_id[GAMEID_MAX];
        select_order_game(key + 1, game_id);
        bytes_put_be64(key + 1, draw_game(DRAW_SHUFFLE, game_id, stage->shuffle_seed));
    }
    const struct extsort_item item = {.key = key,
                                      .key_size = sizeof key,
                                      .data = candidate->data,
                                      .data_size = candidate->data_size};
    return extsort_add(stage->shuffled, &item, err);
}

static int judge_repeat(struct select_stage *stage, void *context, const struct extsort_item *item,
                        struct error *err)
{
    enum fate fate;
    (void)context;
    if (item->key_size != REPEATS_KEY_SIZE)
        return select_damaged(err);
    if (repeats_judge(stage->repeats, item->key, &fate, err) < 0)
        return -1;
    stage->fates[repeats_split(item->key)][fate]++;
    return fate == FATE_KEPT ? shuffle_item(stage, item, err) : 0;
}

int select_sort(struct select_stage *stage, struct error *err)
{
    struct opening_run run = {.count = 0};
    if (stage->openings && each_item(stage, stage->openings, cap_opening, &run, err) < 0)
        return -1;
    extsort_free(stage->openings);
    stage->openings = NULL;
    if (each_item(stage, stage->candidates, judge_repeat, NULL, err) < 0)
        return -1;
    repeats_finish(stage->repeats, &stage->before, &stage->after);
    extsort_free(stage->candidates);
    stage->candidates = NULL;
    return extsort_finish(stage->shuffled, err);
}
