/* SPDX-License-Identifier: MIT */
/*
 * Proof of incremental updates, see check.h.
 */
#include "nnue/tools/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "nnue/core/arch.h"
#include "nnue/tools/reference.h"
#include "nnue/tools/rng.h"
#include "nnue/tools/samples.h"

struct check {
    const struct tinynet *tiny;
    bool is_float;
    unsigned views;
    plynnue_acc *steady; /* evaluated after every step */
    plynnue_acc *lazy;   /* evaluated now and then, so that it has several changes to catch up */
    plynnue_acc *fresh;  /* set anew at every position */
    plynnue_acc *scalar; /* the same with the scalar kernels */
    struct rng rng;      /* when lazy is looked at */
    float *updated32, *fresh32; /* [H1] float32 accumulators of a float net */
    struct check_result result;
};

static const char *const count_texts[CHECK_COUNTS] = {
    [CHECK_QUIET] = "quiet moves",
    [CHECK_CAPTURE] = "captures",
    [CHECK_EN_PASSANT_WHITE] = "en passant, White",
    [CHECK_EN_PASSANT_BLACK] = "en passant, Black",
    [CHECK_CASTLING_WHITE_KING_SIDE] = "castling O-O, White",
    [CHECK_CASTLING_WHITE_QUEEN_SIDE] = "castling O-O-O, White",
    [CHECK_CASTLING_BLACK_KING_SIDE] = "castling O-O, Black",
    [CHECK_CASTLING_BLACK_QUEEN_SIDE] = "castling O-O-O, Black",
    [CHECK_CASTLING_CHESS960] = "  of these in Chess960",
    [CHECK_PROMOTION_QUEEN] = "promotions to a queen",
    [CHECK_PROMOTION_UNDER] = "under-promotions",
    [CHECK_PROMOTION_CAPTURE] = "  of these with capture",
    [CHECK_NULL] = "null moves",
    [CHECK_UNDO] = "moves taken back",
};

const char *check_count_text(enum check_count count)
{
    return count_texts[count];
}

int check_new(const plynnue_net *net, const plynnue_net *scalar, const struct tinynet *tiny,
              struct check **out, struct error *err)
{
    struct check *check = calloc(1, sizeof *check);
    struct plynnue_info info = {.size = sizeof info};
    struct plynnue_error error = {.text = ""};
    *out = NULL;
    if (!check)
        return error_memory(err);
    plynnue_net_info(net, &info);
    check->tiny = tiny;
    check->is_float = info.is_float;
    check->views = net->arch->views;
    check->rng.state = CHECK_SEED;
    check->updated32 = calloc(info.l1, sizeof(float));
    check->fresh32 = calloc(info.l1, sizeof(float));
    if (!check->updated32 || !check->fresh32 ||
        plynnue_acc_new(net, TRACE_DEPTH_MAX, &check->steady, &error) ||
        plynnue_acc_new(net, TRACE_DEPTH_MAX, &check->lazy, &error) ||
        plynnue_acc_new(net, 0, &check->fresh, &error) ||
        plynnue_acc_new(scalar, 0, &check->scalar, &error)) {
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
    plynnue_acc_free(check->steady);
    plynnue_acc_free(check->lazy);
    plynnue_acc_free(check->fresh);
    plynnue_acc_free(check->scalar);
    free(check->updated32);
    free(check->fresh32);
    free(check);
}

const struct check_result *check_results(const struct check *check)
{
    return &check->result;
}

static void differ(struct check *check, const struct position *position, const char *what)
{
    char fen[FEN_MAX];
    if (check->result.differences++)
        return;
    fen_format(position, FEN_SHREDDER, fen);
    snprintf(check->result.first, sizeof check->result.first, "step %llu, %s: %s",
             (unsigned long long)check->result.steps, fen, what);
}

static void count_move(struct check *check, const struct trace_step *step)
{
    uint64_t *counts = check->result.counts;
    const struct position *before = step->before;
    unsigned side = before->side;
    bool captures = position_captured(before, step->move) != PIECE_NONE;
    switch (move_kind(step->move)) {
    case MOVE_CASTLING:
        counts[CHECK_CASTLING_WHITE_KING_SIDE + 2 * side +
               (move_to(step->move) < move_from(step->move))]++;
        counts[CHECK_CASTLING_CHESS960] += before->chess960;
        break;
    case MOVE_EN_PASSANT:
        counts[side == WHITE ? CHECK_EN_PASSANT_WHITE : CHECK_EN_PASSANT_BLACK]++;
        break;
    case MOVE_PROMOTION:
        counts[move_promotion(step->move) == QUEEN ? CHECK_PROMOTION_QUEEN
                                                   : CHECK_PROMOTION_UNDER]++;
        counts[CHECK_PROMOTION_CAPTURE] += captures;
        break;
    default:
        counts[captures ? CHECK_CAPTURE : CHECK_QUIET]++;
        break;
    }
}

static void count_step(struct check *check, const struct trace_step *step)
{
    if (step->kind == TRACE_SET)
        return;
    check->result.steps++;
    if (step->kind == TRACE_UNDO) {
        check->result.counts[CHECK_UNDO]++;
    } else if (step->kind == TRACE_NULL) {
        check->result.counts[CHECK_NULL]++;
    } else {
        check->result.moves++;
        check->result.changes += 1u + step->delta.removed_count + step->delta.added_count;
        count_move(check, step);
    }
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

/* The step on one of the two stacks. */
static int follow(plynnue_acc *acc, const struct trace_step *step,
                  const struct plynnue_position *board)
{
    struct plynnue_delta delta = library_delta(&step->delta);
    switch (step->kind) {
    case TRACE_SET:
        return plynnue_acc_set(acc, board);
    case TRACE_UNDO:
        return plynnue_acc_pop(acc);
    default:
        return plynnue_acc_push(acc, &delta);
    }
}

/* Integers must be equal; floats may drift a little, which is noted. */
static bool equal_values(struct check *check, plynnue_acc *a, plynnue_acc *b, int side)
{
    double difference;
    if (!check->is_float)
        return plynnue_acc_eval(a, side) == plynnue_acc_eval(b, side);
    difference = fabs(plynnue_acc_eval_float(a, side) - plynnue_acc_eval_float(b, side));
    if (difference > check->result.drift)
        check->result.drift = difference;
    return difference <= CHECK_DRIFT_MAX;
}

/* Every element of every view. Only integers. */
static bool equal_states(struct check *check, plynnue_acc *a, plynnue_acc *b)
{
    size_t size_a, size_b;
    for (unsigned view = 0; view < check->views; view++) {
        const void *x = acc_state(a, view, &size_a), *y = acc_state(b, view, &size_b);
        if (size_a != size_b || memcmp(x, y, size_a) != 0)
            return false;
    }
    return true;
}

static bool equal_all(struct check *check, plynnue_acc *acc)
{
    return (check->is_float || equal_states(check, acc, check->fresh)) &&
           equal_values(check, acc, check->fresh, WHITE) &&
           equal_values(check, acc, check->fresh, BLACK);
}

static void compare_reference(struct check *check, const struct position *position,
                              const struct sample *sample)
{
    struct reference_steps steps;
    int32_t value = plynnue_acc_eval(check->steady, position->side);
    reference_int(&check->tiny->ints, sample->features, sample->count, &steps);
    if ((position->side == WHITE ? value : -(int64_t)value) != steps.cp)
        differ(check, position, "the library's value is not that of the plain computation");
}

static void compare(struct check *check, const struct position *position,
                    const struct sample *sample)
{
    check->result.positions++;
    check->result.active += sample->count;
    if (!equal_all(check, check->steady))
        differ(check, position, "incremental and fresh accumulator differ");
    if (rng_below(&check->rng, 4) == 0 && !equal_all(check, check->lazy))
        differ(check, position, "lazily updated and fresh accumulator differ");
    if (!equal_values(check, check->scalar, check->fresh, position->side))
        differ(check, position, "the scalar kernels give another value");
    if (check->tiny && !check->is_float)
        compare_reference(check, position, sample);
}

static void add_row32(const struct tinynnue_float *net, float *acc, unsigned feature, float sign)
{
    const float *row = net->w1 + (size_t)feature * net->h1;
    for (size_t i = 0; i < net->h1; i++)
        acc[i] += sign * row[i];
}

static void refresh32(const struct tinynnue_float *net, const struct sample *sample, float *acc)
{
    memcpy(acc, net->b1, net->h1 * sizeof *acc);
    for (unsigned k = 0; k < sample->count; k++)
        add_row32(net, acc, sample->features[k], 1);
}

static void update32(const struct tinynnue_float *net, const struct trace_step *step, float *acc)
{
    float sign = step->kind == TRACE_UNDO ? -1 : 1;
    for (unsigned i = 0; i < step->delta.removed_count; i++)
        add_row32(net, acc,
                  feature769_index(step->delta.removed[i].piece, step->delta.removed[i].square),
                  -sign);
    for (unsigned i = 0; i < step->delta.added_count; i++)
        add_row32(net, acc,
                  feature769_index(step->delta.added[i].piece, step->delta.added[i].square), sign);
    add_row32(net, acc, FEATURE769_WHITE_MOVE, step->after->side == WHITE ? 1 : -1);
}

static float clamp32(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* cp, White's view, all in float32 as engines do it. */
static float value32(const struct tinynnue_float *net, const float *acc)
{
    float out = net->b3[0];
    for (size_t o = 0; o < net->h2; o++) {
        float sum = net->b2[o];
        for (size_t i = 0; i < net->h1; i++)
            sum += net->w2[o * net->h1 + i] * clamp32(acc[i]);
        out += net->w3[o] * clamp32(sum);
    }
    return TINYNNUE_UNIT_CP * out;
}

static void measure_drift32(struct check *check, const struct trace_step *step,
                            const struct sample *sample)
{
    const struct tinynnue_float *net = &check->tiny->floats;
    double difference;
    if (step->kind == TRACE_SET) {
        refresh32(net, sample, check->updated32);
        return;
    }
    update32(net, step, check->updated32);
    refresh32(net, sample, check->fresh32);
    difference =
        fabs((double)value32(net, check->updated32) - (double)value32(net, check->fresh32));
    if (difference > check->result.drift32)
        check->result.drift32 = difference;
}

static int check_step(void *context, const struct trace_step *step, struct error *err)
{
    struct check *check = context;
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    struct plynnue_position board;
    struct sample sample;
    sample_from_position(step->after, &sample);
    sample_to_pieces(&sample, pieces, &board);
    count_step(check, step);
    if (follow(check->steady, step, &board) || follow(check->lazy, step, &board) ||
        plynnue_acc_set(check->fresh, &board) || plynnue_acc_set(check->scalar, &board))
        return error_set(err, ERROR_FAILED, "step %llu: the library refuses a legal move",
                         (unsigned long long)check->result.steps);
    compare(check, step->after, &sample);
    if (check->tiny && check->is_float)
        measure_drift32(check, step, &sample);
    return 0;
}

struct trace_visitor check_visitor(struct check *check)
{
    return (struct trace_visitor){check_step, check};
}
