/* SPDX-License-Identifier: MIT */
/*
 * label.reuse: labels of earlier builds, found by the question that was asked (labelkey.h), so that
 * adding a month of games labels only what is new. An engine of equal fingerprint gives the same
 * label to the same question, so nothing but the time it takes depends on reuse.
 *
 * The labels of all those builds are sorted by key on disk, once per run, into an unlinked file of
 * fixed-size records that is searched by halves:
 *
 *   offset size
 *        0   16  key
 *       16    1  bound             17  1  kind of limit
 *       18    2  best move         20  2  depth          22  2  depth of the exact score
 *       24    1  kind of final     25  4  final          29  1  kind of exact   30  4  exact
 *       34    8  nodes             42  8  limit          (little-endian)
 */
#ifndef PLYMILL_PIPELINE_STAGES_REUSE_H
#define PLYMILL_PIPELINE_STAGES_REUSE_H

#include <stdint.h>

#include "formats/label.h"
#include "labeler/fingerprint.h"
#include "pipeline/stages/build.h"
#include "pipeline/stages/labelkey.h"

struct reuse;

/*
 * Indexes the sealed labels of the builds in label.reuse, and what the build itself has set aside
 * (previous.h). own: the fingerprint of this build's
 * engine; a build of another one is refused (ERROR_FAILED, says both), with --allow-mixed it is
 * taken and marks this build as mixed. *reuse is NULL when there are none.
 */
int reuse_open(struct build *build, const struct fingerprint *own, struct reuse **reuse,
               struct error *err);
void reuse_close(struct reuse *reuse);
/* 1 with the label of that question, 0. reuse may be NULL. */
int reuse_find(const struct reuse *reuse, const uint8_t key[LABELKEY_SIZE], struct label *label);

#endif
