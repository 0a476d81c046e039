/* SPDX-License-Identifier: MIT */
/*
 * See scale_fit.h.
 */
#include "nnue/tools/scale_fit.h"

#include "nnue/tools/fmath.h"

enum { COARSE = 20 };

void scale_cells_add(struct scale_cells *cells, const struct score *score, unsigned side,
                     int result)
{
    const bool counts = score->kind == SCORE_CP && score->value >= -SCALE_FIT_CP_MAX &&
                        score->value <= SCALE_FIT_CP_MAX && result >= -1 && result <= 1;
    if (!counts)
        return;
    const int cell = SCALE_FIT_CP_MAX + (side == WHITE ? score->value : -score->value);
    cells->known[cell]++;
    cells->half_points[cell] += 1 + result;
}

/* Without the part of the error that no curve can take away. */
static double squared_error(const struct scale_cells *cells, int scale)
{
    double sum = 0;
    for (int cell = 0; cell < SCALE_FIT_CELLS; cell++) {
        if (cells->known[cell] == 0)
            continue;
        double known = (double)cells->known[cell];
        double mean = (double)cells->half_points[cell] / (2 * known);
        double off = mean - fmath_sigmoid((double)(cell - SCALE_FIT_CP_MAX) / scale);
        sum += known * off * off;
    }
    return sum;
}

static int best_scale(const struct scale_cells *cells, int low, int high, int step)
{
    int best = low;
    double least = squared_error(cells, low);
    for (int scale = low + step; scale <= high; scale += step) {
        double sum = squared_error(cells, scale);
        if (sum < least) {
            least = sum;
            best = scale;
        }
    }
    return best;
}

int scale_fit(const struct scale_cells *cells)
{
    int cell = 0;
    while (cell < SCALE_FIT_CELLS && cells->known[cell] == 0)
        cell++;
    if (cell == SCALE_FIT_CELLS)
        return 0;
    int near = best_scale(cells, SCALE_FIT_LOW, SCALE_FIT_HIGH, COARSE);
    int low = near - COARSE < SCALE_FIT_LOW ? SCALE_FIT_LOW : near - COARSE;
    int high = near + COARSE > SCALE_FIT_HIGH ? SCALE_FIT_HIGH : near + COARSE;
    return best_scale(cells, low, high, 1);
}
