/* SPDX-License-Identifier: MIT */
/*
 * 769-H1-H2-1 with floats as an architecture. State: double acc1[H1]. Everything is computed in
 * double, so that a float net is a reference that rounding can be measured against: what
 * incremental updates add to it stays far below what anybody prints.
 */
#include <stdlib.h>

#include "nnue/core/fail.h"
#include "nnue/core/parts.h"
#include "nnue/core/tinynnue.h"

static size_t state_size(const struct plynnue_net *net)
{
    const struct tinynnue_float *model = net->model;
    return model->h1 * sizeof(double);
}

static size_t scratch_size(const struct plynnue_net *net)
{
    const struct tinynnue_float *model = net->model;
    return state_size(net) + model->h2 * sizeof(double);
}

static void info(const struct plynnue_net *net, struct plynnue_info *out)
{
    const struct tinynnue_float *model = net->model;
    tinynnue_format_arch(model->h1, model->h2, out->arch);
    out->inputs = TINYNNUE_INPUTS;
    out->l1 = model->h1;
    out->king_buckets = out->output_buckets = 1;
    out->cp_per_unit = 1;
    out->is_float = 1;
    out->verified = 1;
}

static void destroy(void *model)
{
    tinynnue_float_free(model);
    free(model);
}

static void refresh(const struct plynnue_net *net, const struct board *board, unsigned view,
                    void *state)
{
    const struct tinynnue_float *model = net->model;
    double *acc = state;
    struct row_list rows;
    (void)view;
    feature769_active(board, &rows);
    for (size_t i = 0; i < model->h1; i++)
        acc[i] = (double)model->b1[i];
    net->kernels->rows_f32(acc, acc, model->w1, model->h1, &rows);
}

static void update(const struct plynnue_net *net, const struct change *change, unsigned view,
                   const void *before, void *after)
{
    const struct tinynnue_float *model = net->model;
    struct row_list rows;
    (void)view;
    feature769_changes(change, &rows);
    net->kernels->rows_f32(after, before, model->w1, model->h1, &rows);
}

static double eval_float(const struct plynnue_net *net, const struct board *board,
                         const void *const *states, unsigned side, void *scratch)
{
    const struct tinynnue_float *model = net->model;
    const double *acc = states[0];
    const float *turn = model->w1 + (size_t)FEATURE769_WHITE_MOVE * model->h1;
    double *h1 = scratch, *h2 = h1 + model->h1;
    double flip = side == board->side ? 0 : side == 0 ? 1 : -1;
    double out = (double)model->b3[0];
    net->kernels->clamp_f64(h1, acc, turn, flip, model->h1);
    net->kernels->dense_f32(h2, model->b2, model->w2, h1, model->h1, model->h2);
    for (size_t o = 0; o < model->h2; o++)
        out += (double)model->w3[o] * float_clamp(h2[o]);
    return TINYNNUE_UNIT_CP * (side == 0 ? out : -out);
}

static int32_t eval(const struct plynnue_net *net, const struct board *board,
                    const void *const *states, unsigned side, void *scratch)
{
    return arch_round(eval_float(net, board, states, side, scratch));
}

static void eval_raw(const struct plynnue_net *net, const struct board *board,
                     const void *const *states, unsigned side, void *scratch,
                     struct plynnue_raw *raw)
{
    (void)net, (void)board, (void)states, (void)side, (void)scratch;
    raw->bucket = 0;
    raw->buckets = 0;
}

static void parts_of(const struct plynnue_net *net, struct net_parts *parts)
{
    const struct tinynnue_float *model = net->model;
    const uint64_t h1 = model->h1, h2 = model->h2;
    parts->tiny_float = model;
    parts->bytes1 = (TINYNNUE_INPUTS + h2) * h1 + h2;
    parts->bytes4 = h1 + h2 + 1;
}

int tinynnue_load_float(struct plynnue_net *net, const struct safetensors *file, uint32_t h1,
                        uint32_t h2, struct plynnue_error *error)
{
    struct tinynnue_float *model = calloc(1, sizeof *model);
    int code;
    if (!model)
        return core_fail(error, PLYNNUE_ENOMEM, 0, "out of memory");
    code = tinynnue_read_float(file, h1, h2, model, error);
    if (code) {
        free(model);
        return code;
    }
    net->arch = &tinynnue_float_arch;
    net->model = model;
    return PLYNNUE_OK;
}

const struct arch tinynnue_float_arch = {
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
    .parts = parts_of,
};
