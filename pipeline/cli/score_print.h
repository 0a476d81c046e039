/* SPDX-License-Identifier: MIT */
/*
 * Scores on paper and as JSON (docs/SCORE.md has the schema).
 */
#ifndef PLYMILL_PIPELINE_CLI_SCORE_PRINT_H
#define PLYMILL_PIPELINE_CLI_SCORE_PRINT_H

#include "nnue/tools/score.h"
#include "nnue/tools/score_net.h"

/* A table and what has to be said with it. */
struct score_sheet {
    const struct score_table *table;
    const char *source;             /* build directory or dataset file */
    const char *split;              /* of a build; NULL: a file */
    const char *fitted_on;          /* what baselines and units were fitted on */
    bool fitted_on_itself;          /* on the positions that are measured */
    uint64_t unlabeled;             /* records that were left out */
    const char *format;             /* of a file: its name */
    bool unit_is_assumed;           /* nobody said that the file's scores are centipawns */
    const char *const *paths;       /* [table->nets] */
    const struct score_unit *units; /* [table->nets] */
};

void score_print_text(const struct score_sheet *sheet);
void score_print_json(const struct score_sheet *sheet);

#endif
