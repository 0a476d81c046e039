/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/io/file.h"
#include "pipeline/report/engine_health.h"
#include "pipeline/report/html.h"
#include "pipeline/report/plots.h"
#include "pipeline/report/report_facts.h"
#include "pipeline/report/report_filters.h"
#include "pipeline/report/report_nets.h"
#include "pipeline/report/report_openings.h"
#include "pipeline/report/report_records.h"
#include "pipeline/report/report_style.h"
#include "pipeline/report/report_tables.h"
#include "pipeline/report/svg.h"
#include "pipeline/stages/fate.h"
#include "pipeline/stages/select.h"

/* Everything that the page is made from. */
struct report {
    struct report_facts facts;
    struct report_records splits[BUILD_SPLITS], all;
    struct report_openings openings; /* {0} where positions came without their games */
    struct engine_health health;     /* read only where it is to be shown */
};

static int read_records(struct build *build, struct report *report, struct error *err)
{
    struct fate_rule rule;
    fate_rule_from(build->settings, &rule);
    for (int split = 0; split < BUILD_SPLITS; split++) {
        char *path = select_record_path(build, split, err);
        int status =
            path ? report_records_read(path, rule.last_exact, &report->splits[split], err) : -1;
        free(path);
        if (status < 0)
            return -1;
        report_records_sum(&report->all, &report->splits[split]);
    }
    return 0;
}

/* A position of a dataset is its own opening, so that nothing can be said with such among them. */
static int read_openings(struct build *build, struct report *report, struct error *err)
{
    char *first = build_samples_path(build, 0, err);
    if (!first)
        return -1;
    bool any = file_exists(first) &&
               report_facts_value(&report->facts, "sample", "positions of datasets read") == 0;
    free(first);
    return any ? report_openings_read(build, &report->openings, err) : 0;
}

static void write_head(struct html *html, const struct report *report)
{
    html_raw(html, "<!DOCTYPE html>\n");
    html_open_with(html, "html", "lang=\"en\"");
    html_open(html, "head");
    html_void(html, "meta", "charset=\"utf-8\"");
    html_void(html, "meta", "name=\"viewport\" content=\"width=device-width, initial-scale=1\"");
    html_elementf(html, "title", NULL, "Training set %.12s", report->facts.build_id);
    report_write_style(html);
    html_close(html);
}

static void write_lead(struct html *html, const struct build *build, const struct report *report)
{
    char all[HTML_NUMBER_SIZE], from[HTML_NUMBER_SIZE], split[BUILD_SPLITS][HTML_NUMBER_SIZE];
    const struct report_facts *facts = &report->facts;
    int64_t games = report_facts_value(facts, "sample", "games used");
    int64_t read = report_facts_value(facts, "sample", "positions of datasets read");
    html_format_integer(report->all.count, all);
    html_format_integer(games > 0 ? games : read, from);
    for (int i = 0; i < BUILD_SPLITS; i++)
        html_format_integer(report->splits[i].count, split[i]);
    html_open_with(html, "p", "class=\"lead\"");
    html_textf(html,
               "%s chess positions from %s %s, labeled by %s: %s to train on, %s for "
               "validation and %s for testing, split by game.",
               all, from,
               read == 0 ? "games" : (games > 0 ? "games and datasets" : "positions of datasets"),
               report_facts_labeler(build, facts), split[0], split[1], split[2]);
    html_close(html);
}

static void write_title(struct html *html, const struct build *build, const struct report *report)
{
    html_open(html, "header");
    html_element(html, "h1", NULL, "Training set");
    html_open_with(html, "p", "class=\"id\"");
    html_text(html, "Build ");
    html_element(html, "code", NULL, report->facts.build_id);
    html_close(html);
    write_lead(html, build, report);
    html_close(html);
}

static void begin_section(struct html *html, const char *title, const char *text)
{
    html_open(html, "section");
    html_element(html, "h2", NULL, title);
    html_element(html, "p", NULL, text);
}

static void write_sources(struct html *html, const struct build *build, const struct report *report)
{
    begin_section(html, "What it was built from",
                  "Equal games, recipe and engine give equal records, byte for byte, on any "
                  "machine.");
    html_element(html, "h3", NULL, "Games");
    report_write_inputs(html, &report->facts);
    html_element(html, "h3", NULL, "Labels");
    report_write_engine(html, build, &report->facts);
    html_element(html, "h3", NULL, "Rules");
    report_write_rules(html, build);
    html_close(html);
}

static void write_funnel(struct html *html, const struct report *report)
{
    begin_section(html, "From games to records",
                  "What came in, what was left out and why, and what is left. Bars show the share "
                  "of each group\u2019s first line.");
    report_write_funnel(html, &report->facts);
    html_element(html, "h3", NULL, "Labeled positions by split");
    html_element(html, "p", NULL,
                 "Each labeled position has one fate, the first that applies; the fates of a split "
                 "add up to its samples.");
    report_write_fates(html, &report->facts);
    html_element(html, "h3", NULL, "Positions in several splits");
    html_element(html, "p", NULL,
                 "Different positions that passed the filters and stand in more than one split, "
                 "and in the end, among the records: by label key (board and half-move clock), "
                 "board key, and leak key (pieces and side, mirrored and with colours changed "
                 "too).");
    report_write_repeats(html, &report->facts);
    html_close(html);
}

static void write_records(struct html *html, const struct build *build, const struct report *report)
{
    begin_section(html, "The records",
                  settings_is_set(build->settings, "label.train_nodes")
                      ? "Train, validation and test hold different games and should look alike, "
                        "but for what comes of their labels\u2019 limits."
                      : "Train, validation and test hold different games and should look alike.");
    report_write_records(html, report->splits, &report->all);
    html_open_with(html, "div", "class=\"figures\"");
    plots_scores(html, &report->all);
    plots_win_rate(html, &report->all);
    plots_pieces(html, &report->all);
    plots_phase(html, &report->all);
    plots_plies(html, &report->all);
    plots_depth(html, &report->all);
    report_openings_plot(html, &report->openings);
    plots_results(html, report->splits);
    html_close(html);
    html_close(html);
}

static void write_files(struct html *html, const struct build *build, const struct report *report)
{
    begin_section(html, "Files",
                  "Bytes and digests are of the content, before any compression; the files\u2019 "
                  "own digests stand in SHA256SUMS.");
    report_write_files(html, build, &report->facts);
    html_close(html);
}

static void write_foot(struct html *html, bool health)
{
    html_open(html, "footer");
    html_textf(html,
               "Written by plymill %s, output version %d. Equal builds give equal reports, but "
               "for the names of inputs%s.",
               PLYMILL_VERSION, PLYMILL_OUTPUT_VERSION,
               health ? " and for how the engine did" : "");
    html_close(html);
}

static int write_page(struct html *html, struct build *build, const struct report *report,
                      const struct report_options *options, struct error *err)
{
    write_head(html, report);
    html_open(html, "body");
    html_open(html, "main");
    write_title(html, build, report);
    write_sources(html, build, report);
    write_funnel(html, report);
    write_records(html, build, report);
    if (options->health && engine_health_write(html, &report->health, err) < 0)
        return -1;
    if (options->net_count > 0 &&
        report_write_nets(html, build, options->nets, options->net_count, err) < 0)
        return -1;
    write_files(html, build, report);
    write_foot(html, options->health);
    html_close(html);
    html_close(html);
    html_close(html);
    return html_end(html);
}

int report_render(struct build *build, const struct report_options *options, struct buffer *out,
                  struct error *err)
{
    struct html html;
    struct report *report = calloc(1, sizeof *report);
    if (!report)
        return error_memory(err);
    html_begin(&html, out, err);
    int status = report_facts_read(build, &report->facts, err);
    if (status == 0)
        status = read_records(build, report, err);
    if (status == 0)
        status = read_openings(build, report, err);
    if (status == 0 && options->health)
        status = engine_health_read(build, &report->health, err);
    if (status == 0)
        status = write_page(&html, build, report, options, err);
    engine_health_free(&report->health);
    report_facts_free(&report->facts);
    free(report);
    return status;
}

int report_write(struct build *build, const struct report_options *options, char **path,
                 struct error *err)
{
    struct buffer page;
    buffer_init(&page, REPORT_SIZE_MAX);
    *path = build_path(build, err, "%s", REPORT_NAME);
    int status = *path ? report_render(build, options, &page, err) : -1;
    if (status == 0)
        status = file_write_all(*path, page.data, page.length, err);
    buffer_free(&page);
    if (status < 0) {
        free(*path);
        *path = NULL;
    }
    return status;
}
