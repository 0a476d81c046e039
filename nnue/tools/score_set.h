/* SPDX-License-Identifier: MIT */
/*
 * Labeled positions to score nets on, out of the records of a build or any dataset file, with what
 * they can be told apart by: phase, size of the score, kind of label, side, source, site.
 */
#ifndef PLYMILL_NNUE_TOOLS_SCORE_SET_H
#define PLYMILL_NNUE_TOOLS_SCORE_SET_H

#include "formats/codec_file.h"
#include "nnue/tools/samples.h"

/* What positions are told apart by. */
enum score_by {
    SCORE_BY_ALL,    /* one group that holds all */
    SCORE_BY_PIECES, /* kings counted */
    SCORE_BY_LABEL,  /* |label| in cp, mates apart */
    SCORE_BY_KIND,   /* exact score or bound */
    SCORE_BY_SIDE,
    SCORE_BY_SOURCE, /* enum label_source */
    SCORE_BY_SITE,   /* where the game was played, as far as its id says */
    SCORE_BY_COUNT
};

#define SCORE_BY_GROUPS_MAX 6 /* groups of one kind */
#define SCORE_GROUP_NONE    (-1)

struct score_set {
    struct samples samples;
    /* [samples.count][SCORE_BY_COUNT]: the group, or SCORE_GROUP_NONE where nothing is known */
    int8_t (*groups)[SCORE_BY_COUNT];
    size_t group_capacity;
    uint64_t unlabeled; /* records without such a score: left out */
    bool has_games;     /* is it known which position is from which game? */
};

/*
 * Reads a file to its end. codec, options: of codec_reader_open; options.last_exact says which
 * score is the label. Errors name file and record. score_set_free frees it in any case.
 */
int score_set_load(const char *path, const struct codec *codec, const struct codec_options *options,
                   struct score_set *set, struct error *err);
/*
 * Appends one record of a source that holds these fields (enum codec_field); its game is not
 * numbered. set starts as {0}.
 */
int score_set_add(struct score_set *set, const struct record *record, unsigned fields,
                  bool last_exact, struct error *err);
void score_set_free(struct score_set *set);

/* "pieces", ... */
const char *score_by_name(enum score_by by);
unsigned score_by_groups(enum score_by by);
/* "2-8", ...; group is below score_by_groups. */
const char *score_group_name(enum score_by by, unsigned group);

#endif
