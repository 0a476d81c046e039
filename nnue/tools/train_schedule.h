/* SPDX-License-Identifier: MIT */
/*
 * The learning rate over a training: a straight rise over the first steps, then constant or down to
 * nothing along half a cosine.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_SCHEDULE_H
#define PLYMILL_NNUE_TOOLS_TRAIN_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct train_schedule {
    double learning_rate; /* the highest */
    uint64_t steps;       /* of the whole training */
    uint64_t warmup;      /* steps of the rise, 0 for none */
    bool cosine;
};

/* Of step 0 .. steps - 1. */
double train_schedule_rate(const struct train_schedule *schedule, uint64_t step);
/* cos(pi * x) for 0 <= x <= 1, within 1e-12: + - * / only, the same bits anywhere. */
double train_schedule_cosine(double x);

#endif
