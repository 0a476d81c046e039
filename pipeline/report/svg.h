/* SPDX-License-Identifier: MIT */
/*
 * Charts as inline SVG: axes with ticks at round numbers, columns, lines, points, density, shares.
 *
 * A chart is drawn on a canvas of SVG_WIDTH by SVG_HEIGHT units, which a page shows at about that
 * many pixels, on a phone a little smaller: text stays readable at both. Colours come from the
 * page's style sheet through class names, so that one drawing serves light, dark and paper.
 */
#ifndef PLYMILL_PIPELINE_REPORT_SVG_H
#define PLYMILL_PIPELINE_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pipeline/report/html.h"

#define SVG_WIDTH     420
#define SVG_HEIGHT    270
#define SVG_TICKS_MAX 9 /* on one axis */

/* A linear axis from low to high. */
struct svg_axis {
    double low, high;
    double first, step; /* ticks at first, first + step, ... <= high */
    int decimals;       /* of tick labels */
    const char *label;  /* with the unit: "Score, centipawns" */
    const char *suffix; /* behind each tick label, " %"; may be NULL */
};

/*
 * Ticks at multiples of 1, 2 or 5 times a power of ten, as many as fit into most (2 ..
 * SVG_TICKS_MAX). low < high, both finite; else the axis becomes 0 .. 1.
 */
void svg_axis_set(struct svg_axis *axis, double low, double high, int most, const char *label);
/* The same, with high moved up to a tick: for axes of counts, which begin at 0. */
void svg_axis_set_count(struct svg_axis *axis, double high, int most, const char *label);
/* The same, with both ends moved out to a tick. */
void svg_axis_set_wide(struct svg_axis *axis, double low, double high, int most, const char *label);
size_t svg_axis_ticks(const struct svg_axis *axis);
void svg_axis_format(const struct svg_axis *axis, double value, char out[HTML_NUMBER_SIZE]);

/* What a reader who does not see the picture is told. id: unique in the page, letters. */
struct svg_name {
    const char *id, *title, *description;
};

struct svg_plot {
    struct html *html;
    struct svg_axis x, y;
    double key; /* where the next entry of the key begins */
};

/* Opens <svg role="img"> with its names. svg_close ends it. */
void svg_open(struct html *html, const struct svg_name *name, int height);
void svg_close(struct html *html);

/* svg_open, then grid, ticks and labels of both axes, which must be set. */
void svg_plot_begin(struct svg_plot *plot, const struct svg_name *name);
void svg_plot_end(struct svg_plot *plot);

/* One column of a histogram over [low, high); tip is shown under the pointer. */
void svg_plot_column(struct svg_plot *plot, double low, double high, double value,
                     const char *class_name, const char *tip);
/* A polyline; it ends and begins anew where a point lies outside of the axes. */
void svg_plot_line(struct svg_plot *plot, const double *x, const double *y, size_t count,
                   const char *class_name);
void svg_plot_point(struct svg_plot *plot, double x, double y, const char *class_name,
                    const char *tip);
/* Over the whole width: a line at y. */
void svg_plot_level(struct svg_plot *plot, double y, const char *class_name);

#define SVG_DENSITY_STEPS 5
/*
 * counts[row * columns + column], rows from the bottom: shaded in SVG_DENSITY_STEPS steps, classes
 * d1 .. d5, step k beginning at bounds[k].
 */
void svg_plot_density(struct svg_plot *plot, const int64_t *counts, size_t columns, size_t rows,
                      const int64_t bounds[SVG_DENSITY_STEPS]);
/* Bounds 1, m, m^2 .. with the largest m, at least 2, whose last bound the highest count reaches.
 */
void svg_density_bounds(int64_t highest, int64_t bounds[SVG_DENSITY_STEPS]);

/* An entry of the key, above the plot on the right; shape: "line", "point" or "box". */
void svg_plot_key(struct svg_plot *plot, const char *shape, const char *class_name,
                  const char *text);

/* About how wide a text of a chart is drawn. */
double svg_text_width(const char *text);

/* A bar of one row cut into parts, as wide as the canvas. */
struct svg_part {
    int64_t value;
    const char *class_name;
};
void svg_shares_row(struct html *html, double top, const char *label, const struct svg_part *parts,
                    size_t count);

#endif
