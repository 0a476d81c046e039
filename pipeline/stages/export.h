/* SPDX-License-Identifier: MIT */
/*
 * The stage export: record files in, dataset files in every format of export.formats out. A file
 * gets its final name only after every record was read back from it and found the same.
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

/* What the scores in files of a format mean. */
struct export_unit {
    double scale; /* units per centipawn; 1: they are centipawns */
    long fitted;  /* sigmoid(score / fitted) comes nearest to the results of the training records:
                     bullet's eval_scale, nnue-pytorch's in_scaling and out_scaling with both
                     offsets 0. In the file's units; 0: not known */
};
int export_find_unit(const struct build *build, const struct codec *codec, const char *engine_name,
                     struct export_unit *unit, struct error *err);
/*
 * The fit itself is made by whoever can (report/fitted_scale.h) and noted here, with the state of
 * the records that it was made from, in centipawns. export_has_fit: 1, 0, -1.
 */
int export_note_fit(struct build *build, int scale, struct error *err);
int export_has_fit(struct build *build, struct error *err);

/*
 * Asks all that export asks of a recipe, so that a build fails before its work and not after: the
 * units of all formats, and that formats of whole games will get whole games.
 */
int export_check(struct build *build, struct error *err);
/* Does nothing when the stage is done. Needs the records. */
int export_run(struct build *build, struct error *err);

#endif
