/* SPDX-License-Identifier: MIT */
/*
 * What the catalogue of a finished build says, gathered for the report: inputs, engine, counts,
 * files. Numbers are taken over as they stand; nothing is counted anew.
 */
#ifndef PLYMILL_PIPELINE_REPORT_REPORT_FACTS_H
#define PLYMILL_PIPELINE_REPORT_REPORT_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/io/error.h"
#include "pipeline/stages/build.h"

#define REPORT_COUNTS_MAX 256   /* kinds of counts */
#define REPORT_INPUTS_MAX 10000 /* input files that are listed */
#define REPORT_FILES_MAX  4096  /* files of records and datasets that are listed */

/* A count of a stage over the splits; all: their sum, or the value where it has no splits. */
struct report_count {
    char stage[32], name[64];
    int64_t all, splits[BUILD_SPLITS];
    bool by_split;
};

struct report_facts {
    char build_id[DIGEST_HEX_SIZE];
    char engine_name[CATALOGUE_VALUE_MAX], engine_net[CATALOGUE_VALUE_MAX],
        engine_options[CATALOGUE_VALUE_MAX], engine_files[CATALOGUE_VALUE_MAX],
        engine_signature[CATALOGUE_VALUE_MAX];
    struct report_count counts[REPORT_COUNTS_MAX];
    size_t count_count;
    struct catalogue_input *inputs; /* owned */
    size_t input_count;
    struct catalogue_file *files; /* owned */
    size_t file_count;
};

/* Are all stages up to this one done? Else the error says which is not and what to run. */
int report_facts_need(struct build *build, enum build_stage last, struct error *err);

/*
 * Fails, with the command that is missing, when a stage of the build is not done. facts: {0}.
 * report_facts_free in every case.
 */
int report_facts_read(struct build *build, struct report_facts *facts, struct error *err);
void report_facts_free(struct report_facts *facts);
/* The counts alone, of a build that need not be finished. facts: {0}; nothing is to be freed. */
int report_facts_read_counts(struct build *build, struct report_facts *facts, struct error *err);

/* NULL when the catalogue has no such count. */
const struct report_count *report_facts_find(const struct report_facts *facts, const char *stage,
                                             const char *name);
/* Its value over all splits, 0 when there is none. */
int64_t report_facts_value(const struct report_facts *facts, const char *stage, const char *name);

/* Who made the labels: the engine's name, or in words which comments of the games they are from. */
const char *report_facts_labeler(const struct build *build, const struct report_facts *facts);
/* What stands behind the last slash. */
const char *report_base_name(const char *path);

#endif
