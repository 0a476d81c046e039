/* SPDX-License-Identifier: MIT */
/*
 * The shards of a build as a Slurm job array: one task labels one shard, or several in a row where
 * there are more than an array may have tasks; a job that depends on the array finishes the build.
 *
 *   DIR/slurm/label.sh finish.sh   the scripts, which say themselves how they work
 *   DIR/slurm/label-ARRAY_TASK.log finish-JOB.log   what they wrote
 *   DIR/slurm/jobs                 "label ID" and "finish ID" of the last submission
 *
 * What is done is told by the shards: a scheduler forgets jobs. Submitting again submits what is
 * left.
 */
#ifndef PLYMILL_PIPELINE_STAGES_SUBMIT_H
#define PLYMILL_PIPELINE_STAGES_SUBMIT_H

#include <stdio.h>

#include "formats/io/buffer.h"
#include "pipeline/stages/build.h"

#define SUBMIT_FOLDER      "slurm"
#define SUBMIT_ARRAY_MAX   1001 /* MaxArraySize where it cannot be asked: Slurm's default */
#define SUBMIT_RESTART_MAX 100  /* how often a task puts itself back into the queue */

struct submit_options {
    const char *program;      /* absolute path of plymill, as the nodes see it */
    const char *const *extra; /* options of sbatch, passed on */
    int extra_count;
    unsigned checkpoint_s;
    unsigned array_max; /* tasks are numbered below it; 0: ask Slurm */
};

/* The shards whose labels are missing, in order. *shards is the caller's to free. */
int submit_missing(const struct build *build, unsigned **shards, size_t *count, struct error *err);
/* Appends the script of the array for these shards; of the job that finishes the build. */
int submit_label_script(const struct build *build, const struct submit_options *options,
                        const unsigned *shards, size_t count, struct buffer *out,
                        struct error *err);
int submit_finish_script(const struct build *build, const struct submit_options *options,
                         struct buffer *out, struct error *err);
/*
 * Writes the scripts and submits them; prints the job ids to out. The labels must have been begun
 * (label_begin). Without missing shards only the last job is submitted.
 */
int submit_run(const struct build *build, const struct submit_options *options, FILE *out,
               struct error *err);

/*
 * Writes what Slurm says of the jobs of the last submission, where there was one and squeue is
 * there; and shards that are being worked on, with the labels in their checkpoints.
 */
int submit_write_state(const struct build *build, FILE *out, struct error *err);

#endif
