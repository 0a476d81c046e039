/* SPDX-License-Identifier: MIT */
/*
 * A label: what an engine said about a position, kept as it said it. Scores are from the side to
 * move, in UCI centipawns or moves to mate; only codecs, train and score turn signs.
 */
#ifndef PLYMILL_FORMATS_LABEL_H
#define PLYMILL_FORMATS_LABEL_H

#include <stdint.h>

enum score_kind { SCORE_NONE = 0, SCORE_CP = 1, SCORE_MATE = 2 };
enum score_bound { BOUND_EXACT = 0, BOUND_LOWER = 1, BOUND_UPPER = 2 };
enum label_limit { LIMIT_NONE = 0, LIMIT_NODES = 1, LIMIT_DEPTH = 2 };

enum label_status {
    LABEL_OK = 0,
    LABEL_NO_MOVE = 1, /* the engine says that no legal move exists */
    LABEL_FAILED = 2   /* no engine could answer: quarantined */
};

enum label_source {
    SOURCE_ENGINE = 0,
    SOURCE_LICHESS_EVAL = 1,
    SOURCE_PGN_COMMENT = 2,
    SOURCE_INPUT = 3
};

struct score {
    uint8_t kind;  /* enum score_kind */
    int32_t value; /* cp, or moves to mate (negative: the side to move is mated) */
};

struct label {
    uint8_t status;       /* enum label_status; the rest is only there for LABEL_OK */
    uint8_t bound;        /* enum score_bound, of final */
    uint8_t limit_kind;   /* enum label_limit */
    uint16_t best_move;   /* types.h encoding */
    uint16_t depth;       /* of the last line with a score */
    uint16_t exact_depth; /* of the last exact score */
    struct score final;   /* the last score of any kind */
    struct score exact;   /* the last score without a bound flag; SCORE_NONE if there was none */
    uint64_t nodes;       /* searched, as the last line with a score says */
    uint64_t limit;       /* what was asked for: nodes or depth */
};

#endif
