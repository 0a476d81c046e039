/* SPDX-License-Identifier: MIT */
/*
 * Evaluation of scattered positions: each is refreshed from its board, since from one to the next
 * more pieces differ than stand there.
 */
#include "nnue/core/arch.h"

size_t plynnue_batch_scratch(const plynnue_net *net)
{
    return ARCH_ALIGNMENT + net->arch->views * memory_align(net->arch->state_size(net)) +
           memory_align(net->arch->scratch_size(net));
}

/* Asks for the pieces of a position that comes soon: scattered positions lie anywhere. */
static void fetch_pieces(const struct plynnue_position *position)
{
    __builtin_prefetch(position->pieces);
    __builtin_prefetch(position->pieces + position->count);
}

int plynnue_eval_batch(const plynnue_net *net, const struct plynnue_position *positions, size_t n,
                       int32_t *value, void *scratch)
{
    const struct arch *arch = net->arch;
    size_t size = memory_align(arch->state_size(net));
    char *base = (char *)scratch + (ARCH_ALIGNMENT - (uintptr_t)scratch % ARCH_ALIGNMENT);
    const void *states[ARCH_VIEWS_MAX];
    struct board board;
    for (size_t i = 0; i < n; i++) {
        int code = board_set(&board, &positions[i]);
        if (i + 1 < n)
            fetch_pieces(&positions[i + 1]);
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
