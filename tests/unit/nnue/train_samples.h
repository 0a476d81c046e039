/* SPDX-License-Identifier: MIT */
/*
 * Positions for tests of training, labeled with what their material is worth, so that there is
 * something to learn.
 */
#ifndef PLYMILL_TESTS_UNIT_NNUE_TRAIN_SAMPLES_H
#define PLYMILL_TESTS_UNIT_NNUE_TRAIN_SAMPLES_H

#include "nnue/tools/playout.h"
#include "nnue/tools/train_batch.h"
#include "nnue/tools/train_position.h"
#include "nnue/tools/train_set.h"
#include "tests/unit/nnue/synthetic.h"

static inline struct samples material_samples(uint64_t seed, size_t count)
{
    static const int value[12] = {100, 300, 300, 500, 900, 0, -100, -300, -300, -500, -900, 0};
    struct samples samples = {0};
    assert_int_equal(playout_samples(seed, count, &samples, NULL), 0);
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < samples.items[i].count; k++)
            if (samples.items[i].features[k] < 768)
                samples.items[i].cp += value[samples.items[i].features[k] / 64];
    return samples;
}

/* As training takes them: in memory, or in a file of the current folder where memory is 0. */
static inline struct train_set *set_of(const struct samples *samples, uint64_t memory)
{
    const struct train_place place = {".", memory};
    struct train_set *set;
    assert_int_equal(train_set_new(samples->count, &place, &set, NULL), 0);
    for (size_t i = 0; i < samples->count; i++)
        assert_int_equal(train_set_add(set, &samples->items[i], NULL), 0);
    assert_int_equal(train_set_finish(set, NULL), 0);
    return set;
}

/* The same as one window; the caller frees it. */
static inline uint8_t *pack_all(const struct samples *samples)
{
    uint8_t *packed = calloc(samples->count + 1, TRAIN_POSITION_SIZE);
    assert_non_null(packed);
    for (size_t i = 0; i < samples->count; i++)
        train_position_pack(&samples->items[i], packed + i * TRAIN_POSITION_SIZE);
    return packed;
}

#endif
