/* SPDX-License-Identifier: MIT */
/*
 * The scale of the sigmoid that turns scores into results, fitted to the training records: a
 * trainer that is given another one learns from wrong targets, so a build states it.
 */
#ifndef PLYMILL_PIPELINE_REPORT_FITTED_SCALE_H
#define PLYMILL_PIPELINE_REPORT_FITTED_SCALE_H

#include "pipeline/stages/build.h"

/*
 * Fits it (scale_fit.h) to the training records of a build that exports anything and notes it
 * (export_note_fit), unless that was done for these records. 0 is noted where no result is known.
 */
int fitted_scale_note(struct build *build, struct error *err);

#endif
