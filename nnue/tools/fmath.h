/* SPDX-License-Identifier: MIT */
/*
 * The functions of real numbers that reproducible results need, without libm, whose results depend
 * on the machine's instruction set. Only + - * / are used, each correctly rounded: the same bits
 * anywhere.
 */
#ifndef PLYMILL_NNUE_TOOLS_FMATH_H
#define PLYMILL_NNUE_TOOLS_FMATH_H

/* e^x, within 1e-15 of it relatively; 0 below -708, clamped to e^709 above. */
double fmath_exp(double x);
/* 1 / (1 + e^-x) */
double fmath_sigmoid(double x);
/* The share of a point that cp is worth to the side whose view it is: sigmoid(cp / 400). */
double fmath_win_share(double cp);

#endif
