/* SPDX-License-Identifier: MIT */
/*
 * The strings that say what a quantised.bin is, see bullet.h.
 */
#include <stdio.h>
#include <string.h>

#include "nnue/core/archtext.h"
#include "nnue/core/bullet.h"
#include "nnue/core/fail.h"

enum { QA = 255, QB = 64, SCALE = 400, Q_MAX = INT16_MAX, TEXT = 128 };

static int fail(struct plynnue_error *error, const char *what)
{
    return core_fail(error, PLYNNUE_EARCH, 0,
                     "arch: %s in (768[xBUCKETS][hm]->N)x2->1[xHEADS] screlu|crelu [qa=255] "
                     "[qb=64] [scale=400] [transposed] [table=0,1,...]",
                     what);
}

/* "(768x10hm->64)x2->1x8"; king_buckets stays 0 when it is not said. */
static bool parse_layers(const char **text, struct bullet_shape *shape)
{
    if (!archtext_skip(text, "(768"))
        return false;
    if (archtext_skip(text, "x") &&
        !archtext_number(text, 1, BULLET_TABLE_MAX, &shape->king_buckets))
        return false;
    shape->mirrored = archtext_skip(text, "hm");
    if (!archtext_skip(text, "->") || !archtext_number(text, 1, BULLET_N_MAX, &shape->n) ||
        !archtext_skip(text, ")x2->1"))
        return false;
    return !archtext_skip(text, "x") || archtext_number(text, 1, BULLET_HEADS_MAX, &shape->heads);
}

static bool parse_table(const char **text, struct bullet_shape *shape)
{
    unsigned entries = shape->mirrored ? BULLET_MIRRORED_TABLE : BULLET_PLAIN_TABLE;
    for (unsigned i = 0; i < entries; i++) {
        uint32_t bucket;
        if ((i && !archtext_skip(text, ",")) ||
            !archtext_number(text, 0, BULLET_TABLE_MAX - 1, &bucket))
            return false;
        shape->table[i] = (uint8_t)bucket;
    }
    return shape->has_table = true;
}

/* One word behind the layers. */
static bool parse_word(const char **text, struct bullet_shape *shape, bool *activation)
{
    if (archtext_skip(text, "screlu"))
        return shape->screlu = *activation = true;
    if (archtext_skip(text, "crelu"))
        return *activation = true;
    if (archtext_skip(text, "transposed"))
        return shape->transposed = true;
    if (archtext_skip(text, "qa="))
        return archtext_number(text, 1, Q_MAX, &shape->qa);
    if (archtext_skip(text, "qb="))
        return archtext_number(text, 1, Q_MAX, &shape->qb);
    if (archtext_skip(text, "scale="))
        return archtext_number(text, 1, BULLET_SCALE_MAX, &shape->scale);
    return archtext_skip(text, "table=") && parse_table(text, shape);
}

/* The number of king buckets that the string says must be the one that the table has. */
static int check_table(struct bullet_shape *shape, struct plynnue_error *error)
{
    uint32_t largest = 0;
    unsigned entries = shape->mirrored ? BULLET_MIRRORED_TABLE : BULLET_PLAIN_TABLE;
    for (unsigned i = 0; i < entries; i++)
        largest = shape->table[i] > largest ? shape->table[i] : largest;
    if (!shape->has_table && shape->king_buckets > 1)
        return fail(error, "king buckets need their table=");
    if (shape->king_buckets == 0)
        shape->king_buckets = largest + 1;
    if (shape->king_buckets != largest + 1)
        return fail(error, "the largest entry of the table is not the last bucket");
    return PLYNNUE_OK;
}

int bullet_parse_arch(const char *text, struct bullet_shape *shape, struct plynnue_error *error)
{
    bool activation = false;
    *shape = (struct bullet_shape){.heads = 1, .qa = QA, .qb = QB, .scale = SCALE};
    if (!parse_layers(&text, shape))
        return fail(error, "no layers that can be read");
    while (!archtext_ends(&text))
        if (text[-1] != ' ' || !parse_word(&text, shape, &activation))
            return fail(error, "a word or number that cannot be");
    if (!activation)
        return fail(error, "neither screlu nor crelu");
    return check_table(shape, error);
}

void bullet_format_arch(const struct bullet_shape *shape, char *out, size_t size)
{
    char buckets[TEXT / 4] = "", heads[TEXT / 4] = "";
    if (shape->king_buckets > 1)
        snprintf(buckets, sizeof buckets, "x%u", shape->king_buckets);
    if (shape->heads > 1)
        snprintf(heads, sizeof heads, "x%u", shape->heads);
    snprintf(out, size, "(768%s%s->%u)x2->1%s %s qa=%u qb=%u scale=%u%s", buckets,
             shape->mirrored ? "hm" : "", shape->n, heads, shape->screlu ? "screlu" : "crelu",
             shape->qa, shape->qb, shape->scale, shape->transposed ? " transposed" : "");
}

void bullet_map(const struct bullet_shape *shape, struct feature_map *map)
{
    feature_map_768(map, shape->has_table ? shape->table : NULL, shape->mirrored);
}
