/* SPDX-License-Identifier: MIT */
/*
 * How the engines of a build did, from its log in build.db: for status, and for a page that was
 * asked to show it. Times are of the machines that made the labels, so that none of this stands in
 * anything that two equal builds have in common.
 */
#ifndef PLYMILL_PIPELINE_REPORT_ENGINE_HEALTH_H
#define PLYMILL_PIPELINE_REPORT_ENGINE_HEALTH_H

#include <jansson.h>
#include <stdio.h>

#include "pipeline/report/html.h"
#include "pipeline/stages/build.h"

struct engine_health {
    struct catalogue_health *rows; /* owned, as they were written */
    size_t count;
    struct catalogue_health sum; /* slowest_us is the largest; median_us and p95_us are 0 */
};

/* *health: {0}, to be freed in every case. Without an engine, or of an older build: count 0. */
int engine_health_read(struct build *build, struct engine_health *health, struct error *err);
void engine_health_free(struct engine_health *health);

/* A table for people; nothing where nothing is known. */
void engine_health_print(const struct engine_health *health, FILE *out);
/* docs/JSON.md; null where nothing is known. The caller's. */
json_t *engine_health_json(const struct engine_health *health);
/* A section of the report: facts and two pictures. */
int engine_health_write(struct html *html, const struct engine_health *health, struct error *err);

#endif
