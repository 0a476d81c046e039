/* SPDX-License-Identifier: MIT */
#include "pipeline/cli/cmd_submit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pipeline/stages/export.h"
#include "pipeline/stages/label.h"
#include "pipeline/stages/labeltask.h"
#include "pipeline/stages/submit.h"

static int print_scripts(const struct build *build, const struct submit_options *options,
                         struct error *err)
{
    struct buffer text;
    unsigned *shards = NULL;
    size_t count;
    buffer_init(&text, 8u << 20);
    int status = submit_missing(build, &shards, &count, err);
    if (status == 0 && count > 0)
        status = submit_label_script(build, options, shards, count, &text, err);
    if (status == 0 && count > 0)
        status = buffer_printf(&text, err, "\n");
    if (status == 0)
        status = submit_finish_script(build, options, &text, err);
    if (status == 0)
        (void)fwrite(text.data, 1, text.length, stdout);
    free(shards);
    buffer_free(&text);
    return status;
}

static int submit_build(struct build *build, const struct submit_options *options,
                        struct error *err)
{
    if (build_stage_need(build, BUILD_SAMPLE, err) < 0 || label_prepare(build, err) < 0 ||
        export_check(build, err) < 0 || label_check(build, err) < 0 || label_begin(build, err) < 0)
        return -1;
    return submit_run(build, options, stdout, err);
}

static int open_and_run(const char *directory, bool print, const struct submit_options *options,
                        struct error *err)
{
    struct build *build = NULL;
    struct settings *settings = settings_new();
    if (!settings)
        return error_memory(err);
    if (build_open(directory, print ? BUILD_LOOK : BUILD_RESUME, settings, &build, err) < 0) {
        settings_free(settings);
        return -1;
    }
    int status = print ? print_scripts(build, options, err) : submit_build(build, options, err);
    build_close(build);
    return status;
}

static int run_submit(struct invocation *invocation, struct error *err)
{
    char program[PATH_MAX];
    long long seconds, array_max;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return error_system(err, errno, "/proc/self/exe");
    program[length] = '\0';
    if (!invocation_has(invocation, "slurm") && !invocation_has(invocation, "print"))
        return error_set(err, ERROR_USAGE,
                         "submit to what? plymill submit DIR --slurm [-- OPTIONS OF SBATCH]");
    if (invocation_integer(invocation, "checkpoint", 0, INT_MAX, LABELTASK_CHECKPOINT_S, &seconds,
                           err) < 0 ||
        invocation_integer(invocation, "array-max", 1, INT_MAX, 0, &array_max, err) < 0)
        return -1;
    const struct submit_options options = {
        .program = program,
        .extra = (const char *const *)invocation->arguments + 1,
        .extra_count = invocation->argument_count - 1,
        .checkpoint_s = (unsigned)seconds,
        .array_max = (unsigned)array_max,
    };
    return open_and_run(invocation->arguments[0], invocation_has(invocation, "print"), &options,
                        err);
}

const struct command command_submit = {
    .name = "submit",
    .arguments = "DIR --slurm [-- OPTIONS]",
    .summary = "labels the shards of a sampled build as a Slurm job array",
    .details =
        "One task of the array labels one shard in the node's scratch ($TMPDIR) with as many\n"
        "engines as it has CPUs (--cpus-per-task), and publishes it when it is complete. A task\n"
        "that is preempted, killed or loses its node goes on from its last checkpoint. A second\n"
        "job waits for the array, then selects, exports and verifies. The options behind -- go to\n"
        "sbatch for both. Submitting again submits the shards that are left. The directory, the\n"
        "engine and plymill itself must be there under the same paths on every node.",
    .minimum = 1,
    .maximum = -1,
    .options = {{"slurm", NULL, "to Slurm, with sbatch"},
                {"print", NULL, "print the job scripts and submit nothing"},
                {"checkpoint", "S", "seconds from checkpoint to checkpoint (600)"},
                {"array-max", "N", "at most so many tasks (default: MaxArraySize of Slurm)"}},
    .examples = {"plymill submit tiny --slurm -- --partition=long --cpus-per-task=8",
                 "plymill submit tiny --print"},
    .no_progress = true,
    .run = run_submit,
};
