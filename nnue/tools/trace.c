/* SPDX-License-Identifier: MIT */
/*
 * Traces, see trace.h. A tracer keeps the positions of its line and the moves between them.
 */
#include "nnue/tools/trace.h"

#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/movegen.h"
#include "formats/chess/ucimove.h"
#include "nnue/tools/rng.h"

struct tracer {
    const struct trace_visitor *visitor;
    unsigned depth;
    struct position line[TRACE_DEPTH_MAX + 1]; /* line[depth] is on the board */
    uint16_t moves[TRACE_DEPTH_MAX];
    struct delta deltas[TRACE_DEPTH_MAX];
};

static int tell(struct tracer *tracer, enum trace_kind kind, unsigned move, unsigned before,
                unsigned after, struct error *err)
{
    struct trace_step step = {
        .kind = kind, .before = &tracer->line[before], .after = &tracer->line[after]};
    if (kind != TRACE_SET) {
        step.move = tracer->moves[move];
        step.delta = tracer->deltas[move];
    }
    return tracer->visitor->step(tracer->visitor->context, &step, err);
}

static int set(struct tracer *tracer, const struct position *start, struct error *err)
{
    tracer->depth = 0;
    tracer->line[0] = *start;
    return tell(tracer, TRACE_SET, 0, 0, 0, err);
}

static int make(struct tracer *tracer, uint16_t move, struct error *err)
{
    unsigned d = tracer->depth++;
    struct undo undo;
    tracer->line[d + 1] = tracer->line[d];
    position_make(&tracer->line[d + 1], move, &undo);
    tracer->moves[d] = move;
    tracer->deltas[d] = undo.delta;
    return tell(tracer, TRACE_MAKE, d, d, d + 1, err);
}

static int make_null(struct tracer *tracer, struct error *err)
{
    unsigned d = tracer->depth++;
    struct position *next = &tracer->line[d + 1];
    *next = tracer->line[d];
    next->side ^= 1;
    next->ep = SQUARE_NONE;
    tracer->moves[d] = MOVE_NONE;
    memset(&tracer->deltas[d], 0, sizeof tracer->deltas[d]);
    return tell(tracer, TRACE_NULL, d, d, d + 1, err);
}

static int take_back(struct tracer *tracer, struct error *err)
{
    unsigned d = --tracer->depth;
    return tell(tracer, TRACE_UNDO, d, d + 1, d, err);
}

static int take_all_back(struct tracer *tracer, struct error *err)
{
    while (tracer->depth)
        if (take_back(tracer, err))
            return -1;
    return 0;
}

static struct tracer *tracer_new(const struct trace_visitor *visitor, struct error *err)
{
    struct tracer *tracer = malloc(sizeof *tracer);
    if (!tracer) {
        error_memory(err);
        return NULL;
    }
    tracer->visitor = visitor;
    tracer->depth = 0;
    return tracer;
}

int trace_game(const struct position *start, const uint16_t *moves, size_t count,
               const struct trace_visitor *visitor, struct error *err)
{
    struct tracer *tracer = tracer_new(visitor, err);
    struct position from = *start;
    size_t at = 0;
    int result = -1;
    if (!tracer)
        return -1;
    do {
        size_t end = count - at > TRACE_DEPTH_MAX ? at + TRACE_DEPTH_MAX : count;
        if (set(tracer, &from, err))
            goto out;
        for (; at < end; at++)
            if (make(tracer, moves[at], err))
                goto out;
        from = tracer->line[tracer->depth];
        if (take_all_back(tracer, err))
            goto out;
    } while (at < count);
    result = 0;
out:
    free(tracer);
    return result;
}

static int read_start(const char *fen, struct position *position, struct error *err)
{
    if (fen_parse(fen, strlen(fen), FEN_REJECT_BAD_CASTLING, position, NULL) != FEN_OK)
        return error_set(err, ERROR_FAILED, "trace: not a position: %s", fen);
    return 0;
}

/* Moves in UCI notation, separated by blanks. */
static int play_text(struct tracer *tracer, const char *text, struct error *err)
{
    while (*text) {
        size_t size = strcspn(text, " ");
        uint16_t move = ucimove_parse(&tracer->line[tracer->depth], text, size);
        if (move == MOVE_NONE)
            return error_set(err, ERROR_FAILED, "trace: not a move: %s", text);
        if (make(tracer, move, err))
            return -1;
        text += size;
        text += strspn(text, " ");
    }
    return 0;
}

/* A start and moves from it. */
struct fixed_line {
    const char *fen, *moves;
};

static const struct fixed_line fixed_lines[] = {
    /* castlings, all four in both orders */
    {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1 e8c8"},
    {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1 e8g8"},
    {"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8 e1c1"},
    {"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8 e1g1"},
    /* Chess960: king and rook swap, king stays, rook stays, both move onto old squares */
    {"4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1"},
    {"5kr1/8/8/8/8/8/8/4K3 b g - 0 1", "f8g8"},
    {"4k3/8/8/8/8/8/8/1RK5 w B - 0 1", "c1b1"},
    {"1rk5/8/8/8/8/8/8/4K3 b b - 0 1", "c8b8"},
    {"4k3/8/8/8/8/8/8/R1K5 w A - 0 1", "c1a1"},
    {"4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1"},
    {"4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1"},
    {"1r1k1r2/1p3p2/8/8/8/8/1P3P2/1R1K1R2 w BFbf - 0 1", "d1f1 d8b8"},
    {"1r1k1r2/1p3p2/8/8/8/8/1P3P2/1R1K1R2 b BFbf - 0 1", "d8f8 d1b1"},
    /* en passant to both sides */
    {"4k3/3p1p2/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e5d6"},
    {"4k3/3p1p2/8/4P3/8/8/8/4K3 b - - 0 1", "f7f5 e5f6"},
    {"4k3/8/8/8/4p3/8/3P1P2/4K3 w - - 0 1", "d2d4 e4d3"},
    {"4k3/8/8/8/4p3/8/3P1P2/4K3 w - - 0 1", "f2f4 e4f3"},
    /* promotions, quiet and with capture */
    {"4k3/P7/8/8/8/8/p7/4K3 w - - 0 1", "a7a8q e8f7 e1f2 a2a1q"},
    {"4k3/P7/8/8/8/8/p7/4K3 w - - 0 1", "a7a8r e8f7 e1f2 a2a1r"},
    {"4k3/P7/8/8/8/8/p7/4K3 w - - 0 1", "a7a8b e8f7 e1f2 a2a1b"},
    {"4k3/P7/8/8/8/8/p7/4K3 w - - 0 1", "a7a8n e8f7 e1f2 a2a1n"},
    {"1n2k3/P7/8/8/8/8/p7/1N2K3 w - - 0 1", "a7b8q e8f7 e1f2 a2b1q"},
    {"1n2k3/P7/8/8/8/8/p7/1N2K3 w - - 0 1", "a7b8r e8f7 e1f2 a2b1r"},
    {"1n2k3/P7/8/8/8/8/p7/1N2K3 w - - 0 1", "a7b8b e8f7 e1f2 a2b1b"},
    {"1n2k3/P7/8/8/8/8/p7/1N2K3 w - - 0 1", "a7b8n e8f7 e1f2 a2b1n"},
    /* captures: by a king, of a castling rook, and quiet moves that lose rights */
    {"4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1e2"},
    {"4k3/4R3/8/8/8/8/8/4K3 b - - 0 1", "e8e7"},
    {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1a8 e8e7 h1h8"},
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
     "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5 g1f3 g8f6 f1e2 c8g4 e1g1 b8c6 d2d3 e8c8"},
};

int trace_fixed(const struct trace_visitor *visitor, struct error *err)
{
    struct tracer *tracer = tracer_new(visitor, err);
    int result = tracer ? 0 : -1;
    for (size_t i = 0; i < sizeof fixed_lines / sizeof *fixed_lines && !result; i++) {
        struct position start;
        if (read_start(fixed_lines[i].fen, &start, err) || set(tracer, &start, err) ||
            play_text(tracer, fixed_lines[i].moves, err) || take_all_back(tracer, err))
            result = -1;
    }
    free(tracer);
    return result;
}

/* The n-th (from 0) file of the first rank that is still free. */
static unsigned free_file(const uint8_t back[8], unsigned n)
{
    unsigned file = 0;
    while (back[file] != PIECE_NONE || n--)
        file++;
    return file;
}

/* One of the 960 starts: bishops on both colours, the king between the rooks. */
static void chess960_start(struct rng *rng, struct position *position)
{
    static const uint8_t others[3] = {QUEEN, KNIGHT, KNIGHT};
    static const uint8_t last[3] = {ROOK, KING, ROOK};
    uint8_t back[8];
    unsigned rook[2] = {8, 8};
    memset(back, PIECE_NONE, sizeof back);
    back[2 * (size_t)rng_below(rng, 4)] = BISHOP;
    back[2 * (size_t)rng_below(rng, 4) + 1] = BISHOP;
    for (unsigned i = 0; i < 3; i++)
        back[free_file(back, rng_below(rng, 6 - i))] = others[i];
    for (unsigned i = 0; i < 3; i++) {
        unsigned file = free_file(back, 0);
        back[file] = last[i];
        if (last[i] == ROOK)
            rook[rook[1] == 8 ? 1 : 0] = file;
    }
    position_clear(position);
    for (unsigned file = 0; file < 8; file++)
        for (unsigned colour = 0; colour < 2; colour++) {
            position_put(position, piece_make(colour, back[file]),
                         square_make(file, colour ? 7 : 0));
            position_put(position, piece_make(colour, PAWN), square_make(file, colour ? 6 : 1));
        }
    position->chess960 = true;
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned side = 0; side < 2; side++)
            position->rook[colour][side] = square_make(rook[side], colour ? 7 : 0);
}

static int random_start(struct rng *rng, unsigned game, struct position *position,
                        struct error *err)
{
    static const char *const crowded[2] = {
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"};
    switch (game % 3) {
    case 0:
        position_start(position);
        return 0;
    case 1:
        chess960_start(rng, position);
        return 0;
    default:
        return read_start(crowded[game / 3 % 2], position, err);
    }
}

/* A random move; every second time a castling, en passant or promotion where there is one. */
static uint16_t choose(struct rng *rng, const uint16_t *moves, unsigned count)
{
    uint16_t special[MOVES_MAX];
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        if (move_kind(moves[i]) != MOVE_NORMAL)
            special[found++] = moves[i];
    if (found && rng_below(rng, 2))
        return special[rng_below(rng, found)];
    return moves[rng_below(rng, count)];
}

static int random_step(struct tracer *tracer, struct rng *rng, struct error *err)
{
    const struct position *position = &tracer->line[tracer->depth];
    uint16_t moves[MOVES_MAX];
    unsigned count = movegen_legal(position, moves), chance = rng_below(rng, 100);
    if (tracer->depth && (chance < 30 || !count))
        return take_back(tracer, err);
    if (chance >= 98 && !position_checkers(position))
        return make_null(tracer, err);
    return make(tracer, choose(rng, moves, count), err);
}

int trace_random(uint64_t seed, unsigned games, const struct trace_visitor *visitor,
                 struct error *err)
{
    struct tracer *tracer = tracer_new(visitor, err);
    struct rng rng = {seed};
    int result = tracer ? 0 : -1;
    for (unsigned game = 0; game < games && !result; game++) {
        struct position start;
        result = random_start(&rng, game, &start, err);
        if (!result)
            result = set(tracer, &start, err);
        for (unsigned i = 0; i < TRACE_RANDOM_STEPS && !result; i++)
            result = random_step(tracer, &rng, err);
    }
    free(tracer);
    return result;
}
