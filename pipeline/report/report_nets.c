/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report_nets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/tools/score.h"
#include "nnue/tools/score_net.h"
#include "pipeline/report/net_open.h"
#include "pipeline/report/report_boards.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/report/report_losses.h"
#include "pipeline/report/report_net_plots.h"
#include "pipeline/report/report_rounding.h"
#include "pipeline/report/report_tables.h"
#include "pipeline/report/trained_on.h"
#include "pipeline/stages/fate.h"
#include "pipeline/stages/select.h"

#define TEST_SPLIT 2

/* Nets, the positions of train and test, and what each net says of those of test. */
struct nets {
    const char *const *paths;
    size_t count;
    char *test_path;
    bool last_exact; /* which score is the label */
    struct samples train;
    struct score_set test;
    double *cp; /* [count][test.samples.count] */
    struct score_unit *units;
    struct score_entry *entries;
    struct score_table *table;
};

static void free_nets(struct nets *nets)
{
    free(nets->test_path);
    samples_free(&nets->train);
    score_set_free(&nets->test);
    free(nets->cp);
    free(nets->units);
    free(nets->entries);
    if (nets->table)
        score_table_free(nets->table);
    free(nets->table);
}

static int load_records(struct nets *nets, struct build *build, struct error *err)
{
    struct fate_rule rule;
    fate_rule_from(build->settings, &rule);
    const struct codec_options options = {.score_scale = 1, .last_exact = rule.last_exact};
    char *train = select_record_path(build, 0, err);
    nets->last_exact = rule.last_exact;
    nets->test_path = train ? select_record_path(build, TEST_SPLIT, err) : NULL;
    int status = -1;
    if (train && nets->test_path && samples_load(train, rule.last_exact, &nets->train, err) == 0)
        status = score_set_load(nets->test_path, &codec_rec, &options, &nets->test, err);
    free(train);
    return status;
}

static int predict(struct nets *nets, size_t i, struct error *err)
{
    plynnue_net *net = NULL;
    const struct score_unit wanted = {.from = SCORE_UNIT_AUTO};
    const char *path = nets->paths[i];
    size_t count = nets->test.samples.count;
    double *cp = nets->cp + i * count;
    nets->entries[i] = (struct score_entry){report_base_name(path), cp};
    if (net_open(path, NULL, PLYNNUE_ISA_AUTO, &net, err) < 0)
        return -1;
    int status = score_values(net, &nets->test.samples, 0, cp, err);
    if (status == 0)
        status = score_choose_unit(net, score_is_foreign(path), &wanted, &nets->train, SCORE_SCALE,
                                   0, &nets->units[i], err);
    plynnue_net_close(net);
    for (size_t k = 0; k < count; k++)
        cp[k] *= nets->units[i].cp;
    return status < 0 ? error_prefix(err, "%s", path) : 0;
}

static int measure(struct nets *nets, struct error *err)
{
    struct score_floor floor;
    nets->cp = calloc(nets->count * nets->test.samples.count, sizeof *nets->cp);
    nets->units = calloc(nets->count, sizeof *nets->units);
    nets->entries = calloc(nets->count, sizeof *nets->entries);
    nets->table = calloc(1, sizeof *nets->table);
    if (!nets->cp || !nets->units || !nets->entries || !nets->table)
        return error_memory(err);
    for (size_t i = 0; i < nets->count; i++)
        if (predict(nets, i, err) < 0)
            return -1;
    score_fit_floor(&nets->train, SCORE_SCALE, &floor);
    return score_measure(&nets->test, nets->entries, (unsigned)nets->count, &floor, SCORE_SCALE, 0,
                         nets->table, err);
}

static void put_value(struct html *html, double value, int decimals)
{
    char text[HTML_NUMBER_SIZE];
    html_format_real(value, decimals, text);
    html_element(html, "td", "class=\"number\"", text);
}

/* A value with its interval below, where there is one. */
static void put_measured(struct html *html, const struct score_value *measured, int decimals)
{
    char text[HTML_NUMBER_SIZE], low[HTML_NUMBER_SIZE], high[HTML_NUMBER_SIZE];
    html_format_real(measured->value, decimals, text);
    html_format_real(measured->low, decimals, low);
    html_format_real(measured->high, decimals, high);
    html_open_with(html, "td", "class=\"number\"");
    html_text(html, text);
    if (measured->low < measured->high) {
        html_open_with(html, "span", "class=\"range\"");
        html_textf(html, "%s to %s", low, high);
        html_close(html);
    }
    html_close(html);
}

static void put_row(struct html *html, const struct score_row *row, bool net)
{
    html_open_with(html, "tr", "class=\"%s\"", net ? "net" : "baseline");
    html_element(html, "th", "scope=\"row\"", row->name);
    put_measured(html, &row->metric[SCORE_WDL_MSE], 5);
    put_measured(html, &row->ratio[SCORE_WDL_MSE][SCORE_MATERIAL_FITTED], 3);
    put_measured(html, &row->metric[SCORE_MAE], 1);
    put_value(html, row->metric[SCORE_MEDIAN].value, 1);
    put_value(html, row->metric[SCORE_CORRELATION].value, 3);
    html_open_with(html, "td", "class=\"number\"");
    html_textf(html, "%.1f\u00a0%%", 100 * row->metric[SCORE_SIGN].value);
    html_close(html);
    html_close(html);
}

static void write_score_table(struct html *html, const struct score_table *table)
{
    static const char *const names[] = {"",
                                        "WDL-MSE",
                                        "Ratio to fitted material",
                                        "Mean error, cp",
                                        "Median, cp",
                                        "Correlation",
                                        "Sign right",
                                        NULL};
    report_table_begin(html, "scores", "Scores of nets");
    report_table_head(html, names);
    html_open(html, "tbody");
    for (unsigned i = 0; i < table->rows; i++) {
        if (i == table->nets) {
            html_close(html);
            html_open(html, "tbody");
        }
        put_row(html, &table->groups[0]->rows[i], i < table->nets);
    }
    html_close(html);
    report_table_end(html);
}

/* Whose unit was fitted. */
static void write_units(struct html *html, const struct nets *nets)
{
    for (size_t i = 0; i < nets->count; i++)
        if (nets->units[i].from == SCORE_UNIT_FITTED)
            html_elementf(html, "p", NULL,
                          "A unit of %.200s is taken as %.4g cp, fitted on train, since it was "
                          "not trained on labels of this engine.",
                          nets->entries[i].name, nets->units[i].cp);
}

static void put_group(struct html *html, const struct score_table *table,
                      const struct score_group *group)
{
    char count[HTML_NUMBER_SIZE];
    html_open(html, "tr");
    html_open_with(html, "th", "scope=\"row\"");
    html_textf(html, "%s %s", score_by_name(group->by), score_group_name(group->by, group->group));
    html_close(html);
    html_format_integer((int64_t)group->positions, count);
    html_element(html, "td", "class=\"number\"", count);
    for (unsigned i = 0; i < table->nets; i++)
        put_measured(html, &group->rows[i].ratio[SCORE_WDL_MSE][SCORE_MATERIAL_FITTED], 3);
    html_close(html);
}

/* The nets against fitted material, group by group. */
static void write_group_table(struct html *html, const struct score_table *table)
{
    const char *names[SCORE_NETS_MAX + 3] = {"Ratio to fitted material", "Positions"};
    for (unsigned i = 0; i < table->nets; i++)
        names[2 + i] = table->groups[0]->rows[i].name;
    html_element(html, "h3", NULL, "By kind of position");
    html_element(html, "p", NULL,
                 "The error of each net by that of fitted material on the same positions: below 1 "
                 "the net is better. Pieces are counted with kings, labels in centipawns.");
    report_table_begin(html, "score-groups", "Ratios by kind of position");
    report_table_head(html, names);
    html_open(html, "tbody");
    for (unsigned i = 1; i < table->group_count; i++)
        put_group(html, table, table->groups[i]);
    html_close(html);
    report_table_end(html);
}

static void write_verdicts(struct html *html, const struct score_table *table)
{
    static const char *const words[] = {
        [SCORE_BETTER] = "is better than fitted material",
        [SCORE_WORSE] = "is worse than fitted material",
        [SCORE_UNDECIDED] = "is not shown to be better or worse than fitted material"};
    html_open(html, "p");
    for (unsigned i = 0; i < table->nets; i++) {
        const struct score_row *row = &table->groups[0]->rows[i];
        const struct score_value *ratio = &row->ratio[SCORE_WDL_MSE][SCORE_MATERIAL_FITTED];
        html_textf(html,
                   "%s%.200s %s: its error is %.3f times as large (95\u00a0%%: %.3f to %.3f).",
                   i > 0 ? " " : "", row->name, words[score_judge(row, SCORE_MATERIAL_FITTED)],
                   ratio->value, ratio->low, ratio->high);
    }
    html_close(html);
}

static void write_score_note(struct html *html, const struct score_table *table)
{
    char positions[HTML_NUMBER_SIZE], games[HTML_NUMBER_SIZE], resamples[HTML_NUMBER_SIZE];
    html_format_integer((int64_t)table->groups[0]->positions, positions);
    html_format_integer(table->groups[0]->games, games);
    html_format_integer(SCORE_RESAMPLES, resamples);
    html_open(html, "p");
    html_textf(
        html,
        "On the %s positions of the %s games of test, none of which is in train. WDL-MSE "
        "is the mean of (\u03c3(cp/400) \u2212 \u03c3(label/400))\u00b2; smaller is better. "
        "Below each value stands its 95\u00a0%% interval over %s resamples of whole games. The "
        "last three rows need no net: the mean of train, material counted 1/3/3/5/9, and "
        "material with weights fitted on train.",
        positions, games, resamples);
    html_close(html);
}

static int plot_losses(struct html *html, const struct nets *nets, size_t net, struct error *err)
{
    struct report_losses losses = {0};
    int found = report_losses_read(nets->paths[net], &losses, err);
    if (found == 1)
        report_losses_plot(html, net, report_base_name(nets->paths[net]), &losses);
    report_losses_free(&losses);
    return found < 0 ? -1 : 0;
}

/* A paragraph on nets that were trained on other records than those of this build. */
static int write_foreign(struct html *html, const struct nets *nets, const struct origin *build,
                         struct error *err)
{
    char line[TRAINED_ON_LINE_MAX];
    for (size_t i = 0; i < nets->count; i++) {
        const char *path = nets->paths[i];
        if (trained_on_other(path, report_base_name(path), build, line, err) < 0)
            return -1;
        if (*line)
            html_elementf(html, "p", "class=\"warning\"", "%s.", line);
    }
    return 0;
}

/* Values against labels of the first net alone: those of its int8 form look the same. */
static int write_figures(struct html *html, const struct nets *nets, struct error *err)
{
    int status = 0;
    html_open_with(html, "div", "class=\"figures\"");
    for (size_t i = 0; i < nets->count && status == 0; i++) {
        if (nets->table && i == 0) {
            const struct report_net_view view = {nets->entries[i].name, i, &nets->test, nets->cp};
            report_net_plot_density(html, &view);
            report_net_plot_calibration(html, &view);
            report_net_plot_errors(html, &view);
        }
        status = plot_losses(html, nets, i, err);
    }
    html_close(html);
    return status;
}

/* Those of the first net alone, too. */
static int write_boards(struct html *html, const struct nets *nets, struct error *err)
{
    struct report_worst *worst = malloc(sizeof *worst);
    if (!worst)
        return error_memory(err);
    int status = report_worst_read(nets->test_path, nets->last_exact, nets->cp,
                                   nets->test.samples.count, worst, err);
    if (status == 0)
        report_boards_write(html, 0, nets->entries[0].name, nets->last_exact, worst);
    free(worst);
    return status;
}

int report_write_nets(struct html *html, struct build *build, const char *const *paths,
                      size_t count, struct error *err)
{
    struct nets nets = {.paths = paths, .count = count};
    struct origin origin;
    int status = trained_on_build(build, &origin, err);
    if (status == 0)
        status = load_records(&nets, build, err);
    bool any = nets.train.count > 0 && nets.test.samples.count > 0;
    if (status == 0 && any)
        status = measure(&nets, err);
    if (status == 0) {
        html_open(html, "section");
        html_element(html, "h2", NULL, "Nets");
        if (any) {
            write_score_note(html, nets.table);
            write_score_table(html, nets.table);
            write_verdicts(html, nets.table);
            write_units(html, &nets);
            if (count > 0)
                write_group_table(html, nets.table);
        } else {
            html_element(html, "p", NULL,
                         "Train or test holds no position, so nothing can be measured.");
        }
        for (size_t i = 0; i < count && any; i++)
            report_rounding_write(html, paths[i], report_base_name(paths[i]), &nets.test.samples);
        status = any ? write_foreign(html, &nets, &origin, err) : 0;
        if (status == 0)
            status = write_figures(html, &nets, err);
        if (status == 0 && any)
            status = write_boards(html, &nets, err);
        html_close(html);
    }
    free_nets(&nets);
    return status;
}
