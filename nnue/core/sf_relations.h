/* SPDX-License-Identifier: MIT */
/*
 * The accumulators of threats and pawn pairs: int8 rows added up in int16, and psqt columns. States
 * have both where those of the piece-squares have them (transformer.h), but no zeros behind psqt;
 * rows of weights lie apart. They have no bias and are made afresh when
 * the own king crosses the middle, not whenever he moves: that is why they are kept apart until an
 * evaluation adds both up.
 */
#ifndef PLYNNUE_SF_RELATIONS_H
#define PLYNNUE_SF_RELATIONS_H

#include "nnue/core/arch.h"
#include "nnue/core/sf_threats.h"

struct sf_relations {
    uint32_t rows;  /* threats, then pairs */
    uint32_t width; /* a multiple of 32 */
    uint32_t psqt;  /* columns */
    bool pairs;
    struct sf_threats *threats;
    int8_t *weights;       /* [rows][width] */
    int32_t *psqt_weights; /* [rows][psqt] */
};

/* Makes room, all zero. 0 or PLYNNUE_ENOMEM. */
int sf_relations_new(struct sf_relations *relations, enum sf_threat_set set, bool pairs,
                     uint32_t width, uint32_t psqt);
/* What was never made is allowed, when it is zero. */
void sf_relations_free(struct sf_relations *relations);

/* What struct arch asks for; view 0 or 1. */
void sf_relations_refresh(const struct sf_relations *relations, const struct kernels *kernels,
                          const struct board *board, unsigned view, void *state);
bool sf_relations_follow(const struct change *change, unsigned view);
void sf_relations_update(const struct sf_relations *relations, const struct kernels *kernels,
                         const struct change *change, unsigned view, const void *before,
                         void *after);

#endif
