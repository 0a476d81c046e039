/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/labelhealth.h"

#include "labeler/engine.h"
#include "pipeline/report/log.h"

void labelhealth_begin(struct labelhealth *health, struct build *build, uint64_t total,
                       unsigned workers)
{
    *health = (struct labelhealth){.build = build,
                                   .workers = workers,
                                   .every = total / LABELHEALTH_STRETCHES + 1,
                                   .begun_us = engine_clock_us()};
}

static struct catalogue_health row_of(const struct labelhealth *health, const struct health *taken,
                                      int64_t now)
{
    return (struct catalogue_health){.labels = (int64_t)taken->labels,
                                     .failures = (int64_t)taken->failures,
                                     .restarts = (int64_t)taken->restarts,
                                     .timeouts = (int64_t)taken->timeouts,
                                     .workers = health->workers,
                                     .nodes = (int64_t)taken->nodes,
                                     .search_us = (int64_t)taken->search_us,
                                     .median_us = (int64_t)health_quantile(taken, 0.5),
                                     .p95_us = (int64_t)health_quantile(taken, 0.95),
                                     .slowest_us = (int64_t)taken->slowest_us,
                                     .wall_us = now - health->begun_us};
}

static void log_row(const struct catalogue_health *row)
{
    log_event("engine", "s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f", "labels",
              (json_int_t)row->labels, "failures", (json_int_t)row->failures, "restarts",
              (json_int_t)row->restarts, "timeouts", (json_int_t)row->timeouts, "workers",
              (json_int_t)row->workers, "nodes", (json_int_t)row->nodes, "search_seconds",
              1e-6 * (double)row->search_us, "median_ms", 1e-3 * (double)row->median_us, "p95_ms",
              1e-3 * (double)row->p95_us, "slowest_ms", 1e-3 * (double)row->slowest_us, "seconds",
              1e-6 * (double)row->wall_us);
}

static int save(struct labelhealth *health, struct pool *pool, int64_t now, struct error *err)
{
    struct health taken;
    pool_take_health(pool, &taken);
    struct catalogue_health row = row_of(health, &taken, now);
    health->labels = 0;
    health->begun_us = now;
    if (row.labels == 0 && row.failures == 0 && row.restarts == 0)
        return 0;
    log_row(&row);
    struct catalogue *catalogue = health->build->catalogue;
    return catalogue ? catalogue_add_health(catalogue, &row, err) : 0;
}

int labelhealth_count(struct labelhealth *health, struct pool *pool, struct error *err)
{
    if (++health->labels < health->every)
        return 0;
    int64_t now = engine_clock_us();
    return now - health->begun_us < LABELHEALTH_LEAST_US ? 0 : save(health, pool, now, err);
}

int labelhealth_end(struct labelhealth *health, struct pool *pool, struct error *err)
{
    return pool ? save(health, pool, engine_clock_us(), err) : 0;
}
