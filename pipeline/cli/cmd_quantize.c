/* SPDX-License-Identifier: MIT */
/*
 * See cmd_quantize.h.
 */
#include "pipeline/cli/cmd_quantize.h"

#include <stdio.h>
#include <string.h>

#include "formats/io/file.h"
#include "nnue/tools/attribution.h"
#include "nnue/tools/origin.h"
#include "nnue/tools/playout.h"
#include "nnue/tools/quantize.h"
#include "nnue/tools/tinynet.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/report/modelcard.h"

enum { DEFAULT_POSITIONS = 2000, DEFAULT_SEED = 1, SOURCE_SIZE = 512 };

/* The validation records of a build, or those of test where there are none. */
static int load_records(const struct invocation *invocation, const char *directory,
                        struct samples *samples, char source[SOURCE_SIZE], struct error *err)
{
    struct build *build;
    int result = 0;
    if (netarg_build(invocation, directory, &build, err))
        return -1;
    for (int split = 1; split < BUILD_SPLITS && !samples->count && !result; split++) {
        result = netarg_samples(build, split, samples, err);
        snprintf(source, SOURCE_SIZE, "the %s records of %s", build_split_names[split], directory);
    }
    if (!result && !samples->count)
        result = error_set(err, ERROR_FAILED, "%s: no validation or test records to measure on",
                           directory);
    build_close(build);
    return result;
}

/* The positions to measure on, and words that say which. */
static int load_positions(const struct invocation *invocation, struct samples *samples,
                          char source[SOURCE_SIZE], struct error *err)
{
    const char *directory = invocation_value(invocation, "positions");
    if (directory)
        return load_records(invocation, directory, samples, source, err);
    snprintf(source, SOURCE_SIZE, "random games (use --positions DIR for real ones)");
    return playout_samples(DEFAULT_SEED, DEFAULT_POSITIONS, samples, err);
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

/* from: the float net, whose origin the new one shares. */
static int write_net(const struct quantized *q, const char *from, const char *path,
                     struct error *err)
{
    struct text_out texts[ORIGIN_TEXTS];
    struct origin origin;
    struct buffer bytes;
    int result;
    if (origin_read(from, &origin, err))
        return -1;
    buffer_init(&bytes, TINYNET_FILE_MAX);
    result =
        tinynet_encode_int(&q->net, q->scale, texts, origin_texts(&origin, texts), &bytes, err);
    if (!result)
        result = file_write_all(path, bytes.data, bytes.length, err);
    buffer_free(&bytes);
    return result ? result : modelcard_write(path, from, err);
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
        write_net(&q, invocation->arguments[0], path, err))
        goto out;
    print_table(&table, source);
    print_multipliers(&q);
    if (!invocation->quiet)
        fprintf(stderr, "wrote %s\n", path);
    result = 0;
out:
    samples_free(&samples);
    quantized_free(&q);
    return result;
}

static int run_quantize(struct invocation *invocation, struct error *err)
{
    const char *from = invocation->arguments[0], *path = netarg_output(invocation, err);
    struct tinynet net;
    long long shift;
    int result;
    if (!path)
        return -1;
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
    .arguments = "NET -o NET",
    .summary = "turns a float net into an int8 net and says what the rounding costs",
    .details =
        "Per tensor, symmetric, with requantisation multipliers scaled by 2^S. The table shows the "
        "error of rounding one thing at a time, measured on the validation records of a build "
        "directory, or on positions of random games. A model card, NAME.card.md, is written beside "
        "the net.",
    .minimum = 1,
    .maximum = 1,
    .options = {{"o", "NET", "the net to write, .safetensors; an older net is replaced"},
                {"shift", "S", "bits of the requantisation shift, 16 to 30; default: 24"},
                {"positions", "DIR", "build directory whose validation records are measured on"}},
    .examples = {"plymill quantize tiny.safetensors -o tiny-int8.safetensors --positions tiny"},
    .run = run_quantize,
};
