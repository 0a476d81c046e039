/* SPDX-License-Identifier: MIT */
/*
 * Float32 accumulators that are only ever updated, moves and their undoing alike, as engines keep
 * them: how far they drift from a fresh computation.
 *
 * 769-H1-H2-1 nets are computed in float32 throughout, row by row. Of the others the accumulators
 * are rounded to float32 after every step, and made afresh where the net asks for it.
 */
#ifndef PLYMILL_NNUE_TOOLS_CHECK_DRIFT_H
#define PLYMILL_NNUE_TOOLS_CHECK_DRIFT_H

#include "formats/io/error.h"
#include "nnue/core/arch.h"
#include "nnue/core/tinynnue.h"
#include "nnue/tools/samples.h"
#include "nnue/tools/trace.h"

struct drift;

/* A float net; borrowed. */
int drift_new(const plynnue_net *net, struct drift **drift, struct error *err);
void drift_free(struct drift *drift);
/* Takes a step, of which sample is the position after it; gives the difference in cp. */
double drift_step(struct drift *drift, const struct trace_step *step, const struct change *change,
                  const struct sample *sample);

#endif
