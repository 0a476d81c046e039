/* SPDX-License-Identifier: MIT */
/*
 * Piece-square features seen from two sides: HalfKP, HalfKA and their like all say, for one side,
 *
 *   row = base(own king) + plane(piece) + (square xor flip(own king))
 *
 * and differ in their tables only. A map holds these tables for both sides.
 */
#ifndef PLYNNUE_FEATURES_H
#define PLYNNUE_FEATURES_H

#include "nnue/core/arch.h"

#define FEATURE_NONE UINT32_MAX /* in plane: this piece is no feature */

/* What an own king's square means. Squares of equal slot mean the same: the king may move between
 * them and no row changes but his own. */
struct feature_king {
    uint32_t base;
    uint8_t flip, slot;
};

struct feature_map {
    uint32_t rows; /* in all */
    uint32_t king_buckets, slots;
    struct feature_king king[2][64]; /* [view][square of that side's king, as it stands] */
    uint32_t plane[2][12];           /* [view][piece] */
};

/*
 * The maps. `seen` squares are those that a side sees: Black's are flipped (xor 56).
 */

/* HalfKP, 41,024 rows: Black's board is rotated (xor 63), 641 rows for each king square, kings are
 * no features. */
void feature_map_halfkp(struct feature_map *map);
/* HalfKA, 22,528 rows, kings on e-h, 32 buckets with e1 = 0 and h8 = 31, planes own, then enemy
 * pieces, then both kings in one. */
void feature_map_halfka_seed(struct feature_map *map);
/* HalfKAv2_hm of Stockfish, 22,528 rows: the same features, h8 = 0 and e1 = 31, planes own and
 * enemy in turn. */
void feature_map_halfka_hm(struct feature_map *map);
/* HalfKAv2, 45,056 rows: a bucket for each king square, no mirroring. */
void feature_map_halfka_v2(struct feature_map *map);
/* 768 rows, kings on e-h, no buckets, planes own, then enemy pieces (Stockfish 19 lite). */
void feature_map_p_hm(struct feature_map *map);
/*
 * bullet's 768 rows a bucket. table: the bucket of each seen king square, 64 entries, or 32 with
 * mirroring (kings on a-d, four entries a rank); NULL: one bucket. Buckets 0 .. 63.
 */
void feature_map_768(struct feature_map *map, const uint8_t *table, bool mirrored);

/* Rows of one view. All are rows to add. */
void feature_map_active(const struct feature_map *map, const struct board *board, unsigned view,
                        struct row_list *rows);
/* What a change that feature_map_follows removes and adds. */
void feature_map_changes(const struct feature_map *map, const struct change *change, unsigned view,
                         struct row_list *rows);
/* The same between any two boards of one slot. */
void feature_map_difference(const struct feature_map *map, const struct board *from,
                            const struct board *to, unsigned view, struct row_list *rows);
/* Does the view's king mean the same before and after the change? */
static inline bool feature_map_follows(const struct feature_map *map, const struct change *change,
                                       unsigned view)
{
    return map->king[view][change->before->king[view]].slot ==
           map->king[view][change->after->king[view]].slot;
}
static inline unsigned feature_map_slot(const struct feature_map *map, const struct board *board,
                                        unsigned view)
{
    return map->king[view][board->king[view]].slot;
}

#endif
