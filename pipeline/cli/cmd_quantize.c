/* SPDX-License-Identifier: MIT */
/*
 * See cmd_quantize.h.
 */
#include "pipeline/cli/cmd_quantize.h"

#include <stdio.h>
#include <string.h>

#include "formats/io/file.h"
#include "nnue/tools/attribution.h"
#include "nnue/tools/playout.h"
#include "nnue/tools/quantize.h"
#include "nnue/tools/tinynet.h"
#include "pipeline/cli/netarg.h"

enum { DEFAULT_POSITIONS = 2000, DEFAULT_SEED = 1, SOURCE_SIZE = 512 };

/* The positions to measure on, and words that say which. */
static int load_positions(const struct invocation *invocation, struct samples *samples,
                          char source[SOURCE_SIZE], struct error *err)
{
    const char *directory = invocation_value(invocation, "positions");
    struct settings *settings = NULL;
    int result = -1;
    if (!directory) {
        snprintf(source, SOURCE_SIZE, "random games (use --positions DIR for real ones)");
        return playout_samples(DEFAULT_SEED, DEFAULT_POSITIONS, samples, err);
    }
    if (netarg_settings(invocation, directory, &settings, err))
        return -1;
    static const char *const splits[] = {"validation", "test"};
    for (unsigned i = 0; i < 2 && !samples->count; i++) {
        result = netarg_samples(directory, splits[i], settings, samples, err);
        snprintf(source, SOURCE_SIZE, "the %s records of %s", splits[i], directory);
        if (result)
            break;
    }
    if (!result && !samples->count)
        result = error_set(err, ERROR_FAILED, "%s: no validation or test records to measure on",
                           directory);
    settings_free(settings);
    return result;
}

static void print_table(const struct attribution *table, const char *source)
{
    printf("Rounding error against the float net in cp, over %zu positions of %s:\n\n",
           table->positions, source);
    printf("%-12s %9s %9s %9s\n", "rounded", "mean", "p99", "max");
    for (unsigned i = 0; i < table->count; i++) {
        const struct attribution_row *row = &table->rows[i];
        if (row->possible)
            printf("%-12s %9.3f %9.3f %9.3f\n", row->name, row->mean, row->p99, row->max);
        else
            printf("%-12s %9s (a multiplier does not fit)\n", row->name, "-");
    }
}

static void print_multipliers(const struct quantized *q)
{
    printf("\n%-12s %12s %12s %15s\n", "multiplier", "value", "M", "relative error");
    for (unsigned i = 0; i < 3; i++)
        printf("m%-11u %12.8f %12d %15.2g\n", i + 1, q->factor[i], (int)q->net.multiplier[i],
               quantize_relative_error(q->factor[i], q->net.multiplier[i], q->net.shift));
}

static int write_net(const struct quantized *q, const char *path, struct error *err)
{
    struct buffer bytes;
    int result;
    buffer_init(&bytes, TINYNET_FILE_MAX);
    result = tinynet_encode_int(&q->net, q->scale, NULL, 0, &bytes, err);
    if (!result)
        result = file_write_all(path, bytes.data, bytes.length, err);
    buffer_free(&bytes);
    return result;
}

static int quantize_and_write(const struct invocation *invocation, const struct tinynnue_float *net,
                              unsigned shift, const char *path, struct error *err)
{
    struct samples samples = {0};
    struct attribution table;
    struct quantized q;
    char source[SOURCE_SIZE];
    int result = -1;
    if (quantize_net(net, shift, &q, err))
        return error_prefix(err, "%s", invocation->arguments[0]);
    if (load_positions(invocation, &samples, source, err) ||
        attribution_measure(net, shift, samples.items, samples.count, &table, err) ||
        write_net(&q, path, err))
        goto out;
    print_table(&table, source);
    print_multipliers(&q);
    result = 0;
out:
    samples_free(&samples);
    quantized_free(&q);
    return result;
}

static int run_quantize(struct invocation *invocation, struct error *err)
{
    const char *from = invocation->arguments[0], *path = invocation_value(invocation, "o");
    struct tinynet net;
    long long shift;
    int result;
    if (!path)
        return error_set(err, ERROR_USAGE, "-o FILE is missing: where the net shall be written");
    if (!strcmp(from, path))
        return error_set(err, ERROR_USAGE, "-o %s would replace the float net", path);
    if (invocation_integer(invocation, "shift", QUANTIZE_SHIFT_LOW, QUANTIZE_SHIFT_HIGH,
                           QUANTIZE_SHIFT, &shift, err) ||
        tinynet_load(from, &net, err))
        return -1;
    if (net.is_float)
        result = quantize_and_write(invocation, &net.floats, (unsigned)shift, path, err);
    else
        result =
            error_set(err, ERROR_FAILED, "%s holds integers already: a float net is needed", from);
    tinynet_free(&net);
    return result;
}

const struct command command_quantize = {
    .name = "quantize",
    .arguments = "NET -o FILE",
    .summary = "turns a float net into an int8 net and says what the rounding costs",
    .details =
        "Per tensor, symmetric, with requantisation multipliers scaled by 2^S. The table shows "
        "the\nerror of rounding one thing at a time, measured on the validation records of a "
        "build\ndirectory, or on positions of random games.",
    .minimum = 1,
    .maximum = 1,
    .options = {{"o", "FILE", "the net to write, .safetensors"},
                {"shift", "S", "bits of the requantisation shift, 16 to 30 (24)"},
                {"positions", "DIR", "build directory whose validation records are measured on"}},
    .examples = {"plymill quantize tiny.safetensors -o tiny-int8.safetensors --positions tiny"},
    .run = run_quantize,
};
