/* SPDX-License-Identifier: MIT */
/*
 * Positions for tests of training, labeled with what their material is worth, so that there is
 * something to learn.
 */
#ifndef PLYMILL_TESTS_UNIT_NNUE_TRAIN_SAMPLES_H
#define PLYMILL_TESTS_UNIT_NNUE_TRAIN_SAMPLES_H

#include "nnue/tools/playout.h"
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

#endif
