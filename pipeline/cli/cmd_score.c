/* SPDX-License-Identifier: MIT */
/*
 * See cmd_score.h.
 */
#include "pipeline/cli/cmd_score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/codec_file.h"
#include "formats/io/file.h"
#include "nnue/tools/score.h"
#include "nnue/tools/score_condition.h"
#include "nnue/tools/score_net.h"
#include "pipeline/cli/formatarg.h"
#include "pipeline/cli/netarg.h"
#include "pipeline/cli/score_print.h"
#include "pipeline/report/inspect_unit.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/stages/select.h"

/* What the command line asks for. */
struct request {
    const char *source; /* build directory or dataset file */
    const char *fit_on; /* the same; NULL: train of the build, or the file itself */
    const char *paths[SCORE_NETS_MAX], *names[SCORE_NETS_MAX];
    unsigned count;
    const char *arch;
    enum plynnue_isa isa;
    struct score_unit unit;
    double scale, from_scale; /* from_scale: 0 when not given */
    int split;
    struct score_condition condition;
    bool has_condition, json;
};

/* All that is measured and fitted on. */
struct session {
    struct request request;
    struct build *build; /* of source; NULL: a file */
    struct score_set set, fit;
    const struct samples *fit_on; /* fit's, or the set's own */
    struct score_sheet sheet;
    struct score_table table;
    struct score_unit units[SCORE_NETS_MAX];
    struct score_entry entries[SCORE_NETS_MAX];
    double *cp; /* [nets][positions] */
};

static int read_split(const char *text, int *split, struct error *err)
{
    for (*split = 0; *split < BUILD_SPLITS; ++*split)
        if (!strcmp(text, build_split_names[*split]))
            return 0;
    return error_set(err, ERROR_USAGE, "--split: expected train, validation or test, not \"%s\"",
                     text);
}

static int read_real(const char *option, const char *text, double low, double high, double *value,
                     struct error *err)
{
    char *end;
    if (!text)
        return 0;
    *value = strtod(text, &end);
    if (end == text || *end || !(*value >= low && *value <= high))
        return error_set(err, ERROR_USAGE, "--%s: expected a number from %g to %g, not \"%s\"",
                         option, low, high, text);
    return 0;
}

static int read_unit(const char *text, struct score_unit *unit, struct error *err)
{
    *unit = (struct score_unit){.from = SCORE_UNIT_AUTO};
    if (!text)
        return 0;
    unit->from = !strcmp(text, "fit")   ? SCORE_UNIT_FITTED
                 : !strcmp(text, "own") ? SCORE_UNIT_OWN
                                        : SCORE_UNIT_GIVEN;
    return unit->from == SCORE_UNIT_GIVEN
               ? read_real("unit-cp", text, CODEC_SCALE_MIN, CODEC_SCALE_MAX, &unit->cp, err)
               : 0;
}

static int add_net(struct request *request, const char *path, struct error *err)
{
    if (request->count == SCORE_NETS_MAX)
        return error_set(err, ERROR_USAGE, "at most %d nets at a time", SCORE_NETS_MAX);
    request->paths[request->count++] = path;
    return 0;
}

/* A build directory may stand anywhere, a dataset file stands last; the others are nets. */
static int read_arguments(const struct invocation *invocation, struct request *request,
                          struct error *err)
{
    int last = invocation->argument_count - 1;
    for (int i = 0; i <= last; i++) {
        const char *argument = invocation->arguments[i];
        if (!file_is_directory(argument))
            continue;
        if (request->source)
            return error_set(err, ERROR_USAGE, "%s and %s are both directories: name one",
                             request->source, argument);
        request->source = argument;
    }
    if (!request->source && file_exists(invocation->arguments[last]) &&
        !score_is_foreign(invocation->arguments[last]))
        return error_set(err, ERROR_USAGE,
                         "none of the arguments is a build directory, and the last, %s, is a net",
                         invocation->arguments[last]);
    if (!request->source)
        request->source = invocation->arguments[last];
    for (int i = 0; i <= last; i++)
        if (invocation->arguments[i] != request->source &&
            add_net(request, invocation->arguments[i], err))
            return -1;
    return 0;
}

/* The base name, if no other net has the same. */
static const char *short_name(const struct request *request, unsigned net)
{
    const char *name = report_base_name(request->paths[net]);
    for (unsigned i = 0; i < request->count; i++)
        if (i != net && !strcmp(report_base_name(request->paths[i]), name))
            return request->paths[net];
    return name;
}

static int read_request(const struct invocation *invocation, struct request *request,
                        struct error *err)
{
    const char *split = invocation_value(invocation, "split");
    const char *condition = invocation_value(invocation, "fail-if");
    *request = (struct request){.json = invocation_has(invocation, "json"),
                                .fit_on = invocation_value(invocation, "fit-on"),
                                .arch = invocation_value(invocation, "arch"),
                                .has_condition = condition != NULL,
                                .scale = SCORE_SCALE};
    if (read_arguments(invocation, request, err) ||
        read_split(split ? split : "test", &request->split, err) ||
        netarg_isa(invocation, &request->isa, err) ||
        read_unit(invocation_value(invocation, "unit-cp"), &request->unit, err) ||
        read_real("scale", invocation_value(invocation, "scale"), SCORE_SCALE_MIN, SCORE_SCALE_MAX,
                  &request->scale, err) ||
        read_real("from-scale", invocation_value(invocation, "from-scale"), CODEC_SCALE_MIN,
                  CODEC_SCALE_MAX, &request->from_scale, err))
        return -1;
    for (unsigned i = 0; i < request->count; i++)
        request->names[i] = short_name(request, i);
    if (!condition || !score_condition_parse(condition, request->count, &request->condition, err))
        return 0;
    return error_prefix(err, "--fail-if");
}

static int load_split(struct build *build, int split, struct score_set *set, struct error *err)
{
    const struct codec_options options = {
        .score_scale = 1,
        .last_exact = !strcmp(settings_string(build->settings, "label.score"), "last-exact")};
    char *path = select_record_path(build, split, err);
    int result = path ? score_set_load(path, &codec_rec, &options, set, err) : -1;
    free(path);
    return result;
}

/* What a written score of 1 is: as given, as a manifest says, or centipawns. */
static void choose_scale(const struct request *request, const char *path, const struct codec *codec,
                         struct codec_options *options, bool *assumed)
{
    struct inspect_unit unit;
    options->score_scale = 1;
    *assumed = false;
    if (codec->centipawns)
        return;
    if (request->from_scale > 0)
        options->score_scale = request->from_scale;
    else if (inspect_find_unit(path, codec, &unit))
        options->score_scale = unit.scale;
    else
        *assumed = codec->internal_unit;
}

static int load_file(const struct invocation *invocation, const struct request *request,
                     const char *path, struct score_set *set, struct score_sheet *sheet,
                     struct error *err)
{
    struct codec_options options = {.validate = true};
    const struct codec *codec;
    if (formatarg_input(invocation, path, &codec, err))
        return -1;
    choose_scale(request, path, codec, &options, &sheet->unit_is_assumed);
    sheet->format = codec->name;
    return score_set_load(path, codec, &options, set, err);
}

static int load_source(struct session *s, const struct invocation *invocation, struct error *err)
{
    const char *source = s->request.source;
    s->sheet.source = source;
    if (!file_is_directory(source))
        return load_file(invocation, &s->request, source, &s->set, &s->sheet, err);
    s->sheet.split = build_split_names[s->request.split];
    s->sheet.format = "rec";
    return netarg_build(invocation, source, &s->build, err) ||
                   load_split(s->build, s->request.split, &s->set, err)
               ? -1
               : 0;
}

/* The positions that baselines and units are fitted on. */
static int load_fit(struct session *s, const struct invocation *invocation, struct error *err)
{
    const char *path = s->request.fit_on;
    struct score_sheet unused = {.format = NULL};
    struct build *build = NULL;
    int result;
    s->fit_on = &s->fit.samples;
    s->sheet.fitted_on = path ? path : "train";
    if (path && !file_is_directory(path))
        return load_file(invocation, &s->request, path, &s->fit, &unused, err);
    if (path) {
        result = netarg_build(invocation, path, &build, err) || load_split(build, 0, &s->fit, err)
                     ? -1
                     : 0;
        build_close(build);
        return result;
    }
    if (s->build)
        return load_split(s->build, 0, &s->fit, err);
    s->fit_on = &s->set.samples;
    s->sheet.fitted_on = "the same positions";
    s->sheet.fitted_on_itself = true;
    return 0;
}

static int check_not_empty(const struct session *s, struct error *err)
{
    if (!s->set.samples.count && s->sheet.split)
        return error_set(err, ERROR_FAILED,
                         "%s: no records in %s: take another with --split, or other split.shares",
                         s->sheet.source, s->sheet.split);
    if (!s->set.samples.count)
        return error_set(err, ERROR_FAILED, "%s: no record with a score", s->sheet.source);
    if (!s->fit_on->count)
        return error_set(err, ERROR_FAILED, "%s: no records in %s, to fit the baselines on",
                         s->request.fit_on ? s->request.fit_on : s->sheet.source,
                         s->request.fit_on ? "it" : "train");
    return 0;
}

static int predict(struct session *s, unsigned net, struct error *err)
{
    const struct request *request = &s->request;
    const char *path = request->paths[net];
    size_t count = s->set.samples.count;
    double *cp = s->cp + net * count;
    bool foreign = score_is_foreign(path);
    plynnue_net *loaded;
    int result;
    if (netarg_open_as(path, foreign ? request->arch : NULL, request->isa, &loaded, err))
        return -1;
    result = score_values(loaded, &s->set.samples, 0, cp, err);
    if (!result)
        result = score_choose_unit(loaded, foreign, &request->unit, s->fit_on, request->scale, 0,
                                   &s->units[net], err);
    plynnue_net_close(loaded);
    if (result)
        return error_prefix(err, "%s", path);
    for (size_t i = 0; i < count; i++)
        cp[i] *= s->units[net].cp;
    s->entries[net] = (struct score_entry){request->names[net], cp};
    return 0;
}

static int measure(struct session *s, struct error *err)
{
    const struct request *request = &s->request;
    struct score_floor floor;
    s->cp = calloc(request->count * s->set.samples.count + 1, sizeof *s->cp);
    if (!s->cp)
        return error_memory(err);
    for (unsigned i = 0; i < request->count; i++)
        if (predict(s, i, err))
            return -1;
    score_fit_floor(s->fit_on, request->scale, &floor);
    return score_measure(&s->set, s->entries, request->count, &floor, request->scale, 0, &s->table,
                         err);
}

static void print(struct session *s)
{
    s->sheet.table = &s->table;
    s->sheet.unlabeled = s->set.unlabeled;
    s->sheet.paths = s->request.paths;
    s->sheet.units = s->units;
    if (s->request.json)
        score_print_json(&s->sheet);
    else
        score_print_text(&s->sheet);
}

static int judge(const struct session *s, struct error *err)
{
    char line[SCORE_CONDITION_LINE_MAX];
    if (s->request.has_condition && score_condition_holds(&s->request.condition, &s->table, line))
        return error_set(err, ERROR_DIFFERS, "--fail-if holds: %s", line);
    return 0;
}

static int run_session(struct session *s, const struct invocation *invocation, struct error *err)
{
    if (read_request(invocation, &s->request, err) || load_source(s, invocation, err) ||
        load_fit(s, invocation, err) || check_not_empty(s, err) || measure(s, err))
        return -1;
    print(s);
    if (s->build && netarg_warn(s->build, s->request.paths, s->request.count, err))
        return -1;
    return judge(s, err);
}

static int run_score(struct invocation *invocation, struct error *err)
{
    struct session *session = calloc(1, sizeof *session);
    int result;
    if (!session)
        return error_memory(err);
    result = run_session(session, invocation, err);
    score_table_free(&session->table);
    score_set_free(&session->set);
    score_set_free(&session->fit);
    build_close(session->build);
    free(session->cp);
    free(session);
    return result;
}

const struct command command_score = {
    .name = "score",
    .arguments = "NET... DIR|FILE",
    .summary = "measures nets on held-out games, beside counting material",
    .details =
        "Nets of any kind that eval reads, on the records of a build or on a dataset file of any "
        "format.\n"
        "WDL-MSE is the mean of (sigmoid(cp/400) - sigmoid(label/400))^2, MAE cp the mean of "
        "|cp - label| and median its middle value; corr is Pearson's correlation of cp and label "
        "from White's view; sign is the share of the positions with a label other than 0 for which "
        "both have the same sign (a value of 0 never agrees); ratio is WDL-MSE by that of fitted "
        "material. All that is shown for all positions and by number of pieces, size and kind of "
        "label, side to move, source and site.\n"
        "The intervals come from resampling whole games, since positions of one game are not "
        "independent; a file that does not say which game a position is from has none. Beside the "
        "nets stand a constant, material 1/3/3/5/9 and material fitted on train (of a file: on the "
        "file, unless --fit-on names something else). A warning says when a net was trained on "
        "other records than this build's.\n"
        "Nets in .nnue files and quantised.bin files speak in units of their own: what one is "
        "worth in centipawns is fitted on the same positions as the baselines, one number, which "
        "is printed.\n"
        "--fail-if takes [netN.]METRIC > NUMBER [* ROW] (or >=, <, <=), METRIC one of wdl_mse, "
        "mae, median, correlation, sign and ROW one of constant, material, material_fit, net1, "
        "net2, ...; without netN it speaks of every net. When it holds the exit status is 3.",
    .minimum = 2,
    .maximum = -1,
    .options = {{"split", "NAME", "train, validation or test; default: test"},
                {"scale", "CP", "of the sigmoid; default: 400"},
                {"unit-cp", "CP|own|fit",
                 "what a unit of the nets is worth; default: own, fit for "
                 "foreign nets"},
                {"fit-on", "DIR|FILE", "what baselines and units are fitted on"},
                {"fail-if", "CONDITION", "exit with status 3 when it holds"},
                {"from", "FORMAT", "of the dataset file; default: by its name"},
                {"from-scale", "X",
                 "its scores are centipawns times X; default: as its manifest "
                 "says, else 1"},
                {"json", NULL, "the same numbers as JSON (docs/SCORE.md)"},
                NETARG_ARCH_OPTION,
                NETARG_ISA_OPTION},
    .examples = {"plymill score tiny.safetensors tiny-int8.safetensors tiny",
                 "plymill score tiny.safetensors tiny --fail-if 'wdl_mse > 0.62 * material_fit'"},
    .no_progress = true,
    .run = run_score,
};
