/* SPDX-License-Identifier: MIT */
/*
 * Statistics, see stats.h.
 */
#include "nnue/tools/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
}

size_t stats_place(size_t n, size_t numerator, size_t denominator)
{
    size_t place = (n * numerator + denominator - 1) / denominator;
    return place ? place - 1 : 0;
}

double stats_median(const double *sorted, size_t count)
{
    if (!count)
        return 0;
    if (count % 2)
        return sorted[count / 2];
    return (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

static bool varies(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return true;
    return false;
}

double stats_correlation(const double *x, const double *y, size_t count)
{
    double xx = 0, yy = 0, xy = 0, mean_x, mean_y;
    /* Around a rounded mean even equal values would seem to vary. */
    if (!varies(x, count) || !varies(y, count))
        return 0;
    mean_x = mean(x, count);
    mean_y = mean(y, count);
    for (size_t i = 0; i < count; i++) {
        double dx = x[i] - mean_x, dy = y[i] - mean_y;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / (sqrt(xx) * sqrt(yy)) : 0;
}
