/* SPDX-License-Identifier: MIT */
/*
 * See train_window.h.
 */
#include "nnue/tools/train_window.h"

#include <stdlib.h>

#include "nnue/tools/train_position.h"

/* Beside whole blocks a window has the end of one, the begin of one, and the set's last, a short
 * one.
 */
enum { STRETCHES_PARTIAL = 3 };

/* Neighbours of a set that stand in a window from place `to` on. */
struct stretch {
    uint64_t from;
    uint32_t to, count;
    int fault; /* errno of reading them */
};

struct stretches {
    struct stretch *items; /* [capacity / TRAIN_BLOCK + STRETCHES_PARTIAL] */
    size_t count, positions;
};

struct train_window {
    struct workers *workers;
    size_t most, batch;
    uint8_t *positions;           /* [capacity][TRAIN_POSITION_SIZE] */
    uint32_t *order;              /* [capacity] */
    uint32_t *blocks;             /* of the largest set, in order of the pass */
    struct stretches now, coming; /* of the window at hand; of the one behind it */
    /* The pass: */
    const struct train_set *set;
    bool drawn;
    struct rng rng;
    size_t length;                       /* of its windows, but the last */
    uint64_t done;                       /* positions of windows before the one at hand */
    uint64_t block_count, block, offset; /* where the coming window begins */
};

static int stretches_new(struct stretches *stretches, size_t capacity)
{
    stretches->items = calloc(capacity / TRAIN_BLOCK + STRETCHES_PARTIAL, sizeof *stretches->items);
    return stretches->items ? 0 : -1;
}

int train_window_new(uint64_t largest, size_t most, size_t batch, struct workers *workers,
                     struct train_window **out, struct error *err)
{
    struct train_window *window = calloc(1, sizeof *window);
    const size_t capacity = largest < most ? (size_t)largest : most;
    *out = window;
    if (!window)
        return error_memory(err);
    window->workers = workers;
    window->most = most;
    window->batch = batch;
    window->positions = malloc((capacity + 1) * TRAIN_POSITION_SIZE);
    window->order = calloc(capacity + 1, sizeof *window->order);
    window->blocks = calloc(largest / TRAIN_BLOCK + 1, sizeof *window->blocks);
    if (window->positions && window->order && window->blocks &&
        !stretches_new(&window->now, capacity) && !stretches_new(&window->coming, capacity))
        return 0;
    train_window_free(window);
    *out = NULL;
    return error_memory(err);
}

void train_window_free(struct train_window *window)
{
    if (!window)
        return;
    free(window->positions);
    free(window->order);
    free(window->blocks);
    free(window->now.items);
    free(window->coming.items);
    free(window);
}

/* The numbers below count, in an order that is drawn. */
static void draw_order(struct rng *rng, uint32_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t j = rng_below(rng, (uint32_t)i + 1);
        order[i] = order[j];
        order[j] = (uint32_t)i;
    }
}

/* Whatever of the blocks comes next, up to a window. */
static void cut_coming(struct train_window *window)
{
    const uint64_t all = train_set_count(window->set);
    struct stretches *coming = &window->coming;
    coming->count = coming->positions = 0;
    while (window->block < window->block_count && coming->positions < window->length) {
        const uint64_t begin = (uint64_t)window->blocks[window->block] * TRAIN_BLOCK;
        const uint64_t size = all - begin < TRAIN_BLOCK ? all - begin : TRAIN_BLOCK;
        const uint64_t left = size - window->offset, room = window->length - coming->positions;
        const uint32_t take = (uint32_t)(left < room ? left : room);
        coming->items[coming->count++] =
            (struct stretch){begin + window->offset, (uint32_t)coming->positions, take, 0};
        train_set_announce(window->set, begin + window->offset, take);
        coming->positions += take;
        window->offset += take;
        if (window->offset == size) {
            window->block++;
            window->offset = 0;
        }
    }
}

void train_window_begin(struct train_window *window, const struct train_set *set,
                        const struct rng *rng)
{
    const uint64_t all = train_set_count(set);
    const bool whole = all <= window->most;
    window->set = set;
    window->drawn = rng != NULL;
    if (rng)
        window->rng = *rng;
    window->length = whole ? (size_t)all : window->most - window->most % window->batch;
    window->done = window->block = window->offset = 0;
    window->block_count = (all + TRAIN_BLOCK - 1) / TRAIN_BLOCK;
    window->now.positions = 0;
    if (rng && !whole)
        draw_order(&window->rng, window->blocks, window->block_count);
    else
        for (uint32_t i = 0; i < window->block_count; i++)
            window->blocks[i] = i;
    cut_coming(window);
}

static void read_stretch(void *context, size_t i)
{
    struct train_window *window = context;
    struct stretch *stretch = &window->now.items[i];
    stretch->fault = train_set_read(window->set, stretch->from, stretch->count,
                                    window->positions + (size_t)stretch->to * TRAIN_POSITION_SIZE);
}

int train_window_next(struct train_window *window, struct train_data *data, struct error *err)
{
    struct stretches behind = window->now;
    window->done += behind.positions;
    window->now = window->coming;
    window->coming = behind;
    if (!window->now.positions)
        return 0;
    workers_run(window->workers, window->now.count, read_stretch, window);
    for (size_t i = 0; i < window->now.count; i++)
        if (window->now.items[i].fault)
            return error_system(err, window->now.items[i].fault,
                                "cannot read training positions back from their scratch file");
    cut_coming(window);
    if (window->drawn)
        draw_order(&window->rng, window->order, window->now.positions);
    data->positions = window->positions;
    data->count = window->now.positions;
    data->first = window->done;
    return 1;
}

const uint32_t *train_window_order(const struct train_window *window)
{
    return window->order;
}
