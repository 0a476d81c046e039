/* SPDX-License-Identifier: MIT */
/*
 * An architecture is a file that fills one table of functions: how its accumulator follows the
 * board, how a value comes out. net.c and acc.c know nothing else about it.
 *
 * An accumulator has one or more views: parts that are updated independently, usually one for each
 * side, and more where a net adds up accumulators that must be made afresh on different occasions.
 * A view's state is a block of bytes that only the architecture understands; acc.c stacks these
 * blocks and decides whether the newest one is made from an older one, change by change, or afresh
 * from the board, or from what a cache holds.
 */
#ifndef PLYNNUE_ARCH_H
#define PLYNNUE_ARCH_H

#include <stdbool.h>

#include "nnue/core/board.h"
#include "nnue/core/container.h"
#include "nnue/core/kernels.h"
#include "nnue/core/memory.h"
#include "nnue/core/plynnue.h"
#include "nnue/core/safetensors.h"

#define ARCH_VIEWS_MAX 4
#define ARCH_ALIGNMENT MEMORY_ALIGNMENT /* bytes: of states and scratch */

/* One push: what changed, and the boards before and after it. */
struct change {
    const struct plynnue_delta *delta;
    const struct board *before, *after;
};

struct net_parts;

struct arch {
    unsigned views;
    /* Fills the fields of info that describe the net; size and isa are done. */
    void (*info)(const struct plynnue_net *net, struct plynnue_info *info);
    void (*destroy)(void *model);
    /* Bytes of one view's state, and of the scratch that eval needs. Both lie at a multiple of
     * ARCH_ALIGNMENT and are writable up to one. */
    size_t (*state_size)(const struct plynnue_net *net);
    size_t (*scratch_size)(const struct plynnue_net *net);
    /* The state of a view, from the board alone. */
    void (*refresh)(const struct plynnue_net *net, const struct board *board, unsigned view,
                    void *state);
    /* Can update follow this change in this view? NULL: it always can. */
    bool (*follows)(const struct plynnue_net *net, const struct change *change, unsigned view);
    /* The state after a change from the state before it. */
    void (*update)(const struct plynnue_net *net, const struct change *change, unsigned view,
                   const void *before, void *after);
    /*
     * The refresh cache; all three or none. A view has cache_slots slots (at most CACHE_SLOTS_MAX,
     * 0: no cache for this view); cache_slot says which one a board falls in; advance makes the
     * state of `to` from that of `from` in place, both boards being of one slot.
     */
    unsigned (*cache_slots)(const struct plynnue_net *net, unsigned view);
    unsigned (*cache_slot)(const struct plynnue_net *net, const struct board *board, unsigned view);
    void (*advance)(const struct plynnue_net *net, const struct board *from, const struct board *to,
                    unsigned view, void *state);
    /*
     * Of a kind with one view that follows every change: the state after a change and its value as
     * eval gives it, in one go. NULL: there is no shorter way than both.
     */
    int32_t (*step)(const struct plynnue_net *net, const struct plynnue_delta *delta,
                    const void *before, void *after, unsigned side);
    /* states: [views], of board. Values as if side were to move and from its view. */
    int32_t (*eval)(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *scratch);
    double (*eval_float)(const struct plynnue_net *net, const struct board *board,
                         const void *const *states, unsigned side, void *scratch);
    void (*eval_raw)(const struct plynnue_net *net, const struct board *board,
                     const void *const *states, unsigned side, void *scratch,
                     struct plynnue_raw *raw);
    /*
     * eval in two halves, for batches; both or neither. begin puts all that finish needs of a
     * position into its scratch: what its dense layers take. finish makes value[i] of scratch[i],
     * for count positions, 1 .. DENSE_BLOCK.
     */
    void (*begin)(const struct plynnue_net *net, const void *const *states, unsigned side,
                  void *scratch);
    void (*finish)(const struct plynnue_net *net, void *const *scratch, unsigned count,
                   int32_t *value);
    /* For proofs, see parts.h: fills what the kind has, all else is zero. */
    void (*parts)(const struct plynnue_net *net, struct net_parts *parts);
};

#define CACHE_SLOTS_MAX 64 /* one for each square of the king */

struct plynnue_net {
    const struct arch *arch;
    const struct kernels *kernels;
    void *model; /* owned; what arch->destroy frees */
};

/*
 * Readers of nets. asked is the architecture string that was asked for or stands in the file, NULL
 * where there is none. They set net->arch and net->model, or give a code and leave model NULL.
 * net->kernels is set before.
 */
int tinynnue_load(struct plynnue_net *net, const struct safetensors *file, const char *asked,
                  struct plynnue_error *error);
int halfka_load(struct plynnue_net *net, const struct safetensors *file, const char *asked,
                struct plynnue_error *error);
/* (768xK->N)x2->1xB in floats, and halfkp and halfka in floats. */
int floatnet_load(struct plynnue_net *net, const struct safetensors *file, const char *asked,
                  struct plynnue_error *error);
int halfkp_load(struct plynnue_net *net, struct container *c, const char *asked,
                struct plynnue_error *error);
int bullet_load(struct plynnue_net *net, const void *data, size_t size, const char *asked,
                struct plynnue_error *error);

/* Brings the top of the stack up to date and gives a view's state, for tests and proofs. */
const void *acc_state(plynnue_acc *acc, unsigned view, size_t *size);

/* A float net's value as an integer: rounded half away from zero, held at +-(2^31 - 1). */
static inline int32_t arch_round(double value)
{
    if (value >= INT32_MAX)
        return INT32_MAX;
    if (value <= -INT32_MAX)
        return -INT32_MAX;
    return (int32_t)(value < 0 ? value - 0.5 : value + 0.5);
}

#endif
