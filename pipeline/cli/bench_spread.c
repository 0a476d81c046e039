/* SPDX-License-Identifier: MIT */
/*
 * See bench_spread.h.
 */
#include "pipeline/cli/bench_spread.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

struct bench_spread bench_spread_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return (struct bench_spread){values[(count - 1) / 2], values[(count * 95 + 99) / 100 - 1]};
}
