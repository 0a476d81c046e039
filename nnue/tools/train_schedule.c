/* SPDX-License-Identifier: MIT */
/*
 * The learning rate, see train_schedule.h.
 */
#include "nnue/tools/train_schedule.h"

/* The Taylor series of sine about 0, up to x^17: |x| <= pi / 2 leaves a rest below 5e-14. */
double train_schedule_cosine(double x)
{
    const double pi = 3.14159265358979311600, angle = pi * (0.5 - x), square = angle * angle;
    double sum = 0;
    for (int n = 17; n > 1; n -= 2)
        sum = (1 + sum) * -square / (n * (n - 1));
    return angle * (1 + sum);
}

double train_schedule_rate(const struct train_schedule *schedule, uint64_t step)
{
    double rate = schedule->learning_rate;
    if (step < schedule->warmup)
        return rate * (double)(step + 1) / (double)schedule->warmup;
    if (!schedule->cosine)
        return rate;
    double progress =
        (double)(step - schedule->warmup) / (double)(schedule->steps - schedule->warmup);
    return rate * (1 + train_schedule_cosine(progress)) / 2;
}
