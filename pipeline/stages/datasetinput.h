/* SPDX-License-Identifier: MIT */
/*
 * Datasets as inputs of a build: files of any format that can be read (codec.h), whose positions
 * are labeled anew (label.source = "engine") or taken with their scores ("input").
 *
 * Every position is a sample, if it lies in [sample.min_ply, sample.max_ply] where its ply is
 * known, is not in check (unless allowed) and has a legal move; per_game does not apply. A record
 * with a game id stays with its game; any other is a game of its own, named after its board
 * (gameid.h), so that equal boards come into one split.
 *
 * The one score and the one move that most formats hold are taken as exact and as the move that was
 * both played and best. Results, ratings and the move played are kept.
 */
#ifndef PLYMILL_PIPELINE_STAGES_DATASETINPUT_H
#define PLYMILL_PIPELINE_STAGES_DATASETINPUT_H

#include <stdbool.h>

#include "pipeline/stages/inputs.h"
#include "pipeline/stages/sample_internal.h"

/* By its name: any other path is an archive of games. */
bool datasetinput_is(const char *path);
/*
 * May these inputs go together with this recipe? ERROR_USAGE: games where scores come from
 * datasets, datasets where they come from games, filters by tags where there are datasets, or
 * scores of unknown unit.
 */
int datasetinput_check(const struct settings *settings, const struct inputs *inputs,
                       struct error *err);
/* Reads one file to its end. */
int datasetinput_read(struct sample_stage *stage, const char *path, struct error *err);
/* The counts of all datasets, where there are any. */
int datasetinput_put_totals(struct sample_stage *stage, struct error *err);

#endif
