/* SPDX-License-Identifier: MIT */
/*
 * Proof by doing that a net's incremental updates are exact, for nets of every kind and at several
 * instruction sets side by side. After every step of a trace, at each of them,
 *
 *   - the accumulators updated step by step equal those computed afresh from the board, element by
 *     element, and so do those that catch up several steps at once;
 *   - the values are equal: updated, caught up, by way of the refresh cache, in batches, and (for
 *     both sides to move) afresh and at the first instruction set, the scalar one; now and then the
 *     integers of all heads;
 *   - for 769-H1-H2-1 the value is that of a computation that shares no code with the library.
 *
 * Float nets cannot be exact; for them the drift is measured: of the library, which works in
 * double, and of float32 accumulators that are only ever updated, as engines do it.
 */
#ifndef PLYMILL_NNUE_TOOLS_CHECK_H
#define PLYMILL_NNUE_TOOLS_CHECK_H

#include "formats/io/error.h"
#include "nnue/core/plynnue.h"
#include "nnue/tools/bounds_rows.h"
#include "nnue/tools/tinynet.h"
#include "nnue/tools/trace.h"

#define CHECK_RANDOM_GAMES 300
#define CHECK_SEED         1
#define CHECK_LEVELS_MAX   8
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
    uint64_t positions; /* steps and starts */
    uint64_t compared;  /* of these */
    uint64_t counts[CHECK_COUNTS];
    /*
     * Of moves made, for each view (side, and of threats apart; 769 inputs have one): how often it
     * was updated, features that were removed or added then, and how often it was made afresh.
     */
    uint64_t moves, updates, changes, refreshes;
    uint64_t active, views; /* features, summed over views of positions; how many these are */
    uint64_t differences;
    uint64_t level_differences[CHECK_LEVELS_MAX]; /* the same, one for each net */
    struct range seen;      /* accumulators of integer nets with two sides, all sets together */
    struct range seen_psqt; /* their columns that count material */
    double drift;           /* cp, largest, double accumulators (float nets) */
    double drift32;         /* cp, largest, float32 accumulators (float nets) */
    char first[320];        /* what differed first, "" if nothing */
};

struct check;

/*
 * nets: the same file at 1 .. CHECK_LEVELS_MAX instruction sets, the reference first. tiny: its
 * numbers, for the independent computation; NULL: none. All are borrowed.
 */
int check_new(const plynnue_net *const *nets, unsigned count, const struct tinynet *tiny,
              struct check **check, struct error *err);
void check_free(struct check *check);
/* Where traces are to be sent. */
struct trace_visitor check_visitor(struct check *check);
/*
 * From now on only one in so many positions reached by taking a move back is compared, drawn at
 * random: games out of archives end with the undoing of every move. 1, as it begins: all.
 */
void check_thin_undos(struct check *check, unsigned one_in);
/* Ends what is pending; more traces may follow. */
const struct check_result *check_results(struct check *check);
/* 0, or -1 with ERROR_DIFFERS and what differed first. path: of the net. */
int check_verdict(const struct check_result *result, const char *path, struct error *err);
/* Words for a kind of step. */
const char *check_count_text(enum check_count count);

#endif
