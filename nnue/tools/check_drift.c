/* SPDX-License-Identifier: MIT */
/*
 * Drift of float32 accumulators, see check_drift.h.
 */
#include "nnue/tools/check_drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/core/parts.h"

struct drift {
    const plynnue_net *net;
    const struct tinynnue_float *tiny; /* NULL: another kind */
    float *updated, *fresh;            /* tiny: [H1] */
    size_t state_size;                 /* others: bytes of a view's state, aligned */
    char *states[3];                   /* [views] each: rounded, the same before the step, afresh */
    void *scratch;
};

static int make_room(struct drift *drift)
{
    const struct arch *arch = drift->net->arch;
    size_t all = arch->views * drift->state_size;
    if (drift->tiny) {
        drift->updated = calloc(drift->tiny->h1, sizeof(float));
        drift->fresh = calloc(drift->tiny->h1, sizeof(float));
        return drift->updated && drift->fresh ? 0 : -1;
    }
    for (unsigned i = 0; i < 3; i++) {
        drift->states[i] = memory_new(all);
        if (!drift->states[i])
            return -1;
    }
    drift->scratch = memory_new(arch->scratch_size(drift->net) + 1);
    return drift->scratch ? 0 : -1;
}

int drift_new(const plynnue_net *net, struct drift **out, struct error *err)
{
    struct drift *drift = calloc(1, sizeof *drift);
    struct net_parts parts;
    *out = NULL;
    if (!drift)
        return error_memory(err);
    net_parts(net, &parts);
    drift->net = net;
    drift->tiny = parts.tiny_float;
    drift->state_size = memory_align(net->arch->state_size(net));
    if (make_room(drift)) {
        drift_free(drift);
        return error_memory(err);
    }
    *out = drift;
    return 0;
}

void drift_free(struct drift *drift)
{
    if (!drift)
        return;
    free(drift->updated);
    free(drift->fresh);
    for (unsigned i = 0; i < 3; i++)
        memory_free(drift->states[i]);
    memory_free(drift->scratch);
    free(drift);
}

static void add_row(const struct tinynnue_float *net, float *acc, unsigned feature, float sign)
{
    const float *row = net->w1 + (size_t)feature * net->h1;
    for (size_t i = 0; i < net->h1; i++)
        acc[i] += sign * row[i];
}

static void refresh_tiny(const struct tinynnue_float *net, const struct sample *sample, float *acc)
{
    memcpy(acc, net->b1, net->h1 * sizeof *acc);
    for (unsigned k = 0; k < sample->count; k++)
        add_row(net, acc, sample->features[k], 1);
}

static void update_tiny(const struct tinynnue_float *net, const struct plynnue_delta *delta,
                        unsigned side_after, float *acc)
{
    for (unsigned i = 0; i < delta->removed_count; i++)
        add_row(net, acc, feature769_index(delta->removed[i].piece, delta->removed[i].square), -1);
    for (unsigned i = 0; i < delta->added_count; i++)
        add_row(net, acc, feature769_index(delta->added[i].piece, delta->added[i].square), 1);
    add_row(net, acc, FEATURE769_WHITE_MOVE, side_after == 0 ? 1 : -1);
}

static float clamp01(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* cp, White's view, all in float32 as engines do it. */
static float value_tiny(const struct tinynnue_float *net, const float *acc)
{
    float out = net->b3[0];
    for (size_t o = 0; o < net->h2; o++) {
        float sum = net->b2[o];
        for (size_t i = 0; i < net->h1; i++)
            sum += net->w2[o * net->h1 + i] * clamp01(acc[i]);
        out += net->w3[o] * clamp01(sum);
    }
    return TINYNNUE_UNIT_CP * out;
}

static double step_tiny(struct drift *drift, const struct trace_step *step,
                        const struct change *change, const struct sample *sample)
{
    if (step->kind == TRACE_SET) {
        refresh_tiny(drift->tiny, sample, drift->updated);
        return 0;
    }
    update_tiny(drift->tiny, change->delta, change->after->side, drift->updated);
    refresh_tiny(drift->tiny, sample, drift->fresh);
    return fabs((double)value_tiny(drift->tiny, drift->updated) -
                (double)value_tiny(drift->tiny, drift->fresh));
}

/* States of float nets are doubles. */
static void round_state(void *state, size_t size)
{
    double *numbers = state;
    for (size_t i = 0; i < size / sizeof *numbers; i++)
        numbers[i] = (double)(float)numbers[i];
}

static double value_of(const struct drift *drift, const struct board *board, const char *states)
{
    const void *views[ARCH_VIEWS_MAX];
    for (unsigned view = 0; view < drift->net->arch->views; view++)
        views[view] = states + view * drift->state_size;
    return drift->net->arch->eval_float(drift->net, board, views, board->side, drift->scratch);
}

static double step_views(struct drift *drift, const struct trace_step *step,
                         const struct change *change)
{
    const plynnue_net *net = drift->net;
    const struct arch *arch = net->arch;
    size_t size = arch->state_size(net);
    memcpy(drift->states[1], drift->states[0], arch->views * drift->state_size);
    for (unsigned view = 0; view < arch->views; view++) {
        size_t at = view * drift->state_size;
        bool follows =
            step->kind != TRACE_SET && (!arch->follows || arch->follows(net, change, view));
        if (follows)
            arch->update(net, change, view, drift->states[1] + at, drift->states[0] + at);
        else
            arch->refresh(net, change->after, view, drift->states[0] + at);
        round_state(drift->states[0] + at, size);
        arch->refresh(net, change->after, view, drift->states[2] + at);
    }
    return fabs(value_of(drift, change->after, drift->states[0]) -
                value_of(drift, change->after, drift->states[2]));
}

double drift_step(struct drift *drift, const struct trace_step *step, const struct change *change,
                  const struct sample *sample)
{
    return drift->tiny ? step_tiny(drift, step, change, sample) : step_views(drift, step, change);
}
