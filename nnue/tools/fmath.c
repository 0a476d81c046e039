/* SPDX-License-Identifier: MIT */
/*
 * Reproducible functions of real numbers, see fmath.h.
 */
#include "nnue/tools/fmath.h"

#include <stdint.h>
#include <string.h>

enum { EXPONENT_BIAS = 1023, MANTISSA_BITS = 52 };

/* 2^k for a normal result, by its bits. */
static double power_of_two(int k)
{
    uint64_t bits = (uint64_t)(k + EXPONENT_BIAS) << MANTISSA_BITS;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * x = k ln 2 + r with |r| <= ln 2 / 2; ln 2 is split so that k times its high part is exact. e^r by
 * the Taylor series up to r^13 / 13!, whose rest is below 5e-18.
 */
double fmath_exp(double x)
{
    static const double inverse_factorial[] = {1.0 / 6227020800,
                                               1.0 / 479001600,
                                               1.0 / 39916800,
                                               1.0 / 3628800,
                                               1.0 / 362880,
                                               1.0 / 40320,
                                               1.0 / 5040,
                                               1.0 / 720,
                                               1.0 / 120,
                                               1.0 / 24,
                                               1.0 / 6,
                                               1.0 / 2,
                                               1.0,
                                               1.0};
    const double log2_e = 0x1.71547652b82fep+0;
    const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    double scaled, r, sum = 0;
    int k;
    if (x < -708)
        return 0;
    if (x > 709)
        x = 709;
    scaled = x * log2_e;
    k = (int)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    r = (x - k * ln2_high) - k * ln2_low;
    for (unsigned i = 0; i < sizeof inverse_factorial / sizeof *inverse_factorial; i++)
        sum = sum * r + inverse_factorial[i];
    return sum * power_of_two(k);
}

double fmath_sigmoid(double x)
{
    return 1 / (1 + fmath_exp(-x));
}

double fmath_win_share(double cp)
{
    return fmath_sigmoid(cp / 400);
}
