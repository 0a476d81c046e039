/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/cmd_verify.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "labeler/pool.h"
#include "pipeline/report/html.h"
#include "pipeline/stages/stop.h"
#include "pipeline/stages/verify.h"

/* For --json: the differences are collected. */
static void note_difference(void *context, const char *text)
{
    (void)json_array_append_new(context, json_string(text));
}

static int write_json(json_t *differences, const struct verify_counts *counts, bool verified,
                      struct error *err)
{
    json_t *report = json_pack("{s:b, s:O}", "verified", verified, "differences", differences);
    json_t *looked_at = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "files", (json_int_t)counts->files,
        "bytes", (json_int_t)counts->bytes, "inputs", (json_int_t)counts->inputs, "inputs_gone",
        (json_int_t)counts->inputs_gone, "shards", (json_int_t)counts->shards, "samples",
        (json_int_t)counts->samples, "records", (json_int_t)counts->records, "dataset_files",
        (json_int_t)counts->dataset_files, "dataset_positions", (json_int_t)counts->dataset_records,
        "labels_made_again", (json_int_t)counts->audited);
    if (verified && report)
        (void)json_object_update(report, looked_at);
    int status =
        report && looked_at && json_dumpf(report, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0
            ? 0
            : error_set(err, ERROR_FAILED, "the result is no JSON");
    putchar('\n');
    json_decref(report);
    json_decref(looked_at);
    return status;
}

static void say_difference(void *context, const char *text)
{
    fprintf(context, "differs: %s\n", text);
}

static int read_share(const char *text, double *share, struct error *err)
{
    char *end = NULL;
    *share = text ? strtod(text, &end) : 0;
    if (text && (*end != '\0' || !(*share > 0 && *share <= 1)))
        return error_set(err, ERROR_USAGE,
                         "--audit is a share of all labels, above 0 and up to 1, "
                         "and not \"%s\"",
                         text);
    return 0;
}

static void write_row(const char *name, uint64_t number, const char *what)
{
    char text[HTML_NUMBER_SIZE];
    html_format_integer((int64_t)number, text);
    printf("%-10s %14s %s\n", name, text, what);
}

static void write_counts(const struct verify_counts *counts, bool audited)
{
    write_row("files", counts->files, "hashed");
    write_row("bytes", counts->bytes, "in them");
    write_row("inputs", counts->inputs, "hashed");
    if (counts->inputs_gone > 0)
        write_row("inputs", counts->inputs_gone, "no longer there, passed over");
    write_row("shards", counts->shards, "read");
    write_row("samples", counts->samples, "decoded, each with its label");
    write_row("records", counts->records, "decoded");
    write_row("dataset", counts->dataset_files, "files read back");
    write_row("positions", counts->dataset_records, "in them, equal to their records");
    if (audited)
        write_row("labels", counts->audited, "made again by the engine, equal");
    printf("all is as it was\n");
}

/* Differences are a result; anything else that goes wrong is an error without one. */
static int verify_json(const char *directory, struct verify_options *options, struct error *err)
{
    struct verify_counts counts;
    struct error output = {0};
    json_t *differences = json_array();
    options->differs = note_difference;
    options->context = differences;
    int status = verify_run(directory, options, &counts, err);
    if ((status == 0 || err->code == ERROR_DIFFERS) &&
        write_json(differences, &counts, status == 0, &output) < 0 && status == 0) {
        *err = output;
        status = -1;
    }
    json_decref(differences);
    return status;
}

static int run_verify(struct invocation *invocation, struct error *err)
{
    long long workers;
    struct verify_counts counts;
    struct verify_options options = {.quiet = invocation->quiet,
                                     .engine = invocation_value(invocation, "engine"),
                                     .differs = say_difference,
                                     .context = stdout};
    if (read_share(invocation_value(invocation, "audit"), &options.audit, err) < 0 ||
        invocation_integer(invocation, "workers", 1, POOL_WORKERS_MAX, 0, &workers, err) < 0)
        return -1;
    options.workers = (unsigned)workers;
    options.stop = stop_install();
    if (invocation_has(invocation, "json"))
        return verify_json(invocation->arguments[0], &options, err);
    if (verify_run(invocation->arguments[0], &options, &counts, err) < 0)
        return -1;
    write_counts(&counts, options.audit > 0);
    return 0;
}

const struct command command_verify = {
    .name = "verify",
    .arguments = "DIR",
    .summary = "checks a finished build: every digest, record and dataset position again",
    .details =
        "All files by their digests, the inputs that are still there, the catalogue against\n"
        "manifest.json, every sample, label and record, and every dataset file position by\n"
        "position against its record. With --audit a share of the labels is made again by the\n"
        "engine that made them and compared in every field. A line for each difference, and\n"
        "exit status 3; 0 when there is none. Nothing is changed.",
    .minimum = 1,
    .maximum = 1,
    .options = {{"json", NULL, "the same as JSON"},
                {"audit", "SHARE", "make this share of the labels again, such as 0.001"},
                {"engine", "COMMAND", "the engine for --audit (default: the recipe's)"},
                {"workers", "N", "engines at a time for --audit (default: the recipe's)"}},
    .examples = {"plymill verify tiny", "plymill verify tiny --audit 0.001"},
    .run = run_verify,
};
