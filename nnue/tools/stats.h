/* SPDX-License-Identifier: MIT */
/*
 * The few statistics that tables need, with sums in a fixed order.
 */
#ifndef PLYMILL_NNUE_TOOLS_STATS_H
#define PLYMILL_NNUE_TOOLS_STATS_H

#include <stddef.h>

/* Ascending. */
void stats_sort(double *values, size_t count);
/* Index of the value at place ceil(n * numerator / denominator) of a sorted list, places from 1. */
size_t stats_place(size_t n, size_t numerator, size_t denominator);
/* Of a sorted list: the middle value, or the mean of the two middle ones. 0 for an empty list. */
double stats_median(const double *sorted, size_t count);
/* Pearson's correlation; 0 when one of the lists does not vary. */
double stats_correlation(const double *x, const double *y, size_t count);

#endif
