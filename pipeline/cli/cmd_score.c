/* SPDX-License-Identifier: MIT */
/*
 * See cmd_score.h.
 */
#include "pipeline/cli/cmd_score.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "nnue/tools/score.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/report/report_facts.h"

enum { RANGE_SIZE = 32 };

/* What the command line asks for. */
struct request {
    const char *directory, *nets[SCORE_NETS_MAX];
    unsigned count;
    enum plynnue_isa isa;
    int split;
    bool json;
};

static int read_split(const char *text, int *split, struct error *err)
{
    for (*split = 0; *split < BUILD_SPLITS; ++*split)
        if (!strcmp(text, build_split_names[*split]))
            return 0;
    return error_set(err, ERROR_USAGE, "--split: expected train, validation or test, not \"%s\"",
                     text);
}

/* One argument is a directory, wherever it stands; the others are nets. */
static int read_request(const struct invocation *invocation, struct request *request,
                        struct error *err)
{
    const char *split = invocation_value(invocation, "split");
    *request = (struct request){.json = invocation_has(invocation, "json")};
    for (int i = 0; i < invocation->argument_count; i++) {
        const char *argument = invocation->arguments[i];
        if (file_is_directory(argument) && request->directory)
            return error_set(err, ERROR_USAGE, "%s and %s are both directories: name one",
                             request->directory, argument);
        if (file_is_directory(argument))
            request->directory = argument;
        else if (request->count == SCORE_NETS_MAX)
            return error_set(err, ERROR_USAGE, "at most %d nets at a time", SCORE_NETS_MAX);
        else
            request->nets[request->count++] = argument;
    }
    if (!request->directory)
        return error_set(err, ERROR_USAGE, "none of the arguments is a build directory");
    return read_split(split ? split : "test", &request->split, err) ||
                   netarg_isa(invocation, &request->isa, err)
               ? -1
               : 0;
}

/* The base name, if no other net has the same. */
static const char *short_name(const struct request *request, unsigned net)
{
    const char *name = report_base_name(request->nets[net]);
    for (unsigned i = 0; i < request->count; i++)
        if (i != net && !strcmp(report_base_name(request->nets[i]), name))
            return request->nets[net];
    return name;
}

static int predict_all(const struct request *request, const struct samples *split,
                       struct score_entry *entries, double *cp, struct error *err)
{
    for (unsigned i = 0; i < request->count; i++) {
        const char *path = request->nets[i];
        double *values = cp + (size_t)i * split->count;
        plynnue_net *net;
        int failed;
        if (netarg_open(path, request->isa, &net, err))
            return -1;
        failed = score_predict(net, split, values, err);
        plynnue_net_close(net);
        if (failed)
            return error_prefix(err, "%s", path);
        entries[i] = (struct score_entry){request->json ? path : short_name(request, i), values};
    }
    return 0;
}

static const char *range_text(struct score_interval range, int decimals, char out[RANGE_SIZE])
{
    snprintf(out, RANGE_SIZE, "[%.*f, %.*f]", decimals, range.low, decimals, range.high);
    return out;
}

static void print_rows(const struct score_table *table)
{
    char mse[RANGE_SIZE], mae[RANGE_SIZE], ratio[RANGE_SIZE];
    int width = 15;
    for (unsigned i = 0; i < table->count; i++)
        if ((int)strlen(table->rows[i].name) > width)
            width = (int)strlen(table->rows[i].name);
    printf("%-*s  %8s %-18s  %7s %-16s  %7s  %6s  %6s  %7s %s\n", width, "", "WDL-MSE", "95 %",
           "MAE cp", "95 %", "median", "corr", "sign", "ratio", "95 %");
    for (unsigned i = 0; i < table->count; i++) {
        const struct score_row *row = &table->rows[i];
        printf("%-*s  %8.5f %-18s  %7.1f %-16s  %7.1f  %6.3f  %5.1f%%  %7.3f %s\n", width,
               row->name, row->wdl_mse, range_text(row->wdl_mse_range, 5, mse), row->mae,
               range_text(row->mae_range, 1, mae), row->median, row->correlation, 100 * row->sign,
               row->ratio, range_text(row->ratio_range, 3, ratio));
    }
}

static const char *verdict_text(enum score_verdict verdict)
{
    if (verdict == SCORE_UNDECIDED)
        return "is not proved better or worse than fitted material: the interval does not exclude "
               "1";
    return verdict == SCORE_BETTER ? "is better than fitted material"
                                   : "is worse than fitted material";
}

static void print_verdict(const struct score_row *row)
{
    char range[RANGE_SIZE];
    printf("%s %s (ratio %.3f, 95 %% %s).\n", row->name, verdict_text(score_judge(row)), row->ratio,
           range_text(row->ratio_range, 3, range));
}

static void print_table(const struct score_table *table, const char *split)
{
    static const char terms[MATERIAL_TERMS][6] = {"P", "N", "B", "R", "Q", "tempo"};
    printf("%zu positions of %" PRIu32 " games (%s)\n\n", table->positions, table->games, split);
    print_rows(table);
    printf("\nratio: WDL-MSE by that of fitted material. Intervals: %d resamples of whole games.\n"
           "constant: %.1f cp, the mean of train. fitted on train:",
           SCORE_RESAMPLES, table->constant);
    for (unsigned i = 0; i < MATERIAL_TERMS; i++)
        printf(" %s %.1f", terms[i], table->fitted[i]);
    printf(" cp.\n");
    if (table->mates)
        printf("%" PRIu64 " labels are mates and count as +-%d cp.\n", table->mates,
               SAMPLES_MATE_CP);
    for (unsigned i = 0; i < table->nets; i++)
        print_verdict(&table->rows[i]);
}

static void print_json_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_json_row(const struct score_table *table, unsigned i)
{
    static const char *const verdicts[] = {"better", "worse", "undecided"};
    const struct score_row *row = &table->rows[i];
    printf("%s\n  {\"name\": ", i ? "," : "");
    print_json_string(row->name);
    printf(", \"net\": %s, \"wdl_mse\": %.9g, \"wdl_mse_95\": [%.9g, %.9g], \"mae\": %.9g, "
           "\"mae_95\": [%.9g, %.9g], \"median\": %.9g, \"correlation\": %.9g, \"sign\": %.9g, "
           "\"ratio\": %.9g, \"ratio_95\": [%.9g, %.9g]",
           i < table->nets ? "true" : "false", row->wdl_mse, row->wdl_mse_range.low,
           row->wdl_mse_range.high, row->mae, row->mae_range.low, row->mae_range.high, row->median,
           row->correlation, row->sign, row->ratio, row->ratio_range.low, row->ratio_range.high);
    if (i < table->nets)
        printf(", \"against_material\": \"%s\"", verdicts[score_judge(row)]);
    printf("}");
}

static void print_json(const struct score_table *table, const char *split)
{
    printf("{\"split\": \"%s\", \"positions\": %zu, \"games\": %" PRIu32 ", \"mates\": %" PRIu64
           ",\n \"constant\": %.9g, \"material_fitted\": [",
           split, table->positions, table->games, table->mates, table->constant);
    for (unsigned i = 0; i < MATERIAL_TERMS; i++)
        printf("%s%.9g", i ? ", " : "", table->fitted[i]);
    printf("],\n \"rows\": [");
    for (unsigned i = 0; i < table->count; i++)
        print_json_row(table, i);
    printf("\n]}\n");
}

static int score_and_print(const struct request *request, const struct samples *train,
                           const struct samples *split, struct error *err)
{
    const char *name = build_split_names[request->split];
    struct score_entry entries[SCORE_NETS_MAX];
    struct score_table *table = malloc(sizeof *table);
    double *cp = calloc(request->count * split->count + 1, sizeof *cp);
    int result = -1;
    if (!table || !cp) {
        error_memory(err);
        goto out;
    }
    if (predict_all(request, split, entries, cp, err))
        goto out;
    if (score_measure(train, split, entries, request->count, table, err)) {
        error_prefix(err, "%s", request->directory);
        goto out;
    }
    if (request->json)
        print_json(table, name);
    else
        print_table(table, name);
    result = 0;
out:
    free(table);
    free(cp);
    return result;
}

static int check_not_empty(const struct request *request, const struct samples *train,
                           const struct samples *split, struct error *err)
{
    if (!train->count)
        return error_set(err, ERROR_FAILED, "%s: no records in train, to fit the baselines on",
                         request->directory);
    if (!split->count)
        return error_set(err, ERROR_FAILED,
                         "%s: no records in %s: take another with --split, or other split.shares",
                         request->directory, build_split_names[request->split]);
    return 0;
}

static int run_score(struct invocation *invocation, struct error *err)
{
    struct request request;
    struct build *build = NULL;
    struct samples train = {0}, split = {0};
    int result = -1;
    if (read_request(invocation, &request, err) ||
        netarg_build(invocation, request.directory, &build, err) ||
        netarg_samples(build, 0, &train, err) ||
        netarg_samples(build, request.split, &split, err) ||
        check_not_empty(&request, &train, &split, err))
        goto out;
    result = score_and_print(&request, &train, &split, err);
    if (!result)
        result = netarg_warn(build, request.nets, request.count, err);
out:
    samples_free(&train);
    samples_free(&split);
    build_close(build);
    return result;
}

const struct command command_score = {
    .name = "score",
    .arguments = "NET... DIR",
    .summary = "measures nets on held-out games, beside counting material",
    .details =
        "WDL-MSE is the mean of (sigmoid(cp/400) - sigmoid(label/400))^2, MAE cp the mean of "
        "|cp - label| and median its middle value; corr is Pearson's correlation of cp and label "
        "from White's view; sign is the share of the positions with a label other than 0 for which "
        "both have the same sign (a value of 0 never agrees); ratio is WDL-MSE by that of fitted "
        "material.\nThe intervals come from resampling whole games, since positions of one game "
        "are not independent. Beside the nets stand a constant, material 1/3/3/5/9 and material "
        "fitted on train. A warning says when a net was trained on other records than this "
        "build's.",
    .minimum = 2,
    .maximum = -1,
    .options = {{"split", "NAME", "train, validation or test; default: test"},
                {"json", NULL, "the same numbers as JSON"},
                NETARG_ISA_OPTION},
    .examples = {"plymill score tiny.safetensors tiny-int8.safetensors tiny"},
    .no_progress = true,
    .run = run_score,
};
