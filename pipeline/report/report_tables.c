/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report_tables.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/codec.h"
#include "pipeline/report/report_filters.h"
#include "pipeline/stages/export.h"
#include "pipeline/stages/fate.h"
#include "pipeline/stages/label.h"

#define NUMBER "class=\"number\""

void report_table_begin(struct html *html, const char *class_name, const char *label)
{
    html_open_with(html, "div", "class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"",
                   label);
    html_open_with(html, "table", "class=\"%s\"", class_name);
}

void report_table_end(struct html *html)
{
    html_close(html);
    html_close(html);
}

void report_table_head(struct html *html, const char *const *names)
{
    html_open(html, "thead");
    html_open(html, "tr");
    for (size_t i = 0; names[i]; i++)
        html_element(html, "th", i == 0 ? "scope=\"col\"" : "scope=\"col\" " NUMBER, names[i]);
    html_close(html);
    html_close(html);
}

static void put_integer(struct html *html, int64_t value)
{
    char number[HTML_NUMBER_SIZE];
    html_format_integer(value, number);
    html_element(html, "td", value == 0 ? "class=\"number none\"" : NUMBER, number);
}

static void put_real(struct html *html, double value, int decimals)
{
    char number[HTML_NUMBER_SIZE];
    html_format_real(value, decimals, number);
    html_element(html, "td", NUMBER, number);
}

static void put_share(struct html *html, int64_t part, int64_t whole)
{
    char number[HTML_NUMBER_SIZE];
    html_format_share(part, whole, number);
    html_element(html, "td", part == 0 ? "class=\"number none\"" : NUMBER, number);
}

static void put_heading(struct html *html, const char *text)
{
    html_element(html, "th", "scope=\"row\"", text);
}

/* Where it is too long for its column a path breaks behind a slash first. */
static void put_path(struct html *html, const char *path)
{
    const char *slash = strchr(path, '/');
    html_open_with(html, "th", "scope=\"row\"");
    for (; slash != NULL; path = slash + 1, slash = strchr(path, '/')) {
        html_textf(html, "%.*s", (int)(slash + 1 - path), path);
        html_raw(html, "<wbr/>");
    }
    html_text(html, path);
    html_close(html);
}

/* A row of its own below the row that it belongs to: a digest is too long for a column. */
static void put_digest(struct html *html, int columns, const char *digest)
{
    html_open_with(html, "tr", "class=\"digest\"");
    html_open_with(html, "td", "colspan=\"%d\"", columns);
    html_text(html, digest);
    html_close(html);
    html_close(html);
}

/* <dt>name</dt><dd>value</dd>; class_name may be NULL. */
static void put_fact(struct html *html, const char *name, const char *attributes,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

static void put_fact(struct html *html, const char *name, const char *attributes,
                     const char *format, ...)
{
    char line[CATALOGUE_VALUE_MAX];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(line, sizeof line, format, list);
    va_end(list);
    html_element(html, "dt", NULL, name);
    html_element(html, "dd", attributes, line);
}

/* "a; b": a value of the catalogue that is a list joined by ';', one a line. */
static void put_list(struct html *html, const char *name, const char *attributes, const char *list)
{
    char line[CATALOGUE_VALUE_MAX];
    html_element(html, "dt", NULL, name);
    html_open_with(html, "dd", "%s", attributes);
    while (*list) {
        size_t length = strcspn(list, ";");
        (void)snprintf(line, sizeof line, "%.*s", (int)length, list);
        html_text(html, line);
        list += length;
        if (*list == ';') {
            html_raw(html, "<br>");
            list++;
        }
    }
    html_close(html);
}

static void format_limit(const struct settings *settings, int split, char *out, size_t size)
{
    char number[HTML_NUMBER_SIZE];
    uint8_t kind;
    uint64_t limit;
    label_limit(settings, split, &kind, &limit);
    html_format_integer((int64_t)limit, number);
    (void)snprintf(out, size, kind == LIMIT_DEPTH ? "depth %s" : "%s nodes", number);
}

static void put_limits(struct html *html, const struct settings *settings)
{
    char train[64], held_out[64];
    format_limit(settings, 0, train, sizeof train);
    format_limit(settings, 1, held_out, sizeof held_out);
    if (strcmp(train, held_out) == 0)
        put_fact(html, "Limit", NULL, "%s a position", train);
    else
        put_fact(html, "Limit", NULL, "%s a position in train, %s in validation and test", train,
                 held_out);
}

static const char *reset_text(const char *reset)
{
    if (strcmp(reset, "restart") == 0)
        return "is started anew";
    return strcmp(reset, "clear-hash") == 0 ? "is told to clear its hash" : "is told ucinewgame";
}

void report_write_engine(struct html *html, const struct build *build,
                         const struct report_facts *facts)
{
    bool last_exact = strcmp(settings_string(build->settings, "label.score"), "last-exact") == 0;
    html_open_with(html, "dl", "class=\"facts\"");
    if (strcmp(settings_string(build->settings, "label.source"), "engine") != 0) {
        put_fact(html, "Labels", NULL, "%s", report_facts_labeler(build, facts));
        html_close(html);
        return;
    }
    put_fact(html, "Engine", NULL, "%s", facts->engine_name);
    if (facts->engine_net[0])
        put_fact(html, "Net", "class=\"code\"", "%s", facts->engine_net);
    put_limits(html, build->settings);
    put_fact(html, "Score used", NULL, "%s",
             last_exact ? "the last one without a bound" : "the last one, bounds included");
    put_fact(html, "Before each", NULL, "the engine %s; hash of %" PRId64 " MiB",
             reset_text(settings_string(build->settings, "label.reset")),
             settings_integer(build->settings, "label.hash"));
    if (facts->engine_options[0])
        put_list(html, "Options sent", "class=\"code\"", facts->engine_options);
    if (facts->engine_files[0])
        put_list(html, "Files", "class=\"code\"", facts->engine_files);
    put_fact(html, "Signature", "class=\"code\"", "%s", facts->engine_signature);
    html_close(html);
}

void report_write_inputs(struct html *html, const struct report_facts *facts)
{
    static const char *const names[] = {
        "Input and its SHA-256", "Bytes", "Games", "Rejected", "Plies", NULL};
    report_table_begin(html, "inputs", "Inputs");
    report_table_head(html, names);
    html_open(html, "tbody");
    for (size_t i = 0; i < facts->input_count; i++) {
        const struct catalogue_input *input = &facts->inputs[i];
        html_open(html, "tr");
        put_heading(html, report_base_name(input->path));
        put_integer(html, input->bytes);
        put_integer(html, input->games);
        put_integer(html, input->rejected);
        put_integer(html, input->plies);
        html_close(html);
        put_digest(html, 5, input->sha256);
    }
    html_close(html);
    report_table_end(html);
}

static void put_sampling(struct html *html, const struct settings *settings)
{
    char most[64] = "", last[64] = "";
    int64_t per_game = settings_integer(settings, "sample.per_game");
    if (per_game > 0)
        (void)snprintf(most, sizeof most, "up to %" PRId64, per_game);
    if (settings_is_set(settings, "sample.max_ply"))
        (void)snprintf(last, sizeof last, " to %" PRId64,
                       settings_integer(settings, "sample.max_ply"));
    put_fact(html, "Sampling", NULL, "%s positions a game, from ply %" PRId64 "%s on, %s",
             per_game > 0 ? most : "all", settings_integer(settings, "sample.min_ply"), last,
             settings_boolean(settings, "sample.in_check") ? "in check too" : "none in check");
}

static void put_filters(struct html *html, const struct settings *settings)
{
    struct buffer text;
    buffer_init(&text, CATALOGUE_VALUE_MAX);
    html_element(html, "dt", NULL, "Left out");
    if (report_filters_text(settings, &text, NULL) == 0)
        html_element(html, "dd", NULL, text.data);
    else
        html_element(html, "dd", NULL, "by [filter] of the recipe");
    buffer_free(&text);
}

/* What "the same position" means for duplicates and leaks. */
static const char *same_text(const char *key)
{
    if (strcmp(key, "label-key") == 0)
        return "the same board and half-move clock";
    return strcmp(key, "board") == 0 ? "the same board"
                                     : "the same board, mirrored and with colours changed too";
}

static void put_repeats(struct html *html, const struct settings *settings)
{
    const char *duplicates = settings_string(settings, "split.duplicates");
    if (strcmp(duplicates, "none") == 0)
        put_fact(html, "Duplicates", NULL, "are kept");
    else
        put_fact(html, "Duplicates", NULL, "of positions with %s in a split, one is kept",
                 same_text(duplicates));
    if (strcmp(settings_string(settings, "split.leaks"), "keep") == 0)
        put_fact(html, "Leaks", NULL, "are kept: held-out positions may occur in train");
    else
        put_fact(
            html, "Leaks", NULL,
            "positions of test are left out when train has %s; those of validation, when train or "
            "test has it",
            same_text(settings_string(settings, "split.leak_key")));
}

void report_write_rules(struct html *html, const struct build *build)
{
    const struct settings *settings = build->settings;
    html_open_with(html, "dl", "class=\"facts\"");
    put_sampling(html, settings);
    put_filters(html, settings);
    put_fact(html, "Split by game", NULL,
             "%" PRId64 "\u00a0%% train, %" PRId64 "\u00a0%% validation, %" PRId64 "\u00a0%% test",
             settings_integer_item(settings, "split.shares", 0),
             settings_integer_item(settings, "split.shares", 1),
             settings_integer_item(settings, "split.shares", 2));
    put_repeats(html, settings);
    put_fact(html, "Seeds", NULL, "split %" PRId64 ", sample %" PRId64 ", shuffle %" PRId64,
             settings_integer(settings, "split.seed"), settings_integer(settings, "sample.seed"),
             settings_integer(settings, "shuffle.seed"));
    html_close(html);
}

static void put_bar(struct html *html, int64_t part, int64_t whole, const char *class_name)
{
    double width = whole > 0 ? 100.0 * (double)part / (double)whole : 0;
    html_open_with(html, "td", "class=\"bars\"");
    html_open_with(html, "svg",
                   "viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"");
    html_empty(html, "rect", "width=\"100\" height=\"10\" class=\"track\"");
    if (part > 0)
        html_empty(html, "rect", "width=\"%.2f\" height=\"10\" class=\"%s\"",
                   width < 0.4 ? 0.4 : width, class_name);
    html_close(html);
    html_close(html);
}

/* kind: "whole" what comes in, "part" what is lost, "rest" what goes on. */
static void put_funnel_row(struct html *html, const char *kind, const char *name, int64_t value,
                           int64_t whole)
{
    bool lost = strcmp(kind, "part") == 0;
    html_open_with(html, "tr", "class=\"%s\"", kind);
    put_heading(html, name);
    put_integer(html, value);
    put_share(html, value, whole);
    put_bar(html, value, whole, lost ? "bar-lost" : "bar");
    html_close(html);
}

/* Counts of the stage sample whose name begins with prefix; the rest of the name is the reason. */
static void put_reasons(struct html *html, const struct report_facts *facts, const char *prefix,
                        int64_t whole)
{
    size_t length = strlen(prefix);
    for (size_t i = 0; i < facts->count_count; i++) {
        const struct report_count *count = &facts->counts[i];
        if (strcmp(count->stage, "sample") == 0 && strncmp(count->name, prefix, length) == 0)
            put_funnel_row(html, "part", count->name + length, count->all, whole);
    }
}

static int64_t sum_reasons(const struct report_facts *facts, const char *prefix)
{
    int64_t sum = 0;
    for (size_t i = 0; i < facts->count_count; i++)
        if (strcmp(facts->counts[i].stage, "sample") == 0 &&
            strncmp(facts->counts[i].name, prefix, strlen(prefix)) == 0)
            sum += facts->counts[i].all;
    return sum;
}

static void put_games(struct html *html, const struct report_facts *facts)
{
    int64_t games = report_facts_value(facts, "sample", "games read");
    html_open(html, "tbody");
    put_funnel_row(html, "whole", "Games read", games, games);
    put_reasons(html, facts, "games: ", games);
    put_funnel_row(html, "rest", "Games used", report_facts_value(facts, "sample", "games used"),
                   games);
    html_close(html);
}

static void put_positions(struct html *html, const struct report_facts *facts)
{
    int64_t samples = report_facts_value(facts, "sample", "samples");
    int64_t positions = samples + sum_reasons(facts, "positions: ");
    html_open(html, "tbody");
    put_funnel_row(html, "whole", "Positions looked at", positions, positions);
    put_reasons(html, facts, "positions: ", positions);
    put_funnel_row(html, "rest", "Positions sampled", samples, positions);
    html_close(html);
}

static void put_samples(struct html *html, const struct report_facts *facts)
{
    int64_t samples = report_facts_value(facts, "sample", "samples");
    html_open(html, "tbody");
    put_funnel_row(html, "whole", "Positions labeled", samples, samples);
    for (int fate = 0; fate < FATE_COUNT; fate++) {
        const char *name = fate_text((enum fate)fate);
        if (fate != FATE_KEPT)
            put_funnel_row(html, "part", name, report_facts_value(facts, "select", name), samples);
    }
    put_funnel_row(html, "rest", "Records kept",
                   report_facts_value(facts, "select", fate_text(FATE_KEPT)), samples);
    html_close(html);
}

void report_write_funnel(struct html *html, const struct report_facts *facts)
{
    static const char *const names[] = {"", "Count", "Share", "", NULL};
    report_table_begin(html, "funnel", "From games to records");
    report_table_head(html, names);
    put_games(html, facts);
    put_positions(html, facts);
    put_samples(html, facts);
    report_table_end(html);
}

/* Name, each split, all. */
static void put_split_row(struct html *html, const char *class_name, const char *name,
                          const struct report_count *count)
{
    static const struct report_count none;
    const struct report_count *row = count ? count : &none;
    html_open_with(html, "tr", "class=\"%s\"", class_name);
    put_heading(html, name);
    for (int split = 0; split < BUILD_SPLITS; split++)
        put_integer(html, row->splits[split]);
    put_integer(html, row->all);
    html_close(html);
}

void report_write_fates(struct html *html, const struct report_facts *facts)
{
    const char *const names[] = {
        "Fate", build_split_names[0], build_split_names[1], build_split_names[2], "all", NULL};
    report_table_begin(html, "fates", "Fates by split");
    report_table_head(html, names);
    html_open(html, "tbody");
    for (int fate = 0; fate < FATE_COUNT; fate++) {
        const char *name = fate_text((enum fate)fate);
        put_split_row(html, fate == FATE_KEPT ? "rest" : "part", name,
                      report_facts_find(facts, "select", name));
    }
    put_split_row(html, "whole", "samples", report_facts_find(facts, "sample", "samples"));
    html_close(html);
    report_table_end(html);
}

static double mean(int64_t sum, int64_t count)
{
    return count > 0 ? (double)sum / (double)count : 0;
}

/* One property of the records in four columns. */
enum property {
    COUNT,
    MEDIAN,
    SIZE,
    BOUNDS,
    CLIPPED,
    WHITE_MOVES,
    WINS,
    DRAWS,
    LOSSES,
    PIECES,
    PLY,
    DEPTH,
    NODES
};

static void put_property(struct html *html, enum property property,
                         const struct report_records *records)
{
    switch (property) {
    case COUNT:
        put_integer(html, records->count);
        break;
    case MEDIAN:
        put_real(html, report_median_score(records), 0);
        break;
    case SIZE:
        put_real(html, mean(records->score_size_sum, records->count), 1);
        break;
    case BOUNDS:
        put_share(html, records->bounds, records->count);
        break;
    case CLIPPED:
        put_share(html, records->clipped, records->count);
        break;
    case WHITE_MOVES:
        put_share(html, records->white_moves, records->count);
        break;
    case WINS:
        put_share(html, records->results[RESULT_WHITE_WINS], records->count);
        break;
    case DRAWS:
        put_share(html, records->results[RESULT_DRAW], records->count);
        break;
    case LOSSES:
        put_share(html, records->results[RESULT_BLACK_WINS], records->count);
        break;
    case PIECES:
        put_real(html, mean(records->pieces_sum, records->count), 1);
        break;
    case PLY:
        put_real(html, mean(records->ply_sum, records->count), 1);
        break;
    case DEPTH:
        put_real(html, mean(records->depth_sum, records->searches), 1);
        break;
    case NODES:
        put_real(html, mean(records->nodes_sum, records->counted), 0);
        break;
    }
}

void report_write_records(struct html *html, const struct report_records splits[BUILD_SPLITS],
                          const struct report_records *all)
{
    static const char *const labels[] = {
        [COUNT] = "Records",
        [MEDIAN] = "Median score, cp",
        [SIZE] = "Mean size of the score, cp",
        [BOUNDS] = "Score is a bound",
        [CLIPPED] = "Score beyond \u00b12,000 cp",
        [WHITE_MOVES] = "White to move",
        [WINS] = "Games won by White",
        [DRAWS] = "Games drawn",
        [LOSSES] = "Games won by Black",
        [PIECES] = "Mean number of pieces",
        [PLY] = "Mean ply",
        [DEPTH] = "Mean depth of the search",
        [NODES] = "Mean nodes of the search",
    };
    const char *const names[] = {
        "", build_split_names[0], build_split_names[1], build_split_names[2], "all", NULL};
    report_table_begin(html, "records", "Records by split");
    report_table_head(html, names);
    html_open(html, "tbody");
    for (int property = COUNT; property <= NODES; property++) {
        if ((property == DEPTH && all->searches == 0) || (property == NODES && all->counted == 0))
            continue;
        html_open(html, "tr");
        put_heading(html, labels[property]);
        for (int split = 0; split < BUILD_SPLITS; split++)
            put_property(html, (enum property)property, &splits[split]);
        put_property(html, (enum property)property, all);
        html_close(html);
    }
    html_close(html);
    report_table_end(html);
}

/* "cp", or "3.61 x cp", and the fitted scale in that unit; cells of two columns. */
static void put_unit(struct html *html, const struct build *build, const struct report_facts *facts,
                     const struct catalogue_file *file)
{
    const struct codec *codec =
        strcmp(file->stage, "export") == 0 ? codec_of_path(file->name) : NULL;
    struct export_unit unit = {.scale = 1};
    if (codec != NULL && export_find_unit(build, codec, facts->engine_name, &unit, NULL) < 0)
        unit = (struct export_unit){.scale = 1};
    if (unit.scale != 1)
        html_elementf(html, "td", NUMBER, "%.10g\u00a0\u00d7\u00a0cp", unit.scale);
    else
        html_element(html, "td", NUMBER, "cp");
    if (unit.fitted != 0)
        put_integer(html, unit.fitted);
    else
        html_element(html, "td", NUMBER, "");
}

void report_write_files(struct html *html, const struct build *build,
                        const struct report_facts *facts)
{
    static const char *const names[] = {"File and SHA-256 of its content",
                                        "Records",
                                        "Bytes",
                                        "Score unit",
                                        "Fitted sigmoid scale",
                                        NULL};
    report_table_begin(html, "files", "Files");
    report_table_head(html, names);
    html_open(html, "tbody");
    for (size_t i = 0; i < facts->file_count; i++) {
        const struct catalogue_file *file = &facts->files[i];
        html_open(html, "tr");
        put_path(html, file->name);
        put_integer(html, file->records);
        put_integer(html, file->content_bytes);
        put_unit(html, build, facts, file);
        html_close(html);
        put_digest(html, 5, file->content_sha256);
    }
    html_close(html);
    report_table_end(html);
}
