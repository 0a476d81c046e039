/* SPDX-License-Identifier: MIT */
/*
 * The positions of a step, see train_batch.h.
 */
#include "nnue/tools/train_batch.h"

#include <stdlib.h>

#include "nnue/tools/rng.h"
#include "nnue/tools/train_features.h"
#include "nnue/tools/train_position.h"

enum { DRAW_FLIP = 1, DRAW_MIRROR = 2, DRAW_KEY_SHIFT = 32, AHEAD = 12 };

int train_batch_new(const struct train_arch *arch, size_t capacity, struct train_batch *batch,
                    struct error *err)
{
    size_t chunks = capacity / TRAIN_CHUNK + arch->heads + 1;
    *batch = (struct train_batch){.views = arch->views, .capacity = capacity};
    batch->index = calloc(capacity, sizeof *batch->index);
    batch->dropout = calloc(capacity, sizeof *batch->dropout);
    batch->targets = calloc(capacity, sizeof *batch->targets);
    batch->rows = calloc(capacity * arch->views * TRAIN_ROWS_MAX, sizeof *batch->rows);
    batch->row_counts = calloc(capacity, sizeof *batch->row_counts);
    batch->chunks = calloc(chunks, sizeof *batch->chunks);
    if (batch->index && batch->dropout && batch->targets && batch->rows && batch->row_counts &&
        batch->chunks)
        return 0;
    return error_memory(err);
}

void train_batch_free(struct train_batch *batch)
{
    free(batch->index);
    free(batch->dropout);
    free(batch->targets);
    free(batch->rows);
    free(batch->row_counts);
    free(batch->chunks);
    *batch = (struct train_batch){0};
}

static void cut_chunks(struct train_batch *batch, unsigned head, size_t begin, size_t end)
{
    for (; begin < end; begin += TRAIN_CHUNK) {
        size_t left = end - begin;
        batch->chunks[batch->chunk_count++] = (struct train_chunk){
            (uint32_t)begin, (uint32_t)(left < TRAIN_CHUNK ? left : TRAIN_CHUNK), head};
    }
}

static uint32_t index_of(const uint32_t *order, size_t begin, size_t i)
{
    return order ? order[i] : (uint32_t)(begin + i);
}

static unsigned head_of(const struct train_arch *arch, const struct train_data *data,
                        uint32_t index)
{
    if (arch->heads == 1)
        return 0;
    return train_features_head(
        arch, train_position_pieces(data->positions + (size_t)index * TRAIN_POSITION_SIZE));
}

/* A counting sort: within a head positions stay in the order that they are taken in. */
void train_batch_take(struct train_batch *batch, const struct train_arch *arch,
                      const struct train_data *data, const uint32_t *order, size_t begin,
                      size_t count)
{
    size_t places[PLYNNUE_PIECES_MAX] = {0}, place = 0; /* heads differ by their pieces */
    batch->count = count;
    batch->chunk_count = 0;
    for (size_t i = 0; i < count; i++)
        places[head_of(arch, data, index_of(order, begin, i))]++;
    for (unsigned head = 0; head < arch->heads; head++) {
        const size_t first = place;
        place += places[head];
        places[head] = first;
        cut_chunks(batch, head, first, place);
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = index_of(order, begin, i);
        batch->index[places[head_of(arch, data, index)]++] = index;
    }
}

static void fill_place(struct train_batch *batch, const struct train_arch *arch,
                       const struct train_data *data, const struct train_view *view, size_t place)
{
    uint32_t index = batch->index[place];
    /* a number of the epoch's stream by its place there: no position waits for another */
    struct rng rng = {view->key + (data->first + index) * UINT64_C(0x9E3779B97F4A7C15)};
    uint64_t draw = rng_next(&rng);
    bool flip = view->flip && (draw & DRAW_FLIP), mirror = view->mirror && (draw & DRAW_MIRROR);
    struct sample sample;
    train_position_unpack(data->positions + (size_t)index * TRAIN_POSITION_SIZE, &sample);
    const double target = train_target_of(&data->target, &sample);
    bool turned = arch->views == 1 ? flip : !sample_white_moves(&sample);
    batch->dropout[place] = (uint32_t)(draw >> DRAW_KEY_SHIFT);
    batch->targets[place] = turned ? 1 - target : target;
    batch->row_counts[place] = (uint8_t)train_features_fill(
        arch, &sample, flip, mirror, batch->rows + place * batch->views * TRAIN_ROWS_MAX);
}

/* Positions are drawn from everywhere: memory is asked for them before they are needed. */
static void fetch(const struct train_data *data, uint32_t index)
{
    const uint8_t *position = data->positions + (size_t)index * TRAIN_POSITION_SIZE;
    __builtin_prefetch(position);
    __builtin_prefetch(position + TRAIN_POSITION_SIZE - 1);
}

void train_batch_fill(struct train_batch *batch, const struct train_arch *arch,
                      const struct train_data *data, const struct train_view *view, size_t chunk)
{
    size_t first = batch->chunks[chunk].first, end = first + batch->chunks[chunk].count;
    for (size_t place = first; place < end; place++) {
        if (place + AHEAD < end)
            fetch(data, batch->index[place + AHEAD]);
        fill_place(batch, arch, data, view, place);
    }
}
