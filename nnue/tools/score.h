/* SPDX-License-Identifier: MIT */
/*
 * How good nets are on positions of games they have not seen, beside what is free: a constant and
 * counting material. Every number comes with an interval that knows that the positions of one game
 * belong together, in all and for every group of positions (score_set.h).
 */
#ifndef PLYMILL_NNUE_TOOLS_SCORE_H
#define PLYMILL_NNUE_TOOLS_SCORE_H

#include "formats/io/error.h"
#include "nnue/tools/material.h"
#include "nnue/tools/score_set.h"

#define SCORE_NETS_MAX  32
#define SCORE_RESAMPLES 1000
#define SCORE_SEED      1
#define SCORE_SCALE     400.0 /* of the sigmoid, in cp */
#define SCORE_SCALE_MIN 1.0
#define SCORE_SCALE_MAX 1e6

/* What needs no net: the last rows of a table. */
enum score_baseline { SCORE_CONSTANT, SCORE_MATERIAL, SCORE_MATERIAL_FITTED, SCORE_BASELINES };

enum score_metric {
    SCORE_WDL_MSE,     /* mean of (sigmoid(cp/scale) - sigmoid(label/scale))^2 */
    SCORE_MAE,         /* mean of |cp - label| */
    SCORE_MEDIAN,      /* the middle one of |cp - label| */
    SCORE_CORRELATION, /* Pearson's, of cp and label from White's view; 0 for a constant */
    SCORE_SIGN,        /* share of positions with label != 0 where both have the same sign */
    SCORE_METRICS
};

#define SCORE_RATIO_METRICS 2 /* SCORE_WDL_MSE and SCORE_MAE */

/* A net's say on every position of the set. */
struct score_entry {
    const char *name;
    const double *cp; /* [positions] White's view */
};

/* What the baselines know of the positions that they were fitted on. */
struct score_floor {
    double constant;               /* the mean label, White's view */
    double fitted[MATERIAL_TERMS]; /* material's weights */
};

/* low, high: 95 %, the 2.5th and 97.5th percentile over resamples of whole games. */
struct score_value {
    double value, low, high;
};

struct score_row {
    const char *name; /* of the entry, or of the baseline */
    struct score_value metric[SCORE_METRICS];
    /* by the same of each baseline on the same positions */
    struct score_value ratio[SCORE_RATIO_METRICS][SCORE_BASELINES];
};

struct score_group {
    enum score_by by;
    unsigned group;
    size_t positions;
    uint32_t games; /* 0 where they are not known */
    struct score_row rows[SCORE_NETS_MAX + SCORE_BASELINES];
};

#define SCORE_GROUPS_MAX (SCORE_BY_COUNT * SCORE_BY_GROUPS_MAX)

struct score_table {
    double scale;
    uint64_t mates;      /* labels that count as +-SAMPLES_MATE_CP */
    bool has_intervals;  /* false: games are not known, low and high equal the value */
    unsigned rows, nets; /* nets stand first */
    struct score_floor floor;
    unsigned group_count;
    struct score_group *groups[SCORE_GROUPS_MAX]; /* [group_count]; the first holds all positions,
                                                     groups without any are left out */
};

enum score_verdict { SCORE_BETTER, SCORE_WORSE, SCORE_UNDECIDED };

/* At least one position. */
void score_fit_floor(const struct samples *train, double scale, struct score_floor *floor);
/*
 * set needs a position. Names are borrowed. Done by threads threads (0: one per core), which change
 * nothing but the time. Free with score_table_free in any case.
 */
int score_measure(const struct score_set *set, const struct score_entry *nets, unsigned net_count,
                  const struct score_floor *floor, double scale, unsigned threads,
                  struct score_table *table, struct error *err);
void score_table_free(struct score_table *table);
/* "constant", "material", "material fitted" */
const char *score_baseline_name(enum score_baseline baseline);
/* As in --json: "wdl_mse", ... */
const char *score_metric_name(enum score_metric metric);
/* WDL-MSE against a baseline: whether the ratio's interval lies below 1, above 1, or holds it. */
enum score_verdict score_judge(const struct score_row *row, enum score_baseline baseline);

#endif
