/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report_openings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/bytes.h"
#include "formats/io/extsort.h"
#include "labeler/store.h"
#include "pipeline/report/plots.h"
#include "pipeline/report/plural.h"
#include "pipeline/report/svg.h"
#include "pipeline/stages/opening.h"

#define SORT_MEMORY ((size_t)32 << 20)
#define KEY_SIZE    8

void report_openings_add(struct report_openings *openings, int64_t games)
{
    size_t at = REPORT_OPENINGS;
    openings->games += games;
    openings->openings++;
    while (at > 0 && games > openings->top[at - 1])
        at--;
    if (at == REPORT_OPENINGS)
        return;
    memmove(&openings->top[at + 1], &openings->top[at],
            (REPORT_OPENINGS - 1 - at) * sizeof openings->top[0]);
    openings->top[at] = games;
}

/* The opening of every game that has samples. */
static int sort_games(struct store_samples *store, struct extsort *sorter, struct error *err)
{
    struct store_sample sample;
    struct store_game game;
    int64_t last = 0;
    int status;
    while ((status = store_samples_next(store, &sample, &game, err)) == 1) {
        uint8_t key[KEY_SIZE];
        if (game.id == last)
            continue;
        last = game.id;
        bytes_put_u64(key, game.opening);
        const struct extsort_item item = {.key = key, .data = key, .key_size = KEY_SIZE};
        if (extsort_add(sorter, &item, err) < 0)
            return -1;
    }
    return status;
}

static int sort_shard(struct build *build, unsigned shard, struct extsort *sorter,
                      struct error *err)
{
    struct store_samples *store = NULL;
    char *path = build_samples_path(build, shard, err);
    int status = path ? store_samples_open(path, &store, err) : -1;
    free(path);
    if (status < 0)
        return -1;
    status = sort_games(store, sorter, err);
    store_samples_close(store);
    return status;
}

static int count_runs(struct extsort *sorter, struct report_openings *openings, struct error *err)
{
    struct extsort_item item;
    uint8_t key[KEY_SIZE] = {0};
    int64_t games = 0;
    int status = extsort_finish(sorter, err);
    while (status == 0 && (status = extsort_next(sorter, &item, err)) == 1) {
        status = 0;
        if (games > 0 && memcmp(key, item.key, KEY_SIZE) != 0) {
            report_openings_add(openings, games);
            games = 0;
        }
        memcpy(key, item.key, KEY_SIZE);
        games++;
    }
    if (status == 0 && games > 0)
        report_openings_add(openings, games);
    return status;
}

int report_openings_read(struct build *build, struct report_openings *openings, struct error *err)
{
    const char *folder = getenv("TMPDIR");
    struct extsort *sorter = NULL;
    *openings = (struct report_openings){0};
    if (extsort_new(folder && *folder ? folder : "/tmp", SORT_MEMORY, &sorter, err) < 0)
        return -1;
    int status = 0;
    for (unsigned shard = 0; shard < build->shards && status == 0; shard++)
        status = sort_shard(build, shard, sorter, err);
    if (status == 0)
        status = count_runs(sorter, openings, err);
    extsort_free(sorter);
    return status;
}

static void draw_openings(struct svg_plot *plot, const struct report_openings *openings)
{
    for (size_t i = 0; i < REPORT_OPENINGS && openings->top[i] > 0; i++) {
        char tip[96], count[HTML_NUMBER_SIZE];
        double share = 100.0 * (double)openings->top[i] / (double)openings->games;
        html_format_integer(openings->top[i], count);
        (void)snprintf(tip, sizeof tip, "number %zu: %s %s", i + 1, count,
                       plural((uint64_t)openings->top[i], "game", "games"));
        svg_plot_column(plot, (double)i + 0.5, (double)i + 1.5, share, "bar", tip);
    }
}

static void put_caption(struct html *html, const struct report_openings *openings)
{
    char games[HTML_NUMBER_SIZE], boards[HTML_NUMBER_SIZE], first[HTML_NUMBER_SIZE],
        drawn[HTML_NUMBER_SIZE];
    int64_t sum = 0;
    for (size_t i = 0; i < REPORT_OPENINGS; i++)
        sum += openings->top[i];
    html_format_integer(openings->games, games);
    html_format_integer(openings->openings, boards);
    html_format_share(openings->top[0], openings->games, first);
    html_format_share(sum, openings->games, drawn);
    plots_figure_end(html,
                     "How varied the openings are: after %d half-moves the %s games had %s "
                     "different boards. The most frequent one stands for %s of the games, all that "
                     "are drawn for %s.",
                     OPENING_PLY, games, boards, first, drawn);
}

void report_openings_plot(struct html *html, const struct report_openings *openings)
{
    struct svg_plot plot = {.html = html};
    if (openings->games == 0)
        return;
    svg_axis_set(&plot.x, 0.2, REPORT_OPENINGS + 0.8, 6,
                 "Boards after 8 half-moves, the most frequent first");
    svg_axis_set_count(&plot.y, 100.0 * (double)openings->top[0] / (double)openings->games, 5,
                       "Share of games");
    plot.y.suffix = "\u00a0%";
    plots_figure_begin(html);
    svg_plot_begin(&plot, &(struct svg_name){"openings", "Most frequent openings",
                                             "Share of the games that reached each of the most "
                                             "frequent boards after 8 half-moves."});
    draw_openings(&plot, openings);
    svg_plot_end(&plot);
    put_caption(html, openings);
}
