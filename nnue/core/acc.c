/* SPDX-License-Identifier: MIT */
/*
 * The accumulator stack. A push notes what changed and nothing more; the first evaluation walks
 * down to the newest frame whose state is known and brings the frames above it up to date. States
 * between stay valid, so that a pop after it costs nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "nnue/core/arch.h"
#include "nnue/core/fail.h"

struct frame {
    struct change change; /* that led to this frame; of the bottom: unused */
    bool known[ARCH_VIEWS_MAX];
};

/* Followed in the same allocation by frames [depth + 1], states [depth + 1][views], scratch. */
struct plynnue_acc {
    const struct plynnue_net *net;
    struct board board; /* of the top */
    int ply, depth;
    size_t state_size; /* aligned */
    struct frame *frames;
    char *states;
    void *scratch;
};

static void *state_at(const struct plynnue_acc *acc, int ply, unsigned view)
{
    size_t index = (size_t)ply * acc->net->arch->views + view;
    return acc->states + index * acc->state_size;
}

int plynnue_acc_new(const plynnue_net *net, int max_ply, plynnue_acc **out,
                    struct plynnue_error *error)
{
    size_t head = arch_align(sizeof(struct plynnue_acc)), frames, states, state;
    struct plynnue_acc *acc;
    *out = NULL;
    if (max_ply < 0 || max_ply > PLYNNUE_PLY_MAX)
        return core_fail(error, PLYNNUE_EDEPTH, 0, "max_ply must be 0 .. %d", PLYNNUE_PLY_MAX);
    state = arch_align(net->arch->state_size(net));
    frames = arch_align(((size_t)max_ply + 1) * sizeof(struct frame));
    states = ((size_t)max_ply + 1) * net->arch->views * state;
    acc = aligned_alloc(ARCH_ALIGNMENT,
                        head + frames + states + arch_align(net->arch->scratch_size(net)));
    if (!acc)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    acc->net = net;
    acc->depth = max_ply;
    acc->ply = 0;
    acc->state_size = state;
    acc->frames = (struct frame *)(void *)((char *)acc + head);
    acc->states = (char *)acc + head + frames;
    acc->scratch = acc->states + states;
    memset(acc->frames, 0, frames);
    board_reset(&acc->board);
    *out = acc;
    return PLYNNUE_OK;
}

void plynnue_acc_free(plynnue_acc *acc)
{
    free(acc);
}

int plynnue_acc_set(plynnue_acc *acc, const struct plynnue_position *position)
{
    int code = board_set(&acc->board, position);
    if (code)
        return code;
    acc->ply = 0;
    memset(acc->frames[0].known, 0, sizeof acc->frames[0].known);
    return PLYNNUE_OK;
}

int plynnue_acc_push(plynnue_acc *acc, const struct plynnue_delta *delta)
{
    struct frame *frame;
    struct change change = {.delta = *delta, .side = acc->board.side};
    int code;
    if (acc->ply == acc->depth)
        return PLYNNUE_EDEPTH;
    memcpy(change.king_before, acc->board.king, sizeof change.king_before);
    code = board_apply(&acc->board, delta);
    if (code)
        return code;
    memcpy(change.king_after, acc->board.king, sizeof change.king_after);
    frame = &acc->frames[++acc->ply];
    frame->change = change;
    memset(frame->known, 0, sizeof frame->known);
    return PLYNNUE_OK;
}

int plynnue_acc_pop(plynnue_acc *acc)
{
    if (!acc->ply)
        return PLYNNUE_EDEPTH;
    board_revert(&acc->board, &acc->frames[acc->ply--].change.delta);
    return PLYNNUE_OK;
}

/* The newest ply from which updates lead to the top, or -1. */
static int find_known(const struct plynnue_acc *acc, unsigned view)
{
    const struct arch *arch = acc->net->arch;
    for (int ply = acc->ply; ply >= 0; ply--) {
        if (acc->frames[ply].known[view])
            return ply;
        if (ply && arch->follows && !arch->follows(&acc->frames[ply].change, view))
            return -1;
    }
    return -1;
}

static void bring_up_to_date(struct plynnue_acc *acc, unsigned view)
{
    const struct arch *arch = acc->net->arch;
    int known = find_known(acc, view);
    if (known < 0) {
        arch->refresh(acc->net, &acc->board, view, state_at(acc, acc->ply, view));
        acc->frames[acc->ply].known[view] = true;
        return;
    }
    for (int ply = known + 1; ply <= acc->ply; ply++) {
        arch->update(acc->net, &acc->frames[ply].change, view, state_at(acc, ply - 1, view),
                     state_at(acc, ply, view));
        acc->frames[ply].known[view] = true;
    }
}

static void current_states(struct plynnue_acc *acc, const void *states[ARCH_VIEWS_MAX])
{
    for (unsigned view = 0; view < acc->net->arch->views; view++) {
        bring_up_to_date(acc, view);
        states[view] = state_at(acc, acc->ply, view);
    }
}

const void *acc_state(plynnue_acc *acc, unsigned view, size_t *size)
{
    bring_up_to_date(acc, view);
    *size = acc->net->arch->state_size(acc->net);
    return state_at(acc, acc->ply, view);
}

int32_t plynnue_acc_eval(plynnue_acc *acc, int side)
{
    const void *states[ARCH_VIEWS_MAX];
    current_states(acc, states);
    return acc->net->arch->eval(acc->net, &acc->board, states, side != 0, acc->scratch);
}

double plynnue_acc_eval_float(plynnue_acc *acc, int side)
{
    const void *states[ARCH_VIEWS_MAX];
    current_states(acc, states);
    return acc->net->arch->eval_float(acc->net, &acc->board, states, side != 0, acc->scratch);
}

void plynnue_acc_eval_raw(plynnue_acc *acc, int side, struct plynnue_raw *raw)
{
    const void *states[ARCH_VIEWS_MAX];
    memset(raw, 0, sizeof *raw);
    current_states(acc, states);
    acc->net->arch->eval_raw(acc->net, &acc->board, states, side != 0, acc->scratch, raw);
}

size_t plynnue_batch_scratch(const plynnue_net *net)
{
    return ARCH_ALIGNMENT + net->arch->views * arch_align(net->arch->state_size(net)) +
           arch_align(net->arch->scratch_size(net));
}

int plynnue_eval_batch(const plynnue_net *net, const struct plynnue_position *positions, size_t n,
                       int32_t *value, void *scratch)
{
    const struct arch *arch = net->arch;
    size_t size = arch_align(arch->state_size(net));
    char *base = (char *)scratch + (ARCH_ALIGNMENT - (uintptr_t)scratch % ARCH_ALIGNMENT);
    const void *states[ARCH_VIEWS_MAX];
    struct board board;
    for (size_t i = 0; i < n; i++) {
        int code = board_set(&board, &positions[i]);
        if (code)
            return code;
        for (unsigned view = 0; view < arch->views; view++) {
            arch->refresh(net, &board, view, base + view * size);
            states[view] = base + view * size;
        }
        value[i] = arch->eval(net, &board, states, board.side, base + arch->views * size);
    }
    return PLYNNUE_OK;
}
