/* SPDX-License-Identifier: MIT */
/*
 * What `check` prints: as a table, or as one JSON object with the same facts.
 */
#ifndef PLYMILL_PIPELINE_CLI_CHECK_REPORT_H
#define PLYMILL_PIPELINE_CLI_CHECK_REPORT_H

#include "nnue/tools/bounds.h"
#include "nnue/tools/check.h"
#include "nnue/tools/quantize.h"

/* What was found out about a net. */
struct check_report {
    const char *path;
    struct plynnue_info info;
    struct net_parts parts;
    enum plynnue_isa levels[CHECK_LEVELS_MAX]; /* those compared, the reference first */
    const struct check_result *result;
    struct net_bounds bounds;  /* has_bounds: integer nets with two sides */
    struct bounds tiny_bounds; /* has_tiny_bounds: 769-H1-H2-1; of a float net: of its int8 form */
    double factors[3];         /* has_factors: what the multipliers stand for */
    struct error unquantised;  /* why a float 769-H1-H2-1 cannot become int8; text "" */
    uint64_t games;            /* has_games: out of an archive */
    unsigned level_count;
    bool all_levels; /* all that there are were to be compared: those left out were skipped */
    bool has_bounds, has_tiny_bounds, has_factors, has_games;
};

/* The relative error of multiplier i at shift, or -1 when it does not fit. */
double check_report_error(const struct check_report *report, unsigned i, unsigned shift);
/* Bytes of all numbers as float32, and as integers. */
uint64_t check_report_float_bytes(const struct check_report *report);
uint64_t check_report_int_bytes(const struct check_report *report);
/* Was a level to be compared, and is not there? */
bool check_report_skipped(const struct check_report *report, enum plynnue_isa isa);

void check_report_print(const struct check_report *report);
int check_report_json(const struct check_report *report, struct error *err);

#endif
