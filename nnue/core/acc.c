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
    uint8_t known;              /* the views whose states are, bit by bit */
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
    struct frame *top, *bottom, *highest; /* highest: where top may get */
    char *state;                          /* of top, its first view */
    size_t state_size;                    /* aligned */
    size_t states_size;                   /* of all views */
    uint8_t all;                          /* what is known of a frame where every state is */
    struct slot *slots[ARCH_VIEWS_MAX];   /* NULL: this view has no cache */
    char *slot_states[ARCH_VIEWS_MAX];
    void *scratch;
};

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

static void to_bottom(struct plynnue_acc *acc)
{
    acc->state -= (size_t)(acc->top - acc->bottom) * acc->states_size;
    acc->top = acc->bottom;
    acc->top->known = 0;
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
    acc->state_size = memory_align(net->arch->state_size(net));
    acc->states_size = net->arch->views * acc->state_size;
    acc->all = (uint8_t)((1U << net->arch->views) - 1);
    next += memory_align(sizeof *acc);
    acc->top = acc->bottom = (struct frame *)(void *)next;
    acc->highest = acc->bottom + max_ply;
    acc->state = next + frames_size(max_ply);
    acc->scratch = place_cache(acc, acc->state + ((size_t)max_ply + 1) * acc->states_size);
    /* Kernels multiply what is behind a layer's inputs by 0. */
    memset(acc->scratch, 0, net->arch->scratch_size(net));
    memset(acc->bottom, 0, sizeof *acc->bottom);
    board_reset(&acc->bottom->board);
    *out = acc;
    return PLYNNUE_OK;
}

void plynnue_acc_free(plynnue_acc *acc)
{
    free(acc);
}

int plynnue_acc_set(plynnue_acc *acc, const struct plynnue_position *position)
{
    int code = board_set(&acc->bottom->board, position);
    if (!code)
        to_bottom(acc);
    return code;
}

/* Makes the frame above the top, whose board is done, the top. */
static inline void raise_top(struct plynnue_acc *acc, const struct plynnue_delta *delta)
{
    struct frame *frame = ++acc->top;
    frame->delta = *delta;
    frame->known = 0;
    acc->state += acc->states_size;
}

/* Out of the way of what engines do most. */
__attribute__((noinline)) static int push_other(struct plynnue_acc *acc,
                                                const struct plynnue_delta *delta)
{
    int code = board_apply(&acc->top[1].board, &acc->top->board, delta);
    if (!code)
        raise_top(acc, delta);
    return code;
}

int plynnue_acc_push(plynnue_acc *acc, const struct plynnue_delta *delta)
{
    if (acc->top == acc->highest)
        return PLYNNUE_EDEPTH;
    if (!board_is_move(&acc->top->board, delta))
        return push_other(acc, delta);
    board_move(&acc->top[1].board, &acc->top->board, delta);
    raise_top(acc, delta);
    return PLYNNUE_OK;
}

int plynnue_acc_pop(plynnue_acc *acc)
{
    if (acc->top == acc->bottom)
        return PLYNNUE_EDEPTH;
    acc->top--;
    acc->state -= acc->states_size;
    return PLYNNUE_OK;
}

/* The change that led to a frame above the bottom. */
static inline struct change change_to(const struct frame *frame)
{
    return (struct change){&frame->delta, &frame[-1].board, &frame->board};
}

/* Can the state of a frame be made from that of the frame below it? */
static inline bool follows(const struct plynnue_net *net, const struct frame *frame, unsigned view)
{
    struct change change;
    if (!net->arch->follows)
        return true;
    change = change_to(frame);
    return net->arch->follows(net, &change, view);
}

/* How many frames below the top is the newest from which updates lead there? -1: there is none. */
static ptrdiff_t find_known(const struct plynnue_acc *acc, unsigned view)
{
    for (const struct frame *frame = acc->top;; frame--) {
        if (frame->known >> view & 1)
            return acc->top - frame;
        if (frame == acc->bottom || !follows(acc->net, frame, view))
            return -1;
    }
}

/* Do fewer squares differ than pieces stand there? Then going from one to the other is cheaper. */
static bool is_near(const struct board *from, const struct board *to)
{
    return __builtin_popcountll(board_differences(from, to)) < to->count;
}

/* The state of the top by way of the slot that its board falls in. */
static void refresh_cached(struct plynnue_acc *acc, unsigned view, char *state)
{
    const struct arch *arch = acc->net->arch;
    const struct board *board = &acc->top->board;
    unsigned index = arch->cache_slot(acc->net, board, view);
    struct slot *slot = &acc->slots[view][index];
    char *kept = acc->slot_states[view] + index * acc->state_size;
    if (slot->used && is_near(&slot->board, board))
        arch->advance(acc->net, &slot->board, board, view, kept);
    else
        arch->refresh(acc->net, board, view, kept);
    slot->used = true;
    slot->board = *board;
    memcpy(state, kept, acc->state_size);
}

static void refresh_top(struct plynnue_acc *acc, unsigned view, char *state)
{
    if (acc->slots[view])
        refresh_cached(acc, view, state);
    else
        acc->net->arch->refresh(acc->net, &acc->top->board, view, state);
    acc->top->known |= (uint8_t)(1U << view);
}

/* The state of a frame above the bottom from that of the frame below it. */
static inline void update_frame(const struct plynnue_acc *acc, struct frame *frame, unsigned view,
                                char *state)
{
    struct change change = change_to(frame);
    acc->net->arch->update(acc->net, &change, view, state - acc->states_size, state);
    frame->known |= (uint8_t)(1U << view);
}

static void bring_up_to_date(struct plynnue_acc *acc, unsigned view)
{
    ptrdiff_t behind = find_known(acc, view);
    char *state = acc->state + view * acc->state_size;
    if (behind < 0)
        refresh_top(acc, view, state);
    for (; behind > 0; behind--)
        update_frame(acc, acc->top - behind + 1, view,
                     state - (size_t)(behind - 1) * acc->states_size);
}

/* What an engine does most, one push since the last evaluation, goes the short way. */
static void catch_up(struct plynnue_acc *acc)
{
    struct frame *top = acc->top;
    unsigned below = top == acc->bottom ? 0 : top[-1].known;
    for (unsigned view = 0; view < acc->net->arch->views; view++) {
        if (top->known >> view & 1)
            continue;
        if (below >> view & 1 && follows(acc->net, top, view))
            update_frame(acc, top, view, acc->state + view * acc->state_size);
        else
            bring_up_to_date(acc, view);
    }
}

/* Of a net with one view: is just the last push not yet made? */
static inline bool is_one_ahead(const struct plynnue_acc *acc)
{
    return !acc->top->known && acc->top != acc->bottom && acc->top[-1].known;
}

/* States of the top, of all views. */
static inline void current_states(struct plynnue_acc *acc, const void *states[ARCH_VIEWS_MAX])
{
    const char *state = acc->state;
    if (acc->top->known != acc->all)
        catch_up(acc);
    for (unsigned view = 0; view < acc->net->arch->views; view++, state += acc->state_size)
        states[view] = state;
}

const void *acc_state(plynnue_acc *acc, unsigned view, size_t *size)
{
    bring_up_to_date(acc, view);
    *size = acc->net->arch->state_size(acc->net);
    return acc->state + view * acc->state_size;
}

/* Out of the way of what engines do most. */
__attribute__((noinline)) static int32_t eval_states(struct plynnue_acc *acc, unsigned side)
{
    const struct plynnue_net *net = acc->net;
    const void *states[ARCH_VIEWS_MAX];
    current_states(acc, states);
    return net->arch->eval(net, &acc->top->board, states, side, acc->scratch);
}

int32_t plynnue_acc_eval(plynnue_acc *acc, int side)
{
    const struct plynnue_net *net = acc->net;
    if (!net->arch->step || !is_one_ahead(acc))
        return eval_states(acc, side != 0);
    acc->top->known = 1;
    return net->arch->step(net, &acc->top->delta, acc->state - acc->states_size, acc->state,
                           side != 0);
}

double plynnue_acc_eval_float(plynnue_acc *acc, int side)
{
    const struct plynnue_net *net = acc->net;
    const void *states[ARCH_VIEWS_MAX];
    current_states(acc, states);
    return net->arch->eval_float(net, &acc->top->board, states, side != 0, acc->scratch);
}

void plynnue_acc_eval_raw(plynnue_acc *acc, int side, struct plynnue_raw *raw)
{
    const struct plynnue_net *net = acc->net;
    const void *states[ARCH_VIEWS_MAX];
    memset(raw, 0, sizeof *raw);
    current_states(acc, states);
    net->arch->eval_raw(net, &acc->top->board, states, side != 0, acc->scratch, raw);
}
