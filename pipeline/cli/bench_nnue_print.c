/* SPDX-License-Identifier: MIT */
/*
 * What the benchmark of nets prints, see bench_nnue.h.
 */
#include <stdio.h>
#include <string.h>

#include "pipeline/cli/bench_nnue.h"
#include "pipeline/cli/bench_positions.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/report/terminal.h"

/* What the others are measured by: plain C, int8, update + forward, -O3 -march=native. */
static double yardstick(const struct bench_nnue *result)
{
    return result->plain[PLAIN_NATIVE].int_ns[BENCH_UPDATE].median;
}

static void print_plain(const struct bench_nnue *result)
{
    printf("%-44s %14s %14s %14s %14s\n", "TinyNNUE in plain C", "fp32 refresh", "fp32 update",
           "int8 refresh", "int8 update");
    for (unsigned i = 0; i < PLAIN_FLAGS; i++) {
        const struct bench_nnue_plain *p = &result->plain[i];
        char flags[64];
        (void)snprintf(flags, sizeof flags, "gcc %s", p->flags);
        printf("  %-42s %14s %14s %14s %14s\n", flags,
               TERMINAL_NUMBER(p->float_ns[BENCH_REFRESH].median + 0.5),
               TERMINAL_NUMBER(p->float_ns[BENCH_UPDATE].median + 0.5),
               TERMINAL_NUMBER(p->int_ns[BENCH_REFRESH].median + 0.5),
               TERMINAL_NUMBER(p->int_ns[BENCH_UPDATE].median + 0.5));
    }
}

static void print_rows(const struct bench_nnue *result)
{
    double unit = yardstick(result);
    printf("\n%-31s %-12s %20s %20s %20s\n", "libplynnue", "", "refresh + forward",
           "update + forward", "forward only");
    for (size_t i = 0; i < result->row_count; i++) {
        const struct bench_nnue_row *row = &result->rows[i];
        printf("  %-29s %-12s", row->name, netarg_isa_name(row->isa));
        for (unsigned column = 0; column < BENCH_COLUMNS; column++)
            printf(" %7s %6s %5.2f", TERMINAL_NUMBER(row->ns[column].median + 0.5),
                   TERMINAL_NUMBER(row->ns[column].p95 + 0.5), row->ns[column].median / unit);
        printf("\n");
    }
    printf("each: median, 95th percentile, median as a share of %.0f ns (plain C, int8, update, "
           "-O3)\n",
           unit);
}

/* The fastest int8 TinyNNUE of the library. */
static const struct bench_nnue_row *best_tiny(const struct bench_nnue *result)
{
    const struct bench_nnue_row *best = NULL;
    for (size_t i = 0; i < result->row_count; i++) {
        const struct bench_nnue_row *row = &result->rows[i];
        if (!row->is_float && !strcmp(row->name, "TinyNNUE int8") &&
            (!best || row->ns[BENCH_UPDATE].median < best->ns[BENCH_UPDATE].median))
            best = row;
    }
    return best;
}

static void print_conclusion(const struct bench_nnue *result)
{
    const struct bench_nnue_plain *fast = &result->plain[PLAIN_FAST];
    const struct bench_nnue_row *best = best_tiny(result);
    double fp32 = fast->float_ns[BENCH_UPDATE].median, int8 = fast->int_ns[BENCH_UPDATE].median;
    if (fp32 <= 0 || int8 <= 0)
        return;
    printf("\nUpdate + forward, all flags: plain C takes %.0f ns with fp32 and %.0f with int8: "
           "int8 is %.1f times as %s,\n",
           fp32, int8, int8 > fp32 ? int8 / fp32 : fp32 / int8, int8 > fp32 ? "slow" : "fast");
    printf("since compilers widen bytes before they multiply them.\n");
    if (!best || best->isa == PLYNNUE_ISA_SCALAR)
        return;
    printf("With instructions that multiply bytes (%s) int8 takes %.0f ns: %.1f times as fast as "
           "fp32, %.1f as plain int8.\n",
           netarg_isa_name(best->isa), best->ns[BENCH_UPDATE].median,
           fp32 / best->ns[BENCH_UPDATE].median, yardstick(result) / best->ns[BENCH_UPDATE].median);
}

void bench_nnue_print(const struct bench_nnue_options *options, const struct bench_nnue *result)
{
    printf("%s: %s positions of %s games; %u runs, one thread, chunks of %d evaluations; "
           "nanoseconds, %.0f %% of the time on the processor\n\n",
           options->games, TERMINAL_NUMBER(result->chunks * BENCH_CHUNK),
           TERMINAL_NUMBER(result->games), options->runs, BENCH_CHUNK,
           100 * result->processor_share);
    print_plain(result);
    print_rows(result);
    print_conclusion(result);
}

static void print_spread(const char *name, const struct bench_spread *spread)
{
    printf(", \"%s\": {\"median_ns\": %.2f, \"p95_ns\": %.2f}", name, spread->median, spread->p95);
}

/* Names of files may hold anything. */
static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    putchar('"');
}

void bench_nnue_print_json(const struct bench_nnue_options *options,
                           const struct bench_nnue *result)
{
    static const char *const columns[BENCH_COLUMNS] = {"refresh", "update", "forward"};
    printf("{\"bench\": \"nnue\", \"positions\": %zu, \"games\": %zu, \"runs\": %u, "
           "\"processor_share\": %.3f, \"unit_ns\": %.2f,\n \"plain\": [",
           result->chunks * BENCH_CHUNK, result->games, options->runs, result->processor_share,
           yardstick(result));
    for (unsigned i = 0; i < PLAIN_FLAGS; i++) {
        const struct bench_nnue_plain *p = &result->plain[i];
        printf("%s\n  {\"flags\": \"%s\"", i ? "," : "", p->flags);
        print_spread("fp32_refresh", &p->float_ns[BENCH_REFRESH]);
        print_spread("fp32_update", &p->float_ns[BENCH_UPDATE]);
        print_spread("int8_refresh", &p->int_ns[BENCH_REFRESH]);
        print_spread("int8_update", &p->int_ns[BENCH_UPDATE]);
        printf("}");
    }
    printf("\n ],\n \"rows\": [");
    for (size_t i = 0; i < result->row_count; i++) {
        const struct bench_nnue_row *row = &result->rows[i];
        printf("%s\n  {\"name\": ", i ? "," : "");
        print_text(row->name);
        printf(", \"arch\": \"%s\", \"isa\": \"%s\"", row->arch, netarg_isa_name(row->isa));
        for (unsigned column = 0; column < BENCH_COLUMNS; column++)
            print_spread(columns[column], &row->ns[column]);
        printf("}");
    }
    printf("\n ]}\n");
}
