/* SPDX-License-Identifier: MIT */
/*
 * The look ahead: games, labels and core days of a build that has not begun.
 */
#include "pipeline/cli/estimate.h"

#include <inttypes.h>
#include <string.h>

#include "formats/gameid.h"
#include "labeler/signature_positions.h"
#include "pipeline/report/html.h"
#include "pipeline/report/plural.h"
#include "pipeline/stages/datasetinput.h"
#include "pipeline/stages/gamefilter.h"
#include "pipeline/stages/inputs.h"
#include "pipeline/stages/label.h"
#include "pipeline/stages/sampler.h"

/*
 * Share of a label of SIGNATURE_NODES that does not depend on the nodes: Stockfish 15.1 takes
 * 2.5 ms for 1,000 nodes and 15 ms for 10,000.
 */
#define FIXED_SHARE 0.075
#define DAY         86400.0

double estimate_label_seconds(double signature_seconds, double nodes)
{
    double label = signature_seconds / SIGNATURE_POSITIONS;
    return label * (FIXED_SHARE + (1 - FIXED_SHARE) * nodes / SIGNATURE_NODES);
}

struct look {
    const struct build *build;
    struct gamefilter filter;
    struct sampler_rule rule;
    struct sampler *sampler;
    uint64_t games, used, samples; /* of the archive at hand */
};

static bool want_game(void *context, const struct pgn_game *game)
{
    const struct look *look = context;
    return gamefilter_judge(&look->filter, game) == REFUSAL_NONE;
}

static int look_at_game(struct look *look, const struct pgn_game *game, struct error *err)
{
    char id[GAMEID_MAX];
    const struct sampler_pick *picks;
    struct sampler_counts counts;
    look->games++;
    if (game->reject != PGN_ACCEPTED)
        return 0;
    if (gameid_from_moves(&game->start, game->moves, game->plies, id) < 0)
        return error_memory(err);
    if (sampler_take(look->sampler, &look->rule, game, id, &picks, &counts, err) < 0)
        return -1;
    look->used += counts.taken > 0;
    look->samples += counts.taken;
    return 0;
}

/* 1: there is more than was looked at, 0: that was all, -1. A damaged archive has more. */
static int look_at_games(struct look *look, struct pgn *pgn, struct error *err)
{
    const struct pgn_game *game;
    int status = 1;
    while (status == 1 && look->games < ESTIMATE_GAMES) {
        if (build_check_stop(look->build, err) < 0)
            return -1;
        struct error ignored;
        status = pgn_next(pgn, &game, &ignored);
        if (status == 1 && look_at_game(look, game, err) < 0)
            return -1;
    }
    return status != 0;
}

static int look_at_archive(struct look *look, const char *path, struct estimate *estimate,
                           struct error *err)
{
    struct reader *reader = NULL;
    struct pgn *pgn = NULL;
    const struct pgn_options options = {.variants = gamefilter_variants(look->build->settings)};
    const struct pgn_visitor visitor = {.context = look, .want = want_game};
    look->games = look->used = look->samples = 0;
    int status = reader_open(path, false, &reader, err);
    if (status == 0)
        status = pgn_new(reader, &options, &visitor, &pgn, err);
    if (status == 0)
        status = look_at_games(look, pgn, err);
    if (status >= 0) {
        double taken = (double)reader_position(reader);
        double rest = status == 1 && taken > 0 ? (double)reader_file_size(reader) / taken : 1;
        rest = rest < 1 ? 1 : rest;
        estimate->exact = estimate->exact && status == 0;
        estimate->games += rest * (double)look->games;
        estimate->used += rest * (double)look->used;
        estimate->labels += rest * (double)look->samples;
    }
    pgn_free(pgn);
    reader_close(reader);
    return status < 0 ? -1 : 0;
}

/* input.fraction and input.max_games */
static void cut(const struct settings *settings, struct estimate *estimate)
{
    double fraction = settings_real(settings, "input.fraction"), most = estimate->used;
    if (settings_is_set(settings, "input.max_games"))
        most = (double)settings_integer(settings, "input.max_games");
    double share = fraction;
    if (fraction < 1)
        estimate->exact = false;
    if (estimate->used * fraction > most) {
        estimate->exact = false; /* of the labels: which games stay is not known */
        share = most / estimate->used;
    }
    estimate->used *= share;
    estimate->labels *= share;
}

static void add_time(const struct build *build, struct estimate *estimate)
{
    double per_label = 0;
    for (int split = 0; split < BUILD_SPLITS; split++) {
        uint8_t kind;
        uint64_t limit;
        double share =
            (double)settings_integer_item(build->settings, "split.shares", (size_t)split) / 100;
        label_limit(build->settings, split, &kind, &limit);
        if (kind != LIMIT_NODES)
            return;
        per_label += share * estimate_label_seconds(build->signature_seconds, (double)limit);
    }
    estimate->core_seconds = per_label * estimate->labels;
}

int estimate_make(const struct build *build, struct estimate *estimate, struct error *err)
{
    struct inputs inputs = {0};
    struct look look = {.build = build, .sampler = sampler_new()};
    *estimate = (struct estimate){.exact = true, .workers = label_workers(build->settings)};
    int status = look.sampler ? 0 : error_memory(err);
    gamefilter_from(build->settings, &look.filter);
    sampler_rule_from(build->settings, &look.rule);
    if (status == 0)
        status = inputs_find(build, &inputs, err);
    for (size_t i = 0; i < inputs.count && status == 0; i++) {
        const char *path = inputs.items[i].path;
        if (strcmp(path, "-") == 0 || datasetinput_is(path))
            estimate->partial = true;
        else
            status = look_at_archive(&look, path, estimate, err);
    }
    estimate->files = inputs.count;
    if (status == 0) {
        cut(build->settings, estimate);
        if (look.rule.source == SOURCE_ENGINE)
            add_time(build, estimate);
    }
    inputs_free(&inputs);
    sampler_free(look.sampler);
    return status;
}

/* "about 2,000,000": what is not exact is rounded to three digits. */
static void write_count(double count, bool exact, FILE *out)
{
    char number[HTML_NUMBER_SIZE];
    double unit = 1;
    while (!exact && count / unit >= 1000)
        unit *= 10;
    html_format_integer((int64_t)(count / unit + 0.5) * (int64_t)unit, number);
    fprintf(out, "%s%s", exact ? "" : "about ", number);
}

static void write_time(double seconds, const char *prefix, FILE *out)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{DAY, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    size_t i = 0;
    while (i < 3 && seconds < 1.5 * units[i].seconds && (i > 0 || seconds < DAY))
        i++;
    double count = seconds / units[i].seconds;
    fprintf(out, "%.*f %s%s", count < 10 ? 1 : 0, count, prefix, units[i].name);
}

static void write_limit(const struct build *build, FILE *out)
{
    char number[HTML_NUMBER_SIZE];
    uint8_t kind;
    for (int split = 0; split < 2; split++) {
        uint64_t limit, held_out;
        label_limit(build->settings, split, &kind, &limit);
        label_limit(build->settings, 1, &kind, &held_out);
        html_format_integer((int64_t)limit, number);
        if (split == 1 || limit != held_out)
            fprintf(out, split == 0 ? " of %s (train) and" : " of %s", number);
    }
    fprintf(out, kind == LIMIT_NODES ? " nodes" : " plies of depth");
}

void estimate_write(const struct estimate *estimate, const struct build *build, FILE *out)
{
    bool engine = sampler_source_from(build->settings) == SOURCE_ENGINE;
    fprintf(out, "plymill: %s: ", build->directory);
    write_count(estimate->games, estimate->exact || estimate->games < 1, out);
    fprintf(out, " %s in %zu %s, ", plural((uint64_t)(estimate->games + 0.5), "game", "games"),
            estimate->files, plural(estimate->files, "file", "files"));
    write_count(estimate->used, estimate->exact, out);
    fprintf(out, " used, ");
    write_count(estimate->labels, estimate->exact, out);
    fprintf(out, engine ? " labels" : " samples that bring their labels");
    if (engine)
        write_limit(build, out);
    fprintf(out, "%s\n", estimate->partial ? "; what pipes and datasets hold comes on top" : "");
    if (estimate->core_seconds <= 0 || estimate->labels < 1)
        return;
    if (estimate->core_seconds < 1) {
        fprintf(out, "plymill: less than a core second\n");
        return;
    }
    fprintf(out, "plymill: about ");
    write_time(estimate->core_seconds, "core ", out);
    fprintf(out, " (%.1f ms a label), ", 1000 * estimate->core_seconds / estimate->labels);
    write_time(estimate->core_seconds / estimate->workers, "", out);
    fprintf(out, " with %u %s\n", estimate->workers,
            plural(estimate->workers, "worker", "workers"));
}
