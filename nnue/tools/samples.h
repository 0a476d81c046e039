/* SPDX-License-Identifier: MIT */
/*
 * Positions as training and scoring need them: features, target, game. Out of .rec files.
 *
 * The features are those of 769-H1-H2-1 nets, which say all that any net sees: the pieces and whose
 * move it is.
 */
#ifndef PLYMILL_NNUE_TOOLS_SAMPLES_H
#define PLYMILL_NNUE_TOOLS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "formats/chess/position.h"
#include "formats/io/error.h"
#include "formats/record.h"
#include "nnue/core/feature769.h"

#define SAMPLES_MATE_CP        2000 /* what a mate score counts as, for the side that mates */
#define SAMPLES_RESULT_UNKNOWN 2

struct sample {
    uint16_t features[FEATURE769_ACTIVE_MAX]; /* ascending */
    uint8_t count;                            /* features in use */
    int8_t result; /* of the game, White's view: 1, 0, -1; SAMPLES_RESULT_UNKNOWN */
    int32_t cp;    /* the label, White's view */
    uint32_t game; /* 0 .. games - 1, in order of game id */
};

struct samples {
    struct sample *items;
    size_t count, capacity;
    uint32_t games;
    uint64_t mates; /* labels that are mates and count as +-SAMPLES_MATE_CP */
};

/* Fills features and count; cp and game become 0, the result unknown. */
void sample_from_position(const struct position *position, struct sample *sample);
/*
 * The same from the first two fields of a FEN, of any board that a net can see, possible in play or
 * not. False unless there are eight ranks, one king a side, 2 .. 32 pieces and a side to move.
 */
bool sample_from_fen(const char *fen, struct sample *sample);
/* Is White to move? */
bool sample_white_moves(const struct sample *sample);
/* The pieces, as the library takes them; pieces has room for 32. */
void sample_to_pieces(const struct sample *sample, struct plynnue_piece *pieces,
                      struct plynnue_position *position);
/* A score of the side to move as cp from White's view; mates as +-SAMPLES_MATE_CP. */
int32_t samples_target(const struct score *score, unsigned side);

/* A record's board and label. -1 when it has no final score (no exact one with last_exact). */
int sample_from_record(const struct record *record, bool last_exact, struct sample *sample,
                       struct error *err);

/* Which game a sample is from, while games have names. */
struct samples_game {
    char id[GAMEID_MAX]; /* zero-padded */
    size_t sample;
};
/* Fills game of every sample, and games. list: one entry a sample; is sorted. */
void samples_number_games(struct samples_game *list, struct samples *samples);

/* All records of a file. last_exact: which score is the label. */
int samples_load(const char *path, bool last_exact, struct samples *samples, struct error *err);
/* Appends one; samples starts as {0}. */
int samples_add(struct samples *samples, const struct sample *sample, struct error *err);
void samples_free(struct samples *samples);

#endif
