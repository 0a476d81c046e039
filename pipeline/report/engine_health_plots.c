/* SPDX-License-Identifier: MIT */
/*
 * The part of a page that shows how the engines did: over the course of the build, which is counted
 * in labels, since a build may rest for days between two runs.
 */
#include "pipeline/report/engine_health.h"

#include <inttypes.h>
#include <stdlib.h>

#include "pipeline/report/plots.h"
#include "pipeline/report/plural.h"
#include "pipeline/report/svg.h"

#define TICKS 5

/* Stretch by stretch, as steps: two points each. */
struct course {
    double *x, *median, *p95, *rate; /* [2 * count] */
    size_t count;
    double highest_ms, highest_rate;
};

static void add_step(struct course *course, double from, const struct catalogue_health *row)
{
    size_t at = 2 * course->count++;
    double rate = row->wall_us > 0 ? 1e6 * (double)row->labels / (double)row->wall_us : 0;
    for (size_t i = at; i < at + 2; i++) {
        course->x[i] = from + (i > at ? (double)row->labels : 0);
        course->median[i] = 1e-3 * (double)row->median_us;
        course->p95[i] = 1e-3 * (double)row->p95_us;
        course->rate[i] = rate;
    }
    if (course->p95[at] > course->highest_ms)
        course->highest_ms = course->p95[at];
    if (rate > course->highest_rate)
        course->highest_rate = rate;
}

static int course_of(const struct engine_health *health, struct course *course, struct error *err)
{
    size_t most = 2 * health->count;
    double from = 0, *values = calloc(4 * most, sizeof *values);
    *course = (struct course){.x = values};
    if (!values)
        return error_memory(err);
    course->median = values + most;
    course->p95 = values + 2 * most;
    course->rate = values + 3 * most;
    for (size_t i = 0; i < health->count; i++) {
        if (health->rows[i].labels > 0)
            add_step(course, from, &health->rows[i]);
        from += (double)health->rows[i].labels;
    }
    return 0;
}

/* On the axis of labels, where engines had to be started anew. */
static void draw_restarts(struct svg_plot *plot, const struct engine_health *health)
{
    int64_t labels = 0;
    for (size_t i = 0; i < health->count; i++) {
        const struct catalogue_health *row = &health->rows[i];
        char tip[160], from[HTML_NUMBER_SIZE], to[HTML_NUMBER_SIZE];
        html_format_integer(labels, from);
        labels += row->labels;
        html_format_integer(labels, to);
        if (row->restarts == 0)
            continue;
        (void)snprintf(tip, sizeof tip,
                       "labels %s to %s: %" PRId64 " %s, %" PRId64 " for being late", from, to,
                       row->restarts, plural((uint64_t)row->restarts, "restart", "restarts"),
                       row->timeouts);
        svg_plot_point(plot, (double)labels - (double)row->labels / 2, 0, "point-result", tip);
    }
}

static void begin_plot(struct svg_plot *plot, const struct engine_health *health, double highest,
                       const char *label)
{
    double labels = health->sum.labels > 0 ? (double)health->sum.labels : 1;
    svg_axis_set(&plot->x, 0, labels, TICKS, "Labels made");
    svg_axis_set_count(&plot->y, highest, TICKS, label);
    plots_figure_begin(plot->html);
}

static void plot_times(struct html *html, const struct engine_health *health,
                       const struct course *course)
{
    struct svg_plot plot = {.html = html};
    char nodes[HTML_NUMBER_SIZE], slowest[HTML_NUMBER_SIZE];
    begin_plot(&plot, health, course->highest_ms, "Time for a label, ms");
    svg_plot_begin(&plot, &(struct svg_name){"health-time", "Time for one label",
                                             "Median and 95 % quantile of the time for a label "
                                             "over the course of the build, and where engines "
                                             "were restarted."});
    svg_plot_line(&plot, course->x, course->p95, 2 * course->count, "line second dashed");
    svg_plot_line(&plot, course->x, course->median, 2 * course->count, "line first");
    draw_restarts(&plot, health);
    svg_plot_key(&plot, "line", "line first", "median");
    svg_plot_key(&plot, "line", "line second dashed", "95\u00a0% below");
    if (health->sum.restarts > 0)
        svg_plot_key(&plot, "point", "point-result", "restarts");
    svg_plot_end(&plot);
    html_format_real(health->sum.labels > 0 ? (double)health->sum.nodes / (double)health->sum.labels
                                            : 0,
                     0, nodes);
    html_format_real(1e-3 * (double)health->sum.slowest_us, 1, slowest);
    plots_figure_end(html,
                     "How long an engine took for a label while the build went on: a level line "
                     "is a machine that nothing else disturbed. A label took %s nodes on average; "
                     "the slowest took %s ms.",
                     nodes, slowest);
}

static void plot_rate(struct html *html, const struct engine_health *health,
                      const struct course *course)
{
    struct svg_plot plot = {.html = html};
    char rate[HTML_NUMBER_SIZE];
    double seconds = 1e-6 * (double)health->sum.wall_us;
    begin_plot(&plot, health, course->highest_rate, "Labels a second, all engines");
    svg_plot_begin(&plot, &(struct svg_name){"health-rate", "Labels a second",
                                             "Labels a second of all engines together over the "
                                             "course of the build."});
    svg_plot_line(&plot, course->x, course->rate, 2 * course->count, "line first");
    svg_plot_end(&plot);
    html_format_real(seconds > 0 ? (double)health->sum.labels / seconds : 0, 1, rate);
    plots_figure_end(html,
                     "How many labels up to %" PRId64 " engines made in a second, starts and "
                     "restarts included: %s on average.",
                     health->sum.workers, rate);
}

static void write_lead(struct html *html, const struct catalogue_health *sum)
{
    char labels[HTML_NUMBER_SIZE], restarts[HTML_NUMBER_SIZE], late[HTML_NUMBER_SIZE];
    char failures[HTML_NUMBER_SIZE];
    html_format_integer(sum->labels, labels);
    html_format_integer(sum->restarts, restarts);
    html_format_integer(sum->timeouts, late);
    html_format_integer(sum->failures, failures);
    html_open(html, "p");
    html_textf(html,
               "Engines made %s %s here. They had to be killed and started anew %s %s, %s of these "
               "for being late; %s %s given up. Times are of the machines that did the work: an "
               "equal build made elsewhere has other ones.",
               labels, plural((uint64_t)sum->labels, "label", "labels"), restarts,
               plural((uint64_t)sum->restarts, "time", "times"), late, failures,
               plural((uint64_t)sum->failures, "position was", "positions were"));
    html_close(html);
}

int engine_health_write(struct html *html, const struct engine_health *health, struct error *err)
{
    struct course course;
    html_open(html, "section");
    html_element(html, "h2", NULL, "How the engine did");
    if (health->count == 0) {
        html_element(html, "p", NULL,
                     "Nothing was written down: no engine was asked by this build, or only tasks "
                     "on other machines asked one, whose logs have it.");
        html_close(html);
        return 0;
    }
    write_lead(html, &health->sum);
    if (course_of(health, &course, err) < 0)
        return -1;
    if (course.count > 0) {
        html_open_with(html, "div", "class=\"figures\"");
        plot_times(html, health, &course);
        plot_rate(html, health, &course);
        html_close(html);
    }
    html_close(html);
    free(course.x);
    return 0;
}
