/* SPDX-License-Identifier: MIT */
/*
 * What the two kinds of inputs share while they are sampled: archives of games (gameinput.c)
 * and datasets (datasetinput.c). Internal to them.
 */
#ifndef PLYMILL_PIPELINE_STAGES_SAMPLE_INTERNAL_H
#define PLYMILL_PIPELINE_STAGES_SAMPLE_INTERNAL_H

#include "formats/io/digest.h"
#include "formats/io/extsort.h"
#include "formats/pgn.h"
#include "pipeline/report/progress.h"
#include "pipeline/report/progress_files.h"
#include "pipeline/stages/build.h"
#include "pipeline/stages/gamefilter.h"
#include "pipeline/stages/gameitem.h"
#include "pipeline/stages/lowest.h"
#include "pipeline/stages/sampler.h"

/* What becomes of a position of a dataset. The first that applies. */
enum dataset_fate {
    DATASET_IMPOSSIBLE, /* passed over by the reader (codec.h: refused) */
    DATASET_CHESS960,   /* not among input.variants */
    DATASET_PLY,
    DATASET_IN_CHECK,
    DATASET_NO_MOVE,
    DATASET_NO_SCORE, /* label.source = "input" */
    DATASET_FRACTION,
    DATASET_MAX_GAMES,
    DATASET_SAMPLE,
    DATASET_FATES
};

struct sample_totals {
    int64_t read, refused[REFUSAL_COUNT], duplicate, too_short, games;
    int64_t out_of_range, in_check, no_move, no_eval, bad_eval, not_drawn;
    int64_t dataset[DATASET_FATES]; /* by enum dataset_fate */
    int64_t samples[BUILD_SPLITS];
};

struct sample_stage {
    struct build *build;
    struct sampler_rule rule;
    struct pgn_options options;
    struct gamefilter filter;
    struct lowest *lowest; /* NULL without input.max_games */
    struct extsort *sorter;
    struct buffer data;    /* of one item, while it is made */
    struct digest *digest; /* over all samples, in their order in the shards */
    struct sample_totals totals;
    struct progress progress;
    struct progress_files files; /* the inputs */
};

unsigned sample_split_of(const struct build *build, const char *game_id);
uint32_t sample_shard_of(const struct build *build, const char *game_id);
/* REFUSAL_NONE, _FRACTION or _MAX_GAMES, as far as is known. */
enum refusal sample_judge_draw(const struct sample_stage *stage, const char *game_id);
/* A game or position with its samples to the sort. */
int sample_add_item(struct sample_stage *stage, const struct gameitem *item,
                    const struct sampler_pick *picks, struct error *err);
/* What is behind the place at which an archive breaks off is lost; quarantine.tsv says so. */
int sample_note_truncation(struct sample_stage *stage, const struct catalogue_input *input,
                           int64_t number, struct error *err);
/* An input that was read: puts its size in the catalogue and then the row. sha256 and bytes must be
 * there. */
int sample_put_input(struct sample_stage *stage, const struct catalogue_input *input,
                     struct error *err);

#endif
