/* SPDX-License-Identifier: MIT */
/*
 * The table of `check`, see check_report.h.
 */
#include "pipeline/cli/check_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "pipeline/cli/netarg.h"
#include "pipeline/report/terminal.h"

enum { FLOAT_BYTES = 4, SHIFT_LOW = 16, SHIFT_HIGH = 24 };

double check_report_error(const struct check_report *report, unsigned i, unsigned shift)
{
    int32_t m = quantize_multiplier(report->factors[i], shift);
    return m ? quantize_relative_error(report->factors[i], m, shift) : -1;
}

uint64_t check_report_float_bytes(const struct check_report *report)
{
    return FLOAT_BYTES * (report->parts.bytes1 + report->parts.bytes2 + report->parts.bytes4);
}

uint64_t check_report_int_bytes(const struct check_report *report)
{
    return report->parts.bytes1 + 2 * report->parts.bytes2 + 4 * report->parts.bytes4;
}

bool check_report_skipped(const struct check_report *report, enum plynnue_isa isa)
{
    for (unsigned i = 0; i < report->level_count; i++)
        if (report->levels[i] == isa)
            return false;
    return report->all_levels;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static void print_levels(const struct check_report *report)
{
    printf("instruction sets\n");
    for (unsigned i = 0; i < report->level_count; i++) {
        uint64_t differences = report->result->level_differences[i];
        printf("  %-26s %12s", netarg_isa_name(report->levels[i]), i ? "compared" : "reference");
        if (differences)
            printf(", %s differences", TERMINAL_NUMBER(differences));
        printf("\n");
    }
    for (int isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++)
        if (check_report_skipped(report, (enum plynnue_isa)isa))
            printf("  %-26s %12s: this CPU lacks it\n", netarg_isa_name((enum plynnue_isa)isa),
                   "skipped");
}

static void print_proof(const struct check_report *report)
{
    const struct check_result *r = report->result;
    printf("\n%-28s %12s\n", "steps", TERMINAL_NUMBER(r->steps));
    for (unsigned i = 0; i < CHECK_COUNTS; i++)
        printf("  %-26s %12s\n", check_count_text((enum check_count)i),
               TERMINAL_NUMBER(r->counts[i]));
    if (report->has_games)
        printf("%-28s %12s\n", "games from the archive", TERMINAL_NUMBER(report->games));
    printf("%-28s %12s\n", "positions compared", TERMINAL_NUMBER(r->compared));
    printf("%-28s %12s\n", "differences", TERMINAL_NUMBER(r->differences));
    printf("%-28s %12.2f\n", "mean active features", ratio(r->active, r->views));
    printf("%-28s %12.2f\n", "mean changes per move", ratio(r->changes, r->updates));
    if (report->parts.map)
        printf("%-28s %11.1f%%\n", "made afresh by moves",
               100 * ratio(r->refreshes, r->updates + r->refreshes));
}

static void print_range(const char *name, const struct range *range)
{
    printf("  %-26s %12s .. %s", name, TERMINAL_NUMBER(range->low), TERMINAL_NUMBER(range->high));
}

static void print_row_bounds(const char *title, const struct row_bounds *rows)
{
    printf("  %s\n", title);
    print_range("  any board", &rows->any);
    printf("\n");
    print_range("  no pawns on ranks 1, 8", &rows->games);
    printf("\n  %-26s %12s    %s\n", "  loose: 32 largest |rows|", "",
           TERMINAL_NUMBER(rows->loose));
}

static void print_layers(const struct check_report *report)
{
    const struct net_bounds *b = &report->bounds;
    for (unsigned i = 0; i < report->parts.layer_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "sums of dense layer %u", i + 1);
        print_range(name, &b->layers[i]);
        printf("\n");
    }
    if (report->parts.output.weights) {
        print_range("sum of the output", &b->output);
        printf("\n");
    }
}

/* What int16 means for this net, in a line. */
static void print_int16(const struct check_report *report)
{
    const struct net_bounds *b = &report->bounds;
    if (b->int16_safe)
        printf("  int16 accumulators are safe: none can wrap\n");
    else if (!report->parts.relations)
        printf("  int16 accumulators are NOT safe: on some boards they wrap\n");
    else if (!range_fits(&b->squares.any, INT16_MIN, INT16_MAX))
        printf(
            "  int16 accumulators are NOT safe: those of the squares alone wrap on some boards\n");
    else
        printf("  int16 accumulators are not proved to be safe: the squares alone are, together "
               "with threats the bound is too wide\n");
}

static void print_int32(const struct check_report *report)
{
    if (!report->bounds.int32_safe && report->parts.output.weights)
        printf("  the output can leave int32: it is summed in 64 bits here\n");
    else
        printf("  int32 sums are %s\n", report->bounds.int32_safe ? "safe" : "NOT safe");
}

static void print_bounds(const struct check_report *report)
{
    const struct net_bounds *b = &report->bounds;
    printf("\noverflow bounds over any input\n");
    print_row_bounds(report->parts.relations ? "accumulators, squares" : "accumulators",
                     &b->squares);
    if (report->parts.relations) {
        print_range("threats and pawn pairs", &b->relations);
        printf("  (no board need reach it)\n");
        print_range("  with the squares", &b->total);
        printf("\n");
    }
    print_range("  seen", &report->result->seen);
    printf("\n");
    if (report->info.has_psqt) {
        print_range("psqt columns, any board", &b->psqt.any);
        printf("\n");
        print_range("  seen", &report->result->seen_psqt);
        printf("\n");
    }
    print_layers(report);
    print_int16(report);
    print_int32(report);
}

static void print_tiny_bounds(const struct bounds *b, bool is_float)
{
    printf("\n%soverflow bounds over any input\n", is_float ? "as int8: " : "");
    printf("  %-26s %12s  (one piece a square: %s, loose: %s)\n", "|acc1|",
           TERMINAL_NUMBER(b->acc1_exact), TERMINAL_NUMBER(b->acc1_tight),
           TERMINAL_NUMBER(b->acc1_loose));
    printf("  %-26s %12s  (loose: %s)\n", "|acc2|", TERMINAL_NUMBER(b->acc2_exact),
           TERMINAL_NUMBER(b->acc2_loose));
    printf("  %-26s %12s .. %s  (loose: %s)\n", "acc3", TERMINAL_NUMBER(b->acc3_low),
           TERMINAL_NUMBER(b->acc3_high), TERMINAL_NUMBER(b->acc3_loose));
    printf("  int16 accumulators are %s; int32 sums are %s\n", b->int16_safe ? "safe" : "NOT safe",
           b->int32_safe ? "safe" : "NOT safe");
}

static void print_multipliers(const struct check_report *report)
{
    printf("\n%-12s %12s %15s %15s\n", "multiplier", "value", "error, S = 16", "error, S = 24");
    for (unsigned i = 0; i < 3; i++) {
        printf("m%-11u %12.8f", i + 1, report->factors[i]);
        for (unsigned shift = SHIFT_LOW; shift <= SHIFT_HIGH; shift += SHIFT_HIGH - SHIFT_LOW) {
            double error = check_report_error(report, i, shift);
            if (error >= 0)
                printf(" %15.2g", error);
            else
                printf(" %15s", "does not fit");
        }
        printf("\n");
    }
}

void check_report_print(const struct check_report *report)
{
    const struct check_result *r = report->result;
    bool is_float = report->info.is_float;
    printf("%s: %s, %s%s\n\n", report->path, report->info.arch, is_float ? "floats" : "integers",
           report->info.verified ? "" : ", unverified");
    print_levels(report);
    print_proof(report);
    if (is_float)
        printf("\nfloat drift: %.2g cp with double accumulators, %.2g cp with float32 ones\n",
               r->drift, r->drift32);
    if (report->has_bounds)
        print_bounds(report);
    if (report->has_tiny_bounds)
        print_tiny_bounds(&report->tiny_bounds, is_float);
    if (report->has_factors)
        print_multipliers(report);
    if (report->unquantised.text[0])
        printf("the net cannot be quantised: %s\n", report->unquantised.text);
    printf("\nparameters: %s bytes as float, %s as integers\n",
           TERMINAL_NUMBER(check_report_float_bytes(report)),
           TERMINAL_NUMBER(check_report_int_bytes(report)));
    printf("%s\n", r->differences ? "DIFFERENT"
                   : is_float     ? "incremental = refresh = scalar within the drift above"
                   : report->parts.tiny_int
                       ? "exact: incremental = refresh = scalar = plain computation"
                       : "exact: incremental = refresh = scalar");
}
