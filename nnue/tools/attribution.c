/* SPDX-License-Identifier: MIT */
/*
 * Error attribution, see attribution.h.
 */
#include "nnue/tools/attribution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/tools/fmath.h"
#include "nnue/tools/quantize.h"
#include "nnue/tools/reference.h"
#include "nnue/tools/score_net.h"
#include "nnue/tools/stats.h"

enum part {
    PART_W1,
    PART_W2,
    PART_W3,
    PART_B1,
    PART_B2,
    PART_B3,
    PART_H1,
    PART_H2,
    PART_CP,
    PARTS
};

/* The positions, what the float net says of them, and what a changed one does. */
struct measurement {
    const struct sample *samples;
    size_t count;
    double *exact;   /* [count] cp of the float net */
    double *changed; /* [count] */
    double *errors;  /* [count] */
    struct attribution *out;
};

static void measurement_free(struct measurement *m)
{
    free(m->exact);
    free(m->changed);
    free(m->errors);
}

static int measurement_new(struct measurement *m, const struct sample *samples, size_t count,
                           struct attribution *out, struct error *err)
{
    memset(out, 0, sizeof *out);
    out->positions = count;
    *m = (struct measurement){.samples = samples, .count = count, .out = out};
    if (!count)
        return error_set(err, ERROR_FAILED, "no positions to measure rounding errors on");
    m->exact = calloc(count, sizeof *m->exact);
    m->changed = calloc(count, sizeof *m->changed);
    m->errors = calloc(count, sizeof *m->errors);
    if (m->exact && m->changed && m->errors)
        return 0;
    measurement_free(m);
    return error_memory(err);
}

static double wdl_mse(const struct measurement *m, const double *cp)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        double difference = fmath_win_share(cp[i]) - fmath_win_share(m->samples[i].cp);
        sum += difference * difference;
    }
    return sum / (double)m->count;
}

/* Once exact is filled. */
static void measure_float(struct measurement *m, bool labeled)
{
    m->out->wdl_mse = labeled ? wdl_mse(m, m->exact) : 0;
    m->out->has_cost = m->out->wdl_mse > 0;
}

static struct attribution_row *next_row(struct measurement *m, const char *name)
{
    struct attribution_row *row = &m->out->rows[m->out->count++];
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

/* A row out of what stands in changed. */
static void add_row(struct measurement *m, const char *name)
{
    struct attribution_row *row = next_row(m, name);
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        m->errors[i] = fabs(m->changed[i] - m->exact[i]);
        sum += m->errors[i];
    }
    stats_sort(m->errors, m->count);
    row->mean = sum / (double)m->count;
    row->p99 = m->errors[stats_place(m->count, 99, 100)];
    row->max = m->errors[m->count - 1];
    row->cost = m->out->has_cost ? wdl_mse(m, m->changed) / m->out->wdl_mse - 1 : 0;
    row->possible = true;
}

/* to = steps * step, in doubles. */
static void restore_bytes(const int8_t *steps, size_t count, double step, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = step * steps[i];
}

static void restore_ints(const int32_t *steps, size_t count, double step, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = step * steps[i];
}

static void replace_part(enum part part, const struct quantized *q, struct reference_exact *net)
{
    const struct tinynnue_int *ints = &q->net;
    size_t h1 = net->h1, h2 = net->h2;
    switch (part) {
    case PART_W1:
        restore_bytes(ints->w1, TINYNNUE_INPUTS * h1, q->scale[0], net->w1);
        break;
    case PART_W2:
        restore_bytes(ints->w2, h2 * h1, q->scale[1], net->w2);
        break;
    case PART_W3:
        restore_bytes(ints->w3, h2, q->scale[2], net->w3);
        break;
    case PART_B1:
        restore_ints(ints->b1, h1, q->scale[0], net->b1);
        break;
    case PART_B2:
        restore_ints(ints->b2, h2, q->scale[1] / TINYNNUE_ONE, net->b2);
        break;
    case PART_B3:
        restore_ints(ints->b3, 1, q->scale[2] / TINYNNUE_ONE, net->b3);
        break;
    case PART_H1:
        net->round_h1 = true;
        break;
    case PART_H2:
        net->round_h2 = true;
        break;
    default:
        net->round_cp = true;
        break;
    }
}

static void evaluate(struct measurement *m, const struct reference_exact *net, double *cp)
{
    for (size_t i = 0; i < m->count; i++)
        cp[i] = reference_exact_cp(net, m->samples[i].features, m->samples[i].count);
}

static int measure_part(struct measurement *m, const struct tinynnue_float *net, enum part part,
                        const struct quantized *q, struct error *err)
{
    static const char names[PARTS][3] = {"W1", "W2", "W3", "b1", "b2", "b3", "h1", "h2", "cp"};
    struct reference_exact changed;
    if (reference_exact_new(net, &changed, err))
        return -1;
    replace_part(part, q, &changed);
    evaluate(m, &changed, m->changed);
    reference_exact_free(&changed);
    add_row(m, names[part]);
    return 0;
}

/* One multiplier as M / 2^S: what comes in front of an activation grows by M / 2^S / m. */
static int measure_multiplier(struct measurement *m, const struct tinynnue_float *net, unsigned i,
                              double factor, unsigned shift, struct error *err)
{
    int32_t multiplier = quantize_multiplier(factor, shift);
    struct reference_exact changed;
    char name[ATTRIBUTION_NAME_SIZE];
    snprintf(name, sizeof name, "M%u, S = %u", i + 1, shift);
    if (!multiplier) {
        (void)next_row(m, name);
        return 0;
    }
    if (reference_exact_new(net, &changed, err))
        return -1;
    changed.gain[i] = multiplier / (double)(UINT64_C(1) << shift) / factor;
    evaluate(m, &changed, m->changed);
    reference_exact_free(&changed);
    add_row(m, name);
    return 0;
}

static void measure_all(struct measurement *m, const struct tinynnue_float *net, unsigned shift)
{
    struct quantized q;
    struct reference_steps steps;
    char name[ATTRIBUTION_NAME_SIZE];
    snprintf(name, sizeof name, "all, S = %u", shift);
    if (quantize_net(net, shift, &q, NULL)) {
        (void)next_row(m, name);
        return;
    }
    for (size_t i = 0; i < m->count; i++) {
        reference_int(&q.net, m->samples[i].features, m->samples[i].count, &steps);
        m->changed[i] = (double)steps.cp;
    }
    quantized_free(&q);
    add_row(m, name);
}

static int measure_rows(struct measurement *m, const struct tinynnue_float *net, unsigned shift,
                        struct error *err)
{
    static const unsigned shifts[] = {QUANTIZE_SHIFT, QUANTIZE_SHIFT_LOW};
    struct quantized q;
    int failed = 0;
    if (quantize_net(net, shift, &q, err))
        return -1;
    for (unsigned part = 0; part < PARTS && !failed; part++)
        failed = measure_part(m, net, (enum part)part, &q, err);
    for (unsigned i = 0; i < 6 && !failed; i++)
        failed = measure_multiplier(m, net, i % 3, q.factor[i % 3], shifts[i / 3], err);
    quantized_free(&q);
    if (failed)
        return -1;
    measure_all(m, net, QUANTIZE_SHIFT);
    measure_all(m, net, QUANTIZE_SHIFT_LOW);
    if (shift != QUANTIZE_SHIFT && shift != QUANTIZE_SHIFT_LOW)
        measure_all(m, net, shift);
    return 0;
}

int attribution_measure(const struct tinynnue_float *net, unsigned shift,
                        const struct sample *samples, size_t count, bool labeled,
                        struct attribution *out, struct error *err)
{
    struct measurement m;
    struct reference_exact exact;
    int result;
    if (measurement_new(&m, samples, count, out, err))
        return -1;
    result = reference_exact_new(net, &exact, err);
    if (!result) {
        evaluate(&m, &exact, m.exact);
        reference_exact_free(&exact);
        measure_float(&m, labeled);
        result = measure_rows(&m, net, shift, err);
    }
    measurement_free(&m);
    return result;
}

/* Centipawns of a net in memory, as the library computes them. */
static int library_values(const struct buffer *bytes, const char *arch,
                          const struct samples *samples, double *cp, struct error *err)
{
    const struct plynnue_options options = {.size = sizeof options, .arch = *arch ? arch : NULL};
    struct plynnue_error error = {.text = ""};
    struct plynnue_info info = {.size = sizeof info};
    plynnue_net *net;
    int result;
    if (plynnue_net_from_memory(bytes->data, bytes->length, &options, &net, &error))
        return error_set(err, ERROR_FAILED, "the net cannot be read back: %s", error.text);
    plynnue_net_info(net, &info);
    result = score_values(net, samples, 0, cp, err);
    plynnue_net_close(net);
    for (size_t i = 0; i < samples->count && !result; i++)
        cp[i] *= info.cp_per_unit;
    return result;
}

static int measure_wide(struct measurement *m, const struct quantize_wide *net,
                        const struct buffer *integers, const char *arch,
                        const struct samples *samples, bool labeled, struct error *err)
{
    struct buffer changed;
    int result = library_values(&net->file, net->arch, samples, m->exact, err);
    buffer_init(&changed, PLYNNUE_FILE_MAX);
    if (!result)
        measure_float(m, labeled);
    for (unsigned i = 0; i < net->count && !result; i++) {
        result = quantize_wide_round_one(net, i, &changed, err) ||
                         library_values(&changed, net->arch, samples, m->changed, err)
                     ? -1
                     : 0;
        if (!result)
            add_row(m, net->tensors[i].name);
    }
    buffer_free(&changed);
    if (!result)
        result = library_values(integers, arch, samples, m->changed, err);
    if (!result)
        add_row(m, "all");
    return result;
}

int attribution_measure_wide(const struct quantize_wide *net, const struct buffer *integers,
                             const char *arch, const struct samples *samples, bool labeled,
                             struct attribution *out, struct error *err)
{
    struct measurement m;
    int result;
    if (measurement_new(&m, samples->items, samples->count, out, err))
        return -1;
    result = measure_wide(&m, net, integers, arch, samples, labeled, err);
    measurement_free(&m);
    return result;
}
