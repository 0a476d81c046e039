/* SPDX-License-Identifier: MIT */
/*
 * bullet's quantised.bin: (768 x I -> N) x 2 -> 1 x B. No header, no names, no shapes: what the
 * numbers are, the caller must know. All int16 LE:
 *
 *   l0w  [768 * I][N]  one row per feature, scaled by QA
 *   l0b  [N]
 *   l1w  [2N][B], or [B][2N] when transposed: scaled by QB; side to move's half first
 *   l1b  [B]           scaled by QA * QB
 *   padding to a multiple of 64 bytes with the letters "bullet" again and again
 *
 *   v   = clamp(accumulators, 0, QA)
 *   sum = screlu: sum of v * v * w; crelu: sum of v * w
 *   out = screlu: sum / QA, truncated, + bias; crelu: sum + bias
 *   cp  = out * scale / (QA * QB), truncated, from the side to move
 *
 * All of it exact: sums in 64 bits.
 */
#ifndef PLYNNUE_BULLET_H
#define PLYNNUE_BULLET_H

#include "nnue/core/features.h"

#define BULLET_N_MAX          8192
#define BULLET_HEADS_MAX      32
#define BULLET_TABLE_MAX      64
#define BULLET_SCALE_MAX      65535
#define BULLET_PLAIN_TABLE    64 /* entries of the table of king buckets */
#define BULLET_MIRRORED_TABLE 32

struct bullet_shape {
    uint32_t n, king_buckets, heads, qa, qb, scale;
    bool mirrored, screlu, transposed;
    bool has_table;
    uint8_t table[BULLET_TABLE_MAX]; /* [64], or [32] when mirrored */
};

/*
 * Reads "(768x10hm->64)x2->1x8 screlu qa=255 qb=64 scale=400 transposed table=0,1,..." where x10,
 * hm, x8 and all words but screlu or crelu may be missing. 0, or PLYNNUE_EARCH saying what is wrong
 * with it.
 */
int bullet_parse_arch(const char *text, struct bullet_shape *shape, struct plynnue_error *error);
/* The same without the table. */
void bullet_format_arch(const struct bullet_shape *shape, char *out, size_t size);
void bullet_map(const struct bullet_shape *shape, struct feature_map *map);

#endif
