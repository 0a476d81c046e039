/* SPDX-License-Identifier: MIT */
/*
 * Scores for machines; docs/SCORE.md has the schema.
 */
#include <inttypes.h>
#include <stdio.h>

#include "pipeline/cli/score_print.h"

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_value(const struct score_table *table, const char *name,
                        const struct score_value *value)
{
    printf("\"%s\": {\"value\": %.9g, ", name, value->value);
    if (table->has_intervals)
        printf("\"low\": %.9g, \"high\": %.9g}", value->low, value->high);
    else
        printf("\"low\": null, \"high\": null}");
}

static void print_ratios(const struct score_table *table, const struct score_row *row, unsigned m)
{
    static const char *const names[SCORE_BASELINES] = {"constant", "material", "material_fit"};
    printf("%s\"%s\": {", m ? ", " : "", score_metric_name((enum score_metric)m));
    for (unsigned k = 0; k < SCORE_BASELINES; k++) {
        printf("%s", k ? ", " : "");
        print_value(table, names[k], &row->ratio[m][k]);
    }
    printf("}");
}

static void print_row(const struct score_table *table, const struct score_group *group, unsigned i)
{
    static const char *const verdicts[] = {"better", "worse", "undecided"};
    const struct score_row *row = &group->rows[i];
    printf("%s\n    {\"name\": ", i ? "," : "");
    print_string(row->name);
    printf(", \"net\": %s", i < table->nets ? "true" : "false");
    for (unsigned m = 0; m < SCORE_METRICS; m++) {
        printf(", ");
        print_value(table, score_metric_name((enum score_metric)m), &row->metric[m]);
    }
    printf(", \"ratio\": {");
    for (unsigned m = 0; m < SCORE_RATIO_METRICS; m++)
        print_ratios(table, row, m);
    printf("}");
    if (i < table->nets && table->has_intervals)
        printf(", \"against_material\": \"%s\"", verdicts[score_judge(row, SCORE_MATERIAL_FITTED)]);
    printf("}");
}

static void print_group(const struct score_table *table, const struct score_group *group)
{
    printf("{\"by\": \"%s\", \"group\": \"%s\", \"positions\": %zu, \"games\": ",
           score_by_name(group->by), score_group_name(group->by, group->group), group->positions);
    if (table->has_intervals)
        printf("%" PRIu32, group->games);
    else
        printf("null");
    printf(", \"rows\": [");
    for (unsigned i = 0; i < table->rows; i++)
        print_row(table, group, i);
    printf("]}");
}

static void print_head(const struct score_sheet *sheet)
{
    const struct score_table *table = sheet->table;
    printf("{\"source\": ");
    print_string(sheet->source);
    printf(", \"split\": ");
    if (sheet->split)
        print_string(sheet->split);
    else
        printf("null");
    printf(", \"scale\": %.9g, \"mates\": %" PRIu64 ", \"unlabeled\": %" PRIu64
           ", \"resamples\": %d,\n",
           table->scale, table->mates, sheet->unlabeled,
           table->has_intervals ? SCORE_RESAMPLES : 0);
}

static void print_floor(const struct score_sheet *sheet)
{
    static const char *const terms[MATERIAL_TERMS] = {"P", "N", "B", "R", "Q", "tempo"};
    const struct score_floor *floor = &sheet->table->floor;
    printf(" \"fitted_on\": ");
    print_string(sheet->fitted_on);
    printf(", \"constant\": %.9g, \"material_fit\": {", floor->constant);
    for (unsigned i = 0; i < MATERIAL_TERMS; i++)
        printf("%s\"%s\": %.9g", i ? ", " : "", terms[i], floor->fitted[i]);
    printf("},\n");
}

static void print_nets(const struct score_sheet *sheet)
{
    static const char *const from[] = {"own", "own", "fitted", "given"};
    printf(" \"nets\": [");
    for (unsigned i = 0; i < sheet->table->nets; i++) {
        const struct score_unit *unit = &sheet->units[i];
        printf("%s{\"name\": ", i ? ", " : "");
        print_string(sheet->table->groups[0]->rows[i].name);
        printf(", \"file\": ");
        print_string(sheet->paths[i]);
        printf(", \"unit_cp\": %.9g, \"unit\": \"%s\", \"own_unit_cp\": ", unit->cp,
               from[unit->from]);
        if (unit->own > 0)
            printf("%.9g}", unit->own);
        else
            printf("null}");
    }
    printf("],\n");
}

void score_print_json(const struct score_sheet *sheet)
{
    const struct score_table *table = sheet->table;
    print_head(sheet);
    print_floor(sheet);
    print_nets(sheet);
    printf(" \"groups\": [\n");
    for (unsigned i = 0; i < table->group_count; i++) {
        printf("%s  ", i ? ",\n" : "");
        print_group(table, table->groups[i]);
    }
    printf("\n ]}\n");
}
