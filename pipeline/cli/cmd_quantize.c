/* SPDX-License-Identifier: MIT */
/*
 * See cmd_quantize.h.
 */
#include "pipeline/cli/cmd_quantize.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "nnue/core/container.h"
#include "nnue/core/safetensors.h"
#include "nnue/tools/attribution.h"
#include "nnue/tools/origin.h"
#include "nnue/tools/playout.h"
#include "nnue/tools/quantize.h"
#include "nnue/tools/quantize_wide.h"
#include "nnue/tools/score_net.h"
#include "nnue/tools/tinynet.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/report/modelcard.h"
#include "pipeline/report/terminal.h"

enum { DEFAULT_POSITIONS = 2000, DEFAULT_SEED = 1, SOURCE_SIZE = 512, MAGIC_SIZE = 9, FORMATS = 3 };
enum { SIDE_FILE_MAX = 1 << 16 };

/* What the command line asks for. */
struct request {
    const char *from, *path, *arch, *directory; /* directory: of the positions, or NULL */
    bool has_format;
    enum quantize_to to; /* has_format */
    unsigned shift;
    bool quiet;
};

/* Positions to measure on, and words that say which. */
struct positions {
    struct samples samples;
    bool labeled;
    char source[SOURCE_SIZE];
};

static int read_format(const char *text, struct request *request, struct error *err)
{
    request->has_format = text != NULL;
    for (unsigned i = 0; text && i < FORMATS; i++)
        if (!strcmp(text, quantize_to_name((enum quantize_to)i))) {
            request->to = (enum quantize_to)i;
            return 0;
        }
    return text ? error_set(err, ERROR_USAGE,
                            "--to: expected safetensors, bullet or nnue, not "
                            "\"%s\"",
                            text)
                : 0;
}

/* Does the file hold a net, of any kind that is written here? */
static bool is_net(const char *path)
{
    char magic[MAGIC_SIZE], *side = file_name_format(NULL, "%s.arch", path);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(magic, 1, sizeof magic, file) : 0;
    bool has_side = side && file_exists(side);
    free(side);
    if (file)
        (void)fclose(file);
    return has_side || safetensors_detect(magic, size) || container_detect(magic, size);
}

/* The name must end as the format's do; nothing but a net is replaced. */
static int check_output(const struct request *request, enum quantize_to to, struct error *err)
{
    const char *path = request->path, *suffix = quantize_to_suffix(to);
    size_t tail = strlen(suffix), length = strlen(path);
    if (length <= tail || strcmp(path + length - tail, suffix) != 0 ||
        path[length - tail - 1] == '/')
        return error_set(err, ERROR_USAGE, "-o %s: the name of such a net ends in %s", path,
                         suffix);
    if (file_exists(path) && !is_net(path))
        return error_set(err, ERROR_FAILED, "-o %s: is there and no net, and is not replaced",
                         path);
    return 0;
}

/* The format that this net has, which must be the one asked for. */
static int check_format(const struct request *request, enum quantize_to to, const char *kind,
                        struct error *err)
{
    if (request->has_format && request->to != to)
        return error_set(err, ERROR_USAGE, "--to %s: %s nets are written as %s",
                         quantize_to_name(request->to), kind, quantize_to_name(to));
    return check_output(request, to, err);
}

static int read_request(const struct invocation *invocation, struct request *request,
                        struct error *err)
{
    long long shift;
    *request = (struct request){.from = invocation->arguments[0],
                                .path = invocation_value(invocation, "o"),
                                .arch = invocation_value(invocation, "arch"),
                                .directory = invocation_value(invocation, "positions"),
                                .quiet = invocation->quiet};
    if (!request->path)
        return error_set(err, ERROR_USAGE, "-o NET is missing: where the net shall be written");
    if (!strcmp(request->from, request->path))
        return error_set(err, ERROR_USAGE, "-o %s would replace the float net", request->path);
    if (read_format(invocation_value(invocation, "to"), request, err) ||
        invocation_integer(invocation, "shift", QUANTIZE_SHIFT_LOW, QUANTIZE_SHIFT_HIGH,
                           QUANTIZE_SHIFT, &shift, err))
        return -1;
    request->shift = (unsigned)shift;
    return 0;
}

/* The validation records of a build, or those of test where there are none. */
static int load_records(const struct invocation *invocation, const char *directory,
                        struct positions *positions, struct error *err)
{
    struct build *build;
    int result = 0;
    if (netarg_build(invocation, directory, &build, err))
        return -1;
    for (int split = 1; split < BUILD_SPLITS && !positions->samples.count && !result; split++) {
        result = netarg_samples(build, split, &positions->samples, err);
        snprintf(positions->source, SOURCE_SIZE, "the %s records of %s", build_split_names[split],
                 directory);
    }
    if (!result && !positions->samples.count)
        result = error_set(err, ERROR_FAILED, "%s: no validation or test records to measure on",
                           directory);
    build_close(build);
    return result;
}

static int load_positions(const struct invocation *invocation, const struct request *request,
                          struct positions *positions, struct error *err)
{
    memset(positions, 0, sizeof *positions);
    positions->labeled = request->directory != NULL;
    if (request->directory)
        return load_records(invocation, request->directory, positions, err);
    snprintf(positions->source, SOURCE_SIZE, "random games (use --positions DIR for real ones)");
    return playout_samples(DEFAULT_SEED, DEFAULT_POSITIONS, &positions->samples, err);
}

static void print_row(const struct attribution *table, const struct attribution_row *row)
{
    if (!row->possible) {
        printf("%-12s %9s (the multiplier does not fit)\n", row->name, "-");
        return;
    }
    printf("%-12s %9.3f %9.3f %9.3f", row->name, row->mean, row->p99, row->max);
    if (table->has_cost)
        printf(" %+11.3f %%", 100 * row->cost);
    printf("\n");
}

static void print_table(const struct attribution *table, const char *source)
{
    printf("Rounding error against the float net in cp, over %s positions of %s:\n\n",
           TERMINAL_NUMBER(table->positions), source);
    printf("%-12s %9s %9s %9s%s\n", "rounded", "mean", "p99", "max",
           table->has_cost ? "       WDL-MSE" : "");
    for (unsigned i = 0; i < table->count; i++)
        print_row(table, &table->rows[i]);
    if (table->has_cost)
        printf("\nWDL-MSE of the float net: %.6f; the column says what it becomes.\n",
               table->wdl_mse);
}

static void print_multipliers(const struct quantized *q)
{
    printf("\n%-12s %12s %12s %15s\n", "multiplier", "value", "M", "relative error");
    for (unsigned i = 0; i < 3; i++)
        printf("m%-11u %12.8f %12d %15.2g\n", i + 1, q->factor[i], (int)q->net.multiplier[i],
               quantize_relative_error(q->factor[i], q->net.multiplier[i], q->net.shift));
}

static json_t *row_json(const struct attribution *table, const struct attribution_row *row)
{
    json_t *out = json_pack("{s:s, s:b}", "rounded", row->name, "possible", row->possible);
    if (row->possible)
        (void)json_object_update_new(
            out, json_pack("{s:f, s:f, s:f}", "mean", row->mean, "p99", row->p99, "max", row->max));
    if (row->possible && table->has_cost)
        (void)json_object_set_new(out, "cost", json_real(row->cost));
    return out;
}

static int print_json(const struct attribution *table, const char *source,
                      const struct quantized *q, struct error *err)
{
    json_t *rows = json_array(), *multipliers = q ? json_array() : NULL;
    for (unsigned i = 0; i < table->count; i++)
        (void)json_array_append_new(rows, row_json(table, &table->rows[i]));
    for (unsigned i = 0; q && i < 3; i++)
        (void)json_array_append_new(multipliers, json_pack("{s:f, s:i, s:i}", "value", q->factor[i],
                                                           "m", (int)q->net.multiplier[i], "shift",
                                                           (int)q->net.shift));
    json_t *report =
        json_pack("{s:I, s:s, s:o*, s:o, s:o*}", "positions", (json_int_t)table->positions,
                  "source", source, "wdl_mse", table->has_cost ? json_real(table->wdl_mse) : NULL,
                  "rows", rows, "multipliers", multipliers);
    int status = report && json_dumpf(report, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0
                     ? 0
                     : error_set(err, ERROR_FAILED, "the result is no JSON");
    printf("\n");
    json_decref(report);
    return status;
}

/* q: of 769-H1-H2-1, else NULL. */
static int print_result(const struct invocation *invocation, const struct attribution *table,
                        const char *source, const struct quantized *q, struct error *err)
{
    if (invocation_has(invocation, "json"))
        return print_json(table, source, q, err);
    print_table(table, source);
    if (q)
        print_multipliers(q);
    return 0;
}

/* The origin of a float net, which the new one shares. texts point into origin. */
static int read_origin(const char *from, struct origin *origin, struct text_out *texts,
                       size_t *count, struct error *err)
{
    if (origin_read(from, origin, err))
        return -1;
    *count = origin_texts(origin, texts);
    return 0;
}

/* 769-H1-H2-1: written once the library computes from the bytes what the reference does. */
static int write_tiny(const struct request *request, const struct quantized *q,
                      const struct samples *samples, struct error *err)
{
    struct text_out texts[ORIGIN_TEXTS];
    struct origin origin;
    struct buffer bytes;
    size_t count;
    int result;
    buffer_init(&bytes, TINYNET_FILE_MAX);
    result = read_origin(request->from, &origin, texts, &count, err);
    if (!result)
        result = tinynet_encode_int(&q->net, q->scale, texts, count, &bytes, err);
    if (!result)
        result = quantize_check(q, bytes.data, bytes.length, samples, err);
    if (!result)
        result = file_write_all(request->path, bytes.data, bytes.length, err);
    buffer_free(&bytes);
    return result;
}

static int quantize_tiny(const struct invocation *invocation, const struct request *request,
                         const struct tinynnue_float *net, struct error *err)
{
    struct positions positions;
    struct attribution table;
    struct quantized q;
    int result = -1;
    if (check_format(request, QUANTIZE_SAFETENSORS, "769->H1->H2->1", err))
        return -1;
    if (quantize_net(net, request->shift, &q, err))
        return error_prefix(err, "%s", request->from);
    if (!load_positions(invocation, request, &positions, err) &&
        !attribution_measure(net, request->shift, positions.samples.items, positions.samples.count,
                             positions.labeled, &table, err) &&
        !write_tiny(request, &q, &positions.samples, err)) {
        result = print_result(invocation, &table, positions.source, &q, err);
    }
    samples_free(&positions.samples);
    quantized_free(&q);
    return result;
}

/* NET.arch: what the net is, then its origin. */
static int write_side_file(const struct request *request, const char *arch,
                           const struct text_out *texts, size_t count, struct error *err)
{
    char *side = file_name_format(err, "%s.arch", request->path);
    struct buffer text;
    int result;
    buffer_init(&text, SIDE_FILE_MAX);
    result = side ? buffer_printf(&text, err, "%s\n", arch) : -1;
    for (size_t i = 0; i < count && !result; i++)
        result = buffer_printf(&text, err, "%s=%s\n", texts[i].key, texts[i].value);
    if (!result)
        result = file_write_all(side, text.data, text.length, err);
    buffer_free(&text);
    free(side);
    return result;
}

/* An integer net with two sides, ready to be written. */
struct wide_file {
    struct buffer bytes;
    char arch[QUANTIZE_ARCH_MAX];
    struct origin origin;
    struct text_out texts[ORIGIN_TEXTS]; /* point into origin */
    size_t text_count;
};

/* The side file first: a net without it says nothing, it without a net does no harm. */
static int write_wide(const struct request *request, const struct wide_file *file,
                      struct error *err)
{
    if (file->arch[0] && write_side_file(request, file->arch, file->texts, file->text_count, err))
        return -1;
    return file_write_all(request->path, file->bytes.data, file->bytes.length, err);
}

static int measure_and_write(const struct invocation *invocation, const struct request *request,
                             const struct quantize_wide *net, const struct wide_file *file,
                             struct error *err)
{
    struct positions positions;
    struct attribution table;
    int result = -1;
    if (!load_positions(invocation, request, &positions, err) &&
        !attribution_measure_wide(net, &file->bytes, file->arch, &positions.samples,
                                  positions.labeled, &table, err) &&
        !write_wide(request, file, err)) {
        result = print_result(invocation, &table, positions.source, NULL, err);
    }
    samples_free(&positions.samples);
    return result;
}

static int quantize_wide_net(const struct invocation *invocation, const struct request *request,
                             const struct quantize_wide *net, struct error *err)
{
    struct wide_file file;
    int result = -1;
    if (check_format(request, net->to, "such", err))
        return -1;
    buffer_init(&file.bytes, PLYNNUE_FILE_MAX);
    if (!read_origin(request->from, &file.origin, file.texts, &file.text_count, err)) {
        result =
            quantize_wide_encode(net, file.texts, file.text_count, &file.bytes, file.arch, err);
        if (result)
            error_prefix(err, "%s", request->from);
        else
            result = measure_and_write(invocation, request, net, &file, err);
    }
    buffer_free(&file.bytes);
    return result;
}

/* Of another kind than those with two sides. */
static int quantize_other(const struct invocation *invocation, const struct request *request,
                          struct error *err)
{
    struct tinynet net;
    int result;
    if (tinynet_load(request->from, &net, err))
        return -1;
    if (net.is_float)
        result = quantize_tiny(invocation, request, &net.floats, err);
    else
        result = error_set(err, ERROR_FAILED, "%s holds integers already: a float net is needed",
                           request->from);
    tinynet_free(&net);
    return result;
}

static int run_quantize(struct invocation *invocation, struct error *err)
{
    struct request request;
    struct quantize_wide net;
    int result;
    if (read_request(invocation, &request, err))
        return -1;
    result = quantize_wide_load(request.from, request.arch, &net, err);
    if (result > 0)
        result = quantize_wide_net(invocation, &request, &net, err);
    else if (!result)
        result = quantize_other(invocation, &request, err);
    quantize_wide_free(&net);
    if (!result)
        result = modelcard_write(request.path, request.from, err);
    if (!result && !request.quiet)
        fprintf(stderr, "wrote %s\n", request.path);
    return result;
}

const struct command command_quantize = {
    .name = "quantize",
    .arguments = "NET -o NET",
    .summary = "turns a float net into an integer net and says what the rounding costs",
    .details =
        "769->H1->H2->1 becomes int8 safetensors: per tensor, symmetric, with requantisation "
        "multipliers scaled by 2^S. (768xK->N)x2->1xB becomes bullet's quantised.bin (int16) with "
        "a side file NET.arch, halfka safetensors with int16 and int8, halfkp a .nnue of "
        "Stockfish 12. A value that does not fit its integer is an error.\n"
        "The table shows the error of rounding one thing at a time, and last the integer net as it "
        "was written and read back, measured on the validation records of a build directory (then "
        "also as a change of WDL-MSE), or on positions of random games. A model card, "
        "NAME.card.md, "
        "is written beside the net.",
    .minimum = 1,
    .maximum = 1,
    .options = {{"o", "NET",
                 "the net to write, .safetensors, .bin or .nnue; an older net is "
                 "replaced"},
                {"to", "FORMAT", "safetensors, bullet or nnue; default: what the net has"},
                {"shift", "S", "bits of the requantisation shift, 16 to 30; default: 24"},
                {"positions", "DIR", "build directory whose validation records are measured on"},
                {"arch", "TEXT", "what the file does not say, as for eval"},
                {"json", NULL, "the table as JSON"}},
    .examples = {"plymill quantize tiny.safetensors -o tiny-int8.safetensors --positions tiny",
                 "plymill quantize wide.safetensors --to bullet -o quantised.bin"},
    .run = run_quantize,
};
