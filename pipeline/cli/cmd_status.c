/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/cmd_status.h"

#include <stdio.h>

#include "pipeline/report/summary.h"
#include "pipeline/stages/build.h"
#include "pipeline/stages/submit.h"

static int run_status(struct invocation *invocation, struct error *err)
{
    struct build *build = NULL;
    struct settings *settings = settings_new();
    char id[CATALOGUE_VALUE_MAX];
    if (!settings)
        return error_memory(err);
    if (build_open(invocation->arguments[0], BUILD_LOOK, settings, &build, err) < 0) {
        settings_free(settings);
        return -1;
    }
    if (invocation_has(invocation, "json")) {
        int written = summary_write_json(build, stdout, err);
        build_close(build);
        return written;
    }
    int status = summary_write_plan(build, stdout, err);
    if (status == 0)
        status = submit_write_state(build, stdout, err);
    if (status == 0)
        status = summary_write_funnel(build, stdout, err);
    if (status == 0)
        status = summary_write_engine(build, stdout, err);
    if (status == 0 && (status = catalogue_get(build->catalogue, "build_id", id, err)) == 1)
        printf("build id %s\n", id);
    build_close(build);
    return status;
}

const struct command command_status = {
    .name = "status",
    .arguments = "DIR",
    .summary = "says what is done in a build directory and what is left",
    .minimum = 1,
    .maximum = 1,
    .options = {{"json", NULL, "the same as JSON"}},
    .examples = {"plymill status tiny", "plymill status tiny --json"},
    .no_progress = true,
    .run = run_status,
};
