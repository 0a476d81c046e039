/* SPDX-License-Identifier: MIT */
/*
 * Stockfish's nets behind the table that acc.c uses. Views 0 and 1 are the piece-squares of both
 * sides; views 2 and 3, where a design relates pieces, their threats and pawn pairs.
 */
#include "nnue/core/sf_net.h"

#include "nnue/core/parts.h"
#include "nnue/core/sf_model.h"

enum { SIDES = 2 };

static void info(const struct plynnue_net *net, struct plynnue_info *out)
{
    const struct sf_model *model = net->model;
    sf_design_format(model->design, &model->shape, out->arch);
    out->inputs = sf_design_inputs(model->design);
    out->l1 = model->shape.l1;
    out->king_buckets = model->squares.map.king_buckets;
    out->output_buckets = model->shape.stacks;
    out->cp_num = model->design->units_a_pawn ? 100 : 0;
    out->cp_den = model->design->units_a_pawn;
    out->has_psqt = 1;
    out->verified = model->design->verified;
}

static void destroy(void *model)
{
    sf_model_free(model);
}

static size_t state_size(const struct plynnue_net *net)
{
    const struct sf_model *model = net->model;
    return transformer_state_size(&model->squares);
}

static size_t scratch_size(const struct plynnue_net *net)
{
    return sf_forward_size(net->model);
}

static void refresh(const struct plynnue_net *net, const struct board *board, unsigned view,
                    void *state)
{
    const struct sf_model *model = net->model;
    if (view < SIDES)
        transformer_refresh(&model->squares, net->kernels, board, view, state);
    else
        sf_relations_refresh(&model->relations, net->kernels, board, view - SIDES, state);
}

static bool follows(const struct plynnue_net *net, const struct change *change, unsigned view)
{
    const struct sf_model *model = net->model;
    if (view < SIDES)
        return feature_map_follows(&model->squares.map, change, view);
    return sf_relations_follow(change, view - SIDES);
}

static void update(const struct plynnue_net *net, const struct change *change, unsigned view,
                   const void *before, void *after)
{
    const struct sf_model *model = net->model;
    if (view < SIDES)
        transformer_update(&model->squares, net->kernels, change, view, before, after);
    else
        sf_relations_update(&model->relations, net->kernels, change, view - SIDES, before, after);
}

static unsigned cache_slots(const struct plynnue_net *net, unsigned view)
{
    const struct sf_model *model = net->model;
    return view < SIDES ? model->squares.map.slots : 0;
}

static unsigned cache_slot(const struct plynnue_net *net, const struct board *board, unsigned view)
{
    const struct sf_model *model = net->model;
    return feature_map_slot(&model->squares.map, board, view);
}

static void advance(const struct plynnue_net *net, const struct board *from, const struct board *to,
                    unsigned view, void *state)
{
    const struct sf_model *model = net->model;
    transformer_advance(&model->squares, net->kernels, from, to, view, state);
}

static int32_t eval(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *scratch)
{
    const struct sf_model *model = net->model;
    uint32_t stack = sf_forward_stack(model, board->count);
    int64_t psqt = sf_forward_psqt(model, states, side, stack);
    sf_forward_transform(model, net->kernels, states, side, scratch);
    return sf_forward_value(model, psqt,
                            sf_forward_positional(model, net->kernels, stack, scratch));
}

static double eval_float(const struct plynnue_net *net, const struct board *board,
                         const void *const *states, unsigned side, void *scratch)
{
    return eval(net, board, states, side, scratch);
}

static void eval_raw(const struct plynnue_net *net, const struct board *board,
                     const void *const *states, unsigned side, void *scratch,
                     struct plynnue_raw *raw)
{
    const struct sf_model *model = net->model;
    raw->bucket = (int)sf_forward_stack(model, board->count);
    raw->buckets = (int)model->shape.stacks;
    sf_forward_transform(model, net->kernels, states, side, scratch);
    for (uint32_t i = 0; i < model->shape.stacks; i++) {
        raw->psqt[i] = sf_forward_psqt(model, states, side, i);
        raw->positional[i] = sf_forward_positional(model, net->kernels, i, scratch);
    }
}

static void parts_of(const struct plynnue_net *net, struct net_parts *parts)
{
    const struct sf_model *model = net->model;
    const struct sf_design *design = model->design;
    const struct sf_shape *shape = &model->shape;
    const uint64_t l1 = shape->l1, l2 = shape->l2, l3 = shape->l3, stacks = shape->stacks;
    const uint64_t squares = model->squares.map.rows, relations = model->relations.rows;
    parts->squares = &model->squares;
    parts->relations = relations ? &model->relations : NULL;
    parts->heads = shape->stacks;
    parts->layer_count = SF_LAYERS;
    for (unsigned i = 0; i < stacks; i++)
        for (unsigned k = 0; k < SF_LAYERS; k++)
            parts->layers[k].head[i] = &model->stacks[i].layer[k];
    parts->bytes1 = relations * l1 + stacks * (sf_design_inputs0(design, shape) * l2 +
                                               sf_design_inputs1(design, shape) * l3 +
                                               sf_design_inputs2(design, shape));
    parts->bytes2 = (squares + 1) * l1;
    parts->bytes4 = (squares + relations) * stacks + stacks * (l2 + l3 + 1);
}

#define FUNCTIONS                                                                                  \
    .info = info, .destroy = destroy, .state_size = state_size, .scratch_size = scratch_size,      \
    .refresh = refresh, .follows = follows, .update = update, .cache_slots = cache_slots,          \
    .cache_slot = cache_slot, .advance = advance, .eval = eval, .eval_float = eval_float,          \
    .eval_raw = eval_raw, .parts = parts_of

static const struct arch squares_arch = {.views = SIDES, FUNCTIONS};
static const struct arch relations_arch = {.views = 2 * SIDES, FUNCTIONS};

int sf_net_load(struct plynnue_net *net, const struct container *container, const char *asked,
                struct plynnue_error *error)
{
    struct sf_file file;
    struct sf_model *model;
    int code = sf_file_open(&file, container, asked, error);
    if (!code)
        code = sf_model_new(&file, net->kernels, &model, error);
    if (code)
        return code;
    net->model = model;
    net->arch = model->relations.rows ? &relations_arch : &squares_arch;
    return PLYNNUE_OK;
}
