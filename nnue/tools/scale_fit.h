/* SPDX-License-Identifier: MIT */
/*
 * The scale of the sigmoid that turns scores into results, fitted to games: the whole number K for
 * which sigmoid(cp / K) comes nearest to what was scored in them (least squares over positions).
 */
#ifndef PLYMILL_NNUE_TOOLS_SCALE_FIT_H
#define PLYMILL_NNUE_TOOLS_SCALE_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/record.h"

#define SCALE_FIT_CP_MAX 2000                       /* what lies beyond, and mates, do not count */
#define SCALE_FIT_CELLS  (2 * SCALE_FIT_CP_MAX + 1) /* one for each cp */
#define SCALE_FIT_LOW    20                         /* of K */
#define SCALE_FIT_HIGH   3000

/* Of the positions with a known result and a score that counts, by cp + SCALE_FIT_CP_MAX, White's
 * view: how many, and what White got in their games (2 a win, 1 a draw). */
struct scale_cells {
    int64_t known[SCALE_FIT_CELLS];
    int64_t half_points[SCALE_FIT_CELLS];
};

/* A score of the side to move; result as in a record. */
void scale_cells_add(struct scale_cells *cells, const struct score *score, unsigned side,
                     int result);
/* 0 when no position counts. */
int scale_fit(const struct scale_cells *cells);

#endif
