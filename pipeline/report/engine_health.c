/* SPDX-License-Identifier: MIT */
#include "pipeline/report/engine_health.h"

#include <inttypes.h>
#include <stdlib.h>

#define NAME_SIZE 40

static void add_to_sum(struct catalogue_health *sum, const struct catalogue_health *row)
{
    sum->labels += row->labels;
    sum->failures += row->failures;
    sum->restarts += row->restarts;
    sum->timeouts += row->timeouts;
    sum->nodes += row->nodes;
    sum->search_us += row->search_us;
    sum->wall_us += row->wall_us;
    if (row->workers > sum->workers)
        sum->workers = row->workers;
    if (row->slowest_us > sum->slowest_us)
        sum->slowest_us = row->slowest_us;
}

static int add_row(void *context, const struct catalogue_health *row, struct error *err)
{
    struct engine_health *health = context;
    bool full = (health->count & (health->count - 1)) == 0; /* room doubles: 1, 2, 4, ... */
    if (full) {
        size_t room = health->count > 0 ? 2 * health->count : 1;
        struct catalogue_health *rows = realloc(health->rows, room * sizeof *rows);
        if (!rows)
            return error_memory(err);
        health->rows = rows;
    }
    health->rows[health->count++] = *row;
    add_to_sum(&health->sum, row);
    return 0;
}

int engine_health_read(struct build *build, struct engine_health *health, struct error *err)
{
    return catalogue_each_health(build->catalogue, add_row, health, err);
}

void engine_health_free(struct engine_health *health)
{
    free(health->rows);
    *health = (struct engine_health){0};
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void print_row(FILE *out, const char *name, double value, int decimals)
{
    char number[HTML_NUMBER_SIZE];
    html_format_real(value, decimals, number);
    fprintf(out, "  %-*s %14s\n", NAME_SIZE, name, number);
}

void engine_health_print(const struct engine_health *health, FILE *out)
{
    const struct catalogue_health *sum = &health->sum;
    double labels = (double)sum->labels;
    if (health->count == 0)
        return;
    fprintf(out, "how the engine did\n");
    print_row(out, "labels that it made", labels, 0);
    print_row(out, "milliseconds for a label, mean", ratio(1e-3 * (double)sum->search_us, labels),
              1);
    print_row(out, "milliseconds for a label, most", 1e-3 * (double)sum->slowest_us, 1);
    print_row(out, "nodes for a label, mean", ratio((double)sum->nodes, labels), 0);
    print_row(out, "nodes a second of one engine",
              ratio((double)sum->nodes, 1e-6 * (double)sum->search_us), 0);
    print_row(out, "engines killed and started anew", (double)sum->restarts, 0);
    print_row(out, "  of these for being late", (double)sum->timeouts, 0);
    print_row(out, "positions given up", (double)sum->failures, 0);
}

static json_t *row_json(const struct catalogue_health *row)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "labels",
                     (json_int_t)row->labels, "failures", (json_int_t)row->failures, "restarts",
                     (json_int_t)row->restarts, "timeouts", (json_int_t)row->timeouts, "workers",
                     (json_int_t)row->workers, "nodes", (json_int_t)row->nodes, "search_seconds",
                     1e-6 * (double)row->search_us, "slowest_ms", 1e-3 * (double)row->slowest_us,
                     "seconds", 1e-6 * (double)row->wall_us);
}

json_t *engine_health_json(const struct engine_health *health)
{
    if (health->count == 0)
        return json_null();
    json_t *all = row_json(&health->sum), *course = json_array();
    for (size_t i = 0; i < health->count; i++) {
        json_t *row = row_json(&health->rows[i]);
        (void)json_object_set_new(row, "median_ms",
                                  json_real(1e-3 * (double)health->rows[i].median_us));
        (void)json_object_set_new(row, "p95_ms", json_real(1e-3 * (double)health->rows[i].p95_us));
        (void)json_array_append_new(course, row);
    }
    (void)json_object_set_new(all, "course", course);
    return all;
}
