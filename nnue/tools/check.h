/* SPDX-License-Identifier: MIT */
/*
 * Proof by doing that a net's incremental updates are exact: after every step of a trace the
 * updated accumulator equals a fresh one, element by element, and all values equal: incremental,
 * fresh, lazily caught up, by the scalar kernels, and (769-H1-H2-1) by a computation that shares no
 * code with the library.
 *
 * Float nets cannot be exact; for them the drift is measured: of the library, which works in
 * double, and of a float32 accumulator that is only ever updated, as engines do it.
 */
#ifndef PLYMILL_NNUE_TOOLS_CHECK_H
#define PLYMILL_NNUE_TOOLS_CHECK_H

#include "formats/io/error.h"
#include "nnue/core/plynnue.h"
#include "nnue/tools/tinynet.h"
#include "nnue/tools/trace.h"

#define CHECK_RANDOM_GAMES 300
#define CHECK_SEED         1
#define CHECK_DRIFT_MAX    1e-3 /* cp: more than that in double is a wrong update, not rounding */

/* Kinds of steps that are counted. */
enum check_count {
    CHECK_QUIET,
    CHECK_CAPTURE,
    CHECK_EN_PASSANT_WHITE,
    CHECK_EN_PASSANT_BLACK,
    CHECK_CASTLING_WHITE_KING_SIDE,
    CHECK_CASTLING_WHITE_QUEEN_SIDE,
    CHECK_CASTLING_BLACK_KING_SIDE,
    CHECK_CASTLING_BLACK_QUEEN_SIDE,
    CHECK_CASTLING_CHESS960, /* one of the four above too */
    CHECK_PROMOTION_QUEEN,
    CHECK_PROMOTION_UNDER,
    CHECK_PROMOTION_CAPTURE, /* one of the two above too */
    CHECK_NULL,
    CHECK_UNDO,
    CHECK_COUNTS
};

struct check_result {
    uint64_t steps;     /* moves, null moves and undos */
    uint64_t positions; /* compared: steps and starts */
    uint64_t counts[CHECK_COUNTS];
    uint64_t moves, changes; /* moves made; features that they removed or added */
    uint64_t active;         /* features, summed over positions */
    uint64_t differences;
    double drift;    /* cp, largest, double accumulators (float nets) */
    double drift32;  /* cp, largest, float32 accumulators (float nets) */
    char first[256]; /* what differed first, "" if nothing */
};

struct check;

/* tiny: the same net's numbers, for the independent computation; NULL: none. Both are borrowed. */
int check_new(const plynnue_net *net, const plynnue_net *scalar, const struct tinynet *tiny,
              struct check **check, struct error *err);
void check_free(struct check *check);
/* Where traces are to be sent. */
struct trace_visitor check_visitor(struct check *check);
const struct check_result *check_results(const struct check *check);
/* Words for a kind of step. */
const char *check_count_text(enum check_count count);

#endif
