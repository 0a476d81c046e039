/* SPDX-License-Identifier: MIT */
/*
 * How good nets are on positions of games they have not seen, beside what is free: a constant and
 * counting material. Every number comes with an interval that knows that the positions of one game
 * belong together.
 */
#ifndef PLYMILL_NNUE_TOOLS_SCORE_H
#define PLYMILL_NNUE_TOOLS_SCORE_H

#include "formats/io/error.h"
#include "nnue/core/plynnue.h"
#include "nnue/tools/material.h"
#include "nnue/tools/samples.h"

#define SCORE_NETS_MAX  32
#define SCORE_BASELINES 3 /* constant, material, material fitted: the last rows of a table */
#define SCORE_RESAMPLES 1000
#define SCORE_SEED      1

/* A net's say on every position of the split. */
struct score_entry {
    const char *name;
    const double *cp; /* [positions] White's view */
};

/* 95 %: the 2.5th and 97.5th percentile over resamples of whole games. */
struct score_interval {
    double low, high;
};

struct score_row {
    const char *name;   /* of the entry, or of the baseline */
    double wdl_mse;     /* mean of (sigmoid(cp/400) - sigmoid(label/400))^2 */
    double mae, median; /* of |cp - label| */
    double correlation; /* Pearson's, of cp and label from White's view; 0 for a constant */
    double sign;        /* share of positions with label != 0 where both have the same sign */
    double ratio;       /* wdl_mse by that of fitted material */
    struct score_interval wdl_mse_range, mae_range, ratio_range;
};

struct score_table {
    size_t positions;
    uint32_t games;
    uint64_t mates; /* labels that count as +-SAMPLES_MATE_CP */
    unsigned count, nets;
    struct score_row rows[SCORE_NETS_MAX + SCORE_BASELINES]; /* nets first */
    double constant;                                         /* mean label of train, White's view */
    double fitted[MATERIAL_TERMS];                           /* material's weights on train */
};

enum score_verdict { SCORE_BETTER, SCORE_WORSE, SCORE_UNDECIDED };

/* cp[i] = the net's value for samples[i], White's view. 0, or -1 when the net has no scale. */
int score_predict(const plynnue_net *net, const struct samples *samples, double *cp,
                  struct error *err);
/* train: what the baselines are fitted on; both need a position. Names are borrowed. */
int score_measure(const struct samples *train, const struct samples *split,
                  const struct score_entry *nets, unsigned net_count, struct score_table *table,
                  struct error *err);
/* Against fitted material: whether the ratio's interval lies below 1, above 1, or holds it. */
enum score_verdict score_judge(const struct score_row *row);

#endif
