/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report_losses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/file.h"
#include "pipeline/report/plots.h"
#include "pipeline/report/svg.h"

#define POINTS_MAX 400 /* of one curve; longer logs are thinned */

static const char header[] = "epoch,train_loss,validation_loss\n";

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

/* A number up to the character `end`, which is read over. */
static bool parse_number(const char **at, char end, double *value)
{
    char *stop;
    *value = strtod(*at, &stop);
    if (stop == *at || *stop != end || !(*value > -1e300 && *value < 1e300))
        return false;
    *at = stop + 1;
    return true;
}

static bool parse_row(const char **at, struct report_losses *losses)
{
    size_t i = losses->count;
    if (!parse_number(at, ',', &losses->epoch[i]) || !parse_number(at, ',', &losses->train[i]))
        return false;
    if (**at == '\n') {
        losses->has_validation = false;
        losses->validation[i] = 0;
        (*at)++;
    } else if (!parse_number(at, '\n', &losses->validation[i])) {
        return false;
    }
    losses->count++;
    return true;
}

int report_losses_parse(const char *text, struct report_losses *losses, struct error *err)
{
    if (strncmp(text, header, sizeof header - 1) != 0)
        return error_set(err, ERROR_FAILED, "line 1: expected %.*s", (int)sizeof header - 2,
                         header);
    const char *at = text + sizeof header - 1;
    size_t lines = count_lines(at);
    if (lines > REPORT_EPOCHS_MAX)
        return error_set(err, ERROR_FAILED, "more than %d epochs", REPORT_EPOCHS_MAX);
    losses->epoch = calloc(lines + 1, sizeof *losses->epoch);
    losses->train = calloc(lines + 1, sizeof *losses->train);
    losses->validation = calloc(lines + 1, sizeof *losses->validation);
    if (!losses->epoch || !losses->train || !losses->validation)
        return error_memory(err);
    losses->has_validation = lines > 0;
    while (*at)
        if (losses->count == lines || !parse_row(&at, losses))
            return error_set(err, ERROR_FAILED, "line %zu: expected three numbers",
                             losses->count + 2);
    return 0;
}

char *report_losses_path(const char *net, struct error *err)
{
    static const char suffix[] = ".safetensors";
    size_t length = strlen(net), tail = sizeof suffix - 1;
    if (length > tail && strcmp(net + length - tail, suffix) == 0)
        length -= tail;
    return file_name_format(err, "%.*s.train.csv", (int)length, net);
}

int report_losses_read(const char *net, struct report_losses *losses, struct error *err)
{
    struct buffer text;
    buffer_init(&text, REPORT_LOG_MAX);
    char *path = report_losses_path(net, err);
    int status = -1;
    if (path && !file_exists(path)) {
        status = 0;
    } else if (path && file_read_all(path, &text, err) == 0 && buffer_reserve(&text, 1, err) == 0) {
        text.data[text.length] = '\0';
        status = report_losses_parse(text.data, losses, err) < 0 ? -1 : 1;
        if (status < 0)
            error_prefix(err, "%s", path);
    }
    free(path);
    buffer_free(&text);
    return status;
}

void report_losses_free(struct report_losses *losses)
{
    free(losses->epoch);
    free(losses->train);
    free(losses->validation);
    *losses = (struct report_losses){0};
}

static void widen(const double *values, size_t count, double *low, double *high)
{
    for (size_t i = 0; i < count; i++) {
        *low = values[i] < *low ? values[i] : *low;
        *high = values[i] > *high ? values[i] : *high;
    }
}

static void draw_curve(struct svg_plot *plot, const struct report_losses *losses,
                       const double *values, const char *class_name)
{
    double x[POINTS_MAX], y[POINTS_MAX];
    size_t points = losses->count < POINTS_MAX ? losses->count : POINTS_MAX;
    for (size_t i = 0; i < points; i++) {
        size_t at = points > 1 ? i * (losses->count - 1) / (points - 1) : 0;
        x[i] = losses->epoch[at];
        y[i] = values[at];
    }
    svg_plot_line(plot, x, y, points, class_name);
}

static void set_axes(struct svg_plot *plot, const struct report_losses *losses)
{
    double low = losses->train[0], high = low;
    double first = losses->epoch[0], last = losses->epoch[losses->count - 1];
    widen(losses->train, losses->count, &low, &high);
    if (losses->has_validation)
        widen(losses->validation, losses->count, &low, &high);
    if (!(low < high))
        high = low + (low > 0 ? low : 1);
    svg_axis_set_wide(&plot->y, low, high, 5, "Loss (WDL-MSE)");
    svg_axis_set(&plot->x, first > 1 ? first : 0, last > 1 ? last : 1, 6, "Epoch");
}

static size_t lowest(const double *values, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] < values[best])
            best = i;
    return best;
}

void report_losses_plot(struct html *html, size_t number, const char *name,
                        const struct report_losses *losses)
{
    struct svg_plot plot = {.html = html};
    char id[32];
    if (losses->count == 0)
        return;
    (void)snprintf(id, sizeof id, "losses-%zu", number + 1);
    set_axes(&plot, losses);
    plots_figure_begin(html);
    svg_plot_begin(&plot, &(struct svg_name){id, "Loss by epoch",
                                             "Training and validation loss after each epoch."});
    if (losses->has_validation) {
        draw_curve(&plot, losses, losses->validation, "line second");
        svg_plot_key(&plot, "line", "line second", "validation");
    }
    draw_curve(&plot, losses, losses->train, "line first");
    svg_plot_key(&plot, "line", "line first", "train");
    svg_plot_end(&plot);
    const double *shown = losses->has_validation ? losses->validation : losses->train;
    size_t best = lowest(shown, losses->count);
    plots_figure_end(html,
                     "How the training of %.200s went. The %s loss was lowest, %.6f, after epoch "
                     "%.0f of %zu.",
                     name, losses->has_validation ? "validation" : "training", shown[best],
                     losses->epoch[best], losses->count);
}
