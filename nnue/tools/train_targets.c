/* SPDX-License-Identifier: MIT */
/*
 * Targets of training, see train_targets.h.
 */
#include "nnue/tools/train_targets.h"

#include <stdlib.h>

#include "nnue/tools/fmath.h"

enum { CP_MAX = 2000, CELLS = 2 * CP_MAX + 1, COARSE = 20 };

double *train_targets(const struct samples *samples, double scale, double wdl)
{
    double *targets = calloc(samples->count + 1, sizeof *targets);
    for (size_t i = 0; targets && i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        double share = fmath_sigmoid(sample->cp / scale);
        if (wdl > 0 && sample->result != SAMPLES_RESULT_UNKNOWN)
            share = (1 - wdl) * share + wdl * (sample->result + 1) / 2.0;
        targets[i] = share;
    }
    return targets;
}

/* Positions of one score, and the points that White got in their games. */
struct cell {
    uint32_t count;
    double points;
};

/* The sum of squared misses, less what no scale changes. */
static double misfit(const struct cell *cells, int scale)
{
    double sum = 0;
    for (int i = 0; i < CELLS; i++) {
        double share = fmath_sigmoid((double)(i - CP_MAX) / scale);
        sum += cells[i].count * share * share - 2 * cells[i].points * share;
    }
    return sum;
}

static int best_scale(const struct cell *cells, int low, int high, int step)
{
    int best = low;
    double least = misfit(cells, low);
    for (int scale = low + step; scale <= high; scale += step) {
        double sum = misfit(cells, scale);
        if (sum < least) {
            least = sum;
            best = scale;
        }
    }
    return best;
}

int train_fit_scale(const struct samples *samples)
{
    struct cell cells[CELLS] = {{0}};
    bool known = false;
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        int cp = sample->cp < -CP_MAX ? -CP_MAX : sample->cp > CP_MAX ? CP_MAX : sample->cp;
        if (sample->result == SAMPLES_RESULT_UNKNOWN)
            continue;
        known = true;
        cells[cp + CP_MAX].count++;
        cells[cp + CP_MAX].points += (sample->result + 1) / 2.0;
    }
    if (!known)
        return 0;
    int near = best_scale(cells, TRAIN_SCALE_LOW, TRAIN_SCALE_HIGH, COARSE);
    int low = near - COARSE < TRAIN_SCALE_LOW ? TRAIN_SCALE_LOW : near - COARSE;
    int high = near + COARSE > TRAIN_SCALE_HIGH ? TRAIN_SCALE_HIGH : near + COARSE;
    return best_scale(cells, low, high, 1);
}
