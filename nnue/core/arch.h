/* SPDX-License-Identifier: MIT */
/*
 * An architecture is a file that fills one table of functions: how a net of that kind is read, how
 * its accumulator follows the board, how a value comes out. net.c and acc.c know nothing else about
 * it.
 *
 * An accumulator has one or more views (perspectives). A view's state is a block of bytes that only
 * the architecture understands; acc.c stacks these blocks and decides whether the newest one is
 * made from an older one, change by change, or afresh from the board.
 */
#ifndef PLYNNUE_ARCH_H
#define PLYNNUE_ARCH_H

#include <stdbool.h>

#include "nnue/core/board.h"
#include "nnue/core/kernels.h"
#include "nnue/core/plynnue.h"
#include "nnue/core/safetensors.h"

#define ARCH_VIEWS_MAX 2
#define ARCH_ALIGNMENT 64 /* bytes: of states and scratch */

/* One push: the delta and what stood before and after it. */
struct change {
    struct plynnue_delta delta;
    uint8_t side;                          /* who moved */
    uint8_t king_before[2], king_after[2]; /* squares */
};

struct arch {
    unsigned views;
    /* Fills the fields of info that describe the net; size and isa are done. */
    void (*info)(const struct plynnue_net *net, struct plynnue_info *info);
    void (*destroy)(void *model);
    /* Bytes of one view's state, and of the scratch that eval needs. */
    size_t (*state_size)(const struct plynnue_net *net);
    size_t (*scratch_size)(const struct plynnue_net *net);
    /* The state of a view, from the board alone. */
    void (*refresh)(const struct plynnue_net *net, const struct board *board, unsigned view,
                    void *state);
    /* Can update follow this change in this view? NULL: it always can. */
    bool (*follows)(const struct change *change, unsigned view);
    /* The state after a change from the state before it. */
    void (*update)(const struct plynnue_net *net, const struct change *change, unsigned view,
                   const void *before, void *after);
    /* states: [views], of board. Values as if side were to move and from its view. */
    int32_t (*eval)(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *scratch);
    double (*eval_float)(const struct plynnue_net *net, const struct board *board,
                         const void *const *states, unsigned side, void *scratch);
    void (*eval_raw)(const struct plynnue_net *net, const struct board *board,
                     const void *const *states, unsigned side, void *scratch,
                     struct plynnue_raw *raw);
};

struct plynnue_net {
    const struct arch *arch;
    const struct kernels *kernels;
    void *model; /* owned; what arch->destroy frees */
};

/* size rounded up so that what follows it is aligned. */
static inline size_t arch_align(size_t size)
{
    return (size + ARCH_ALIGNMENT - 1) / ARCH_ALIGNMENT * ARCH_ALIGNMENT;
}

/*
 * Readers of nets in safetensors files: arch is the string that was asked for or stands in the
 * file. They set net->arch and net->model, or give a code. net->kernels is set before.
 */
int tinynnue_load(struct plynnue_net *net, const struct safetensors *file, const char *arch,
                  struct plynnue_error *error);

/* Brings the top of the stack up to date and gives a view's state, for tests and proofs. */
const void *acc_state(plynnue_acc *acc, unsigned view, size_t *size);

#endif
