/* SPDX-License-Identifier: MIT */
/*
 * Error attribution, see attribution.h.
 */
#include "nnue/tools/attribution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/tools/quantize.h"
#include "nnue/tools/reference.h"
#include "nnue/tools/stats.h"

enum part { PART_W1, PART_W2, PART_W3, PART_B1, PART_B2, PART_B3, PART_H1, PART_H2, PARTS };

struct measurement {
    const struct tinynnue_float *net;
    const struct sample *samples;
    size_t count;
    double *exact;  /* [count] cp of the float net */
    double *errors; /* [count] */
};

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
    default:
        net->round_h2 = true;
        break;
    }
}

/* Sorts the errors and fills the row. */
static void summarise(struct measurement *m, struct attribution_row *row)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++)
        sum += m->errors[i];
    stats_sort(m->errors, m->count);
    row->mean = sum / (double)m->count;
    row->p99 = m->errors[stats_place(m->count, 99, 100)];
    row->max = m->errors[m->count - 1];
    row->possible = true;
}

static int measure_part(struct measurement *m, enum part part, const struct quantized *q,
                        struct attribution_row *row, struct error *err)
{
    static const char names[PARTS][3] = {"W1", "W2", "W3", "b1", "b2", "b3", "h1", "h2"};
    struct reference_exact changed;
    if (reference_exact_new(m->net, &changed, err))
        return -1;
    replace_part(part, q, &changed);
    for (size_t i = 0; i < m->count; i++)
        m->errors[i] =
            fabs(reference_exact_cp(&changed, m->samples[i].features, m->samples[i].count) -
                 m->exact[i]);
    reference_exact_free(&changed);
    snprintf(row->name, sizeof row->name, "%.2s", names[part]);
    summarise(m, row);
    return 0;
}

static void measure_all(struct measurement *m, unsigned shift, struct attribution_row *row)
{
    struct quantized q;
    struct reference_steps steps;
    snprintf(row->name, sizeof row->name, "all, S = %u", shift);
    if (quantize_net(m->net, shift, &q, NULL))
        return;
    for (size_t i = 0; i < m->count; i++) {
        reference_int(&q.net, m->samples[i].features, m->samples[i].count, &steps);
        m->errors[i] = fabs((double)steps.cp - m->exact[i]);
    }
    quantized_free(&q);
    summarise(m, row);
}

static int measure_rows(struct measurement *m, unsigned shift, struct attribution *out,
                        struct error *err)
{
    struct quantized q;
    int failed = 0;
    if (quantize_net(m->net, shift, &q, err))
        return -1;
    for (unsigned part = 0; part < PARTS && !failed; part++)
        failed = measure_part(m, (enum part)part, &q, &out->rows[out->count++], err);
    quantized_free(&q);
    if (failed)
        return -1;
    measure_all(m, QUANTIZE_SHIFT, &out->rows[out->count++]);
    measure_all(m, QUANTIZE_SHIFT_LOW, &out->rows[out->count++]);
    if (shift != QUANTIZE_SHIFT && shift != QUANTIZE_SHIFT_LOW)
        measure_all(m, shift, &out->rows[out->count++]);
    return 0;
}

int attribution_measure(const struct tinynnue_float *net, unsigned shift,
                        const struct sample *samples, size_t count, struct attribution *out,
                        struct error *err)
{
    struct measurement m = {.net = net, .samples = samples, .count = count};
    struct reference_exact exact;
    int result = -1;
    memset(out, 0, sizeof *out);
    out->positions = count;
    if (!count)
        return error_set(err, ERROR_FAILED, "no positions to measure rounding errors on");
    if (reference_exact_new(net, &exact, err))
        return -1;
    m.exact = calloc(count, sizeof *m.exact);
    m.errors = calloc(count, sizeof *m.errors);
    if (!m.exact || !m.errors) {
        error_memory(err);
        goto out;
    }
    for (size_t i = 0; i < count; i++)
        m.exact[i] = reference_exact_cp(&exact, samples[i].features, samples[i].count);
    result = measure_rows(&m, shift, out, err);
out:
    free(m.exact);
    free(m.errors);
    reference_exact_free(&exact);
    return result;
}
