/* SPDX-License-Identifier: MIT */
/*
 * The stage label: every sample of every shard gets the engine's answer, stored as the engine gave
 * it. What is labeled is never labeled again; a shard whose last label is in is sealed. Where
 * label.source says that labels come from the games, the samples hold them already, and there is no
 * engine.
 */
#ifndef PLYMILL_PIPELINE_STAGES_LABEL_H
#define PLYMILL_PIPELINE_STAGES_LABEL_H

#include "labeler/engine_config.h"
#include "labeler/fingerprint.h"
#include "labeler/pool.h"
#include "labeler/store.h"
#include "pipeline/stages/build.h"

/* The engine's configuration as a recipe says it. Free with label_config_free. */
int label_config_from(const struct settings *settings, struct engine_config *config,
                      struct error *err);
void label_config_free(struct engine_config *config);
/* label.workers, or one per core. */
unsigned label_workers(const struct settings *settings);
/* The limit for a position of a split. */
void label_limit(const struct settings *settings, int split, uint8_t *kind, uint64_t *limit);
/* The job for a position: what is sent, by label.halfmove_clock. */
void label_job(const struct settings *settings, const struct position *position, int split,
               uint64_t tag, struct pool_job *job);

/* The label that a sample's own eval makes. source: not SOURCE_ENGINE. */
void label_from_game(enum label_source source, const struct store_sample *sample,
                     struct label *label);

/* The fingerprint that the build has: 1, 0 when it has none, -1. */
int label_fingerprint(struct build *build, struct fingerprint *have, struct error *err);
/* Notes that labels of this engine are among those of the build's own: for manifest and build id.
 */
int label_mark_mixed(struct build *build, const struct fingerprint *other, struct error *err);
/* 1 when there are labels of several engines, 0, -1. */
int label_is_mixed(struct build *build, struct error *err);
/*
 * Finds the engine, takes its fingerprint, compares it with the one that the build has, or notes it
 * when the build has no labels yet. Called before anything expensive, so that a missing engine is
 * said at once. Does nothing when the labels are complete and the engine's command is the same, or
 * when they come from the games.
 */
int label_prepare(struct build *build, struct error *err);
/*
 * Refuses a build whose labels were begun with other samples, limits or another engine than the
 * settings say now. To be asked before sampling, which would overwrite what those labels are of.
 * Where nothing but the inputs changed, labels pass that sampling will set aside.
 */
int label_check(struct build *build, struct error *err);
/* Before other samples take their place: sets labels aside that label_check has let pass. */
int label_keep(struct build *build, struct error *err);
/*
 * After label_prepare: notes what the labels are of, and writes the ticket with which others may
 * label shards (labeltask.h).
 */
int label_begin(struct build *build, struct error *err);
/* Does nothing when the stage is done. Needs label_prepare and the samples. */
int label_run(struct build *build, struct error *err);

#endif
