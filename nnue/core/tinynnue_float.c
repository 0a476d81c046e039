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
    return state_size(net);
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

static void add_row(double *acc, const float *row, size_t width, double sign)
{
    for (size_t i = 0; i < width; i++)
        acc[i] += sign * (double)row[i];
}

static void apply_rows(const struct tinynnue_float *model, const struct row_list *rows, double *acc)
{
    for (unsigned k = 0; k < rows->removed_count; k++)
        add_row(acc, model->w1 + (size_t)rows->removed[k] * model->h1, model->h1, -1);
    for (unsigned k = 0; k < rows->added_count; k++)
        add_row(acc, model->w1 + (size_t)rows->added[k] * model->h1, model->h1, 1);
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
    apply_rows(model, &rows, acc);
}

static void update(const struct plynnue_net *net, const struct change *change, unsigned view,
                   const void *before, void *after)
{
    const struct tinynnue_float *model = net->model;
    const double *from = before;
    double *to = after;
    struct row_list rows;
    (void)view;
    feature769_changes(change, &rows);
    for (size_t i = 0; i < model->h1; i++)
        to[i] = from[i];
    apply_rows(model, &rows, to);
}

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double eval_float(const struct plynnue_net *net, const struct board *board,
                         const void *const *states, unsigned side, void *scratch)
{
    const struct tinynnue_float *model = net->model;
    const double *acc = states[0];
    const float *turn = model->w1 + (size_t)FEATURE769_WHITE_MOVE * model->h1;
    double *h1 = scratch;
    double flip = side == board->side ? 0 : side == 0 ? 1 : -1;
    double out = (double)model->b3[0];
    for (size_t i = 0; i < model->h1; i++)
        h1[i] = clamp01(acc[i] + flip * (double)turn[i]);
    for (size_t o = 0; o < model->h2; o++) {
        const float *row = model->w2 + o * model->h1;
        double sum = (double)model->b2[o];
        for (size_t i = 0; i < model->h1; i++)
            sum += (double)row[i] * h1[i];
        out += (double)model->w3[o] * clamp01(sum);
    }
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
