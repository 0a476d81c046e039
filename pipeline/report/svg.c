/* SPDX-License-Identifier: MIT */
#include "pipeline/report/svg.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/report/html.h"

/* The plot's frame in the canvas. */
#define LEFT         50.0
#define RIGHT        (SVG_WIDTH - 12.0)
#define TOP          34.0
#define BOTTOM       (SVG_HEIGHT - 44.0)
#define TICK_GAP     6.0
#define TEXT_DROP    4.0 /* from the middle of a digit to its baseline */
#define LETTER_WIDTH 7.1 /* on average */

static double power_of_ten(int exponent)
{
    double power = 1;
    for (; exponent > 0; exponent--)
        power *= 10;
    for (; exponent < 0; exponent++)
        power /= 10;
    return power;
}

/* The smallest multiple of step that is not below value. */
static double step_up(double value, double step)
{
    double multiple = value / step;
    int64_t whole = (int64_t)multiple;
    if ((double)whole < multiple - 1e-9)
        whole++;
    return (double)whole * step;
}

static size_t ticks_between(double low, double high, double step)
{
    double span = (high - step_up(low, step)) / step;
    return span < -1e-9 ? 0 : (size_t)(span + 1e-9) + 1;
}

void svg_axis_set(struct svg_axis *axis, double low, double high, int most, const char *label)
{
    static const int mantissas[] = {1, 2, 5};
    if (!(low < high) || high - low > 1e15) {
        low = 0;
        high = 1;
    }
    *axis = (struct svg_axis){.low = low, .high = high, .label = label};
    for (int exponent = -9; exponent < 16; exponent++) {
        for (size_t i = 0; i < 3; i++) {
            axis->step = mantissas[i] * power_of_ten(exponent);
            axis->decimals = exponent < 0 ? -exponent : 0;
            axis->first = step_up(low, axis->step);
            if ((high - low) / axis->step <= SVG_TICKS_MAX &&
                ticks_between(low, high, axis->step) <= (size_t)most)
                return;
        }
    }
}

void svg_axis_set_count(struct svg_axis *axis, double high, int most, const char *label)
{
    svg_axis_set(axis, 0, high > 0 ? high : 1, most, label);
    svg_axis_set(axis, 0, step_up(axis->high, axis->step), most + 1, label);
}

void svg_axis_set_wide(struct svg_axis *axis, double low, double high, int most, const char *label)
{
    svg_axis_set(axis, low, high, most, label);
    double step = axis->step, up = step_up(axis->low, step);
    double down = up > axis->low + 1e-9 * step ? up - step : up;
    svg_axis_set(axis, down, step_up(axis->high, step), most + 2, label);
}

size_t svg_axis_ticks(const struct svg_axis *axis)
{
    return ticks_between(axis->low, axis->high, axis->step);
}

void svg_axis_format(const struct svg_axis *axis, double value, char out[HTML_NUMBER_SIZE])
{
    html_format_real(value, axis->decimals, out);
    if (axis->suffix) {
        size_t length = strlen(out);
        (void)snprintf(out + length, HTML_NUMBER_SIZE - length, "%s", axis->suffix);
    }
}

static double scale(const struct svg_axis *axis, double value, double from, double to)
{
    return from + (to - from) * (value - axis->low) / (axis->high - axis->low);
}

static double at_x(const struct svg_plot *plot, double value)
{
    return scale(&plot->x, value, LEFT, RIGHT);
}

static double at_y(const struct svg_plot *plot, double value)
{
    return scale(&plot->y, value, BOTTOM, TOP);
}

void svg_open(struct html *html, const struct svg_name *name, int height)
{
    html_open_with(html, "svg",
                   "role=\"img\" viewBox=\"0 0 %d %d\" aria-labelledby=\"%s-title %s-desc\"",
                   SVG_WIDTH, height, name->id, name->id);
    html_open_with(html, "title", "id=\"%s-title\"", name->id);
    html_text(html, name->title);
    html_close(html);
    html_open_with(html, "desc", "id=\"%s-desc\"", name->id);
    html_text(html, name->description);
    html_close(html);
}

void svg_close(struct html *html)
{
    html_close(html);
}

static void put_text(struct html *html, double x, double y, const char *class_name,
                     const char *text)
{
    html_open_with(html, "text", "x=\"%.1f\" y=\"%.1f\" class=\"%s\"", x, y, class_name);
    html_text(html, text);
    html_close(html);
}

static void put_line(struct html *html, double x1, double y1, double x2, double y2,
                     const char *class_name)
{
    html_empty(html, "line", "x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"", x1, y1,
               x2, y2, class_name);
}

static void draw_x_axis(struct svg_plot *plot)
{
    char text[HTML_NUMBER_SIZE];
    size_t ticks = svg_axis_ticks(&plot->x);
    for (size_t i = 0; i < ticks; i++) {
        double value = plot->x.first + (double)i * plot->x.step, x = at_x(plot, value);
        svg_axis_format(&plot->x, value, text);
        put_line(plot->html, x, BOTTOM, x, BOTTOM + TICK_GAP - 1, "axis");
        put_text(plot->html, x, BOTTOM + TICK_GAP + 12, "tick middle", text);
    }
    put_line(plot->html, LEFT, BOTTOM, RIGHT, BOTTOM, "axis");
    put_text(plot->html, (LEFT + RIGHT) / 2, SVG_HEIGHT - 7.0, "label middle", plot->x.label);
}

static void draw_y_axis(struct svg_plot *plot)
{
    char text[HTML_NUMBER_SIZE];
    size_t ticks = svg_axis_ticks(&plot->y);
    for (size_t i = 0; i < ticks; i++) {
        double value = plot->y.first + (double)i * plot->y.step, y = at_y(plot, value);
        svg_axis_format(&plot->y, value, text);
        if (value > plot->y.low)
            put_line(plot->html, LEFT, y, RIGHT, y, "grid");
        put_text(plot->html, LEFT - TICK_GAP, y + TEXT_DROP, "tick end", text);
    }
    put_text(plot->html, 4, 14, "label", plot->y.label);
}

void svg_plot_begin(struct svg_plot *plot, const struct svg_name *name)
{
    svg_open(plot->html, name, SVG_HEIGHT);
    plot->key = RIGHT;
    draw_y_axis(plot);
    draw_x_axis(plot);
}

void svg_plot_end(struct svg_plot *plot)
{
    svg_close(plot->html);
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static void put_tip(struct html *html, const char *tip)
{
    if (tip)
        html_element(html, "title", NULL, tip);
}

void svg_plot_column(struct svg_plot *plot, double low, double high, double value,
                     const char *class_name, const char *tip)
{
    double left = at_x(plot, clamp(low, plot->x.low, plot->x.high));
    double right = at_x(plot, clamp(high, plot->x.low, plot->x.high));
    double top = at_y(plot, clamp(value, plot->y.low, plot->y.high));
    double gap = right - left > 5 ? 1 : 0.4;
    if (!(value > plot->y.low))
        return;
    html_open_with(plot->html, "rect",
                   "x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"%s\"",
                   left + gap / 2, top, right - left - gap, BOTTOM - top, class_name);
    put_tip(plot->html, tip);
    html_close(plot->html);
}

static bool within(const struct svg_axis *axis, double value)
{
    return value >= axis->low && value <= axis->high;
}

void svg_plot_line(struct svg_plot *plot, const double *x, const double *y, size_t count,
                   const char *class_name)
{
    bool drawing = false;
    char point[64];
    html_raw(plot->html, "<path d=\"");
    for (size_t i = 0; i < count; i++) {
        bool inside = within(&plot->x, x[i]) && within(&plot->y, y[i]);
        if (inside) {
            (void)snprintf(point, sizeof point, "%s%.1f %.1f", drawing ? "L" : "M",
                           at_x(plot, x[i]), at_y(plot, y[i]));
            html_raw(plot->html, point);
        }
        drawing = inside;
    }
    html_raw(plot->html, "\" class=\"");
    html_raw(plot->html, class_name);
    html_raw(plot->html, "\"/>\n");
}

void svg_plot_point(struct svg_plot *plot, double x, double y, const char *class_name,
                    const char *tip)
{
    if (!within(&plot->x, x) || !within(&plot->y, y))
        return;
    html_open_with(plot->html, "circle", "cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\" class=\"%s\"",
                   at_x(plot, x), at_y(plot, y), class_name);
    put_tip(plot->html, tip);
    html_close(plot->html);
}

void svg_plot_level(struct svg_plot *plot, double y, const char *class_name)
{
    put_line(plot->html, LEFT, at_y(plot, y), RIGHT, at_y(plot, y), class_name);
}

static int density_step(int64_t count, const int64_t bounds[SVG_DENSITY_STEPS])
{
    int step = 0;
    while (step < SVG_DENSITY_STEPS && count >= bounds[step])
        step++;
    return step;
}

/* A run of neighbours of one shade is one rectangle. */
static void draw_run(struct svg_plot *plot, size_t row, size_t rows, size_t from, size_t to,
                     size_t columns, int step)
{
    double width = (RIGHT - LEFT) / (double)columns, height = (BOTTOM - TOP) / (double)rows;
    html_empty(plot->html, "rect",
               "x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"d%d\"",
               LEFT + (double)from * width, BOTTOM - (double)(row + 1) * height,
               (double)(to - from) * width, height, step);
}

void svg_plot_density(struct svg_plot *plot, const int64_t *counts, size_t columns, size_t rows,
                      const int64_t bounds[SVG_DENSITY_STEPS])
{
    for (size_t row = 0; row < rows; row++) {
        const int64_t *line = counts + row * columns;
        size_t from = 0;
        for (size_t column = 1; column <= columns; column++) {
            int step = density_step(line[from], bounds);
            if (column < columns && density_step(line[column], bounds) == step)
                continue;
            if (step > 0)
                draw_run(plot, row, rows, from, column, columns, step);
            from = column;
        }
    }
}

void svg_density_bounds(int64_t highest, int64_t bounds[SVG_DENSITY_STEPS])
{
    int64_t ratio = 2;
    for (int64_t next = 3; next * next * next * next <= highest; next++)
        ratio = next;
    bounds[0] = 1;
    for (int i = 1; i < SVG_DENSITY_STEPS; i++)
        bounds[i] = bounds[i - 1] * ratio;
}

double svg_text_width(const char *text)
{
    double width = 0;
    for (; *text; text++)
        if (((unsigned char)*text & 0xC0) != 0x80)
            width += LETTER_WIDTH;
    return width;
}

void svg_plot_key(struct svg_plot *plot, const char *shape, const char *class_name,
                  const char *text)
{
    double width = svg_text_width(text) + 22, left = plot->key - width;
    if (strcmp(shape, "line") == 0)
        put_line(plot->html, left, 10, left + 16, 10, class_name);
    else if (strcmp(shape, "point") == 0)
        html_empty(plot->html, "circle", "cx=\"%.1f\" cy=\"10\" r=\"3.2\" class=\"%s\"", left + 10,
                   class_name);
    else
        html_empty(plot->html, "rect", "x=\"%.1f\" y=\"5\" width=\"10\" height=\"10\" class=\"%s\"",
                   left + 5, class_name);
    put_text(plot->html, left + 20, 14, "tick", text);
    plot->key = left - 10;
}

void svg_shares_row(struct html *html, double top, const char *label, const struct svg_part *parts,
                    size_t count)
{
    const double left = 78, width = RIGHT - left, height = 26;
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += parts[i].value;
    put_text(html, left - 8, top + height / 2 + TEXT_DROP, "label end", label);
    double at = left;
    for (size_t i = 0; i < count && sum > 0; i++) {
        double part = width * (double)parts[i].value / (double)sum;
        char text[HTML_NUMBER_SIZE], class_name[32];
        if (parts[i].value == 0)
            continue;
        html_empty(html, "rect",
                   "x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\" class=\"share %s\"", at,
                   top, part, height, parts[i].class_name);
        html_format_share(parts[i].value, sum, text);
        (void)snprintf(class_name, sizeof class_name, "middle on-%s", parts[i].class_name);
        if (part > 46)
            put_text(html, at + part / 2, top + height / 2 + TEXT_DROP, class_name, text);
        at += part;
    }
}
