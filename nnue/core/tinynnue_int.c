/* SPDX-License-Identifier: MIT */
/*
 * 769-H1-H2-1 with integers as an architecture. State: acc1, int16 where no input can leave 16
 * bits (any net that was quantised from weights about zero), else int32. Value: centipawns. White's
 * value is computed first and negated for Black, since rounding is not symmetric.
 */
#include <stdlib.h>
#include <string.h>

#include "nnue/core/dense.h"
#include "nnue/core/fail.h"
#include "nnue/core/parts.h"
#include "nnue/core/tinynnue.h"

enum { WIDTH_STEP = 32, WEIGHT_MAX = 128 };

/* The numbers, and what the kernels want instead of them. */
struct model {
    struct tinynnue_int net;
    bool narrow;    /* acc1 is int16 */
    uint32_t width; /* numbers of acc1: H1, if narrow with zeros up to a multiple of WIDTH_STEP */
    int16_t *bias;  /* narrow: [width] */
    int8_t *rows;   /* narrow: [769][width] */
    struct requant requant[2]; /* behind acc1 and acc2 */
    struct dense l2, l3;       /* not made if there is tiny */
    struct tiny_layers *tiny;  /* all behind acc1, where the shape allows it; else NULL */
};

/* The scratch memory, cut into its parts. */
struct scratch {
    void *acc1;    /* [width]; first, see turn_side */
    int32_t *acc2; /* [H2] */
    int32_t *acc3; /* [1] */
    uint8_t *a1;   /* [width] */
    uint8_t *a2;   /* [H2] */
};

static size_t acc1_size(const struct model *model)
{
    return model->width * (model->narrow ? sizeof(int16_t) : sizeof(int32_t));
}

static struct scratch scratch_split(const struct model *model, void *memory)
{
    struct scratch parts;
    char *next = memory;
    parts.acc1 = next;
    next += memory_align(acc1_size(model));
    parts.acc2 = (int32_t *)(void *)next;
    next += dense_output_size(model->net.h2);
    parts.acc3 = (int32_t *)(void *)next;
    next += dense_output_size(1);
    parts.a1 = (uint8_t *)next;
    parts.a2 = parts.a1 + dense_input_size(model->width);
    return parts;
}

static size_t scratch_size(const struct plynnue_net *net)
{
    const struct model *model = net->model;
    return memory_align(acc1_size(model)) + dense_output_size(model->net.h2) +
           dense_output_size(1) + dense_input_size(model->width) + dense_input_size(model->net.h2);
}

static size_t state_size(const struct plynnue_net *net)
{
    return acc1_size(net->model);
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
    memory_free(model->bias);
    memory_free(model->rows);
    if (model->tiny) {
        memory_free(model->tiny->weights2);
        memory_free(model->tiny->turn[0]);
        memory_free(model->tiny->turn[1]);
    }
    memory_free(model->tiny);
    dense_free(&model->l2);
    dense_free(&model->l3);
    free(model);
}

static void apply(const struct plynnue_net *net, const struct row_list *rows, const void *before,
                  void *after)
{
    const struct model *model = net->model;
    if (model->narrow)
        net->kernels->rows_i8_i16(after, before, model->rows, model->width, rows);
    else
        net->kernels->rows_i8(after, before, model->net.w1, model->width, rows);
}

/* With tiny layers acc1 is without the side to move, which the tiny layers add. */
static void refresh(const struct plynnue_net *net, const struct board *board, unsigned view,
                    void *state)
{
    const struct model *model = net->model;
    struct row_list rows;
    (void)view;
    if (model->tiny)
        feature769_active_pieces(board, &rows);
    else
        feature769_active(board, &rows);
    apply(net, &rows, model->narrow ? (const void *)model->bias : model->net.b1, state);
}

static void update(const struct plynnue_net *net, const struct change *change, unsigned view,
                   const void *before, void *after)
{
    const struct model *model = net->model;
    struct row_list rows;
    (void)view;
    if (model->tiny)
        feature769_changed_pieces(change->delta, &rows);
    else
        feature769_changes(change, &rows);
    apply(net, &rows, before, after);
}

/* A copy of acc1 with the bit turned: as it is with side to move. */
static const void *turn_side(const struct plynnue_net *net, const void *state, unsigned side,
                             void *copy)
{
    struct row_list rows;
    rows.removed_count = side != 0;
    rows.added_count = side == 0;
    rows.removed[0] = rows.added[0] = FEATURE769_WHITE_MOVE;
    apply(net, &rows, state, copy);
    return copy;
}

/* The layers one by one. */
static int32_t go_forward(const struct plynnue_net *net, const void *acc1, void *memory)
{
    const struct model *model = net->model;
    const struct kernels *kernels = net->kernels;
    struct scratch parts = scratch_split(model, memory);
    if (model->narrow)
        kernels->requantise_i16_u8(parts.a1, acc1, model->width, &model->requant[0]);
    else
        kernels->requantise_u8(parts.a1, acc1, model->width, &model->requant[0]);
    kernels->dense_i8(&model->l2, parts.acc2, parts.a1);
    kernels->requantise_u8(parts.a2, parts.acc2, model->net.h2, &model->requant[1]);
    kernels->dense_i8(&model->l3, parts.acc3, parts.a2);
    return parts.acc3[0];
}

/* The sum of the last layer, before it becomes centipawns. White's view. */
static inline int32_t last_sum(const struct plynnue_net *net, const struct board *board,
                               const void *const *states, unsigned side, void *memory)
{
    const struct model *model = net->model;
    const void *acc1 = states[0];
    if (model->tiny)
        return model->tiny->run.forward(model->tiny, acc1, side);
    if (side != board->side)
        acc1 = turn_side(net, acc1, side, memory);
    return go_forward(net, acc1, memory);
}

static inline int32_t centipawns(const struct model *model, int32_t sum, unsigned side)
{
    int64_t cp = requantise(sum, model->net.multiplier[2], model->net.shift);
    /* Only a net with absurd multipliers gets there; symmetric, so that negating is safe. */
    if (__builtin_expect(cp > INT32_MAX || cp < -INT32_MAX, 0))
        cp = cp < 0 ? -INT32_MAX : INT32_MAX;
    return (int32_t)(side == 0 ? cp : -cp);
}

static int32_t eval(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *memory)
{
    return centipawns(net->model, last_sum(net, board, states, side, memory), side);
}

static int32_t step(const struct plynnue_net *net, const struct plynnue_delta *delta,
                    const void *before, void *after, unsigned side)
{
    const struct model *model = net->model;
    return centipawns(model, model->tiny->run.step(model->tiny, delta, before, after, side), side);
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

static void parts_of(const struct plynnue_net *net, struct net_parts *parts)
{
    const struct model *model = net->model;
    const uint64_t h1 = model->net.h1, h2 = model->net.h2;
    parts->tiny_int = &model->net;
    parts->bytes1 = (TINYNNUE_INPUTS + h2) * h1 + h2;
    parts->bytes4 = h1 + h2 + 1;
}

/* Can no input with any features leave -reach .. reach? */
static bool fits(const struct tinynnue_int *net, int32_t reach)
{
    const int32_t room = reach - FEATURE769_ACTIVE_MAX * WEIGHT_MAX;
    for (uint32_t i = 0; i < net->h1; i++)
        if (net->b1[i] > room || net->b1[i] < -room)
            return false;
    return true;
}

/* Which unit number i of acc1 is; order: NULL or [h1]. */
static uint32_t unit_of(const uint16_t *order, uint32_t i)
{
    return order ? order[i] : i;
}

static int narrow_first_layer(struct model *model, const uint16_t *order)
{
    const struct tinynnue_int *net = &model->net;
    model->width = (net->h1 + WIDTH_STEP - 1) / WIDTH_STEP * WIDTH_STEP;
    model->bias = memory_new(model->width * sizeof *model->bias);
    model->rows = memory_new((size_t)TINYNNUE_INPUTS * model->width * sizeof *model->rows);
    if (!model->bias || !model->rows)
        return PLYNNUE_ENOMEM;
    for (uint32_t i = 0; i < net->h1; i++)
        model->bias[i] = (int16_t)net->b1[unit_of(order, i)];
    for (size_t row = 0; row < TINYNNUE_INPUTS; row++)
        for (uint32_t i = 0; i < net->h1; i++)
            model->rows[row * model->width + i] = net->w1[row * net->h1 + unit_of(order, i)];
    return PLYNNUE_OK;
}

static bool is_tiny(const struct model *model)
{
    return model->net.h1 % TINY_WIDTH_STEP == 0 && model->net.h1 <= TINY_WIDTH_MAX &&
           model->net.h2 == TINY_OUTPUTS && model->requant[1].word &&
           model->net.multiplier[1] < (int32_t)1 << model->net.shift;
}

/* Does no input with any features leave the reach of the first rescaling? */
static bool is_in_reach(const struct model *model)
{
    const int32_t reach = model->requant[0].reach;
    return reach && fits(&model->net, reach);
}

static void pack_tiny(struct tiny_layers *tiny, const struct kernels *kernels,
                      const struct tinynnue_int *net, const uint16_t *order)
{
    int8_t weights2[TINY_OUTPUTS * TINY_WIDTH_MAX];
    for (size_t o = 0; o < TINY_OUTPUTS; o++)
        for (uint32_t i = 0; i < net->h1; i++)
            weights2[o * net->h1 + i] = net->w2[o * net->h1 + unit_of(order, i)];
    kernels->tiny_pack(tiny, weights2, net->w3);
}

static int make_tiny(struct model *model, const struct kernels *kernels, const uint16_t *order)
{
    const struct tinynnue_int *net = &model->net;
    struct tiny_layers *tiny = model->tiny = memory_new(sizeof *tiny);
    if (!tiny)
        return PLYNNUE_ENOMEM;
    tiny->weights2 = memory_new((size_t)TINY_OUTPUTS * net->h1);
    for (unsigned side = 0; side < 2; side++)
        tiny->turn[side] = memory_new(net->h1 * sizeof *tiny->turn[side]);
    if (!tiny->weights2 || !tiny->turn[0] || !tiny->turn[1])
        return PLYNNUE_ENOMEM;
    for (uint32_t i = 0; i < net->h1; i++)
        tiny->turn[0][i] = (int16_t)model->rows[(size_t)FEATURE769_WHITE_MOVE * model->width + i];
    tiny->width = net->h1;
    tiny->rows = model->rows;
    memcpy(tiny->requant, model->requant, sizeof tiny->requant);
    memcpy(tiny->bias2, net->b2, sizeof tiny->bias2);
    tiny->bias3 = *net->b3;
    tiny->in_reach = is_in_reach(model);
    pack_tiny(tiny, kernels, net, order);
    return PLYNNUE_OK;
}

static int pack_narrow(struct model *model, const struct kernels *kernels)
{
    const struct tinynnue_int *net = &model->net;
    const bool tiny = is_tiny(model);
    uint16_t order[TINY_WIDTH_MAX], *used = NULL;
    int code;
    if (tiny && kernels->tiny_order)
        kernels->tiny_order(used = order, net->w2, net->h1);
    code = narrow_first_layer(model, used);
    return code || !tiny ? code : make_tiny(model, kernels, used);
}

static int pack_layers(struct model *model, const struct kernels *kernels)
{
    const struct tinynnue_int *net = &model->net;
    int code = PLYNNUE_OK;
    for (unsigned i = 0; i < 2; i++)
        model->requant[i] = requant_make(net->multiplier[i], net->shift);
    model->narrow = model->requant[0].narrow && fits(net, INT16_MAX);
    model->width = net->h1;
    if (model->narrow)
        code = pack_narrow(model, kernels);
    if (code || model->tiny)
        return code;
    code = dense_new(&model->l2, kernels, net->h1, net->h2, net->h1, net->b2, net->w2);
    return code ? code : dense_new(&model->l3, kernels, net->h2, 1, net->h2, net->b3, net->w3);
}

#define FUNCTIONS                                                                                  \
    .views = 1, .info = info, .destroy = destroy, .state_size = state_size,                        \
    .scratch_size = scratch_size, .refresh = refresh, .update = update, .eval = eval,              \
    .eval_float = eval_float, .eval_raw = eval_raw, .parts = parts_of

const struct arch tinynnue_int_arch = {FUNCTIONS};
static const struct arch tiny_arch = {FUNCTIONS, .step = step};

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
    net->arch = model->tiny ? &tiny_arch : &tinynnue_int_arch;
    net->model = model;
    return PLYNNUE_OK;
}
