/* SPDX-License-Identifier: MIT */
/*
 * What a dataset file is: everything that can be counted in one pass over its records, in constant
 * memory (duplicates are sorted on disk, extsort.h).
 *
 * Scores are the file's numbers from the side to move: inspect_unit.h finds their unit. Records of
 * a format that does not hold the side to move come as White's.
 */
#ifndef PLYMILL_PIPELINE_REPORT_INSPECT_H
#define PLYMILL_PIPELINE_REPORT_INSPECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/codec.h"
#include "formats/io/error.h"
#include "formats/io/extsort.h"
#include "formats/record.h"
#include "pipeline/report/inspect_unit.h"

#define INSPECT_SCORE_MAX 32767 /* what is beyond counts as this */
#define INSPECT_PHASE_MAX 24
#define INSPECT_PLY_MAX   1023 /* likewise */
#define INSPECT_HEAD_MAX  10000
#define INSPECT_MEMORY                                                                             \
    ((size_t)64 << 20) /* of each of the two sorts, before they go on on disk                      \
                        */
#define INSPECT_QUANTILES 7

enum inspect_result {
    INSPECT_WHITE,
    INSPECT_DRAW,
    INSPECT_BLACK,
    INSPECT_UNKNOWN,
    INSPECT_RESULTS
};

/* How often things are there more than once. */
struct inspect_repeats {
    uint64_t distinct; /* 0: not counted */
    uint64_t most;     /* times of the most frequent one */
};

struct inspect {
    const char *path;
    const struct codec *codec;
    bool has_unit;
    struct inspect_unit unit;
    uint64_t file_bytes, content_bytes; /* file_bytes 0: unknown (stdin) */
    uint64_t records;
    uint64_t results[INSPECT_RESULTS]; /* White's view; of formats without side: the mover's */
    uint64_t sides[2], in_check, chess960, en_passant;
    uint64_t best, played;         /* moves that are there */
    uint64_t captures, promotions; /* of the best moves, else of those played */
    uint64_t kinds[3], bounds[3];  /* by enum score_kind, score_bound */
    uint64_t sources[4];           /* by enum label_source */
    uint64_t pieces[33];           /* by their number */
    uint64_t phases[INSPECT_PHASE_MAX + 1];
    uint64_t plies[INSPECT_PLY_MAX + 1];
    uint32_t ply_min, ply_max;
    uint64_t *scores; /* [2 * INSPECT_SCORE_MAX + 1], of kind cp; owned */
    int64_t score_sum;
    int32_t score_min, score_max;
    struct inspect_repeats boards, games; /* games: where the format holds their ids */
    struct record *head;                  /* the first records; owned */
    uint64_t head_count, head_wanted;
    struct extsort *board_sort, *game_sort; /* until inspect_finish */
};

/* What the text and the JSON call the phases: N and B count 1, R 2, Q 4, both sides, at most 24. */
unsigned inspect_phase(const struct position *position);
/* The fractions that inspect_quantiles gives: 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99. */
extern const double inspect_fractions[INSPECT_QUANTILES];

/* inspect: to be freed in every case. duplicates: count them. head: how many records to keep. */
int inspect_begin(struct inspect *inspect, const char *path, const struct codec *codec,
                  bool duplicates, uint64_t head, struct error *err);
int inspect_add(struct inspect *inspect, const struct record *record, struct error *err);
int inspect_finish(struct inspect *inspect, struct error *err);
void inspect_free(struct inspect *inspect);

/* The smallest score that at least that share of the scores do not exceed. */
void inspect_quantiles(const struct inspect *inspect, int32_t scores[INSPECT_QUANTILES]);
/* Scores of kind cp in [low, high], both in -INSPECT_SCORE_MAX .. INSPECT_SCORE_MAX. */
uint64_t inspect_scores_between(const struct inspect *inspect, int32_t low, int32_t high);
/* "side, castling, ...": the names of the fields that the format holds. name(i) NULL: no more. */
const char *inspect_field_name(unsigned field);

void inspect_write_text(const struct inspect *inspect, bool boards, FILE *out);
/* docs/INSPECT.md says what is in it. */
int inspect_write_json(const struct inspect *inspect, FILE *out, struct error *err);
/* Eight lines with the pieces, Black's in small letters, and a line with the files. */
void inspect_write_board(const struct position *position, FILE *out);

#endif
