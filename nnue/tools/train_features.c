/* SPDX-License-Identifier: MIT */
/*
 * Features in training, see train_features.h.
 */
#include "nnue/tools/train_features.h"

enum { BLACK_PLANES = 384, FLIP_SQUARE = 56, MIRROR_SQUARE = 7 };

unsigned train_features_head(const struct train_arch *arch, const struct sample *sample)
{
    (void)arch;
    (void)sample;
    return 0;
}

static unsigned fill_769(const struct sample *sample, bool flip, bool mirror, uint16_t *rows)
{
    bool white = sample_white_moves(sample);
    unsigned count = sample->count - (unsigned)white;
    unsigned turn = (flip ? FLIP_SQUARE : 0u) ^ (mirror ? MIRROR_SQUARE : 0u);
    for (unsigned k = 0; k < count; k++) {
        unsigned feature = sample->features[k];
        if (flip)
            feature = feature < BLACK_PLANES ? feature + BLACK_PLANES : feature - BLACK_PLANES;
        rows[k] = (uint16_t)(feature ^ turn);
    }
    if (white != flip)
        rows[count++] = FEATURE769_WHITE_MOVE;
    return count;
}

unsigned train_features_fill(const struct train_arch *arch, const struct sample *sample, bool flip,
                             bool mirror, uint16_t *rows)
{
    (void)arch;
    return fill_769(sample, flip, mirror, rows);
}
