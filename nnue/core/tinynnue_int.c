/* SPDX-License-Identifier: MIT */
/*
 * 769-H1-H2-1 with integers as an architecture. State: int32 acc1[H1]. Value: centipawns. White's
 * value is computed first and negated for Black, since rounding is not symmetric.
 */
#include <stdlib.h>

#include "nnue/core/dense.h"
#include "nnue/core/fail.h"
#include "nnue/core/tinynnue.h"

/* The numbers, and the layers behind the first as the kernels want them. */
struct model {
    struct tinynnue_int net;
    struct dense l2, l3;
};

/* The scratch memory, cut into its parts. */
struct scratch {
    int32_t *acc1; /* [H1] */
    int32_t *acc2; /* [H2] */
    int32_t *acc3; /* [1] */
    uint8_t *a1;   /* [H1] */
    uint8_t *a2;   /* [H2] */
};

static struct scratch scratch_split(const struct tinynnue_int *net, void *memory)
{
    struct scratch parts;
    char *next = memory;
    parts.acc1 = (int32_t *)(void *)next;
    next += memory_align(net->h1 * sizeof(int32_t));
    parts.acc2 = (int32_t *)(void *)next;
    next += dense_output_size(net->h2);
    parts.acc3 = (int32_t *)(void *)next;
    next += dense_output_size(1);
    parts.a1 = (uint8_t *)next;
    parts.a2 = parts.a1 + dense_input_size(net->h1);
    return parts;
}

static size_t scratch_size(const struct plynnue_net *net)
{
    const struct model *model = net->model;
    return memory_align(model->net.h1 * sizeof(int32_t)) + dense_output_size(model->net.h2) +
           dense_output_size(1) + dense_input_size(model->net.h1) + dense_input_size(model->net.h2);
}

static size_t state_size(const struct plynnue_net *net)
{
    const struct model *model = net->model;
    return model->net.h1 * sizeof(int32_t);
}

static void info(const struct plynnue_net *net, struct plynnue_info *out)
{
    const struct model *model = net->model;
    tinynnue_format_arch(model->net.h1, model->net.h2, out->arch);
    out->inputs = TINYNNUE_INPUTS;
    out->l1 = model->net.h1;
    out->king_buckets = out->output_buckets = 1;
    out->cp_num = out->cp_den = 1;
    out->verified = 1;
}

static void destroy(void *memory)
{
    struct model *model = memory;
    tinynnue_int_free(&model->net);
    dense_free(&model->l2);
    dense_free(&model->l3);
    free(model);
}

static void refresh(const struct plynnue_net *net, const struct board *board, unsigned view,
                    void *state)
{
    const struct model *model = net->model;
    struct row_list rows;
    (void)view;
    feature769_active(board, &rows);
    net->kernels->rows_i8(state, model->net.b1, model->net.w1, model->net.h1, &rows);
}

static void update(const struct plynnue_net *net, const struct change *change, unsigned view,
                   const void *before, void *after)
{
    const struct model *model = net->model;
    struct row_list rows;
    (void)view;
    feature769_changes(change, &rows);
    net->kernels->rows_i8(after, before, model->net.w1, model->net.h1, &rows);
}

/* acc1 as it is with side to move: the state's own, or a copy with the bit turned. */
static const int32_t *acc1_for_side(const struct plynnue_net *net, const struct board *board,
                                    const int32_t *state, unsigned side, int32_t *copy)
{
    const struct model *model = net->model;
    struct row_list rows;
    if (side == board->side)
        return state;
    rows.removed_count = side != 0;
    rows.added_count = side == 0;
    rows.removed[0] = rows.added[0] = FEATURE769_WHITE_MOVE;
    net->kernels->rows_i8(copy, state, model->net.w1, model->net.h1, &rows);
    return copy;
}

/* The sum of the last layer, before it becomes centipawns. White's view. */
static int32_t last_sum(const struct plynnue_net *net, const struct board *board,
                        const void *const *states, unsigned side, void *memory)
{
    const struct model *model = net->model;
    const struct tinynnue_int *numbers = &model->net;
    const struct kernels *kernels = net->kernels;
    struct scratch parts = scratch_split(numbers, memory);
    const int32_t *acc1 = acc1_for_side(net, board, states[0], side, parts.acc1);
    kernels->requantise_u8(parts.a1, acc1, numbers->h1, numbers->multiplier[0], numbers->shift);
    kernels->dense_i8(&model->l2, parts.acc2, parts.a1);
    kernels->requantise_u8(parts.a2, parts.acc2, numbers->h2, numbers->multiplier[1],
                           numbers->shift);
    kernels->dense_i8(&model->l3, parts.acc3, parts.a2);
    return parts.acc3[0];
}

static int32_t eval(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *memory)
{
    const struct model *model = net->model;
    int32_t sum = last_sum(net, board, states, side, memory);
    int64_t cp = requantise(sum, model->net.multiplier[2], model->net.shift);
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

static int pack_layers(struct model *model, const struct kernels *kernels)
{
    const struct tinynnue_int *net = &model->net;
    int code = dense_new(&model->l2, kernels, net->h1, net->h2, net->h1, net->b2, net->w2);
    return code ? code : dense_new(&model->l3, kernels, net->h2, 1, net->h2, net->b3, net->w3);
}

int tinynnue_load_int(struct plynnue_net *net, const struct safetensors *file, uint32_t h1,
                      uint32_t h2, struct plynnue_error *error)
{
    struct model *model = calloc(1, sizeof *model);
    int code;
    if (!model)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    code = tinynnue_read_int(file, h1, h2, &model->net, error);
    if (!code && pack_layers(model, net->kernels))
        code = core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    if (code) {
        destroy(model);
        return code;
    }
    net->arch = &tinynnue_int_arch;
    net->model = model;
    return PLYNNUE_OK;
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
