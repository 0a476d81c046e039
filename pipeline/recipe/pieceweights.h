/* SPDX-License-Identifier: MIT */
/*
 * A wanted distribution over numbers of pieces (filter.piece_weights), and how it is reached: by
 * thinning out what there is too much of.
 *
 * Numbers of pieces are put into classes, each with a weight. With c positions in a class of weight
 * w, a position of it stays with the chance k * w / c, or 1 where that is more. k is the largest
 * that no class is too small for; but it is never so small that a class is thinned more than
 * PIECEWEIGHTS_THINNING-fold: then the classes that are too small stay whole and the distribution
 * is as near as that allows. A class of weight 0 is dropped, and so is what is in no class.
 *
 * All of it is in integers: a position stays if its draw is below floor(2^64 * k * w / c).
 */
#ifndef PLYMILL_PIPELINE_RECIPE_PIECEWEIGHTS_H
#define PLYMILL_PIPELINE_RECIPE_PIECEWEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#define PIECEWEIGHTS_LOW      2  /* pieces on a board: the kings alone */
#define PIECEWEIGHTS_HIGH     32 /* all */
#define PIECEWEIGHTS_MAX      1000000
#define PIECEWEIGHTS_CLASSES  (PIECEWEIGHTS_HIGH - PIECEWEIGHTS_LOW + 1)
#define PIECEWEIGHTS_THINNING 10

struct pieceweights {
    unsigned classes; /* 0: no distribution is wanted */
    uint32_t weight[PIECEWEIGHTS_CLASSES];
    uint8_t class_of[PIECEWEIGHTS_HIGH + 1]; /* class + 1 of a number of pieces, 0 for none */
};

/* Which draws of positions with so many pieces stay: all, or those below. */
struct piecekeep {
    bool all[PIECEWEIGHTS_HIGH + 1];
    uint64_t below[PIECEWEIGHTS_HIGH + 1];
};

/*
 * Adds the class that text names: "11-20:2" or "32:1". False, with nothing added, when it is not of
 * that form, out of range, or a number of pieces has a class already.
 */
bool pieceweights_add(struct pieceweights *weights, const char *text);
/* counts: positions that there are, by number of pieces, each below 2^40. */
void pieceweights_keep(const struct pieceweights *weights,
                       const int64_t counts[PIECEWEIGHTS_HIGH + 1], struct piecekeep *keep);

#endif
