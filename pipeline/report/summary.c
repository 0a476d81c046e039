/* SPDX-License-Identifier: MIT */
#include "pipeline/report/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/stages/fate.h"

#define ROWS_MAX  64
#define NAME_SIZE 40

void summary_format_number(long long number, char out[32])
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", number < 0 ? -number : number);
    char *to = out;
    if (number < 0)
        *to++ = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
}

/* One row of the table: a count without a split, or one for each split. */
struct row {
    char stage[32], name[64];
    int64_t all, splits[BUILD_SPLITS];
    bool by_split;
};

struct rows {
    struct row rows[ROWS_MAX];
    size_t count;
};

static struct row *row_for(struct rows *rows, const struct catalogue_count *count)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->rows[i].stage, count->stage) == 0 &&
            strcmp(rows->rows[i].name, count->name) == 0)
            return &rows->rows[i];
    if (rows->count == ROWS_MAX)
        return NULL;
    struct row *row = &rows->rows[rows->count++];
    memcpy(row->stage, count->stage, sizeof row->stage);
    memcpy(row->name, count->name, sizeof row->name);
    return row;
}

static int collect(void *context, const struct catalogue_count *count, struct error *err)
{
    struct row *row = row_for(context, count);
    if (!row)
        return error_set(err, ERROR_FAILED, "build.db holds more than %d kinds of counts",
                         ROWS_MAX);
    row->all += count->value;
    if (count->split != CATALOGUE_SPLIT_NONE) {
        row->by_split = true;
        row->splits[count->split] = count->value;
    }
    return 0;
}

static void write_row(const struct row *row, FILE *out)
{
    char number[32];
    summary_format_number(row->all, number);
    fprintf(out, "  %-*s %14s", NAME_SIZE, row->name, number);
    for (int split = 0; row->by_split && split < BUILD_SPLITS; split++) {
        summary_format_number(row->splits[split], number);
        fprintf(out, " %12s", number);
    }
    fputc('\n', out);
}

static const struct row *find_row(const struct rows *rows, const char *stage, const char *name)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->rows[i].stage, stage) == 0 && strcmp(rows->rows[i].name, name) == 0)
            return &rows->rows[i];
    return NULL;
}

/* Rows of a stage whose name begins with prefix. */
static void write_rows(const struct rows *rows, const char *stage, const char *prefix, FILE *out)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->rows[i].stage, stage) == 0 &&
            strncmp(rows->rows[i].name, prefix, strlen(prefix)) == 0)
            write_row(&rows->rows[i], out);
}

static void write_fates(const struct rows *rows, FILE *out)
{
    for (int fate = 0; fate < FATE_COUNT; fate++) {
        const struct row *row = find_row(rows, "select", fate_text((enum fate)fate));
        if (row && (row->all > 0 || fate == FATE_KEPT))
            write_row(row, out);
    }
}

int summary_write_funnel(struct build *build, FILE *out, struct error *err)
{
    struct rows *rows = calloc(1, sizeof *rows);
    if (!rows)
        return error_memory(err);
    int status = catalogue_each_count(build->catalogue, collect, rows, err);
    if (status == 0) {
        fprintf(out, "%-*s %14s %12s %12s %12s\n", NAME_SIZE + 2, "games and positions", "all",
                build_split_names[0], build_split_names[1], build_split_names[2]);
        write_rows(rows, "sample", "games", out);
        write_rows(rows, "sample", "positions", out);
        write_rows(rows, "sample", "samples", out);
        fprintf(out, "what became of the samples\n");
        write_fates(rows, out);
        write_rows(rows, "export", "", out);
    }
    free(rows);
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
            fprintf(out, " (%" PRId64 " of %" PRId64 " positions are in sealed shards)",
                    count.labels, count.samples);
        }
        fputc('\n', out);
    }
    return 0;
}
