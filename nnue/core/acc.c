/* SPDX-License-Identifier: MIT */
/*
 * The accumulator stack. A push notes what changed and nothing more; the first evaluation walks
 * down to the newest frame whose state is known and brings the frames above it up to date. States
 * between stay valid, so that a pop after it costs nothing.
 *
 * Where no state below leads to the top (a king moved, and with him every row of his view), the
 * refresh cache helps: it keeps the last state seen for each place of the king, and the board that
 * it belongs to. Only what differs from that board is paid for.
 */
#include <stdlib.h>
#include <string.h>

#include "nnue/core/arch.h"
#include "nnue/core/fail.h"

struct frame {
    struct board board;
    struct plynnue_delta delta; /* that led here; of the bottom: unused */
    bool known[ARCH_VIEWS_MAX];
};

/* A state, and the board that it belongs to. */
struct slot {
    bool used;
    struct board board;
};

/*
 * Followed in the same allocation by frames [depth + 1], states [depth + 1][views], and for each
 * view with a cache slots [count] and their states [count], and by scratch.
 */
struct plynnue_acc {
    const struct plynnue_net *net;
    int ply, depth;
    size_t state_size; /* aligned */
    struct frame *frames;
    char *states;
    struct slot *slots[ARCH_VIEWS_MAX]; /* NULL: this view has no cache */
    char *slot_states[ARCH_VIEWS_MAX];
    void *scratch;
};

static void *state_at(const struct plynnue_acc *acc, int ply, unsigned view)
{
    size_t index = (size_t)ply * acc->net->arch->views + view;
    return acc->states + index * acc->state_size;
}

static struct frame *top(const struct plynnue_acc *acc)
{
    return &acc->frames[acc->ply];
}

static unsigned count_slots(const struct plynnue_net *net, unsigned view)
{
    return net->arch->cache_slots ? net->arch->cache_slots(net, view) : 0;
}

static size_t slots_size(unsigned count)
{
    return memory_align(count * sizeof(struct slot));
}

static size_t frames_size(int max_ply)
{
    return memory_align(((size_t)max_ply + 1) * sizeof(struct frame));
}

static size_t total_size(const struct plynnue_net *net, int max_ply)
{
    size_t state = memory_align(net->arch->state_size(net));
    size_t size = memory_align(sizeof(struct plynnue_acc)) + frames_size(max_ply) +
                  ((size_t)max_ply + 1) * net->arch->views * state;
    for (unsigned view = 0; view < net->arch->views; view++)
        size += slots_size(count_slots(net, view)) + count_slots(net, view) * state;
    return size + memory_align(net->arch->scratch_size(net));
}

/* Cuts the slots of every view off the memory at next; gives what is left. */
static char *place_cache(struct plynnue_acc *acc, char *next)
{
    for (unsigned view = 0; view < acc->net->arch->views; view++) {
        unsigned count = count_slots(acc->net, view);
        acc->slots[view] = count ? (struct slot *)(void *)next : NULL;
        memset(next, 0, slots_size(count));
        acc->slot_states[view] = next + slots_size(count);
        next = acc->slot_states[view] + count * acc->state_size;
    }
    return next;
}

int plynnue_acc_new(const plynnue_net *net, int max_ply, plynnue_acc **out,
                    struct plynnue_error *error)
{
    struct plynnue_acc *acc;
    char *next;
    *out = NULL;
    if (max_ply < 0 || max_ply > PLYNNUE_PLY_MAX)
        return core_fail(error, PLYNNUE_EDEPTH, 0, "max_ply must be 0 .. %d", PLYNNUE_PLY_MAX);
    next = aligned_alloc(ARCH_ALIGNMENT, total_size(net, max_ply));
    if (!next)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    acc = (struct plynnue_acc *)(void *)next;
    acc->net = net;
    acc->depth = max_ply;
    acc->ply = 0;
    acc->state_size = memory_align(net->arch->state_size(net));
    next += memory_align(sizeof *acc);
    acc->frames = (struct frame *)(void *)next;
    acc->states = next + frames_size(max_ply);
    next = acc->states + ((size_t)max_ply + 1) * net->arch->views * acc->state_size;
    acc->scratch = place_cache(acc, next);
    memset(acc->frames, 0, sizeof *acc->frames);
    board_reset(&acc->frames[0].board);
    *out = acc;
    return PLYNNUE_OK;
}

void plynnue_acc_free(plynnue_acc *acc)
{
    free(acc);
}

int plynnue_acc_set(plynnue_acc *acc, const struct plynnue_position *position)
{
    int code = board_set(&acc->frames[0].board, position);
    if (code)
        return code;
    acc->ply = 0;
    memset(acc->frames[0].known, 0, sizeof acc->frames[0].known);
    return PLYNNUE_OK;
}

int plynnue_acc_push(plynnue_acc *acc, const struct plynnue_delta *delta)
{
    struct frame *frame = top(acc) + 1;
    int code;
    if (acc->ply == acc->depth)
        return PLYNNUE_EDEPTH;
    code = board_apply(&frame->board, &frame[-1].board, delta);
    if (code)
        return code;
    frame->delta = *delta;
    memset(frame->known, 0, sizeof frame->known);
    acc->ply++;
    return PLYNNUE_OK;
}

int plynnue_acc_pop(plynnue_acc *acc)
{
    if (!acc->ply)
        return PLYNNUE_EDEPTH;
    acc->ply--;
    return PLYNNUE_OK;
}

/* The change that led to a frame above the bottom. */
static struct change change_to(const struct frame *frame)
{
    return (struct change){&frame->delta, &frame[-1].board, &frame->board};
}

/* Can the state of a frame be made from that of the frame below it? */
static bool follows(const struct plynnue_net *net, const struct frame *frame, unsigned view)
{
    struct change change;
    if (!net->arch->follows)
        return true;
    change = change_to(frame);
    return net->arch->follows(net, &change, view);
}

/* The newest ply from which updates lead to the top, or -1. */
static int find_known(const struct plynnue_acc *acc, unsigned view)
{
    const struct frame *frame = top(acc);
    for (int ply = acc->ply;; ply--, frame--) {
        if (frame->known[view])
            return ply;
        if (!ply || !follows(acc->net, frame, view))
            return -1;
    }
}

/* Do fewer squares differ than pieces stand there? Then going from one to the other is cheaper. */
static bool is_near(const struct board *from, const struct board *to)
{
    return __builtin_popcountll(board_differences(from, to)) < to->count;
}

/* The state of the top by way of the slot that its board falls in. */
static void refresh_cached(struct plynnue_acc *acc, unsigned view)
{
    const struct arch *arch = acc->net->arch;
    const struct board *board = &top(acc)->board;
    unsigned index = arch->cache_slot(acc->net, board, view);
    struct slot *slot = &acc->slots[view][index];
    char *state = acc->slot_states[view] + index * acc->state_size;
    if (slot->used && is_near(&slot->board, board))
        arch->advance(acc->net, &slot->board, board, view, state);
    else
        arch->refresh(acc->net, board, view, state);
    slot->used = true;
    slot->board = *board;
    memcpy(state_at(acc, acc->ply, view), state, acc->state_size);
}

static void refresh_top(struct plynnue_acc *acc, unsigned view)
{
    if (acc->slots[view])
        refresh_cached(acc, view);
    else
        acc->net->arch->refresh(acc->net, &top(acc)->board, view, state_at(acc, acc->ply, view));
    top(acc)->known[view] = true;
}

/* The state of a frame above the bottom from that of the frame below it. */
static inline void update_frame(const struct plynnue_acc *acc, struct frame *frame, unsigned view,
                                char *state)
{
    const struct arch *arch = acc->net->arch;
    struct change change = change_to(frame);
    arch->update(acc->net, &change, view, state - arch->views * acc->state_size, state);
    frame->known[view] = true;
}

static void bring_up_to_date(struct plynnue_acc *acc, unsigned view)
{
    int known = find_known(acc, view);
    if (known < 0)
        refresh_top(acc, view);
    else
        for (int ply = known + 1; ply <= acc->ply; ply++)
            update_frame(acc, &acc->frames[ply], view, state_at(acc, ply, view));
}

static inline void current_states(struct plynnue_acc *acc, const void *states[ARCH_VIEWS_MAX])
{
    unsigned views = acc->net->arch->views;
    struct frame *frame = top(acc);
    char *state = state_at(acc, acc->ply, 0);
    for (unsigned view = 0; view < views; view++, state += acc->state_size) {
        states[view] = state;
        if (frame->known[view])
            continue;
        /* One push since the last evaluation: what an engine does. */
        if (acc->ply && frame[-1].known[view] && follows(acc->net, frame, view))
            update_frame(acc, frame, view, state);
        else
            bring_up_to_date(acc, view);
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
    return acc->net->arch->eval(acc->net, &top(acc)->board, states, side != 0, acc->scratch);
}

double plynnue_acc_eval_float(plynnue_acc *acc, int side)
{
    const void *states[ARCH_VIEWS_MAX];
    current_states(acc, states);
    return acc->net->arch->eval_float(acc->net, &top(acc)->board, states, side != 0, acc->scratch);
}

void plynnue_acc_eval_raw(plynnue_acc *acc, int side, struct plynnue_raw *raw)
{
    const void *states[ARCH_VIEWS_MAX];
    memset(raw, 0, sizeof *raw);
    current_states(acc, states);
    acc->net->arch->eval_raw(acc->net, &top(acc)->board, states, side != 0, acc->scratch, raw);
}
