/* SPDX-License-Identifier: MIT */
/*
 * What writing datasets (export.c) and reading them back later (verify_dataset.c) share: which
 * records go into which file, and how. Internal to them.
 */
#ifndef PLYMILL_PIPELINE_STAGES_EXPORT_INTERNAL_H
#define PLYMILL_PIPELINE_STAGES_EXPORT_INTERNAL_H

#include "formats/codec.h"
#include "formats/record.h"
#include "pipeline/report/progress.h"
#include "pipeline/stages/build.h"
#include "pipeline/stages/readback.h"

/* One split in one format: a file, or several. */
struct export_stage {
    struct build *build;
    const struct codec *codec;
    struct codec_options options;
    bool zstd, strict;
    int split;
    uint64_t per_file;             /* records in a file, UINT64_MAX: all */
    struct record_reader *records; /* what is written */
    struct record_reader *again;   /* the same once more, for reading back */
    struct record next;            /* read already, the first of the next file */
    bool has_next;
    uint64_t taken;                      /* records of the split that were offered */
    struct readback_list list;           /* of the file at hand */
    int64_t misfits[CODEC_MISFIT_COUNT]; /* records by what became of them, over all files */
    struct progress progress;
};

/* Opens both readers of the split's records. Close them in either case. */
int export_open_records(struct export_stage *stage, struct error *err);
void export_close_records(struct export_stage *stage);
/* Reads ahead by one record: 1 when there is one, 0 at the end, -1. */
int export_look_ahead(struct export_stage *stage, struct error *err);
/* Is the file full? Where games are joined it goes on to the end of the game. */
bool export_is_full(const struct export_stage *stage, const char *last_game);
/* "dataset/train-0002.bin": the number only where files are limited. */
void export_name_file(const struct export_stage *stage, unsigned number,
                      char name[CATALOGUE_NAME_MAX]);

/* Called with a fresh stage for every split of every format, in the order of the recipe. */
typedef int export_split_function(struct export_stage *stage, void *context, struct error *err);
int export_each_split(struct build *build, export_split_function *function, void *context,
                      struct error *err);

#endif
