/* SPDX-License-Identifier: MIT */
/*
 * Features in training, see train_features.h.
 */
#include "nnue/tools/train_features.h"

enum { BLACK_PLANES = 384, FLIP_SQUARE = 56, MIRROR_SQUARE = 7, WHITE_KING = 5, BLACK_KING = 11 };

unsigned train_features_head(const struct train_arch *arch, unsigned pieces)
{
    return (pieces - arch->least) / ((PLYNNUE_PIECES_MAX + arch->heads - 1) / arch->heads);
}

/* A piece's feature of 769-H1-H2-1 nets, turned. */
static unsigned turned(unsigned feature, bool flip, bool mirror)
{
    if (flip)
        feature = feature < BLACK_PLANES ? feature + BLACK_PLANES : feature - BLACK_PLANES;
    return feature ^ (flip ? FLIP_SQUARE : 0u) ^ (mirror ? MIRROR_SQUARE : 0u);
}

unsigned train_features_shared(const struct train_arch *arch, unsigned place,
                               uint16_t rows[TRAIN_SHARED])
{
    const unsigned piece = place / 64, rank = place / 8 % 8, file = place % 8;
    const unsigned base = arch->inputs + arch->squares;
    unsigned count = 0;
    rows[count++] = (uint16_t)(base + piece);
    rows[count++] = (uint16_t)(base + 12 + 8 * piece + rank);
    rows[count++] = (uint16_t)(base + 12 + 96 + 8 * piece + file);
    if (arch->squares)
        rows[count++] = (uint16_t)(arch->inputs + place);
    return count;
}

/* Both views number the kinds alike; HalfKP's planes begin at 1. */
static unsigned place_of(uint32_t plane, unsigned square)
{
    return plane / 64 * 64 + square;
}

void train_features_places(const struct train_arch *arch, uint16_t *places)
{
    const struct feature_map *map = &arch->map;
    for (uint32_t row = 0; row < arch->inputs; row++)
        places[row] = TRAIN_NO_PLACE;
    for (unsigned king = 0; king < 64; king++)
        for (unsigned piece = 0; piece < 12; piece++)
            for (unsigned seen = 0; seen < 64 && map->plane[0][piece] != FEATURE_NONE; seen++)
                places[map->king[0][king].base + map->plane[0][piece] + seen] =
                    (uint16_t)place_of(map->plane[0][piece], seen);
}

static unsigned fill_769(const struct train_arch *arch, const struct sample *sample, bool flip,
                         bool mirror, uint16_t *rows)
{
    bool white = sample_white_moves(sample);
    unsigned count = sample->count - (unsigned)white, pieces = count;
    for (unsigned k = 0; k < pieces; k++)
        rows[k] = (uint16_t)turned(sample->features[k], flip, mirror);
    for (unsigned k = 0; arch->shared && k < pieces; k++)
        count += train_features_shared(arch, rows[k], rows + count);
    if (white != flip)
        rows[count++] = FEATURE769_WHITE_MOVE;
    return count;
}

static unsigned fill_view(const struct train_arch *arch, const uint16_t *pieces, unsigned count,
                          unsigned view, const unsigned king[2], uint16_t *rows)
{
    const struct feature_king *own = &arch->map.king[view][king[view]];
    unsigned written = 0, features, places[FEATURE769_ACTIVE_MAX];
    for (unsigned k = 0; k < count; k++) {
        uint32_t plane = arch->map.plane[view][pieces[k] / 64];
        unsigned seen = pieces[k] % 64u ^ own->flip;
        if (plane == FEATURE_NONE)
            continue;
        places[written] = place_of(plane, seen);
        rows[written++] = (uint16_t)(own->base + plane + seen);
    }
    features = written;
    for (unsigned k = 0; arch->shared && k < features; k++)
        written += train_features_shared(arch, places[k], rows + written);
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
    (void)fill_view(arch, pieces, count, side, king, rows);
    return fill_view(arch, pieces, count, side ^ 1, king, rows + TRAIN_ROWS_MAX);
}

unsigned train_features_fill(const struct train_arch *arch, const struct sample *sample, bool flip,
                             bool mirror, uint16_t *rows)
{
    return arch->views == 1 ? fill_769(arch, sample, flip, mirror, rows)
                            : fill_mapped(arch, sample, flip, mirror, rows);
}
