/* SPDX-License-Identifier: MIT */
/*
 * 769-H1-H2-1 with integers as an architecture. State: int32 acc1[H1]. Value: centipawns. White's
 * value is computed first and negated for Black, since rounding is not symmetric.
 */
#include <stdlib.h>

#include "nnue/core/tinynnue.h"

/* The scratch memory, cut into its parts. */
struct scratch {
    int32_t *acc1; /* [H1] */
    int32_t *acc2; /* [H2] */
    uint8_t *a1;   /* [H1] */
    uint8_t *a2;   /* [H2] */
};

static struct scratch scratch_split(const struct tinynnue_int *model, void *memory)
{
    struct scratch parts;
    char *next = memory;
    parts.acc1 = (int32_t *)(void *)next;
    next += arch_align(model->h1 * sizeof(int32_t));
    parts.acc2 = (int32_t *)(void *)next;
    next += arch_align(model->h2 * sizeof(int32_t));
    parts.a1 = (uint8_t *)next;
    parts.a2 = parts.a1 + arch_align(model->h1);
    return parts;
}

static size_t scratch_size(const struct plynnue_net *net)
{
    const struct tinynnue_int *model = net->model;
    return arch_align(model->h1 * sizeof(int32_t)) + arch_align(model->h2 * sizeof(int32_t)) +
           arch_align(model->h1) + arch_align(model->h2);
}

static size_t state_size(const struct plynnue_net *net)
{
    const struct tinynnue_int *model = net->model;
    return model->h1 * sizeof(int32_t);
}

static void info(const struct plynnue_net *net, struct plynnue_info *out)
{
    const struct tinynnue_int *model = net->model;
    tinynnue_format_arch(model->h1, model->h2, out->arch);
    out->inputs = TINYNNUE_INPUTS;
    out->l1 = model->h1;
    out->king_buckets = out->output_buckets = 1;
    out->cp_per_unit = 1;
}

static void destroy(void *model)
{
    tinynnue_int_free(model);
    free(model);
}

static void refresh(const struct plynnue_net *net, const struct board *board, unsigned view,
                    void *state)
{
    const struct tinynnue_int *model = net->model;
    struct row_list rows;
    (void)view;
    feature769_active(board, &rows);
    net->kernels->rows_i8(state, model->b1, model->w1, model->h1, &rows);
}

static void update(const struct plynnue_net *net, const struct change *change, unsigned view,
                   const void *before, void *after)
{
    const struct tinynnue_int *model = net->model;
    struct row_list rows;
    (void)view;
    feature769_changes(change, &rows);
    net->kernels->rows_i8(after, before, model->w1, model->h1, &rows);
}

/* acc1 as it is with side to move: the state's own, or a copy with the bit turned. */
static const int32_t *acc1_for_side(const struct plynnue_net *net, const struct board *board,
                                    const int32_t *state, unsigned side, int32_t *copy)
{
    const struct tinynnue_int *model = net->model;
    struct row_list rows = {.removed_count = side != 0, .added_count = side == 0};
    if (side == board->side)
        return state;
    rows.removed[0] = rows.added[0] = FEATURE769_WHITE_MOVE;
    net->kernels->rows_i8(copy, state, model->w1, model->h1, &rows);
    return copy;
}

/* The sum of the last layer, before it becomes centipawns. White's view. */
static int32_t last_sum(const struct plynnue_net *net, const struct board *board,
                        const void *const *states, unsigned side, void *memory)
{
    const struct tinynnue_int *model = net->model;
    const struct kernels *kernels = net->kernels;
    struct scratch parts = scratch_split(model, memory);
    const int32_t *acc1 = acc1_for_side(net, board, states[0], side, parts.acc1);
    int32_t acc3;
    kernels->requantise_u8(parts.a1, acc1, model->h1, model->multiplier[0], model->shift);
    kernels->dense_i8(parts.acc2, model->w2, model->b2, parts.a1, model->h1, model->h2);
    kernels->requantise_u8(parts.a2, parts.acc2, model->h2, model->multiplier[1], model->shift);
    kernels->dense_i8(&acc3, model->w3, model->b3, parts.a2, model->h2, 1);
    return acc3;
}

static int32_t eval(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *memory)
{
    const struct tinynnue_int *model = net->model;
    int32_t sum = last_sum(net, board, states, side, memory);
    int64_t cp = requantise(sum, model->multiplier[2], model->shift);
    /* Only a net with absurd multipliers gets there; symmetric, so that negating is safe. */
    if (cp > INT32_MAX)
        cp = INT32_MAX;
    if (cp < -INT32_MAX)
        cp = -INT32_MAX;
    return (int32_t)(side == 0 ? cp : -cp);
}

static double eval_float(const struct plynnue_net *net, const struct board *board,
                         const void *const *states, unsigned side, void *memory)
{
    return eval(net, board, states, side, memory);
}

static void eval_raw(const struct plynnue_net *net, const struct board *board,
                     const void *const *states, unsigned side, void *memory,
                     struct plynnue_raw *raw)
{
    raw->bucket = 0;
    raw->buckets = 1;
    raw->psqt[0] = 0;
    raw->positional[0] = last_sum(net, board, states, side, memory);
}

const struct arch tinynnue_int_arch = {
    .views = 1,
    .info = info,
    .destroy = destroy,
    .state_size = state_size,
    .scratch_size = scratch_size,
    .refresh = refresh,
    .update = update,
    .eval = eval,
    .eval_float = eval_float,
    .eval_raw = eval_raw,
};
