/* SPDX-License-Identifier: MIT */
/*
 * Real positions to time nets on: stretches of 64 half-moves out of games, each position as the
 * library takes it, with the delta that leads there.
 */
#ifndef PLYMILL_PIPELINE_CLI_BENCH_POSITIONS_H
#define PLYMILL_PIPELINE_CLI_BENCH_POSITIONS_H

#include <stddef.h>

#include "formats/io/error.h"
#include "nnue/core/plynnue.h"

#define BENCH_CHUNK 64 /* evaluations between two looks at the clock */

/* Position 0 is where the stretch starts, position k the one after delta k - 1. */
struct bench_chunk {
    struct plynnue_position positions[BENCH_CHUNK + 1];
    struct plynnue_delta deltas[BENCH_CHUNK];
    struct plynnue_piece pieces[BENCH_CHUNK + 1][PLYNNUE_PIECES_MAX];
};

struct bench_positions {
    struct bench_chunk *chunks; /* [count] */
    size_t count;
    size_t games; /* that they come from */
};

/*
 * Up to wanted stretches, all that fit into each game of an archive (.pgn, .pgn.zst, .pgn.gz) in
 * turn. An error when there is none.
 */
int bench_positions_load(const char *path, size_t wanted, struct bench_positions *positions,
                         struct error *err);
void bench_positions_free(struct bench_positions *positions);

#endif
