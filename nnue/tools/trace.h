/* SPDX-License-Identifier: MIT */
/*
 * Traces of moves made and taken back, which incremental updates are proved on: fixed lines with
 * every kind of move, random games, games out of archives.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRACE_H
#define PLYMILL_NNUE_TOOLS_TRACE_H

#include <stddef.h>

#include "formats/chess/position.h"
#include "formats/io/error.h"

#define TRACE_DEPTH_MAX    1024 /* moves made and not taken back; longer games come in pieces */
#define TRACE_RANDOM_STEPS 120  /* of one random game */

enum trace_kind { TRACE_SET, TRACE_MAKE, TRACE_NULL, TRACE_UNDO };

/* Borrowed for the call. */
struct trace_step {
    enum trace_kind kind;
    uint16_t move;      /* made or taken back; MOVE_NONE for a null move */
    struct delta delta; /* of that move as it was made: empty for a null move */
    const struct position *before, *after;
};

struct trace_visitor {
    /* A value other than 0 ends the trace. */
    int (*step)(void *context, const struct trace_step *step, struct error *err);
    void *context;
};

/*
 * Every kind of move for both colours: castlings (Chess960 too, with king or rook staying or
 * swapping), en passant, all promotions with and without capture, captures by kings. 0 or -1.
 */
int trace_fixed(const struct trace_visitor *visitor, struct error *err);
/*
 * Random games from standard, Chess960 and crowded starts in turn: 30 % of the steps take back, 2 %
 * are null moves, special moves are preferred. The same for the same seed.
 */
int trace_random(uint64_t seed, unsigned games, const struct trace_visitor *visitor,
                 struct error *err);
/* One game: all moves, then all of them back (in pieces of TRACE_DEPTH_MAX). */
int trace_game(const struct position *start, const uint16_t *moves, size_t count,
               const struct trace_visitor *visitor, struct error *err);

#endif
