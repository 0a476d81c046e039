/* SPDX-License-Identifier: MIT */
/*
 * The job scripts. Everything that they name is an absolute path, so that they mean the same on
 * every node that sees the build directory.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/recipe/shell_quote.h"
#include "pipeline/stages/submit.h"
#include "pipeline/stages/submit_internal.h"

#define CONFIG_MAX (256u << 10)

/* How many tasks an array may have. */
static unsigned array_max(const struct submit_options *options)
{
    static const char *const argv[] = {"scontrol", "show", "config", NULL};
    unsigned size = 0;
    if (options->array_max > 0)
        return options->array_max;
    char *config = calloc(1, CONFIG_MAX);
    if (config && submit_ask(argv, config, CONFIG_MAX, NULL) == 0) {
        const char *at = strstr(config, "MaxArraySize");
        const char *equals = at ? strchr(at, '=') : NULL;
        size = equals ? (unsigned)strtoul(equals + 1, NULL, 10) : 0;
    }
    free(config);
    return size > 1 ? size : SUBMIT_ARRAY_MAX;
}

struct names {
    char *directory, *program; /* quoted for the shell */
    char *folder;              /* for #SBATCH lines, which no shell reads */
};

static void free_names(struct names *names)
{
    free(names->directory);
    free(names->program);
    free(names->folder);
}

/* sbatch splits its lines at blanks, knows quotes, and takes % for its own. */
static int check_folder(const char *folder, struct error *err)
{
    if (!strpbrk(folder, "%\\\"\n"))
        return 0;
    return error_set(err, ERROR_FAILED,
                     "%s: a path with %%, \\ or \" cannot stand in a line for sbatch", folder);
}

static int find_names(const struct build *build, const struct submit_options *options,
                      struct names *names, struct error *err)
{
    *names = (struct names){.folder = realpath(build->directory, NULL)};
    if (!names->folder)
        return error_system(err, errno, "%s", build->directory);
    names->directory = shell_quote(names->folder);
    names->program = shell_quote(options->program);
    if (!names->directory || !names->program)
        return error_memory(err);
    return check_folder(names->folder, err);
}

static int add_head(const struct names *names, const char *job, const char *log, struct buffer *out,
                    struct error *err)
{
    return buffer_printf(out, err,
                         "#!/bin/bash\n"
                         "#SBATCH --job-name=plymill-%s\n"
                         "#SBATCH --output=\"%s/" SUBMIT_FOLDER "/%s.log\"\n"
                         "#SBATCH --open-mode=append\n"
                         "#SBATCH --requeue\n",
                         job, names->folder, log);
}

static int add_shards(const unsigned *shards, size_t count, struct buffer *out, struct error *err)
{
    int status = buffer_printf(out, err, "shards=(");
    for (size_t i = 0; i < count && status == 0; i++)
        status = buffer_printf(out, err, "%s%u", i > 0 ? " " : "", shards[i]);
    return status == 0 ? buffer_printf(out, err, ")\n") : -1;
}

/*
 * The loop of a task. wait returns early when the trap runs, hence its repetition. A task that is
 * to go on later puts itself back: which exit codes requeue a job is for administrators to say.
 */
static const char task_text[] =
    "# A signal (preemption, the end of the time limit): running searches end, what is there is\n"
    "# kept in a checkpoint, and the task goes back into the queue.\n"
    "child=\n"
    "trap 'stopped=1; [ -n \"$child\" ] && kill -TERM \"$child\" 2>/dev/null' TERM\n"
    "again() {\n"
    "    if [ \"${SLURM_RESTART_COUNT:-0}\" -ge %d ]; then\n"
    "        echo \"plymill: put back into the queue %d times; giving up\" >&2\n"
    "        exit 1\n"
    "    fi\n"
    "    scontrol requeue \"$SLURM_JOB_ID\"\n"
    "    sleep 60 # Slurm ends this task when it has put it back\n"
    "    exit 75\n"
    "}\n"
    "first=$((SLURM_ARRAY_TASK_ID * %zu))\n"
    "for shard in \"${shards[@]:first:%zu}\"; do\n"
    "    \"$plymill\" label \"$directory\" --shard \"$shard\" --quiet --checkpoint %u \\\n"
    "        --scratch \"${TMPDIR:-/tmp}\" --workers \"${SLURM_CPUS_PER_TASK:-1}\" &\n"
    "    child=$!\n"
    "    while :; do\n"
    "        stopped=\n"
    "        wait \"$child\"\n"
    "        now=$?\n"
    "        [ \"$now\" -eq 127 ] || code=$now\n"
    "        [ -n \"$stopped\" ] || break\n"
    "    done\n"
    "    child=\n"
    "    case $code in 75 | 143) again ;; esac\n"
    "    [ \"$code\" -eq 0 ] || exit \"$code\"\n"
    "done\n";

int submit_label_script(const struct build *build, const struct submit_options *options,
                        const unsigned *shards, size_t count, struct buffer *out, struct error *err)
{
    struct names names;
    size_t most = array_max(options);
    size_t group = (count + most - 1) / most, tasks = (count + group - 1) / group;
    int status = find_names(build, options, &names, err);
    if (status == 0)
        status = add_head(&names, "label", "label-%A_%a", out, err);
    if (status == 0)
        status =
            buffer_printf(out, err,
                          "#SBATCH --array=0-%zu\n"
                          "#SBATCH --signal=B:TERM@60\n"
                          "# Labels shards of a plymill build, %zu a task. Each may run again, or "
                          "twice.\n"
                          "plymill=%s\n"
                          "directory=%s\n",
                          tasks - 1, group, names.program, names.directory);
    if (status == 0)
        status = add_shards(shards, count, out, err);
    if (status == 0)
        status = buffer_printf(out, err, task_text, SUBMIT_RESTART_MAX, SUBMIT_RESTART_MAX, group,
                               group, options->checkpoint_s);
    free_names(&names);
    return status;
}

int submit_finish_script(const struct build *build, const struct submit_options *options,
                         struct buffer *out, struct error *err)
{
    struct names names;
    int status = find_names(build, options, &names, err);
    if (status == 0)
        status = add_head(&names, "finish", "finish-%j", out, err);
    if (status == 0)
        status =
            buffer_printf(out, err,
                          "# Selects, exports and verifies what the array has labeled.\n"
                          "plymill=%s\n"
                          "directory=%s\n"
                          "\"$plymill\" build \"$directory\" --quiet --yes\n"
                          "code=$?\n"
                          "if [ \"$code\" -eq 75 ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt %d ]; "
                          "then\n"
                          "    scontrol requeue \"$SLURM_JOB_ID\"\n"
                          "    sleep 60\n"
                          "fi\n"
                          "[ \"$code\" -eq 0 ] || exit \"$code\"\n"
                          "exec \"$plymill\" verify \"$directory\" --quiet\n",
                          names.program, names.directory, SUBMIT_RESTART_MAX);
    free_names(&names);
    return status;
}
