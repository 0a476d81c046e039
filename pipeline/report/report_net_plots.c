/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report_net_plots.h"

#include <stdio.h>
#include <string.h>

#include "nnue/tools/fmath.h"
#include "pipeline/report/plots.h"
#include "pipeline/report/plural.h"
#include "pipeline/report/svg.h"

#define DENSITY_RANGE  1000 /* cp: drawn within +- this */
#define DENSITY_CELL   50   /* cp */
#define DENSITY_CELLS  (2 * DENSITY_RANGE / DENSITY_CELL)
#define BUCKETS        20 /* of the calibration, 5 points of win share each */
#define PHASE_GROUPS   5
#define PHASE_WIDTH    5 /* of a group of phases */
#define PHASE_MAX      24
#define MATRIX_LEFT    50.0
#define MATRIX_TOP     34.0
#define MATRIX_HEIGHT  (SVG_HEIGHT - 44.0 - MATRIX_TOP)
#define GROUP_TEXT_MAX 24

double report_net_error(double cp, double label)
{
    double off = fmath_win_share(cp) - fmath_win_share(label);
    return 100 * (off < 0 ? -off : off);
}

static bool density_cell(double cp, size_t *cell)
{
    if (!(cp >= -DENSITY_RANGE && cp < DENSITY_RANGE))
        return false;
    *cell = (size_t)((cp + DENSITY_RANGE) / DENSITY_CELL);
    return *cell < DENSITY_CELLS;
}

/* How many positions of test fall in each cell; the number outside of all is returned. */
static int64_t fill_density(const struct report_net_view *view,
                            int64_t counts[DENSITY_CELLS * DENSITY_CELLS])
{
    const struct samples *samples = &view->set->samples;
    int64_t outside = 0;
    for (size_t i = 0; i < samples->count; i++) {
        size_t column, row;
        if (density_cell(samples->items[i].cp, &column) && density_cell(view->cp[i], &row))
            counts[row * DENSITY_CELLS + column]++;
        else
            outside++;
    }
    return outside;
}

static void draw_density_key(struct svg_plot *plot, const int64_t bounds[SVG_DENSITY_STEPS])
{
    static const char *const classes[SVG_DENSITY_STEPS] = {"d1", "d2", "d3", "d4", "d5"};
    for (int step = SVG_DENSITY_STEPS; step > 0; step--) {
        char text[HTML_NUMBER_SIZE];
        html_format_integer(bounds[step - 1], text);
        svg_plot_key(plot, "box", classes[step - 1], text);
    }
}

static void draw_density(struct html *html, const int64_t counts[DENSITY_CELLS * DENSITY_CELLS],
                         const struct svg_name *name)
{
    struct svg_plot plot = {.html = html};
    int64_t highest = 0, bounds[SVG_DENSITY_STEPS];
    const double diagonal[] = {-DENSITY_RANGE, DENSITY_RANGE};
    for (size_t i = 0; i < (size_t)DENSITY_CELLS * DENSITY_CELLS; i++)
        highest = counts[i] > highest ? counts[i] : highest;
    svg_density_bounds(highest, bounds);
    svg_axis_set(&plot.x, -DENSITY_RANGE, DENSITY_RANGE, 6,
                 "Label from White\u2019s view, centipawns");
    svg_axis_set(&plot.y, -DENSITY_RANGE, DENSITY_RANGE, 6, "Net\u2019s value, cp");
    svg_plot_begin(&plot, name);
    svg_plot_density(&plot, counts, DENSITY_CELLS, DENSITY_CELLS, bounds);
    svg_plot_line(&plot, diagonal, diagonal, 2, "line diagonal");
    draw_density_key(&plot, bounds);
    svg_plot_end(&plot);
}

void report_net_plot_density(struct html *html, const struct report_net_view *view)
{
    int64_t counts[DENSITY_CELLS * DENSITY_CELLS] = {0};
    char id[32], outside[HTML_NUMBER_SIZE];
    html_format_share(fill_density(view, counts), (int64_t)view->set->samples.count, outside);
    (void)snprintf(id, sizeof id, "density-%zu", view->number + 1);
    plots_figure_begin(html);
    draw_density(
        html, counts,
        &(struct svg_name){id, "Predicted against labeled scores",
                           "Density of the positions of test by label and by the net\u2019s "
                           "value; a perfect net would lie on the diagonal."});
    plots_figure_end(html,
                     "What %.200s says of the positions of test against their labels: the stronger "
                     "the colour of a cell of %d by %d cp, the more positions it holds, from the "
                     "numbers above. On the line both agree. %s lie outside of \u00b1%d,%03d cp "
                     "and are not drawn.",
                     view->name, DENSITY_CELL, DENSITY_CELL, outside, DENSITY_RANGE / 1000,
                     DENSITY_RANGE % 1000);
}

/* Positions to which the net gives about the same win share. Shares in percent. */
struct bucket {
    int64_t count, known; /* known: with the result of their game */
    double given, label, result;
};

static void fill_buckets(const struct report_net_view *view, struct bucket buckets[BUCKETS])
{
    const struct samples *samples = &view->set->samples;
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        double given = fmath_win_share(view->cp[i]);
        size_t at = (size_t)(given * BUCKETS);
        struct bucket *bucket = &buckets[at < BUCKETS ? at : BUCKETS - 1];
        bucket->count++;
        bucket->given += 100 * given;
        bucket->label += 100 * fmath_win_share(sample->cp);
        if (sample->result == SAMPLES_RESULT_UNKNOWN)
            continue;
        bucket->known++;
        bucket->result += 50.0 * (sample->result + 1);
    }
}

static void draw_bucket(struct svg_plot *plot, const struct bucket *bucket, bool results)
{
    int64_t count = results ? bucket->known : bucket->count;
    char tip[160], number[HTML_NUMBER_SIZE];
    if (count < REPORT_CALIBRATION_LEAST)
        return;
    double given = bucket->given / (double)bucket->count;
    double came = (results ? bucket->result : bucket->label) / (double)count;
    html_format_integer(count, number);
    (void)snprintf(tip, sizeof tip, "given %.1f\u00a0%%, %s %.1f\u00a0%%, %s positions", given,
                   results ? "games" : "labels", came, number);
    svg_plot_point(plot, given, came, results ? "point-result" : "point-label", tip);
}

/* How far labels lie from what the net gives, bucket by bucket, on average over positions. */
static double calibration_gap(const struct bucket buckets[BUCKETS])
{
    double sum = 0;
    int64_t count = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        double off = buckets[i].given - buckets[i].label;
        sum += off < 0 ? -off : off;
        count += buckets[i].count;
    }
    return count > 0 ? sum / (double)count : 0;
}

static void draw_calibration(struct html *html, const struct bucket buckets[BUCKETS],
                             const struct svg_name *name)
{
    static const double ends[] = {0, 100};
    struct svg_plot plot = {.html = html};
    svg_axis_set(&plot.x, 0, 100, 6, "White\u2019s win share by the net, \u03c3(cp/400)");
    svg_axis_set(&plot.y, 0, 100, 6, "Win share");
    plot.x.suffix = plot.y.suffix = "\u00a0%";
    svg_plot_begin(&plot, name);
    svg_plot_line(&plot, ends, ends, 2, "line diagonal");
    for (size_t i = 0; i < BUCKETS; i++) {
        draw_bucket(&plot, &buckets[i], true);
        draw_bucket(&plot, &buckets[i], false);
    }
    svg_plot_key(&plot, "point", "point-result", "results of games");
    svg_plot_key(&plot, "point", "point-label", "labels");
    svg_plot_end(&plot);
}

void report_net_plot_calibration(struct html *html, const struct report_net_view *view)
{
    struct bucket buckets[BUCKETS] = {{0}};
    char id[32];
    fill_buckets(view, buckets);
    (void)snprintf(id, sizeof id, "calibration-%zu", view->number + 1);
    plots_figure_begin(html);
    draw_calibration(html, buckets,
                     &(struct svg_name){id, "Calibration",
                                        "Mean label and mean result of the positions of test by "
                                        "the win share that the net gives them; a calibrated net "
                                        "would lie on the diagonal."});
    plots_figure_end(html,
                     "Whether values of %.200s mean what they say: positions of test in %d groups "
                     "by the win share that it gives White, and the mean of their labels and of "
                     "the results of their games, where there are at least %d. On the line it is "
                     "right on average; labels lie %.1f points off it.",
                     view->name, BUCKETS, REPORT_CALIBRATION_LEAST, calibration_gap(buckets));
}

/* Mean errors, by phase and size of the label. */
struct matrix {
    unsigned columns;
    int64_t counts[PHASE_GROUPS][SCORE_BY_GROUPS_MAX];
    double sums[PHASE_GROUPS][SCORE_BY_GROUPS_MAX];
    double highest; /* mean */
};

static unsigned phase_of(const struct sample *sample)
{
    static const unsigned weights[6] = {0, 1, 1, 2, 4, 0};
    struct plynnue_piece pieces[32];
    struct plynnue_position position;
    unsigned phase = 0;
    sample_to_pieces(sample, pieces, &position);
    for (unsigned i = 0; i < position.count; i++)
        phase += weights[piece_type_of(pieces[i].piece)];
    return phase < PHASE_MAX ? phase : PHASE_MAX;
}

static void fill_matrix(const struct report_net_view *view, struct matrix *matrix)
{
    const struct samples *samples = &view->set->samples;
    matrix->columns = score_by_groups(SCORE_BY_LABEL);
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        unsigned row = phase_of(sample) / PHASE_WIDTH;
        if (view->set->groups[i][SCORE_BY_LABEL] == SCORE_GROUP_NONE)
            continue;
        unsigned column = (uint8_t)view->set->groups[i][SCORE_BY_LABEL];
        matrix->counts[row][column]++;
        matrix->sums[row][column] += report_net_error(view->cp[i], sample->cp);
    }
    for (size_t row = 0; row < PHASE_GROUPS; row++)
        for (size_t column = 0; column < matrix->columns; column++) {
            double mean = matrix->sums[row][column] / (double)matrix->counts[row][column];
            if (matrix->counts[row][column] > 0 && mean > matrix->highest)
                matrix->highest = mean;
        }
}

/* "50-149" with a dash for ranges, "1000-" as "from 1000". */
static void group_text(const char *name, char out[GROUP_TEXT_MAX])
{
    size_t length = strcspn(name, "-");
    if (name[length] == '\0')
        (void)snprintf(out, GROUP_TEXT_MAX, "%s", name);
    else if (name[length + 1] == '\0')
        (void)snprintf(out, GROUP_TEXT_MAX, "\u2265\u00a0%.*s", (int)length, name);
    else
        (void)snprintf(out, GROUP_TEXT_MAX, "%.*s\u2013%s", (int)length, name, name + length + 1);
}

static void put_text(struct html *html, double x, double y, const char *class_name,
                     const char *text)
{
    html_open_with(html, "text", "x=\"%.1f\" y=\"%.1f\" class=\"%s\"", x, y, class_name);
    html_text(html, text);
    html_close(html);
}

static void draw_cell(struct html *html, const struct matrix *matrix, size_t row, size_t column)
{
    double width = (SVG_WIDTH - 12 - MATRIX_LEFT) / matrix->columns;
    double height = MATRIX_HEIGHT / PHASE_GROUPS;
    double x = MATRIX_LEFT + (double)column * width;
    double y = MATRIX_TOP + (double)(PHASE_GROUPS - 1 - row) * height;
    int64_t count = matrix->counts[row][column];
    char count_text[HTML_NUMBER_SIZE], mean_text[HTML_NUMBER_SIZE];
    if (count == 0) {
        put_text(html, x + width / 2, y + height / 2 + 4, "tick middle", "\u2013");
        return;
    }
    double mean = matrix->sums[row][column] / (double)count;
    int step = matrix->highest > 0 ? (int)(mean / matrix->highest * SVG_DENSITY_STEPS) : 0;
    step = step < SVG_DENSITY_STEPS ? step + 1 : SVG_DENSITY_STEPS;
    html_format_integer(count, count_text);
    html_format_real(mean, 1, mean_text);
    html_open_with(html, "rect",
                   "x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"d%d\"", x + 1,
                   y + 1, width - 2, height - 2, step);
    html_elementf(html, "title", NULL, "%s points, %s %s", mean_text, count_text,
                  plural((uint64_t)count, "position", "positions"));
    html_close(html);
    put_text(html, x + width / 2, y + height / 2 + 4, step > 3 ? "middle on-high" : "middle on-low",
             mean_text);
}

static void draw_matrix(struct html *html, const struct matrix *matrix, const struct svg_name *name)
{
    double width = (SVG_WIDTH - 12 - MATRIX_LEFT) / matrix->columns;
    double height = MATRIX_HEIGHT / PHASE_GROUPS, bottom = MATRIX_TOP + MATRIX_HEIGHT;
    char text[GROUP_TEXT_MAX];
    svg_open(html, name, SVG_HEIGHT);
    put_text(html, 4, 14, "label", "Phase: 24 is the full set, 0 kings and pawns only");
    for (int row = 0; row < PHASE_GROUPS; row++) {
        int low = row * PHASE_WIDTH, high = low + PHASE_WIDTH - 1;
        double y = MATRIX_TOP + (PHASE_GROUPS - 1 - row) * height + height / 2 + 4;
        (void)snprintf(text, sizeof text, "%d\u2013%d", low, high);
        put_text(html, MATRIX_LEFT - 6, y, "tick end", text);
        for (size_t column = 0; column < matrix->columns; column++)
            draw_cell(html, matrix, (size_t)row, column);
    }
    for (unsigned column = 0; column < matrix->columns; column++) {
        group_text(score_group_name(SCORE_BY_LABEL, column), text);
        put_text(html, MATRIX_LEFT + (column + 0.5) * width, bottom + 18, "tick middle", text);
    }
    put_text(html, MATRIX_LEFT + matrix->columns * width / 2, SVG_HEIGHT - 7.0, "label middle",
             "Size of the label, centipawns");
    svg_close(html);
}

void report_net_plot_errors(struct html *html, const struct report_net_view *view)
{
    struct matrix matrix = {0};
    char id[32];
    fill_matrix(view, &matrix);
    (void)snprintf(id, sizeof id, "errors-%zu", view->number + 1);
    plots_figure_begin(html);
    draw_matrix(html, &matrix,
                &(struct svg_name){id, "Error by phase and score",
                                   "Mean error of the net in points of win share, by the phase of "
                                   "the game and the size of the label."});
    plots_figure_end(
        html,
        "Where %.200s errs: the mean of |\u2060\u03c3(cp/400)\u00a0\u2212\u00a0\u03c3(label/400)| "
        "over the positions of test in each group, in hundredths, points of win "
        "share; the stronger the colour, the larger the error. A dash stands where "
        "there is no position.",
        view->name);
}
