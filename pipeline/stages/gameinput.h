/* SPDX-License-Identifier: MIT */
/*
 * Archives of games as inputs of a build. Several threads read an archive (pgn_split.h) and pick
 * the samples of its games; what they find goes to the sort and the catalogue in the order of the
 * games, so that their number shows nowhere. Only with input.max_games one thread reads the games,
 * since there the games before say which of the next ones need not be read.
 */
#ifndef PLYMILL_PIPELINE_STAGES_GAMEINPUT_H
#define PLYMILL_PIPELINE_STAGES_GAMEINPUT_H

#include "pipeline/stages/sample_internal.h"

/* Reads one file to its end. */
int gameinput_read(struct sample_stage *stage, const char *path, struct error *err);

#endif
