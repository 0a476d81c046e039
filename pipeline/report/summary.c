/* SPDX-License-Identifier: MIT */
#include "pipeline/report/summary.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/report/engine_health.h"
#include "pipeline/report/html.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/report/report_filters.h"
#include "pipeline/stages/again.h"
#include "pipeline/stages/fate.h"

#define NAME_SIZE 40

/* A count without a split, or one for each split behind their sum. */
static void write_row(const struct report_count *row, FILE *out)
{
    char number[HTML_NUMBER_SIZE];
    html_format_integer(row->all, number);
    fprintf(out, "  %-*s %14s", NAME_SIZE, row->name, number);
    for (int split = 0; row->by_split && split < BUILD_SPLITS; split++) {
        html_format_integer(row->splits[split], number);
        fprintf(out, " %12s", number);
    }
    fputc('\n', out);
}

/* Rows of a stage whose name begins with prefix. */
static void write_rows(const struct report_facts *facts, const char *stage, const char *prefix,
                       FILE *out)
{
    for (size_t i = 0; i < facts->count_count; i++)
        if (strcmp(facts->counts[i].stage, stage) == 0 &&
            strncmp(facts->counts[i].name, prefix, strlen(prefix)) == 0)
            write_row(&facts->counts[i], out);
}

static void write_fates(const struct report_facts *facts, FILE *out)
{
    for (int fate = 0; fate < FATE_COUNT; fate++) {
        const struct report_count *row =
            report_facts_find(facts, "select", fate_text((enum fate)fate));
        if (row && (row->all > 0 || fate == FATE_KEPT))
            write_row(row, out);
    }
}

int summary_write_funnel(struct build *build, FILE *out, struct error *err)
{
    struct report_facts *facts = calloc(1, sizeof *facts);
    if (!facts)
        return error_memory(err);
    int status = report_facts_read_counts(build, facts, err);
    if (status == 0) {
        fprintf(out, "%-*s %14s %12s %12s %12s\n", NAME_SIZE + 2, "games and positions", "all",
                build_split_names[0], build_split_names[1], build_split_names[2]);
        write_rows(facts, "sample", "games", out);
        write_rows(facts, "sample", "positions", out);
        write_rows(facts, "sample", "samples", out);
        if (report_facts_find(facts, "select", fate_text(FATE_KEPT)))
            fprintf(out, "what became of the samples\n");
        write_fates(facts, out);
        report_print_repeats(facts, out);
        write_rows(facts, "export", "", out);
    }
    free(facts);
    return status;
}

int summary_write_engine(struct build *build, FILE *out, struct error *err)
{
    struct engine_health health = {0};
    int status = engine_health_read(build, &health, err);
    if (status == 0)
        engine_health_print(&health, out);
    engine_health_free(&health);
    return status;
}

struct progress_count {
    struct build *build;
    int64_t samples, labels;
};

static int count_shard(void *context, const struct catalogue_shard *shard, struct error *err)
{
    struct progress_count *count = context;
    char *path = build_labels_path(count->build, (unsigned)shard->id, err);
    if (!path)
        return -1;
    count->samples += shard->samples;
    if (file_exists(path))
        count->labels += shard->samples;
    free(path);
    return 0;
}

int summary_write_plan(struct build *build, FILE *out, struct error *err)
{
    struct progress_count count = {.build = build};
    for (int stage = 0; stage < BUILD_STAGES; stage++) {
        int done = build_stage_done(build, (enum build_stage)stage, err);
        if (done < 0)
            return -1;
        fprintf(out, "%-8s %s", build_stage_names[stage], done ? "done" : "to do");
        if (stage == BUILD_LABEL && !done) {
            if (catalogue_each_shard(build->catalogue, count_shard, &count, err) < 0)
                return -1;
            char labels[HTML_NUMBER_SIZE], samples[HTML_NUMBER_SIZE];
            html_format_integer(count.labels, labels);
            html_format_integer(count.samples, samples);
            fprintf(out, " (%s of %s positions are in shards that are done)", labels, samples);
        }
        fputc('\n', out);
    }
    char again[AGAIN_TEXT_MAX];
    int found = again_describe(build, again, err);
    if (found == 1)
        fprintf(out, "%s\n", again);
    return found < 0 ? -1 : 0;
}

static json_t *stages_json(struct build *build, struct error *err)
{
    json_t *stages = json_object();
    for (int stage = 0; stages && stage < BUILD_STAGES; stage++) {
        int done = build_stage_done(build, (enum build_stage)stage, err);
        if (done < 0) {
            json_decref(stages);
            return NULL;
        }
        (void)json_object_set_new(stages, build_stage_names[stage], json_boolean(done));
    }
    return stages;
}

static json_t *counts_json(const struct report_facts *facts)
{
    json_t *counts = json_array();
    for (size_t i = 0; i < facts->count_count; i++) {
        const struct report_count *row = &facts->counts[i];
        json_t *count = json_pack("{s:s, s:s, s:I}", "stage", row->stage, "name", row->name, "all",
                                  (json_int_t)row->all);
        for (int split = 0; row->by_split && split < BUILD_SPLITS; split++)
            (void)json_object_set_new(count, build_split_names[split],
                                      json_integer(row->splits[split]));
        (void)json_array_append_new(counts, count);
    }
    return counts;
}

int summary_write_json(struct build *build, FILE *out, struct error *err)
{
    struct progress_count count = {.build = build};
    struct report_facts *facts = calloc(1, sizeof *facts);
    struct engine_health health = {0};
    char id[CATALOGUE_VALUE_MAX] = "";
    json_t *stages = NULL, *report = NULL;
    int status = -1;
    if (!facts)
        return error_memory(err);
    if (report_facts_read_counts(build, facts, err) < 0 ||
        catalogue_each_shard(build->catalogue, count_shard, &count, err) < 0 ||
        catalogue_get(build->catalogue, "build_id", id, err) < 0 ||
        engine_health_read(build, &health, err) < 0 || !(stages = stages_json(build, err)))
        goto out;
    report = json_pack("{s:s, s:o, s:o, s:i, s:I, s:I, s:o, s:o}", "directory", build->directory,
                       "build_id", *id ? json_string(id) : json_null(), "stages", stages, "shards",
                       (int)build->shards, "samples", (json_int_t)count.samples, "labels",
                       (json_int_t)count.labels, "counts", counts_json(facts), "engine",
                       engine_health_json(&health));
    status = report && json_dumpf(report, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0
                 ? 0
                 : error_set(err, ERROR_FAILED, "%s: its status is no JSON", build->directory);
    fputc('\n', out);
out:
    json_decref(report);
    engine_health_free(&health);
    free(facts);
    return status;
}
