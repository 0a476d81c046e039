/* SPDX-License-Identifier: MIT */
/*
 * The stage export: record files in, dataset files in every format of export.formats out.
 */
#ifndef PLYMILL_PIPELINE_STAGES_EXPORT_H
#define PLYMILL_PIPELINE_STAGES_EXPORT_H

#include "formats/codec.h"
#include "pipeline/stages/build.h"

/*
 * Internal units per centipawn for a format and engine: 1 for a format in centipawns; the engine's
 * constant (Stockfish 15.1: 3.61, 16: 3.28) or export.score_scale for one in internal units. When
 * neither is known: ERROR_USAGE that says what to give.
 */
int export_score_scale(const struct settings *settings, const struct codec *codec,
                       const char *engine_name, double *scale, struct error *err);
/* Asks that for all formats of the recipe, so that a build fails before its work and not after. */
int export_check(struct build *build, struct error *err);
/* Does nothing when the stage is done. Needs the records. */
int export_run(struct build *build, struct error *err);

#endif
