/* SPDX-License-Identifier: MIT */
/*
 * The log of a run (pipeline/report/log.h): build.log of a recipe, or --log, which is its short
 * form and taken by every command. It is opened as soon as it is known, and begins with the command
 * line.
 */
#ifndef PLYMILL_PIPELINE_CLI_RUNLOG_H
#define PLYMILL_PIPELINE_CLI_RUNLOG_H

#include "pipeline/cli/command.h"

/* Nothing where the settings name no log, or one is open: the command line comes before a recipe.
 */
int runlog_begin(const struct invocation *invocation, const struct settings *settings,
                 struct error *err);
/* The last event. error: the line on stderr, "" for none. */
void runlog_end(int code, const char *error);

#endif
