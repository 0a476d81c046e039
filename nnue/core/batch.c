/* SPDX-License-Identifier: MIT */
/*
 * Evaluation of scattered positions: each is refreshed from its board, since from one to the next
 * more pieces differ than stand there. Where architecture and kernels have it so, dense layers take
 * a block of positions at once: weights are read once for several, and no position waits for the
 * sums of the one before it.
 */
#include "nnue/core/arch.h"

/* The memory of a batch, in parts, and how far it is. */
struct batch {
    const plynnue_net *net;
    unsigned block;     /* positions that are begun before they are finished */
    struct board board; /* whose states these are */
    void *states[ARCH_VIEWS_MAX];
    void *scratch[DENSE_BLOCK];
    unsigned begun; /* positions that wait for finish */
};

static unsigned block_of(const plynnue_net *net)
{
    return net->arch->finish && net->kernels->dense_block ? DENSE_BLOCK : 1;
}

size_t plynnue_batch_scratch(const plynnue_net *net)
{
    const struct arch *arch = net->arch;
    return ARCH_ALIGNMENT + arch->views * memory_align(arch->state_size(net)) +
           block_of(net) * memory_align(arch->scratch_size(net));
}

static void divide(struct batch *batch, const plynnue_net *net, void *memory)
{
    const struct arch *arch = net->arch;
    size_t state = memory_align(arch->state_size(net));
    size_t scratch = memory_align(arch->scratch_size(net));
    char *next = (char *)memory + (ARCH_ALIGNMENT - (uintptr_t)memory % ARCH_ALIGNMENT);
    batch->net = net;
    batch->block = block_of(net);
    batch->begun = 0;
    for (unsigned view = 0; view < arch->views; view++, next += state)
        batch->states[view] = next;
    for (unsigned i = 0; i < batch->block; i++, next += scratch)
        batch->scratch[i] = next;
}

/* Asks for the pieces of a position that comes soon: scattered positions lie anywhere. */
static void fetch_pieces(const struct plynnue_position *position)
{
    __builtin_prefetch(position->pieces);
    __builtin_prefetch(position->pieces + position->count);
}

static int refresh(struct batch *batch, const struct plynnue_position *position)
{
    const struct arch *arch = batch->net->arch;
    int code = board_set(&batch->board, position);
    for (unsigned view = 0; !code && view < arch->views; view++)
        arch->refresh(batch->net, &batch->board, view, batch->states[view]);
    return code;
}

/* Values of the positions that wait, the last of which is number end - 1. */
static void finish(struct batch *batch, int32_t *value, size_t end)
{
    if (batch->begun)
        batch->net->arch->finish(batch->net, batch->scratch, batch->begun,
                                 value + end - batch->begun);
    batch->begun = 0;
}

/* value[i] of the position whose states these are, now or in finish. */
static void take(struct batch *batch, int32_t *value, size_t i)
{
    const struct arch *arch = batch->net->arch;
    const struct board *board = &batch->board;
    const void *const *states = (const void *const *)batch->states;
    if (batch->block == 1) {
        value[i] = arch->eval(batch->net, board, states, board->side, batch->scratch[0]);
        return;
    }
    arch->begin(batch->net, states, board->side, batch->scratch[batch->begun++]);
    if (batch->begun == batch->block)
        finish(batch, value, i + 1);
}

int plynnue_eval_batch(const plynnue_net *net, const struct plynnue_position *positions, size_t n,
                       int32_t *value, void *scratch)
{
    struct batch batch;
    int code = PLYNNUE_OK;
    size_t i;
    divide(&batch, net, scratch);
    for (i = 0; i < n; i++) {
        if (i + 1 < n)
            fetch_pieces(&positions[i + 1]);
        code = refresh(&batch, &positions[i]);
        if (code)
            break;
        take(&batch, value, i);
    }
    finish(&batch, value, i);
    return code;
}
