/* SPDX-License-Identifier: MIT */
/*
 * The parts of submit: running Slurm's commands (submit.c) and the scripts (submit_script.c).
 */
#ifndef PLYMILL_PIPELINE_STAGES_SUBMIT_INTERNAL_H
#define PLYMILL_PIPELINE_STAGES_SUBMIT_INTERNAL_H

#include <stddef.h>

#include "formats/io/error.h"

#define SUBMIT_ID_SIZE    24
#define SUBMIT_SCRIPT_MAX (4u << 20) /* Slurm's own default limit on scripts (max_script_size) */

/* Runs a command to its end; answer: what it writes to stdout, cut. Its stderr is ours, or, where
 * err is NULL, nobody's. */
int submit_ask(const char *const *argv, char *answer, size_t size, struct error *err);

#endif
