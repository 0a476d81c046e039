/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report_rounding.h"

#include <string.h>

#include "nnue/tools/attribution.h"
#include "nnue/tools/quantize.h"
#include "nnue/tools/score_net.h"
#include "nnue/tools/tinynet.h"
#include "pipeline/report/report_tables.h"

/* 1: measured, 0: no float net of this kind or it does not fit. */
static int measure_tiny(const char *path, const struct samples *samples, struct attribution *table)
{
    struct tinynet net;
    int measured = 0;
    if (tinynet_load(path, &net, NULL) == 0)
        measured = net.is_float && attribution_measure(&net.floats, QUANTIZE_SHIFT, samples->items,
                                                       samples->count, true, table, NULL) == 0;
    tinynet_free(&net);
    return measured;
}

static int measure_wide(const struct quantize_wide *net, const struct samples *samples,
                        struct attribution *table)
{
    char arch[QUANTIZE_ARCH_MAX];
    struct buffer bytes;
    buffer_init(&bytes, PLYNNUE_FILE_MAX);
    int measured = quantize_wide_encode(net, NULL, 0, &bytes, arch, NULL) == 0 &&
                   attribution_measure_wide(net, &bytes, arch, samples, true, table, NULL) == 0;
    buffer_free(&bytes);
    return measured;
}

static int measure(const char *path, const struct samples *samples, struct attribution *table)
{
    struct quantize_wide wide;
    if (score_is_foreign(path))
        return 0;
    int kind = quantize_wide_load(path, NULL, &wide, NULL);
    int measured = kind > 0    ? measure_wide(&wide, samples, table)
                   : kind == 0 ? measure_tiny(path, samples, table)
                               : 0;
    quantize_wide_free(&wide);
    return measured;
}

static void put_number(struct html *html, double value, int decimals)
{
    char text[HTML_NUMBER_SIZE];
    html_format_real(value, decimals, text);
    html_element(html, "td", "class=\"number\"", text);
}

/* With its sign, unless it rounds to nothing. */
static void put_cost(struct html *html, double percent)
{
    char text[HTML_NUMBER_SIZE];
    html_format_real(percent, 3, text);
    html_elementf(html, "td", "class=\"number\"", "%s%s\u00a0%%", percent >= 0.0005 ? "+" : "",
                  text);
}

static void put_row(struct html *html, const struct attribution *table,
                    const struct attribution_row *row)
{
    html_open(html, "tr");
    html_element(html, "th", "scope=\"row\"", row->name);
    put_number(html, row->mean, 3);
    put_number(html, row->p99, 3);
    put_number(html, row->max, 3);
    if (table->has_cost)
        put_cost(html, 100 * row->cost);
    html_close(html);
}

void report_rounding_write(struct html *html, const char *path, const char *name,
                           const struct samples *samples)
{
    static const char *const heads[] = {"Rounded", "Mean, cp", "99 %, cp", "Largest, cp", NULL};
    static const char *const heads_cost[] = {"Rounded",     "Mean, cp", "99 %, cp",
                                             "Largest, cp", "WDL-MSE",  NULL};
    struct attribution table;
    if (!measure(path, samples, &table))
        return;
    html_elementf(html, "h3", NULL, "Rounding of %.200s", name);
    html_elementf(html, "p", NULL,
                  "What rounding %.200s to integers changes, on the positions of test: one thing "
                  "rounded and all else exact, against the float net. The last rows are the "
                  "integer net.",
                  name);
    report_table_begin(html, "rounding", "Errors of rounding");
    report_table_head(html, table.has_cost ? heads_cost : heads);
    html_open(html, "tbody");
    for (unsigned i = 0; i < table.count; i++)
        if (table.rows[i].possible)
            put_row(html, &table, &table.rows[i]);
    html_close(html);
    report_table_end(html);
}
