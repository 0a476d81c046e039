/* SPDX-License-Identifier: MIT */
#include "pipeline/report/progress_rate.h"

#include <stdbool.h>
#include <string.h>

#define SPACINGS                                                                                   \
    16.0 /* of points over all of the time, so that half of them hold the last half                \
          */

void progress_rate_start(struct progress_rate *rate, double time, double amount)
{
    *rate = (struct progress_rate){.last = {time, amount}};
}

/* Points of which a later one is in the first half of the time are not needed any more. */
static void drop_old(struct progress_rate *rate)
{
    double half = (rate->begun + rate->last.time) / 2;
    unsigned drop = 0;
    while (drop + 1 < rate->points && rate->point[drop + 1].time <= half)
        drop++;
    rate->points -= drop;
    memmove(rate->point, rate->point + drop, rate->points * sizeof rate->point[0]);
}

void progress_rate_note(struct progress_rate *rate, double time, double amount)
{
    bool first = rate->points == 0 && amount > rate->last.amount;
    rate->last = (struct progress_point){time, amount};
    if (rate->points == 0 && !first)
        return;
    if (first)
        rate->begun = time; /* what came before the first step was start */
    drop_old(rate);
    double spacing = (time - rate->begun) / SPACINGS;
    if (first || (rate->points < PROGRESS_RATE_POINTS &&
                  time > rate->point[rate->points - 1].time + spacing))
        rate->point[rate->points++] = rate->last;
}

double progress_rate_get(const struct progress_rate *rate)
{
    if (rate->points == 0 || rate->last.time - rate->begun < PROGRESS_RATE_AFTER)
        return 0;
    double seconds = rate->last.time - rate->point[0].time;
    return seconds > 0 ? (rate->last.amount - rate->point[0].amount) / seconds : 0;
}

double progress_rate_left(const struct progress_rate *rate, double total)
{
    double speed = progress_rate_get(rate);
    return speed > 0 && total >= rate->last.amount ? (total - rate->last.amount) / speed : -1;
}
