/* SPDX-License-Identifier: MIT */
/*
 * The parts of the stage select: reading shards and judging samples one by one (select_read.c),
 * what needs all of them side by side (select_sort.c), and what comes out (select_write.c).
 */
#ifndef PLYMILL_PIPELINE_STAGES_SELECT_INTERNAL_H
#define PLYMILL_PIPELINE_STAGES_SELECT_INTERNAL_H

#include "formats/io/extsort.h"
#include "formats/io/writer.h"
#include "formats/record.h"
#include "pipeline/report/progress.h"
#include "pipeline/stages/fate.h"
#include "pipeline/stages/repeats.h"
#include "pipeline/stages/select.h"

struct select_stage {
    struct build *build;
    struct fate_rule rule;
    enum label_source source;
    uint64_t shuffle_seed;
    bool by_game;        /* shuffle.by */
    int64_t per_opening; /* 0: any number */
    /* The sorts, each filled from the one before: */
    struct extsort *openings;   /* opening, order; NULL without per_opening */
    struct extsort *candidates; /* repeats.h */
    struct extsort *shuffled;   /* split, order */
    struct repeats *repeats;
    /* What happened: */
    int64_t samples;
    int64_t fates[BUILD_SPLITS][FATE_COUNT];
    struct repeat_counts before, after;
    struct writer *quarantine; /* of quarantine.tsv */
    struct progress progress;
};

/* An item of the sort by openings: opening, order; the split in front of the data. */
#define SELECT_OPENING_KEY_SIZE (8 + REPEATS_ORDER_SIZE)
/* An item of the shuffle: split, order. */
#define SELECT_SHUFFLE_KEY_SIZE (1 + REPEATS_ORDER_SIZE)

/* Judges every sample by itself; what stays goes to the first sort, failures to the quarantine. */
int select_read_shards(struct select_stage *stage, struct error *err);

/* To the sort in which repeats meet. encoded: the record. */
int select_add_candidate(struct select_stage *stage, const struct position *position,
                         unsigned split, const uint8_t order[REPEATS_ORDER_SIZE],
                         const uint8_t encoded[RECORD_SIZE], struct error *err);
/* Judges what only shows among the others: openings, duplicates, leaks. Fills the shuffle. */
int select_sort(struct select_stage *stage, struct error *err);

/* quarantine.tsv with the rejected games; samples that failed follow as they are met. */
int select_begin_quarantine(struct select_stage *stage, struct error *err);
int select_note_failure(struct select_stage *stage, const char *game_id, uint32_t ply,
                        const struct position *position, const char *reason, struct error *err);
int select_end_quarantine(struct select_stage *stage, struct error *err);
/* The record files, from the shuffle. */
int select_write_records(struct select_stage *stage, struct error *err);
/* Fates and repeats into the catalogue. */
int select_put_counts(struct select_stage *stage, struct error *err);

#endif
