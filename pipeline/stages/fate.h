/* SPDX-License-Identifier: MIT */
/*
 * The fate of a sample: exactly one, the first that applies, in this order. The fates of a build
 * add up to its samples.
 */
#ifndef PLYMILL_PIPELINE_STAGES_FATE_H
#define PLYMILL_PIPELINE_STAGES_FATE_H

#include <stdbool.h>

#include "formats/chess/position.h"
#include "formats/label.h"
#include "pipeline/recipe/pieceweights.h"
#include "pipeline/recipe/settings.h"

enum fate {
    FATE_ENGINE_FAILURE, /* no engine could answer */
    FATE_NO_LEGAL_MOVE,
    FATE_ONLY_BOUNDS, /* label.score = "last-exact" and there was none */
    FATE_MATE,
    FATE_CAPTURE,       /* the best move captures (en passant too, castling not); see below */
    FATE_PROMOTION,     /* the best move promotes */
    FATE_SCORE,         /* beyond filter.max_abs_score */
    FATE_BOUND,         /* the score is a bound */
    FATE_PIECES,        /* outside of filter.pieces */
    FATE_PIECE_WEIGHTS, /* thinned out by its draw */
    FATE_RESULT,        /* the score is beyond filter.wdl_consistency for a side that did not win */
    FATE_OPENING,       /* filter.per_opening others of its opening have smaller shuffle draws */
    FATE_DUPLICATE,     /* an equal position of the same split has a smaller shuffle draw */
    FATE_LEAK,          /* a held-out position that occurs in train, or in validation and test */
    FATE_KEPT,
    FATE_COUNT
};

#define FATE_NO_LIMIT INT64_MAX

struct fate_rule {
    bool last_exact, drop_mate, drop_capture, drop_promotion, drop_bounds;
    int64_t max_abs_score, wdl_consistency; /* FATE_NO_LIMIT: any */
    unsigned fewest_pieces, most_pieces;
    struct pieceweights weights;
    struct piecekeep keep; /* filled by fate_weigh when weights.classes > 0 */
    uint64_t seed;         /* of the draw of piece_weights */
};

/* What a fate is decided by. */
struct fate_sample {
    const char *game_id;
    uint32_t ply;
    const struct position *position;
    const struct label *label;
    uint16_t played; /* MOVE_NONE at the end of a game */
    int result;      /* White's view: 1, 0, -1; anything else is unknown */
};

void fate_rule_from(const struct settings *settings, struct fate_rule *rule);
/* The first of the filters up to filter.pieces that applies, else FATE_KEPT. */
enum fate fate_before_weights(const struct fate_rule *rule, const struct fate_sample *sample);
unsigned fate_count_pieces(const struct position *position);
/* Sets rule->keep for so many samples, by number of pieces, that fate_before_weights keeps. */
void fate_weigh(struct fate_rule *rule, const int64_t counts[PIECEWEIGHTS_HIGH + 1]);
/*
 * The fate by the sample alone: FATE_KEPT if neither label nor filters refuse it. Labels that know
 * no best move (an [%eval] does not) are judged by the move played; a position without either, the
 * last one of a game, neither captures nor promotes. Mates are beyond any wdl_consistency, and a
 * matter of filter.mate for max_abs_score.
 */
enum fate fate_of_sample(const struct fate_rule *rule, const struct fate_sample *sample);
/* "kept", "mate", ...: the words of counts, manifest and report. */
const char *fate_text(enum fate fate);

#endif
