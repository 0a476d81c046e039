/* SPDX-License-Identifier: MIT */
/*
 * See bench_positions.h.
 */
#include "pipeline/cli/bench_positions.h"

#include <stdlib.h>
#include <string.h>

#include "formats/io/fault.h"
#include "formats/io/reader.h"
#include "formats/pgn.h"

static void take_board(const struct position *position, struct bench_chunk *chunk, unsigned index)
{
    struct plynnue_piece *pieces = chunk->pieces[index];
    unsigned count = 0;
    for (unsigned square = 0; square < 64; square++)
        if (position->board[square] != PIECE_NONE)
            pieces[count++] = (struct plynnue_piece){position->board[square], (uint8_t)square};
    chunk->positions[index] = (struct plynnue_position){
        .pieces = pieces, .count = (uint8_t)count, .side = position->side};
}

static struct plynnue_delta convert_delta(const struct delta *delta)
{
    struct plynnue_delta out = {delta->removed_count, delta->added_count, {{0, 0}}, {{0, 0}}};
    for (unsigned i = 0; i < delta->removed_count; i++)
        out.removed[i] = (struct plynnue_piece){delta->removed[i].piece, delta->removed[i].square};
    for (unsigned i = 0; i < delta->added_count; i++)
        out.added[i] = (struct plynnue_piece){delta->added[i].piece, delta->added[i].square};
    return out;
}

static void fill_chunk(struct position *position, const uint16_t *moves, struct bench_chunk *chunk)
{
    take_board(position, chunk, 0);
    for (unsigned i = 0; i < BENCH_CHUNK; i++) {
        struct undo undo;
        position_make(position, moves[i], &undo);
        chunk->deltas[i] = convert_delta(&undo.delta);
        take_board(position, chunk, i + 1);
    }
}

static void take_game(const struct pgn_game *game, size_t wanted, struct bench_positions *out)
{
    struct position position = game->start;
    for (uint32_t ply = 0; ply + BENCH_CHUNK <= game->plies && out->count < wanted;
         ply += BENCH_CHUNK)
        fill_chunk(&position, game->moves + ply, &out->chunks[out->count++]);
    out->games += game->plies >= BENCH_CHUNK;
}

static int read_games(struct reader *reader, size_t wanted, struct bench_positions *out,
                      struct error *err)
{
    const struct pgn_options options = {.variants = PGN_STANDARD | PGN_FROM_POSITION,
                                        .skip_scores = true};
    const struct pgn_game *game;
    struct pgn *pgn = NULL;
    int more = -1;
    if (pgn_new(reader, &options, NULL, &pgn, err) == 0)
        while (out->count < wanted && (more = pgn_next(pgn, &game, err)) > 0)
            if (game->reject == PGN_ACCEPTED)
                take_game(game, wanted, out);
    pgn_free(pgn);
    return more < 0 ? -1 : 0;
}

int bench_positions_load(const char *path, size_t wanted, struct bench_positions *out,
                         struct error *err)
{
    struct reader *reader = NULL;
    memset(out, 0, sizeof *out);
    if (reader_open(path, false, &reader, err) < 0)
        return -1;
    out->chunks = fault_malloc(wanted * sizeof *out->chunks);
    int status = out->chunks ? read_games(reader, wanted, out, err) : error_memory(err);
    if (status == 0 && out->count == 0)
        status = error_set(err, ERROR_FAILED, "%s: no game of %d half-moves", path, BENCH_CHUNK);
    reader_close(reader);
    if (status < 0)
        bench_positions_free(out);
    return status;
}

void bench_positions_free(struct bench_positions *positions)
{
    free(positions->chunks);
    memset(positions, 0, sizeof *positions);
}
