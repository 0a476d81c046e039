/* SPDX-License-Identifier: MIT */
/*
 * How large the accumulators of nets with two sides can become, over any board: whether they can
 * leave int16 is a matter of proof, not of luck.
 *
 * The exact bounds take, for every own king and every unit, the board that is worst for it: one
 * king a side, at most 30 other pieces, one piece a square. That decides, since a library is handed
 * any board. Boards without pawns on the first and last rank, which are all that games know, have
 * bounds of their own.
 */
#ifndef PLYMILL_NNUE_TOOLS_BOUNDS_ROWS_H
#define PLYMILL_NNUE_TOOLS_BOUNDS_ROWS_H

#include "nnue/core/parts.h"

struct range {
    int64_t low, high;
};

/* Of one kind of accumulator. */
struct row_bounds {
    struct range any;   /* any board */
    struct range games; /* boards without pawns on the first and last rank */
    /* The largest over units and king buckets of |bias| + the 32 largest |weights| of the bucket */
    int64_t loose;
};

struct row_bounds row_bounds_i16(const struct transformer *squares);
/* Of the columns that count material; all zero where there are none. */
struct row_bounds row_bounds_psqt(const struct transformer *squares);

/*
 * Of threats and pawn pairs. A bound that holds for any board, but that no board need reach: every
 * attacker is worth the best that could stand on each of its lines, every square holds the best
 * attacker, every pawn meets the best pawns that could stand near it.
 */
struct range row_bounds_relations(const struct sf_relations *relations);

/* Sums of a dense layer over all heads, for inputs 0 .. 127: exact, since inputs are free. */
struct range dense_bounds(const struct parts_layer *layer, unsigned heads);
/* The same of the output of bullet's nets, without the bias. */
struct range output_bounds(const struct parts_output *output, unsigned heads);

/* All of these of one net. Of a kind that has no such part it is zero. */
struct net_bounds {
    struct row_bounds squares, psqt;
    struct range relations; /* see row_bounds_relations */
    struct range total;     /* accumulators: squares on any board, and relations */
    struct range layers[PARTS_LAYERS_MAX];
    struct range output;
    bool int16_safe; /* no accumulator can wrap */
    bool int32_safe; /* no sum behind it can (bullet's output: if it were int32) */
};

/* scalar: an integer net with two sides, opened with PLYNNUE_ISA_SCALAR. */
void net_bounds(const plynnue_net *scalar, struct net_bounds *out);

static inline bool range_fits(const struct range *range, int64_t low, int64_t high)
{
    return range->low >= low && range->high <= high;
}

#endif
