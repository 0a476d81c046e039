/* SPDX-License-Identifier: MIT */
/*
 * How fast a work goes and how long it still takes, out of (time, amount) pairs as they come in.
 *
 * The rate is that of the last half of the time that was worked: a start that takes long does not
 * matter, since time counts from the first advance on, and a single slow or fast step moves little.
 * So what is said to be left settles in the first seconds and follows when the work itself becomes
 * slower.
 */
#ifndef PLYMILL_PIPELINE_REPORT_PROGRESS_RATE_H
#define PLYMILL_PIPELINE_REPORT_PROGRESS_RATE_H

#define PROGRESS_RATE_AFTER 2.0 /* seconds of work before there is a rate */

#define PROGRESS_RATE_POINTS 32

struct progress_point {
    double time, amount;
};

struct progress_rate {
    struct progress_point last;
    double begun;                                      /* when it advanced first */
    unsigned points;                                   /* kept, 0: it has not advanced */
    struct progress_point point[PROGRESS_RATE_POINTS]; /* the rate counts from the first one */
};

/* amount: done already when the work begins. */
void progress_rate_start(struct progress_rate *rate, double time, double amount);
/* time and amount never go back. */
void progress_rate_note(struct progress_rate *rate, double time, double amount);
/* Amount a second, 0 when it cannot be said yet. */
double progress_rate_get(const struct progress_rate *rate);
/* Seconds until the amount is total, negative when it cannot be said. */
double progress_rate_left(const struct progress_rate *rate, double total);

#endif
