/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/cmd_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/cli/netarg.h"
#include "pipeline/report/report.h"
#include "pipeline/stages/sums.h"

/* Cuts a comma-separated list of paths in place. The number of paths, or -1. */
static int split_paths(char *list, const char *paths[REPORT_NETS_MAX], struct error *err)
{
    int count = 0;
    for (char *at = list; at;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        if (*at == '\0')
            return error_set(err, ERROR_USAGE, "--nets: an empty name in the list");
        if (count == REPORT_NETS_MAX)
            return error_set(err, ERROR_USAGE, "--nets: more than %d nets", REPORT_NETS_MAX);
        paths[count++] = at;
        at = comma ? comma + 1 : NULL;
    }
    return count;
}

static int write_report(const char *directory, const struct report_options *options,
                        struct error *err)
{
    struct build *build = NULL;
    struct settings *settings = settings_new();
    char *path = NULL;
    if (!settings)
        return error_memory(err);
    if (build_open(directory, BUILD_LOOK, settings, &build, err) < 0) {
        settings_free(settings);
        return -1;
    }
    int status = report_write(build, options, &path, err);
    if (status == 0)
        status = sums_add_report(build, err);
    if (status == 0)
        status = netarg_warn(build, options->nets, options->net_count, err);
    if (status == 0)
        printf("%s\n", path);
    free(path);
    build_close(build);
    return status;
}

static int run_report(struct invocation *invocation, struct error *err)
{
    const char *nets[REPORT_NETS_MAX];
    const char *value = invocation_value(invocation, "nets");
    char *list = value ? strdup(value) : NULL;
    int count = 0;
    if (value && !list)
        return error_memory(err);
    if (list)
        count = split_paths(list, nets, err);
    const struct report_options options = {nets, count > 0 ? (size_t)count : 0,
                                           invocation_has(invocation, "health")};
    int status = count < 0 ? -1 : write_report(invocation->arguments[0], &options, err);
    free(list);
    return status;
}

const struct command command_report = {
    .name = "report",
    .arguments = "DIR",
    .summary = "writes DIR/report.html: a finished build on one page, with plots",
    .details =
        "One file that needs no network and no script: inputs, counts by reason, "
        "distributions of the records and, for nets given with --nets, their errors on the "
        "test split and their loss curves (from NAME.train.csv, the log that train writes "
        "beside NAME.safetensors).\n"
        "Equal builds have equal pages, so times are left out; --health adds how long the "
        "engines took for labels over the course of the build, and their restarts. The page is "
        "written anew each time: name --nets and --health together to have both.",
    .minimum = 1,
    .maximum = 1,
    .options = {{"nets", "FILES", "nets to show, comma-separated (at most 8)"},
                {"health", NULL, "also show how the engines did: times and restarts"}},
    .examples = {"plymill report tiny --health", "plymill report tiny --nets tiny/net.safetensors"},
    .no_progress = true,
    .run = run_report,
};
