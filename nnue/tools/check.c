/* SPDX-License-Identifier: MIT */
/*
 * Proof of incremental updates, see check.h.
 */
#include "nnue/tools/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "nnue/core/arch.h"
#include "nnue/tools/check_count.h"
#include "nnue/tools/check_drift.h"
#include "nnue/tools/reference.h"
#include "nnue/tools/rng.h"
#include "nnue/tools/samples.h"

enum { BATCH = 64, LAZY_ONE_IN = 4, MORE_ONE_IN = 8 };

/* A net at one instruction set. */
struct level {
    const plynnue_net *net;
    plynnue_acc *steady; /* evaluated after every step */
    plynnue_acc *lazy;   /* evaluated now and then, so that it has several changes to catch up */
    plynnue_acc *cached; /* set anew at every position: by way of the refresh cache */
    char *states;        /* [views]: made by nothing but a refresh */
    const void *views[ARCH_VIEWS_MAX];
    void *scratch, *batch_scratch;
};

/* Positions that wait for a batch evaluation. */
struct pending {
    unsigned count;
    struct plynnue_piece pieces[BATCH][PLYNNUE_PIECES_MAX];
    struct plynnue_position boards[BATCH];
    struct position positions[BATCH]; /* to name one that differs */
    int32_t values[BATCH];            /* of the reference */
};

struct check {
    const struct tinynet *tiny;
    bool is_float;
    unsigned count, undos_one_in;
    struct level levels[CHECK_LEVELS_MAX];
    size_t state_size; /* of a view, aligned */
    struct net_parts parts;
    struct drift *drift; /* float nets */
    struct rng rng;      /* when lazy is looked at, and all heads */
    struct board board;  /* after the last step */
    struct pending pending;
    struct check_result result;
};

static int level_new(struct level *level, const plynnue_net *net, size_t state_size)
{
    const struct arch *arch = net->arch;
    level->net = net;
    level->states = memory_new(arch->views * state_size);
    level->scratch = memory_new(arch->scratch_size(net) + 1);
    level->batch_scratch = malloc(plynnue_batch_scratch(net));
    if (!level->states || !level->scratch || !level->batch_scratch ||
        plynnue_acc_new(net, TRACE_DEPTH_MAX, &level->steady, NULL) ||
        plynnue_acc_new(net, TRACE_DEPTH_MAX, &level->lazy, NULL) ||
        plynnue_acc_new(net, 0, &level->cached, NULL))
        return -1;
    for (unsigned view = 0; view < arch->views; view++)
        level->views[view] = level->states + view * state_size;
    return 0;
}

static void level_free(struct level *level)
{
    plynnue_acc_free(level->steady);
    plynnue_acc_free(level->lazy);
    plynnue_acc_free(level->cached);
    memory_free(level->states);
    memory_free(level->scratch);
    free(level->batch_scratch);
}

int check_new(const plynnue_net *const *nets, unsigned count, const struct tinynet *tiny,
              struct check **out, struct error *err)
{
    struct check *check = calloc(1, sizeof *check);
    struct plynnue_info info = {.size = sizeof info};
    *out = NULL;
    if (!check)
        return error_memory(err);
    plynnue_net_info(nets[0], &info);
    net_parts(nets[0], &check->parts);
    check->tiny = tiny;
    check->is_float = info.is_float;
    check->state_size = memory_align(nets[0]->arch->state_size(nets[0]));
    check->rng.state = CHECK_SEED;
    check->undos_one_in = 1;
    check->result.seen = check->result.seen_psqt = (struct range){INT64_MAX, INT64_MIN};
    while (check->count < count &&
           !level_new(&check->levels[check->count], nets[check->count], check->state_size))
        check->count++;
    if (check->count < count || (check->is_float && drift_new(nets[0], &check->drift, NULL))) {
        check_free(check);
        return error_memory(err);
    }
    *out = check;
    return 0;
}

void check_free(struct check *check)
{
    if (!check)
        return;
    for (unsigned i = 0; i < CHECK_LEVELS_MAX; i++)
        level_free(&check->levels[i]);
    drift_free(check->drift);
    free(check);
}

static void differ(struct check *check, unsigned level, const struct position *position,
                   const char *what)
{
    static const char *const names[] = {"auto", "scalar", "avx2", "avxvnni", "avx512vnni", "neon"};
    char fen[FEN_MAX];
    check->result.level_differences[level]++;
    if (check->result.differences++)
        return;
    fen_format(position, FEN_SHREDDER, fen);
    snprintf(check->result.first, sizeof check->result.first, "step %" PRIu64 ", %s, %s: %s",
             check->result.steps, names[check->levels[level].net->kernels->isa], fen, what);
}

static struct plynnue_delta library_delta(const struct delta *delta)
{
    struct plynnue_delta out = {.removed_count = delta->removed_count,
                                .added_count = delta->added_count};
    for (unsigned i = 0; i < 2; i++) {
        out.removed[i] = (struct plynnue_piece){delta->removed[i].piece, delta->removed[i].square};
        out.added[i] = (struct plynnue_piece){delta->added[i].piece, delta->added[i].square};
    }
    return out;
}

/* A move taken back: what came goes, what went comes. */
static struct plynnue_delta reverse(const struct plynnue_delta *delta)
{
    struct plynnue_delta out = {.removed_count = delta->added_count,
                                .added_count = delta->removed_count};
    memcpy(out.removed, delta->added, sizeof out.removed);
    memcpy(out.added, delta->removed, sizeof out.added);
    return out;
}

/* The step on one of the two stacks. */
static int follow(plynnue_acc *acc, enum trace_kind kind, const struct plynnue_delta *delta,
                  const struct plynnue_position *board)
{
    switch (kind) {
    case TRACE_SET:
        return plynnue_acc_set(acc, board);
    case TRACE_UNDO:
        return plynnue_acc_pop(acc);
    default:
        return plynnue_acc_push(acc, delta);
    }
}

static void refresh(const struct check *check, struct level *level)
{
    const struct arch *arch = level->net->arch;
    for (unsigned view = 0; view < arch->views; view++)
        arch->refresh(level->net, &check->board, view, level->states + view * check->state_size);
}

/* What was made afresh makes of the board. */
static double fresh_value(const struct check *check, const struct level *level, unsigned side)
{
    const struct arch *arch = level->net->arch;
    return check->is_float
               ? arch->eval_float(level->net, &check->board, level->views, side, level->scratch)
               : arch->eval(level->net, &check->board, level->views, side, level->scratch);
}

/* Integers must be equal; floats may drift a little, which is noted. */
static bool equal_values(struct check *check, double a, double b)
{
    double difference = fabs(a - b);
    if (!check->is_float)
        return a == b;
    if (difference > check->result.drift)
        check->result.drift = difference;
    return difference <= CHECK_DRIFT_MAX;
}

/* Every element of every view. Only integers. */
static bool equal_states(const struct check *check, const struct level *level, plynnue_acc *acc)
{
    size_t size;
    for (unsigned view = 0; view < level->net->arch->views; view++) {
        const void *state = acc_state(acc, view, &size);
        if (size > check->state_size || memcmp(state, level->views[view], size) != 0)
            return false;
    }
    return true;
}

/* What is to be compared at a position beside what always is. */
struct chosen {
    bool lazily; /* the accumulator that has several changes to catch up */
    bool more;   /* the integers of all heads, and values for the side that is not to move */
};

/* As a user of the library asks for it: integer nets may go a shorter way there. */
static double stack_value(const struct check *check, plynnue_acc *acc, unsigned side)
{
    return check->is_float ? plynnue_acc_eval_float(acc, (int)side)
                           : plynnue_acc_eval(acc, (int)side);
}

static bool equal_all(struct check *check, const struct level *level, plynnue_acc *acc,
                      const double fresh[2], bool both)
{
    unsigned side = check->board.side;
    return equal_values(check, stack_value(check, acc, side), fresh[side]) &&
           (!both || equal_values(check, stack_value(check, acc, side ^ 1), fresh[side ^ 1])) &&
           (check->is_float || equal_states(check, level, acc));
}

/* The integers of all heads, updated here and afresh at the reference. */
static bool equal_heads(const struct check *check, const struct level *level)
{
    const struct level *reference = &check->levels[0];
    const plynnue_net *net = reference->net;
    struct plynnue_raw here, there = {.bucket = 0};
    plynnue_acc_eval_raw(level->steady, check->board.side, &here);
    net->arch->eval_raw(net, &check->board, reference->views, check->board.side, reference->scratch,
                        &there);
    return memcmp(&here, &there, sizeof here) == 0;
}

/* One level, at which everything was made afresh; expected: the reference's values. */
static void compare_level(struct check *check, unsigned index, const struct position *position,
                          const double expected[2], struct chosen chosen)
{
    struct level *level = &check->levels[index];
    double fresh[2] = {fresh_value(check, level, WHITE), fresh_value(check, level, BLACK)};
    if (!equal_all(check, level, level->steady, fresh, chosen.more))
        differ(check, index, position, "incremental and fresh accumulator differ");
    if (chosen.lazily && !equal_all(check, level, level->lazy, fresh, chosen.more))
        differ(check, index, position, "lazily updated and fresh accumulator differ");
    if (!equal_all(check, level, level->cached, fresh, chosen.more))
        differ(check, index, position, "the refresh cache's and the fresh accumulator differ");
    if (!equal_values(check, fresh[0], expected[0]) || !equal_values(check, fresh[1], expected[1]))
        differ(check, index, position, "another value than that of the reference kernels");
    if (chosen.more && !check->is_float && !equal_heads(check, level))
        differ(check, index, position, "other integers of a head than the reference kernels'");
}

static void compare_plain(struct check *check, const struct position *position,
                          const struct sample *sample, double value)
{
    struct reference_steps steps;
    reference_int(&check->tiny->ints, sample->features, sample->count, &steps);
    if ((position->side == WHITE ? value : -value) != (double)steps.cp)
        differ(check, 0, position, "the library's value is not that of the plain computation");
}

static void see(struct range *range, int64_t value)
{
    if (value < range->low)
        range->low = value;
    if (value > range->high)
        range->high = value;
}

/* How large accumulators become: those of the reference, all sets of features added up. */
static void look_at_states(struct check *check)
{
    const struct transformer *squares = check->parts.squares;
    const void *const *views = check->levels[0].views;
    for (unsigned side = 0; side < 2 && squares; side++) {
        const int16_t *a = views[side], *b = check->parts.relations ? views[2 + side] : NULL;
        const int32_t *p = transformer_psqt(squares, a);
        const int32_t *q = b ? transformer_psqt(squares, b) : NULL;
        for (size_t i = 0; i < squares->width; i++)
            see(&check->result.seen, (int64_t)a[i] + (b ? b[i] : 0));
        for (size_t i = 0; i < squares->psqt; i++)
            see(&check->result.seen_psqt, (int64_t)p[i] + (q ? q[i] : 0));
    }
}

/* Evaluates what waits at every level. */
static void flush(struct check *check)
{
    struct pending *pending = &check->pending;
    int32_t values[BATCH];
    for (unsigned i = 0; i < check->count && pending->count; i++) {
        const struct level *level = &check->levels[i];
        if (plynnue_eval_batch(level->net, pending->boards, pending->count, values,
                               level->batch_scratch))
            differ(check, i, &pending->positions[0], "a batch of positions is refused");
        else
            for (unsigned k = 0; k < pending->count; k++)
                if (fabs((double)values[k] - pending->values[k]) > check->is_float)
                    differ(check, i, &pending->positions[k], "a batch gives another value");
    }
    pending->count = 0;
}

/* Notes a position for the next batch. */
static void defer(struct check *check, const struct position *position,
                  const struct plynnue_position *board)
{
    struct pending *pending = &check->pending;
    unsigned at = pending->count++;
    memcpy(pending->pieces[at], board->pieces, board->count * sizeof *board->pieces);
    pending->boards[at] = *board;
    pending->boards[at].pieces = pending->pieces[at];
    pending->positions[at] = *position;
    pending->values[at] = plynnue_acc_eval(check->levels[0].cached, board->side);
    if (pending->count == BATCH)
        flush(check);
}

static void compare(struct check *check, const struct position *position,
                    const struct sample *sample)
{
    double expected[2];
    struct chosen chosen;
    chosen.lazily = rng_below(&check->rng, LAZY_ONE_IN) == 0;
    chosen.more = rng_below(&check->rng, MORE_ONE_IN) == 0;
    for (unsigned i = 0; i < check->count; i++)
        refresh(check, &check->levels[i]);
    for (unsigned side = 0; side < 2; side++)
        expected[side] = fresh_value(check, &check->levels[0], side);
    for (unsigned i = 0; i < check->count; i++)
        compare_level(check, i, position, expected, chosen);
    look_at_states(check);
    if (check->tiny && !check->is_float)
        compare_plain(check, position, sample, expected[position->side]);
}

/* Takes the step at all levels. */
static int follow_all(struct check *check, enum trace_kind kind, const struct plynnue_delta *delta,
                      const struct plynnue_position *board)
{
    for (unsigned i = 0; i < check->count; i++)
        if (follow(check->levels[i].steady, kind, delta, board) ||
            follow(check->levels[i].lazy, kind, delta, board) ||
            plynnue_acc_set(check->levels[i].cached, board))
            return -1;
    return 0;
}

static int check_step(void *context, const struct trace_step *step, struct error *err)
{
    struct check *check = context;
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    struct plynnue_position board;
    struct sample sample;
    struct plynnue_delta made = library_delta(&step->delta);
    struct plynnue_delta delta = step->kind == TRACE_UNDO ? reverse(&made) : made;
    struct board before = check->board;
    struct change change = {&delta, &before, &check->board};
    sample_from_position(step->after, &sample);
    sample_to_pieces(&sample, pieces, &board);
    if (board_set(&check->board, &board) || follow_all(check, step->kind, &made, &board))
        return error_set(err, ERROR_FAILED, "step %" PRIu64 ": the library refuses a legal move",
                         check->result.steps);
    check_count_step(&check->result, step, &change, &check->parts);
    if (step->kind != TRACE_UNDO || rng_below(&check->rng, check->undos_one_in) == 0) {
        check->result.compared++;
        compare(check, step->after, &sample);
        defer(check, step->after, &board);
    }
    if (check->drift) {
        double drift = drift_step(check->drift, step, &change, &sample);
        if (drift > check->result.drift32)
            check->result.drift32 = drift;
    }
    return 0;
}

struct trace_visitor check_visitor(struct check *check)
{
    return (struct trace_visitor){check_step, check};
}

void check_thin_undos(struct check *check, unsigned one_in)
{
    check->undos_one_in = one_in;
}

const struct check_result *check_results(struct check *check)
{
    flush(check);
    return &check->result;
}

int check_verdict(const struct check_result *result, const char *path, struct error *err)
{
    if (!result->differences)
        return 0;
    return error_set(err, ERROR_DIFFERS, "%s: %" PRIu64 " differences, the first at %s", path,
                     result->differences, result->first);
}
