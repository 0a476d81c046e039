/* SPDX-License-Identifier: MIT */
/*
 * Conditions on scores, for machines that must say no: "wdl_mse > 0.62 * material_fit".
 *
 *   condition = [ net "." ] metric op number [ "*" other ]
 *   net       = "net1", "net2", ...: in the order of the command line; left out: any net
 *   metric    = "wdl_mse" | "mae" | "median" | "correlation" | "sign"
 *   op        = ">" | ">=" | "<" | "<="
 *   other     = "constant" | "material" | "material_fit" | net: the same metric of that row
 */
#ifndef PLYMILL_NNUE_TOOLS_SCORE_CONDITION_H
#define PLYMILL_NNUE_TOOLS_SCORE_CONDITION_H

#include "nnue/tools/score.h"

#define SCORE_CONDITION_LINE_MAX 512

struct score_condition {
    enum score_metric metric;
    bool greater, or_equal;
    double number;
    int net;   /* 0 .., or -1: any */
    int other; /* a row: nets, then baselines; -1: none, the number alone */
};

/* nets: how many there are. ERROR_USAGE says what cannot be read. */
int score_condition_parse(const char *text, unsigned nets, struct score_condition *condition,
                          struct error *err);
/*
 * Does it hold on all positions? line: a sentence on the first net for which it does, "" when it
 * holds for none.
 */
bool score_condition_holds(const struct score_condition *condition, const struct score_table *table,
                           char line[SCORE_CONDITION_LINE_MAX]);

#endif
