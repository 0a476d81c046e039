/* SPDX-License-Identifier: MIT */
#include "pipeline/report/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/report/html.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/report/report_filters.h"
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
        fprintf(out, "what became of the samples\n");
        write_fates(facts, out);
        report_print_repeats(facts, out);
        write_rows(facts, "export", "", out);
    }
    free(facts);
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
    return 0;
}
