/* SPDX-License-Identifier: MIT */
/*
 * Quantisation of 769-H1-H2-1 nets, see quantize.h.
 */
#include "nnue/tools/quantize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/tools/reference.h"
#include "nnue/tools/score_net.h"

static double largest(const float *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        double size = fabs((double)values[i]);
        if (size > most)
            most = size;
    }
    return most;
}

static void round_weights(const float *weights, size_t count, double scale, int8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        double value = round((double)weights[i] / scale);
        /* The quotient is at most 127 but for the rounding of the scale itself. */
        out[i] = (int8_t)(value > 127 ? 127 : value < -127 ? -127 : value);
    }
}

/* out = round(bias * times / scale). */
static int round_biases(const float *bias, size_t count, double times, double scale, int32_t *out,
                        const char *name, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        double value = round((double)bias[i] * times / scale);
        if (!(fabs(value) <= INT32_MAX))
            return error_set(err, ERROR_FAILED, "%s[%zu] = %g is %.0f steps: more than int32 holds",
                             name, i, (double)bias[i], value);
        out[i] = (int32_t)value;
    }
    return 0;
}

int32_t quantize_multiplier(double factor, unsigned shift)
{
    double value = round(factor * (double)(UINT64_C(1) << shift));
    return value >= 1 && value <= INT32_MAX ? (int32_t)value : 0;
}

double quantize_relative_error(double factor, int32_t multiplier, unsigned shift)
{
    return fabs(multiplier / (double)(UINT64_C(1) << shift) - factor) / factor;
}

static int fill_multipliers(struct quantized *q, unsigned shift, struct error *err)
{
    q->net.shift = shift;
    for (unsigned i = 0; i < 3; i++) {
        q->net.multiplier[i] = quantize_multiplier(q->factor[i], shift);
        if (!q->net.multiplier[i])
            return error_set(err, ERROR_FAILED,
                             "multiplier M%u = round(%g * 2^%u) is not in 1 .. 2^31 - 1", i + 1,
                             q->factor[i], shift);
    }
    return 0;
}

static void fill_scales(const struct tinynnue_float *net, struct quantized *q)
{
    const double most[3] = {largest(net->w1, (size_t)TINYNNUE_INPUTS * net->h1),
                            largest(net->w2, (size_t)net->h2 * net->h1), largest(net->w3, net->h2)};
    for (unsigned i = 0; i < 3; i++)
        q->scale[i] = most[i] > 0 ? most[i] / TINYNNUE_ONE : 1;
    q->factor[0] = most[0] > 0 ? most[0] : TINYNNUE_ONE;
    q->factor[1] = q->scale[1];
    q->factor[2] = TINYNNUE_UNIT_CP * q->scale[2] / TINYNNUE_ONE;
}

static int fill_tensors(const struct tinynnue_float *net, struct quantized *q, struct error *err)
{
    struct tinynnue_int *out = &q->net;
    round_weights(net->w1, (size_t)TINYNNUE_INPUTS * net->h1, q->scale[0], out->w1);
    round_weights(net->w2, (size_t)net->h2 * net->h1, q->scale[1], out->w2);
    round_weights(net->w3, net->h2, q->scale[2], out->w3);
    if (round_biases(net->b1, net->h1, 1, q->scale[0], out->b1, "l1.bias", err) ||
        round_biases(net->b2, net->h2, TINYNNUE_ONE, q->scale[1], out->b2, "l2.bias", err) ||
        round_biases(net->b3, 1, TINYNNUE_ONE, q->scale[2], out->b3, "l3.bias", err))
        return -1;
    return 0;
}

int quantize_net(const struct tinynnue_float *net, unsigned shift, struct quantized *out,
                 struct error *err)
{
    struct plynnue_error error;
    memset(out, 0, sizeof *out);
    if (shift < QUANTIZE_SHIFT_LOW || shift > QUANTIZE_SHIFT_HIGH)
        return error_set(err, ERROR_USAGE, "shift %u: must be %d .. %d", shift, QUANTIZE_SHIFT_LOW,
                         QUANTIZE_SHIFT_HIGH);
    if (tinynnue_int_new(&out->net, net->h1, net->h2))
        return error_memory(err);
    fill_scales(net, out);
    if (fill_tensors(net, out, err) || fill_multipliers(out, shift, err))
        goto failed;
    if (tinynnue_int_check(&out->net, &error)) {
        error_set(err, ERROR_FAILED, "%s", error.text);
        goto failed;
    }
    return 0;
failed:
    quantized_free(out);
    return -1;
}

void quantized_free(struct quantized *quantized)
{
    tinynnue_int_free(&quantized->net);
}

static int compare(const struct quantized *quantized, const double *values,
                   const struct samples *samples, struct error *err)
{
    struct reference_steps steps;
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        reference_int(&quantized->net, sample->features, sample->count, &steps);
        if (values[i] != (double)steps.cp)
            return error_set(err, ERROR_DIFFERS,
                             "position %zu: the net as read back says %.0f cp, computed plainly "
                             "%lld",
                             i + 1, values[i], (long long)steps.cp);
    }
    return 0;
}

int quantize_check(const struct quantized *quantized, const void *file, size_t size,
                   const struct samples *samples, struct error *err)
{
    struct plynnue_error error = {.text = ""};
    plynnue_net *net;
    double *values;
    int result = -1;
    if (plynnue_net_from_memory(file, size, NULL, &net, &error))
        return error_set(err, ERROR_FAILED, "the net cannot be read back: %s", error.text);
    values = calloc(samples->count + 1, sizeof *values);
    if (!values)
        error_memory(err);
    else if (!score_values(net, samples, 0, values, err))
        result = compare(quantized, values, samples, err);
    free(values);
    plynnue_net_close(net);
    return result;
}
