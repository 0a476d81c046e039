/* SPDX-License-Identifier: MIT */
/*
 * `plymill label --fens FILE`: labels positions from anywhere, without a build.
 *
 * A stream: lines are read as engines get free, answers leave in the order of the lines. Between
 * the two lies a window of at most LABELFENS_WINDOW lines, so that one slow position neither stops
 * the other engines nor lets memory grow. A program that writes a line and waits for its answer is
 * served too: nothing is held back that could be said.
 *
 *   fen<TAB>final<TAB>bound<TAB>exact<TAB>exact_depth<TAB>bestmove<TAB>depth<TAB>nodes
 *
 * A line that cannot be labeled has the reason in place of the final score and '-' in all further
 * columns.
 */
#ifndef PLYMILL_PIPELINE_CLI_LABELFENS_H
#define PLYMILL_PIPELINE_CLI_LABELFENS_H

#include "pipeline/cli/command.h"

#define LABELFENS_WINDOW   4096
#define LABELFENS_LINE_MAX 4096 /* bytes of a line */

/* path "-" is stdin. ERROR_FAILED when any line got no label. */
int labelfens_run(struct invocation *invocation, const char *path, struct error *err);

#endif
