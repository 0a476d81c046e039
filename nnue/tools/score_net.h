/* SPDX-License-Identifier: MIT */
/*
 * What a net says of positions, in centipawns of the engine that labeled them. Nets trained on
 * other labels speak in units of their own: what one unit is worth here is one number, fitted or
 * given.
 */
#ifndef PLYMILL_NNUE_TOOLS_SCORE_NET_H
#define PLYMILL_NNUE_TOOLS_SCORE_NET_H

#include "formats/io/error.h"
#include "nnue/core/plynnue.h"
#include "nnue/tools/samples.h"

#define SCORE_FIT_MAX 50000 /* positions that a unit is fitted on: the first ones */

/* Where the worth of a unit comes from. */
enum score_unit_from {
    SCORE_UNIT_AUTO, /* asked for: fitted for foreign nets and those that do not say it, else own */
    SCORE_UNIT_OWN,  /* what the net says */
    SCORE_UNIT_FITTED,
    SCORE_UNIT_GIVEN
};

struct score_unit {
    enum score_unit_from from; /* never SCORE_UNIT_AUTO once chosen */
    double cp;                 /* what a value of 1 is worth */
    double own;                /* what the net itself says; 0: nothing */
};

/* values[i] = the net's value of samples[i] in its own units, White's view. -1 with err. */
int score_values(const plynnue_net *net, const struct samples *samples, unsigned threads,
                 double *values, struct error *err);
/*
 * The worth of a unit with the least mean of (sigmoid(value * cp/scale) - sigmoid(label/scale))^2:
 * the best of a grid of powers, then golden section. 0 when no value is other than 0.
 */
double score_fit_unit(const double *values, const struct samples *samples, double scale);
/*
 * Chooses the unit of a net: wanted->from, and wanted->cp where it is given. fit_on: what a unit is
 * fitted on. -1 when there is nothing to choose.
 */
int score_choose_unit(const plynnue_net *net, bool foreign, const struct score_unit *wanted,
                      const struct samples *fit_on, double scale, unsigned threads,
                      struct score_unit *unit, struct error *err);
/* Is a file's net foreign? All but safetensors are, whose metadata speak of the labels' unit. */
bool score_is_foreign(const char *path);

#endif
