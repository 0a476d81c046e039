/* SPDX-License-Identifier: MIT */
/*
 * Scores as tables for people.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/cli/score_print.h"
#include "pipeline/report/terminal.h"

enum { RANGE_SIZE = 48, NAME_WIDTH_MIN = 15 };

static const char *const by_titles[SCORE_BY_COUNT] = {
    [SCORE_BY_PIECES] = "pieces",      [SCORE_BY_LABEL] = "|label|, cp",
    [SCORE_BY_KIND] = "kind of label", [SCORE_BY_SIDE] = "side to move",
    [SCORE_BY_SOURCE] = "source",      [SCORE_BY_SITE] = "site"};

/* "[0.123, 0.456]", or "-" where nothing was resampled. */
static const char *range_text(const struct score_table *table, const struct score_value *value,
                              int decimals, char out[RANGE_SIZE])
{
    if (table->has_intervals)
        snprintf(out, RANGE_SIZE, "[%.*f, %.*f]", decimals, value->low, decimals, value->high);
    else
        snprintf(out, RANGE_SIZE, "-");
    return out;
}

static int name_width(const struct score_table *table)
{
    int width = NAME_WIDTH_MIN;
    for (unsigned i = 0; i < table->rows; i++)
        if ((int)strlen(table->groups[0]->rows[i].name) > width)
            width = (int)strlen(table->groups[0]->rows[i].name);
    return width;
}

static void print_rows(const struct score_table *table, int width)
{
    char mse[RANGE_SIZE], mae[RANGE_SIZE], ratio[RANGE_SIZE];
    printf("%-*s  %8s %-18s  %7s %-16s  %7s  %6s  %6s  %7s %s\n", width, "", "WDL-MSE", "95 %",
           "MAE cp", "95 %", "median", "corr", "sign", "ratio", "95 %");
    for (unsigned i = 0; i < table->rows; i++) {
        const struct score_row *row = &table->groups[0]->rows[i];
        const struct score_value *metric = row->metric;
        const struct score_value *by = &row->ratio[SCORE_WDL_MSE][SCORE_MATERIAL_FITTED];
        printf("%-*s  %8.5f %-18s  %7.1f %-16s  %7.1f  %6.3f  %5.1f%%  %7.3f %s\n", width,
               row->name, metric[SCORE_WDL_MSE].value,
               range_text(table, &metric[SCORE_WDL_MSE], 5, mse), metric[SCORE_MAE].value,
               range_text(table, &metric[SCORE_MAE], 1, mae), metric[SCORE_MEDIAN].value,
               metric[SCORE_CORRELATION].value, 100 * metric[SCORE_SIGN].value, by->value,
               range_text(table, by, 3, ratio));
    }
}

/* The last column pads nothing: lines end without blanks. */
static int ratio_width(unsigned baseline)
{
    return baseline + 1 < SCORE_BASELINES ? 16 : 0;
}

/* One metric's ratios to every baseline, of the nets. */
static void print_ratios(const struct score_table *table, int width, enum score_metric metric,
                         const char *title)
{
    char range[RANGE_SIZE];
    printf("\n%-*s", width, title);
    for (unsigned k = 0; k < SCORE_BASELINES; k++)
        printf("  %7s %-*s", "by", ratio_width(k), score_baseline_name((enum score_baseline)k));
    printf("\n");
    for (unsigned i = 0; i < table->nets; i++) {
        const struct score_row *row = &table->groups[0]->rows[i];
        printf("%-*s", width, row->name);
        for (unsigned k = 0; k < SCORE_BASELINES; k++)
            printf("  %7.3f %-*s", row->ratio[metric][k].value, ratio_width(k),
                   range_text(table, &row->ratio[metric][k], 3, range));
        printf("\n");
    }
}

static void print_group_row(const struct score_table *table, const struct score_row *row, int width)
{
    char mse[RANGE_SIZE], ratio[RANGE_SIZE];
    const struct score_value *by = &row->ratio[SCORE_WDL_MSE][SCORE_MATERIAL_FITTED];
    printf("%-*s  %8.5f %-18s  %7.1f  %6.3f  %5.1f%%  %7.3f %s\n", width, row->name,
           row->metric[SCORE_WDL_MSE].value, range_text(table, &row->metric[SCORE_WDL_MSE], 5, mse),
           row->metric[SCORE_MAE].value, row->metric[SCORE_CORRELATION].value,
           100 * row->metric[SCORE_SIGN].value, by->value, range_text(table, by, 3, ratio));
}

/* The nets and fitted material on one group. */
static void print_group(const struct score_table *table, const struct score_group *group, int width)
{
    printf("%-12s  %9s  %7s  ", score_group_name(group->by, group->group),
           TERMINAL_NUMBER(group->positions), TERMINAL_NUMBER(group->games));
    for (unsigned i = 0; i < table->rows; i++) {
        if (i >= table->nets && i - table->nets != SCORE_MATERIAL_FITTED)
            continue;
        if (i)
            printf("%34s", "");
        print_group_row(table, &group->rows[i], width);
    }
}

static void print_groups(const struct score_table *table, int width)
{
    enum score_by last = SCORE_BY_ALL;
    for (unsigned i = 1; i < table->group_count; i++) {
        const struct score_group *group = table->groups[i];
        if (group->by != last)
            printf("\n%-13s %9s  %7s  %-*s  %8s %-18s  %7s  %6s  %6s  %7s %s\n",
                   by_titles[group->by], "positions", "games", width, "", "WDL-MSE", "95 %",
                   "MAE cp", "corr", "sign", "ratio", "95 %");
        last = group->by;
        print_group(table, group, width);
    }
}

static const char *verdict_text(enum score_verdict verdict)
{
    if (verdict == SCORE_UNDECIDED)
        return "is not proved better or worse than fitted material: the interval does not exclude "
               "1";
    return verdict == SCORE_BETTER ? "is better than fitted material"
                                   : "is worse than fitted material";
}

static void print_verdicts(const struct score_table *table)
{
    char range[RANGE_SIZE];
    for (unsigned i = 0; i < table->nets && table->has_intervals; i++) {
        const struct score_row *row = &table->groups[0]->rows[i];
        const struct score_value *ratio = &row->ratio[SCORE_WDL_MSE][SCORE_MATERIAL_FITTED];
        printf("%s %s (ratio %.3f, 95 %% %s).\n", row->name,
               verdict_text(score_judge(row, SCORE_MATERIAL_FITTED)), ratio->value,
               range_text(table, ratio, 3, range));
    }
}

static void print_units(const struct score_sheet *sheet)
{
    for (unsigned i = 0; i < sheet->table->nets; i++) {
        const struct score_unit *unit = &sheet->units[i];
        if (unit->from == SCORE_UNIT_OWN)
            continue;
        printf("%s: a unit is taken as %.6g cp, %s", sheet->table->groups[0]->rows[i].name,
               unit->cp, unit->from == SCORE_UNIT_GIVEN ? "as given" : "fitted on ");
        printf("%s", unit->from == SCORE_UNIT_GIVEN ? "" : sheet->fitted_on);
        if (unit->own > 0)
            printf(" (it says %.6g itself)", unit->own);
        printf(".\n");
    }
}

static void print_notes(const struct score_sheet *sheet)
{
    static const char terms[MATERIAL_TERMS][6] = {"P", "N", "B", "R", "Q", "tempo"};
    const struct score_table *table = sheet->table;
    printf("\nratio: WDL-MSE by that of fitted material, sigmoid(cp/%g). ", table->scale);
    if (table->has_intervals)
        printf("Intervals: %s resamples of whole games.\n", TERMINAL_NUMBER(SCORE_RESAMPLES));
    else
        printf("No intervals: %s does not say which game a position is from.\n", sheet->format);
    printf("constant: %.1f cp, the mean of %s. material fitted on %s:", table->floor.constant,
           sheet->fitted_on, sheet->fitted_on);
    for (unsigned i = 0; i < MATERIAL_TERMS; i++)
        printf(" %s %.1f", terms[i], table->floor.fitted[i]);
    printf(" cp.\n");
    if (sheet->fitted_on_itself)
        printf("That is an advantage of the baselines: --fit-on names other positions.\n");
    if (table->mates)
        printf("%s labels are mates and count as +-%d cp.\n", TERMINAL_NUMBER(table->mates),
               SAMPLES_MATE_CP);
    if (sheet->unlabeled)
        printf("%s records without a score were left out.\n", TERMINAL_NUMBER(sheet->unlabeled));
    if (sheet->unit_is_assumed)
        printf("The scores of %s are taken as centipawns: --from-scale says otherwise.\n",
               sheet->source);
}

void score_print_text(const struct score_sheet *sheet)
{
    const struct score_table *table = sheet->table;
    const struct score_group *all = table->groups[0];
    int width = name_width(table);
    printf("%s positions", TERMINAL_NUMBER(all->positions));
    if (table->has_intervals)
        printf(" of %s games", TERMINAL_NUMBER(all->games));
    if (sheet->split)
        printf(" (%s of %s)\n\n", sheet->split, sheet->source);
    else
        printf(" (%s)\n\n", sheet->source);
    print_rows(table, width);
    print_ratios(table, width, SCORE_WDL_MSE, "ratio of WDL-MSE");
    print_ratios(table, width, SCORE_MAE, "ratio of MAE");
    print_groups(table, width);
    print_notes(sheet);
    print_units(sheet);
    print_verdicts(table);
}
