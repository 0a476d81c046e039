/* SPDX-License-Identifier: MIT */
#include "pipeline/report/plots.h"

#include <stdarg.h>
#include <stdio.h>

#include "nnue/tools/fmath.h"
#include "pipeline/report/plural.h"

#define SCORE_COLUMN  50 /* cp in one column of the score histogram; divides the clip */
#define SCORE_COLUMNS (2 * REPORT_SCORE_CLIP / SCORE_COLUMN)
#define WIN_RANGE     1000 /* cp: the win rate is drawn within +- this */
#define WIN_BUCKET    100  /* cp */
#define WIN_BUCKETS   (2 * WIN_RANGE / WIN_BUCKET)
#define WIN_LEAST     20 /* records that a point needs */
#define CURVE_POINTS  101
#define DEPTH_TAIL    200 /* one search in so many may stand in the last column for a deeper one */
#define USUAL_SCALE   400 /* of the sigmoid that trainers use for Stockfish's centipawns */
#define Y_TICKS       5
#define X_TICKS       6

static const struct {
    const char *name, *class_name;
} results[RESULT_KINDS] = {[RESULT_WHITE_WINS] = {"White wins", "white"},
                           [RESULT_DRAW] = {"draw", "draw"},
                           [RESULT_BLACK_WINS] = {"Black wins", "black"},
                           [RESULT_NONE] = {"unknown", "unknown"}};

void plots_figure_begin(struct html *html)
{
    html_open(html, "figure");
}

void plots_figure_end(struct html *html, const char *format, ...)
{
    char line[HTML_LINE_MAX];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(line, sizeof line, format, list);
    va_end(list);
    html_element(html, "figcaption", NULL, line);
    html_close(html);
}

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* Equal columns from `low` on, as shares of whole. */
struct histogram {
    const int64_t *counts;
    size_t count;
    int64_t whole;
    double low, width;
    const char *unit; /* "18 pieces", "cp" ...: behind the range in the tip */
    bool single;      /* a column is one whole number, drawn around it */
};

static double highest_share(const struct histogram *histogram)
{
    int64_t highest = 0;
    for (size_t i = 0; i < histogram->count; i++)
        if (histogram->counts[i] > highest)
            highest = histogram->counts[i];
    return percent(highest, histogram->whole);
}

static void column_tip(const struct histogram *histogram, size_t i, char *out, size_t size)
{
    char low[HTML_NUMBER_SIZE], high[HTML_NUMBER_SIZE], count[HTML_NUMBER_SIZE];
    double from = histogram->low + (double)i * histogram->width;
    html_format_real(from, 0, low);
    html_format_real(from + histogram->width, 0, high);
    html_format_integer(histogram->counts[i], count);
    const char *positions = plural((uint64_t)histogram->counts[i], "position", "positions");
    if (histogram->single)
        (void)snprintf(out, size, "%s %s: %s %s", low, histogram->unit, count, positions);
    else
        (void)snprintf(out, size, "%s to %s %s: %s %s", low, high, histogram->unit, count,
                       positions);
}

static void draw_histogram(struct svg_plot *plot, const struct histogram *histogram)
{
    for (size_t i = 0; i < histogram->count; i++) {
        char tip[160];
        double low = histogram->low + (double)i * histogram->width;
        double left = histogram->single ? low - histogram->width / 2 : low;
        column_tip(histogram, i, tip, sizeof tip);
        svg_plot_column(plot, left, left + histogram->width,
                        percent(histogram->counts[i], histogram->whole), "bar", tip);
    }
}

static void set_share_axis(struct svg_plot *plot, double highest)
{
    svg_axis_set_count(&plot->y, highest, Y_TICKS, "Share of positions");
    plot->y.suffix = "\u00a0%";
}

static void fill_score_columns(const struct report_records *all, int64_t columns[SCORE_COLUMNS])
{
    for (int cell = 0; cell < REPORT_SCORE_CELLS; cell++) {
        int column = cell / SCORE_COLUMN;
        columns[column < SCORE_COLUMNS ? column : SCORE_COLUMNS - 1] += all->score[cell];
    }
}

void plots_scores(struct html *html, const struct report_records *all)
{
    int64_t columns[SCORE_COLUMNS] = {0};
    char share[HTML_NUMBER_SIZE], median[HTML_NUMBER_SIZE], mates[HTML_NUMBER_SIZE];
    struct svg_plot plot = {.html = html};
    fill_score_columns(all, columns);
    const struct histogram histogram = {.counts = columns,
                                        .count = SCORE_COLUMNS,
                                        .whole = all->count,
                                        .low = -REPORT_SCORE_CLIP,
                                        .width = SCORE_COLUMN,
                                        .unit = "cp"};
    svg_axis_set(&plot.x, -REPORT_SCORE_CLIP, REPORT_SCORE_CLIP, X_TICKS,
                 "Score from White\u2019s view, centipawns");
    set_share_axis(&plot, highest_share(&histogram));
    plots_figure_begin(html);
    svg_plot_begin(&plot, &(struct svg_name){"scores", "Distribution of scores",
                                             "Histogram of the positions\u2019 scores in "
                                             "columns of 50 centipawns."});
    draw_histogram(&plot, &histogram);
    svg_plot_end(&plot);
    html_format_share(all->clipped, all->count, share);
    html_format_integer(report_median_score(all), median);
    html_format_integer(all->mates, mates);
    plots_figure_end(html,
                     "Scores of all positions, in columns of %d cp. The median is %s cp. %s lie "
                     "beyond \u00b1%d,%03d cp%s%s%s and are counted in the outermost columns.",
                     SCORE_COLUMN, median, share, REPORT_SCORE_CLIP / 1000,
                     REPORT_SCORE_CLIP % 1000, all->mates > 0 ? " (or are mates: " : "",
                     all->mates > 0 ? mates : "", all->mates > 0 ? ")" : "");
}

/* Mean score and mean result of the records in one bucket. */
struct win_bucket {
    int64_t count;
    double cp, rate; /* rate: percent of the points */
};

static struct win_bucket win_bucket_of(const struct report_records *all, int low)
{
    struct win_bucket bucket = {0};
    int64_t cp_sum = 0, half_points = 0;
    for (int cp = low; cp < low + WIN_BUCKET; cp++) {
        int cell = cp + SCALE_FIT_CP_MAX;
        bucket.count += all->games.known[cell];
        cp_sum += cp * all->games.known[cell];
        half_points += all->games.half_points[cell];
    }
    if (bucket.count > 0) {
        bucket.cp = (double)cp_sum / (double)bucket.count;
        bucket.rate = 50.0 * (double)half_points / (double)bucket.count;
    }
    return bucket;
}

static void draw_sigmoid(struct svg_plot *plot, int scale, const char *class_name)
{
    double x[CURVE_POINTS], y[CURVE_POINTS];
    for (int i = 0; i < CURVE_POINTS; i++) {
        x[i] = -WIN_RANGE + 2.0 * WIN_RANGE * i / (CURVE_POINTS - 1);
        y[i] = 100 * fmath_sigmoid(x[i] / scale);
    }
    svg_plot_line(plot, x, y, CURVE_POINTS, class_name);
}

static void draw_win_points(struct svg_plot *plot, const struct report_records *all)
{
    for (int i = 0; i < WIN_BUCKETS; i++) {
        struct win_bucket bucket = win_bucket_of(all, -WIN_RANGE + i * WIN_BUCKET);
        char tip[160], count[HTML_NUMBER_SIZE], cp[HTML_NUMBER_SIZE];
        if (bucket.count < WIN_LEAST)
            continue;
        html_format_integer(bucket.count, count);
        html_format_real(bucket.cp, 0, cp);
        (void)snprintf(tip, sizeof tip, "%s cp: %.1f\u00a0%% of the points, %s positions", cp,
                       bucket.rate, count);
        svg_plot_point(plot, bucket.cp, bucket.rate, "point", tip);
    }
}

void plots_win_rate(struct html *html, const struct report_records *all)
{
    struct svg_plot plot = {.html = html};
    int scale = scale_fit(&all->games);
    char fitted[64];
    svg_axis_set(&plot.x, -WIN_RANGE, WIN_RANGE, X_TICKS,
                 "Score from White\u2019s view, centipawns");
    svg_axis_set(&plot.y, 0, 100, X_TICKS, "White\u2019s points");
    plot.y.suffix = "\u00a0%";
    plots_figure_begin(html);
    svg_plot_begin(&plot,
                   &(struct svg_name){"win-rate", "Results of the games by score",
                                      "Mean result for White by score, beside two sigmoids."});
    svg_plot_level(&plot, 50, "middle-line");
    draw_sigmoid(&plot, USUAL_SCALE, "line second dashed");
    if (scale > 0)
        draw_sigmoid(&plot, scale, "line first");
    draw_win_points(&plot, all);
    (void)snprintf(fitted, sizeof fitted, "\u03c3(cp/%d), fitted", scale);
    svg_plot_key(&plot, "line", "line second dashed", "\u03c3(cp/400)");
    if (scale > 0) {
        svg_plot_key(&plot, "line", "line first", fitted);
        svg_plot_key(&plot, "point", "point", "games");
    }
    svg_plot_end(&plot);
    if (scale > 0)
        plots_figure_end(html,
                         "What a score was worth in the games: mean result for White of positions "
                         "within %d cp, where there are at least %d. The curve that comes nearest "
                         "to the results is \u03c3(cp/%d); nets here are trained on \u03c3(cp/%d).",
                         WIN_BUCKET, WIN_LEAST, scale, USUAL_SCALE);
    else
        plots_figure_end(html,
                         "No result of a game is known, so only the curve \u03c3(cp/%d), by which "
                         "nets here are trained, can be drawn.",
                         USUAL_SCALE);
}

void plots_pieces(struct html *html, const struct report_records *all)
{
    struct svg_plot plot = {.html = html};
    char mean[HTML_NUMBER_SIZE];
    const struct histogram histogram = {.counts = all->pieces,
                                        .count = REPORT_PIECES,
                                        .whole = all->count,
                                        .width = 1,
                                        .unit = "pieces",
                                        .single = true};
    svg_axis_set(&plot.x, 1, 33, SVG_TICKS_MAX, "Pieces on the board, kings and pawns counted");
    set_share_axis(&plot, highest_share(&histogram));
    plots_figure_begin(html);
    svg_plot_begin(&plot, &(struct svg_name){"pieces", "Distribution of the number of pieces",
                                             "Share of positions by the number of pieces."});
    draw_histogram(&plot, &histogram);
    svg_plot_end(&plot);
    html_format_real(all->count > 0 ? (double)all->pieces_sum / (double)all->count : 0, 1, mean);
    plots_figure_end(html,
                     "How full the boards are: from 2 bare kings to 32 pieces. The mean is "
                     "%s pieces.",
                     mean);
}

static int64_t phase_sum(const struct report_records *all, int low, int high)
{
    int64_t sum = 0;
    for (int phase = low; phase <= high; phase++)
        sum += all->phase[phase];
    return sum;
}

void plots_phase(struct html *html, const struct report_records *all)
{
    struct svg_plot plot = {.html = html};
    char late[HTML_NUMBER_SIZE], early[HTML_NUMBER_SIZE];
    const struct histogram histogram = {.counts = all->phase,
                                        .count = REPORT_PHASES,
                                        .whole = all->count,
                                        .width = 1,
                                        .unit = "of 24",
                                        .single = true};
    svg_axis_set(&plot.x, -0.8, 24.8, X_TICKS,
                 "Phase: knight, bishop 1, rook 2, queen 4, both sides");
    set_share_axis(&plot, highest_share(&histogram));
    plots_figure_begin(html);
    svg_plot_begin(&plot, &(struct svg_name){"phase", "Distribution of the phase of the game",
                                             "Share of positions by the weight of their pieces."});
    draw_histogram(&plot, &histogram);
    svg_plot_end(&plot);
    html_format_share(phase_sum(all, 0, 8), all->count, late);
    html_format_share(phase_sum(all, 20, 24), all->count, early);
    plots_figure_end(html,
                     "The phase of the game by the pieces left: 24 is the full set, 0 kings and "
                     "pawns only. %s stand at 20 or more, %s are endgames of 8 or less.",
                     early, late);
}

static size_t used_columns(const int64_t *counts, size_t count)
{
    while (count > 1 && counts[count - 1] == 0)
        count--;
    return count;
}

void plots_plies(struct html *html, const struct report_records *all)
{
    struct svg_plot plot = {.html = html};
    char later[HTML_NUMBER_SIZE], mean[HTML_NUMBER_SIZE];
    const int last = REPORT_PLY_WIDTH * (REPORT_PLIES - 1);
    const struct histogram histogram = {.counts = all->ply,
                                        .count = used_columns(all->ply, REPORT_PLIES),
                                        .whole = all->count,
                                        .width = REPORT_PLY_WIDTH,
                                        .unit = "plies"};
    svg_axis_set_count(&plot.x, (double)histogram.count * REPORT_PLY_WIDTH, X_TICKS,
                       "Half-moves played");
    set_share_axis(&plot, highest_share(&histogram));
    plots_figure_begin(html);
    svg_plot_begin(&plot, &(struct svg_name){"plies", "Distribution of plies",
                                             "Share of positions by half-moves played."});
    draw_histogram(&plot, &histogram);
    svg_plot_end(&plot);
    html_format_real(all->count > 0 ? (double)all->ply_sum / (double)all->count : 0, 1, mean);
    html_format_share(all->ply[REPORT_PLIES - 1], all->count, later);
    if (all->ply[REPORT_PLIES - 1] > 0)
        plots_figure_end(html,
                         "When in a game the positions were taken, in columns of %d plies. The "
                         "mean is ply %s; %s come after ply %d and stand in the last column.",
                         REPORT_PLY_WIDTH, mean, later, last);
    else
        plots_figure_end(html,
                         "When in a game the positions were taken, in columns of %d plies. The "
                         "mean is ply %s.",
                         REPORT_PLY_WIDTH, mean);
}

/* Few searches go far deeper than the others: as many columns as hold all but one in DEPTH_TAIL. */
static int depth_columns(const struct report_records *all, int64_t counts[REPORT_DEPTHS])
{
    int64_t deeper = 0;
    int last = REPORT_DEPTHS - 1;
    for (; last > 0 && (deeper + all->depth[last]) * DEPTH_TAIL <= all->searches; last--)
        deeper += all->depth[last];
    for (int depth = 0; depth <= last; depth++)
        counts[depth] = all->depth[depth];
    counts[last] += deeper;
    return last;
}

static void depth_caption(struct html *html, const struct report_records *all, int last,
                          int64_t at_last)
{
    char depth[HTML_NUMBER_SIZE], nodes[HTML_NUMBER_SIZE], most[HTML_NUMBER_SIZE];
    char deeper[HTML_NUMBER_SIZE], counted[160] = "", tail[160] = "";
    html_format_real((double)all->depth_sum / (double)all->searches, 1, depth);
    html_format_real(all->counted > 0 ? (double)all->nodes_sum / (double)all->counted : 0, 0,
                     nodes);
    html_format_integer(all->nodes_most, most);
    html_format_share(at_last - all->depth[last], all->searches, deeper);
    if (all->counted > 0)
        (void)snprintf(counted, sizeof counted, "; a label took %s nodes on average and %s at most",
                       nodes, most);
    if (at_last > all->depth[last])
        (void)snprintf(tail, sizeof tail, " %s went deeper than %d and stand in the last column.",
                       deeper, last);
    plots_figure_end(html, "How deep the search behind each label went. The mean is depth %s%s.%s",
                     depth, counted, tail);
}

void plots_depth(struct html *html, const struct report_records *all)
{
    struct svg_plot plot = {.html = html};
    int64_t counts[REPORT_DEPTHS] = {0};
    if (all->searches == 0)
        return;
    int last = depth_columns(all, counts);
    const struct histogram histogram = {.counts = counts,
                                        .count = (size_t)last + 1,
                                        .whole = all->searches,
                                        .width = 1,
                                        .unit = "plies deep",
                                        .single = true};
    svg_axis_set_count(&plot.x, last + 0.5, SVG_TICKS_MAX - 1, "Depth of the search, half-moves");
    set_share_axis(&plot, highest_share(&histogram));
    plots_figure_begin(html);
    svg_plot_begin(&plot, &(struct svg_name){"depth", "Distribution of the depth of labels",
                                             "Share of positions by the depth that the search "
                                             "behind their label reached."});
    draw_histogram(&plot, &histogram);
    svg_plot_end(&plot);
    depth_caption(html, all, last, counts[last]);
}

static void draw_results_key(struct html *html, double y, bool unknown)
{
    double x = 78;
    for (int kind = 0; kind < RESULT_KINDS; kind++) {
        if (kind == RESULT_NONE && !unknown)
            continue;
        html_empty(html, "rect",
                   "x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" class=\"share %s\"", x, y - 9,
                   results[kind].class_name);
        html_open_with(html, "text", "x=\"%.1f\" y=\"%.1f\" class=\"tick\"", x + 15, y);
        html_text(html, results[kind].name);
        html_close(html);
        x += 15 + svg_text_width(results[kind].name) + 14;
    }
}

static void draw_results(struct html *html, const struct report_records splits[BUILD_SPLITS])
{
    bool unknown = false;
    for (int split = 0; split < BUILD_SPLITS; split++)
        unknown |= splits[split].results[RESULT_NONE] > 0;
    draw_results_key(html, 16, unknown);
    for (int split = 0; split < BUILD_SPLITS; split++) {
        struct svg_part parts[RESULT_KINDS];
        for (int kind = 0; kind < RESULT_KINDS; kind++)
            parts[kind] = (struct svg_part){splits[split].results[kind], results[kind].class_name};
        svg_shares_row(html, 34 + 36.0 * split, build_split_names[split], parts, RESULT_KINDS);
    }
}

void plots_results(struct html *html, const struct report_records splits[BUILD_SPLITS])
{
    plots_figure_begin(html);
    svg_open(html,
             &(struct svg_name){"results", "Results of the games by split",
                                "Shares of White\u2019s wins, draws and Black\u2019s wins in each "
                                "split."},
             34 + 36 * BUILD_SPLITS);
    draw_results(html, splits);
    svg_close(html);
    plots_figure_end(html, "How the games ended that the positions come from, counted by position. "
                           "Splits by whole games differ here by chance alone.");
}
