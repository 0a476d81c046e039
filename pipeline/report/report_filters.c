/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report_filters.h"

#include <inttypes.h>
#include <string.h>

#include "pipeline/recipe/pieceweights.h"
#include "pipeline/report/report_tables.h"
#include "pipeline/stages/opening.h"
#include "pipeline/stages/repeats.h"

#define NAME_SIZE 40 /* as in summary.c */

static bool drops(const struct settings *settings, const char *key)
{
    return strcmp(settings_string(settings, key), "drop") == 0;
}

/* The reasons of one position, joined by "or". */
struct reasons {
    struct buffer *out;
    bool any;
    struct error *err;
    int status;
};

static void add_reason(struct reasons *reasons, const char *text)
{
    if (reasons->status == 0)
        reasons->status = buffer_printf(reasons->out, reasons->err, "%s%s",
                                        reasons->any ? ", or " : "positions where ", text);
    reasons->any = true;
}

static void add_limits(struct reasons *reasons, const struct settings *settings)
{
    char text[128];
    int64_t low = settings_integer_item(settings, "filter.pieces", 0);
    int64_t high = settings_integer_item(settings, "filter.pieces", 1);
    if (settings_is_set(settings, "filter.max_abs_score")) {
        (void)snprintf(text, sizeof text, "the score is beyond \u00b1%" PRId64 " cp",
                       settings_integer(settings, "filter.max_abs_score"));
        add_reason(reasons, text);
    }
    if (drops(settings, "filter.bounds"))
        add_reason(reasons, "the score is a bound");
    if (low > PIECEWEIGHTS_LOW || high < PIECEWEIGHTS_HIGH) {
        (void)snprintf(text, sizeof text,
                       "there are fewer than %" PRId64 " or more than %" PRId64 " pieces", low,
                       high);
        add_reason(reasons, text);
    }
    if (settings_is_set(settings, "filter.wdl_consistency")) {
        (void)snprintf(text, sizeof text,
                       "a side that did not win is ahead by more than %" PRId64 " cp",
                       settings_integer(settings, "filter.wdl_consistency"));
        add_reason(reasons, text);
    }
}

static int add_thinning(const struct settings *settings, struct buffer *out, struct error *err)
{
    size_t count = settings_count(settings, "filter.piece_weights");
    int status = 0;
    if (count > 0)
        status = buffer_printf(out, err, "; the rest is thinned out to pieces as");
    for (size_t i = 0; i < count && status == 0; i++)
        status = buffer_printf(out, err, "%s %s", i > 0 ? "," : "",
                               settings_item(settings, "filter.piece_weights", i));
    if (status == 0 && settings_is_set(settings, "filter.per_opening"))
        status = buffer_printf(out, err,
                               "; of games with the same board at ply %d at most %" PRId64
                               " positions are kept",
                               OPENING_PLY, settings_integer(settings, "filter.per_opening"));
    return status;
}

int report_filters_text(const struct settings *settings, struct buffer *out, struct error *err)
{
    struct reasons reasons = {.out = out, .err = err};
    if (drops(settings, "filter.mate"))
        add_reason(&reasons, "the score is a mate");
    if (drops(settings, "filter.capture"))
        add_reason(&reasons, "the best move captures");
    if (drops(settings, "filter.promotion"))
        add_reason(&reasons, "the best move promotes");
    add_limits(&reasons, settings);
    if (reasons.status == 0 && !reasons.any)
        reasons.status = buffer_printf(out, err, "no position for its score, move or pieces");
    return reasons.status == 0 ? add_thinning(settings, out, err) : -1;
}

/* How many positions by a key, over all and of each split; false where a build has not counted. */
static bool find_repeats(const struct report_facts *facts, enum repeat_key key, bool after,
                         struct report_count *row)
{
    char name[REPEATS_NAME_SIZE];
    repeats_name(key, after, false, name);
    const struct report_count *all = report_facts_find(facts, "select", name);
    repeats_name(key, after, true, name);
    const struct report_count *each = report_facts_find(facts, "select", name);
    if (!all || !each)
        return false;
    *row = *each;
    row->all = all->all;
    (void)snprintf(row->name, sizeof row->name, "by %s%s", repeats_text(key),
                   after ? ", in the end" : "");
    return true;
}

static void write_number(struct html *html, int64_t value)
{
    char number[HTML_NUMBER_SIZE];
    html_format_integer(value, number);
    html_element(html, "td", value == 0 ? "class=\"number none\"" : "class=\"number\"", number);
}

static void write_repeats_row(struct html *html, const struct report_count *row, bool after)
{
    html_open_with(html, "tr", "class=\"%s\"", after ? "rest" : "part");
    html_element(html, "th", "scope=\"row\"", row->name);
    for (int split = 0; split < BUILD_SPLITS; split++)
        write_number(html, row->splits[split]);
    write_number(html, row->all);
    html_close(html);
}

void report_write_repeats(struct html *html, const struct report_facts *facts)
{
    const char *const names[] = {"In several splits",
                                 build_split_names[0],
                                 build_split_names[1],
                                 build_split_names[2],
                                 "all",
                                 NULL};
    struct report_count row;
    report_table_begin(html, "fates", "Positions in several splits");
    report_table_head(html, names);
    html_open(html, "tbody");
    for (int key = 0; key < REPEAT_KEYS; key++)
        for (int after = 0; after < 2; after++)
            if (find_repeats(facts, (enum repeat_key)key, after, &row))
                write_repeats_row(html, &row, after);
    html_close(html);
    report_table_end(html);
}

static void print_repeats_row(const struct report_count *row, FILE *out)
{
    char number[HTML_NUMBER_SIZE];
    html_format_integer(row->all, number);
    fprintf(out, "  %-*s %14s", NAME_SIZE, row->name, number);
    for (int split = 0; split < BUILD_SPLITS; split++) {
        html_format_integer(row->splits[split], number);
        fprintf(out, " %12s", number);
    }
    fputc('\n', out);
}

void report_print_repeats(const struct report_facts *facts, FILE *out)
{
    struct report_count row;
    for (int key = 0; key < REPEAT_KEYS; key++) {
        if (!find_repeats(facts, (enum repeat_key)key, false, &row))
            continue;
        if (key == 0)
            fprintf(out, "positions in several splits\n");
        print_repeats_row(&row, out);
        if (find_repeats(facts, (enum repeat_key)key, true, &row))
            print_repeats_row(&row, out);
    }
}
