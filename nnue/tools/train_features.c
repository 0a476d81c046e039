/* SPDX-License-Identifier: MIT */
/*
 * Features in training, see train_features.h.
 */
#include "nnue/tools/train_features.h"

enum { BLACK_PLANES = 384, FLIP_SQUARE = 56, MIRROR_SQUARE = 7, WHITE_KING = 5, BLACK_KING = 11 };

unsigned train_features_head(const struct train_arch *arch, const struct sample *sample)
{
    unsigned pieces = sample->count - (unsigned)sample_white_moves(sample);
    return (pieces - arch->least) / ((PLYNNUE_PIECES_MAX + arch->heads - 1) / arch->heads);
}

/* A piece's feature of 769-H1-H2-1 nets, turned. */
static unsigned turned(unsigned feature, bool flip, bool mirror)
{
    if (flip)
        feature = feature < BLACK_PLANES ? feature + BLACK_PLANES : feature - BLACK_PLANES;
    return feature ^ (flip ? FLIP_SQUARE : 0u) ^ (mirror ? MIRROR_SQUARE : 0u);
}

unsigned train_features_shared(unsigned feature, uint16_t rows[TRAIN_SHARED])
{
    const unsigned piece = feature / 64, rank = feature / 8 % 8, file = feature % 8;
    rows[0] = (uint16_t)(FEATURE769_COUNT + piece);
    rows[1] = (uint16_t)(FEATURE769_COUNT + 12 + 8 * piece + rank);
    rows[2] = (uint16_t)(FEATURE769_COUNT + 12 + 96 + 8 * piece + file);
    return TRAIN_SHARED;
}

static unsigned fill_769(const struct train_arch *arch, const struct sample *sample, bool flip,
                         bool mirror, uint16_t *rows)
{
    bool white = sample_white_moves(sample);
    unsigned count = sample->count - (unsigned)white, pieces = count;
    for (unsigned k = 0; k < pieces; k++)
        rows[k] = (uint16_t)turned(sample->features[k], flip, mirror);
    for (unsigned k = 0; arch->shared && k < pieces; k++)
        count += train_features_shared(rows[k], rows + count);
    if (white != flip)
        rows[count++] = FEATURE769_WHITE_MOVE;
    return count;
}

static unsigned fill_view(const struct feature_map *map, const uint16_t *pieces, unsigned count,
                          unsigned view, const unsigned king[2], uint16_t *rows)
{
    const struct feature_king *own = &map->king[view][king[view]];
    unsigned written = 0;
    for (unsigned k = 0; k < count; k++) {
        uint32_t plane = map->plane[view][pieces[k] / 64];
        if (plane != FEATURE_NONE)
            rows[written++] = (uint16_t)(own->base + plane + (pieces[k] % 64u ^ own->flip));
    }
    return written;
}

static unsigned fill_mapped(const struct train_arch *arch, const struct sample *sample, bool flip,
                            bool mirror, uint16_t *rows)
{
    bool white = sample_white_moves(sample);
    unsigned count = sample->count - (unsigned)white, king[2] = {0, 0};
    unsigned side = white != flip ? 0 : 1;
    uint16_t pieces[FEATURE769_ACTIVE_MAX];
    for (unsigned k = 0; k < count; k++) {
        pieces[k] = (uint16_t)turned(sample->features[k], flip, mirror);
        if (pieces[k] / 64 == WHITE_KING || pieces[k] / 64 == BLACK_KING)
            king[pieces[k] / 64 == BLACK_KING] = pieces[k] % 64;
    }
    (void)fill_view(&arch->map, pieces, count, side, king, rows);
    return fill_view(&arch->map, pieces, count, side ^ 1, king, rows + TRAIN_ROWS_MAX);
}

unsigned train_features_fill(const struct train_arch *arch, const struct sample *sample, bool flip,
                             bool mirror, uint16_t *rows)
{
    return arch->views == 1 ? fill_769(arch, sample, flip, mirror, rows)
                            : fill_mapped(arch, sample, flip, mirror, rows);
}
