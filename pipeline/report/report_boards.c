/* SPDX-License-Identifier: MIT */
#include "pipeline/report/report_boards.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/types.h"
#include "nnue/tools/samples.h"
#include "pipeline/report/plural.h"
#include "pipeline/report/report_net_plots.h"

#define SQUARE         20 /* units of the drawing */
#define BOARD          (8 * SQUARE)
#define LICHESS_LENGTH 8
#define SCORE_TEXT_MAX 64

/* Outlines in a square of 20 by 20. */
static const char *const pieces[6] = {
    [PAWN] = "M10 4a2.9 2.9 0 0 1 1.7 5.2c1.5 1 2.3 2.7 2.5 4.8h1v2.6H4.8V14h1c.2-2.1 1-3.8 "
             "2.5-4.8A2.9 2.9 0 0 1 10 4z",
    [KNIGHT] = "M6 16.6c0-3 1-4.6 3.2-6.4-1.5.5-2.5 1.2-3.3 2.3l-1.9-1c-.2-1.5.6-2.7 1.7-4 "
               ".4-1.5 1.2-2.6 2.4-3.3l.2-2 1.8 1.5c3.4.5 5.5 3.6 5.5 8.4 0 1.8-.2 3.2-.5 4.5z",
    [BISHOP] = "M10 2.4a1.3 1.3 0 0 1 .9 2.3c2.1 1.4 3.2 3.1 3.2 5 0 1.3-.7 2.4-1.8 3.1l.4 1.4h2.2"
               "v2.4H5.1v-2.4h2.2l.4-1.4c-1.1-.7-1.8-1.8-1.8-3.1 0-1.9 1.1-3.6 3.2-5A1.3 1.3 0 0 1 "
               "10 2.4z",
    [ROOK] = "M5 3.4h2.3v1.7h1.6V3.4h2.2v1.7h1.6V3.4H15v3.8l-1.6 1.4v4.5l1.3 1.2v2.3H5.3v-2.3"
             "l1.3-1.2V8.6L5 7.2z",
    [QUEEN] = "M3 5.6l3.1 4.2.7-6 3.2 5.2 3.2-5.2.7 6L17 5.6l-1.6 8.2.5 2.8H4.1l.5-2.8z",
    [KING] =
        "M9.3 2h1.4v1.4H12v1.3h-1.3v1.4c.9.3 1.4 1 1.5 1.9.8-.7 1.7-1 2.6-.8 1.6.3 2.4 1.9 1.8 "
        "3.6-.4 1.2-1.3 2.2-2.2 3v2.8H5.6v-2.8c-.9-.8-1.8-1.8-2.2-3-.6-1.7.2-3.3 1.8-3.6.9-.2 "
        "1.8.1 2.6.8.1-.9.6-1.6 1.5-1.9V4.7H8V3.4h1.3z"};

void report_worst_add(struct report_worst *worst, const struct record *record, double cp,
                      double label)
{
    double error = report_net_error(cp, label);
    size_t at = worst->count;
    while (at > 0 && error > worst->boards[at - 1].error)
        at--;
    if (at == REPORT_BOARDS)
        return;
    if (worst->count < REPORT_BOARDS)
        worst->count++;
    memmove(&worst->boards[at + 1], &worst->boards[at],
            (worst->count - 1 - at) * sizeof worst->boards[0]);
    worst->boards[at] = (struct report_board){*record, cp, error};
}

static int read_worst(struct record_reader *reader, bool last_exact, const double *cp, size_t count,
                      struct report_worst *worst, struct error *err)
{
    struct record record;
    size_t seen = 0;
    int status;
    while ((status = record_reader_next(reader, &record, err)) == 1) {
        const struct score *score = record_score(&record, last_exact);
        if (score->kind == SCORE_NONE)
            continue;
        if (seen < count)
            report_worst_add(worst, &record, cp[seen], samples_target(score, record.position.side));
        seen++;
    }
    if (status == 0 && seen != count)
        return error_set(err, ERROR_FAILED, "%zu labeled records, %zu were read before", seen,
                         count);
    return status;
}

int report_worst_read(const char *path, bool last_exact, const double *cp, size_t count,
                      struct report_worst *worst, struct error *err)
{
    struct record_reader *reader = NULL;
    *worst = (struct report_worst){0};
    if (record_reader_open(path, &reader, err) < 0)
        return -1;
    int status = read_worst(reader, last_exact, cp, count, worst, err);
    record_reader_close(reader);
    return status < 0 ? error_prefix(err, "%s", path) : 0;
}

static void define_pieces(struct html *html)
{
    html_raw(html, "<svg width=\"0\" height=\"0\" class=\"shapes\" aria-hidden=\"true\"><defs>\n");
    for (int type = PAWN; type <= KING; type++) {
        char id[32];
        (void)snprintf(id, sizeof id, "piece-%d", type);
        html_empty(html, "path", "id=\"%s\" d=\"%s\"", id, pieces[type]);
    }
    html_raw(html, "</defs></svg>\n");
}

static unsigned square_x(unsigned square)
{
    return square_file(square) * SQUARE;
}

static unsigned square_y(unsigned square)
{
    return (7 - square_rank(square)) * SQUARE;
}

static void put_square(struct html *html, unsigned square, const char *class_name)
{
    html_empty(html, "rect", "x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" class=\"%s\"",
               square_x(square), square_y(square), SQUARE, SQUARE, class_name);
}

/* Dark squares are one path. */
static void draw_squares(struct html *html)
{
    html_empty(html, "rect", "width=\"%d\" height=\"%d\" class=\"light-square\"", BOARD, BOARD);
    html_raw(html, "<path class=\"dark-square\" d=\"");
    for (unsigned square = 0; square < 64; square++) {
        char part[48];
        if ((square_file(square) + square_rank(square)) % 2 != 0)
            continue;
        (void)snprintf(part, sizeof part, "M%u %uh%dv%dh-%dz", square_x(square), square_y(square),
                       SQUARE, SQUARE, SQUARE);
        html_raw(html, part);
    }
    html_raw(html, "\"/>\n");
}

static void draw_pieces(struct html *html, const struct position *position)
{
    for (unsigned square = 0; square < 64; square++) {
        unsigned piece = position->board[square];
        if (piece == PIECE_NONE)
            continue;
        html_empty(html, "use", "href=\"#piece-%u\" x=\"%u\" y=\"%u\" class=\"%s\"",
                   piece_type_of(piece), square_x(square), square_y(square),
                   piece_colour(piece) == WHITE ? "white-piece" : "black-piece");
    }
}

static void draw_board(struct html *html, size_t net, size_t number,
                       const struct report_board *board)
{
    char fen[FEN_MAX], id[32];
    const struct record *record = &board->record;
    fen_format(&record->position, FEN_XFEN, fen);
    (void)snprintf(id, sizeof id, "board-%zu-%zu", net + 1, number + 1);
    html_open_with(html, "svg",
                   "role=\"img\" viewBox=\"0 0 %d %d\" aria-labelledby=\"%s-title %s-desc\"", BOARD,
                   BOARD, id, id);
    html_open_with(html, "title", "id=\"%s-title\"", id);
    html_textf(html, "Position %zu", number + 1);
    html_close(html);
    html_open_with(html, "desc", "id=\"%s-desc\"", id);
    html_text(html, fen);
    html_close(html);
    draw_squares(html);
    if (record->label.best_move != MOVE_NONE) {
        put_square(html, move_from(record->label.best_move), "best-move");
        put_square(html, move_to(record->label.best_move), "best-move");
    }
    draw_pieces(html, &record->position);
    html_close(html);
}

/* White's view, with a sign; "White mates in 3". */
static void format_score(const struct score *score, unsigned side, char out[SCORE_TEXT_MAX])
{
    char number[HTML_NUMBER_SIZE];
    bool white = (score->value > 0) == (side == WHITE);
    if (score->kind == SCORE_MATE) {
        (void)snprintf(out, SCORE_TEXT_MAX, "%s mates in %lld", white ? "White" : "Black",
                       llabs((long long)score->value));
        return;
    }
    int64_t cp = side == WHITE ? score->value : -(int64_t)score->value;
    html_format_integer(cp, number);
    (void)snprintf(out, SCORE_TEXT_MAX, "%s%s", cp > 0 ? "+" : "", number);
}

static void format_value(double cp, char out[SCORE_TEXT_MAX])
{
    char number[HTML_NUMBER_SIZE];
    html_format_real(cp, 0, number);
    (void)snprintf(out, SCORE_TEXT_MAX, "%s%s", cp >= 0.5 ? "+" : "", number);
}

static bool is_lichess(const char *id)
{
    size_t length = strnlen(id, GAMEID_MAX);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)id[i]))
            return false;
    return length == LICHESS_LENGTH;
}

static void put_game(struct html *html, const struct record *record)
{
    const char *id = record->game_id;
    if (*id == '\0')
        return;
    html_open_with(html, "span", "class=\"game\"");
    if (is_lichess(id)) {
        html_text(html, "game ");
        html_open_with(html, "a", "href=\"https://lichess.org/%s#%u\" rel=\"noreferrer\"", id,
                       (unsigned)record->ply);
        html_text(html, id);
        html_close(html);
    } else {
        html_textf(html, "game %.17s", id);
    }
    html_textf(html, ", ply\u00a0%u", (unsigned)record->ply);
    html_close(html);
}

static void put_caption(struct html *html, bool last_exact, const struct report_board *board)
{
    char label[SCORE_TEXT_MAX], value[SCORE_TEXT_MAX];
    const struct record *record = &board->record;
    format_score(record_score(record, last_exact), record->position.side, label);
    format_value(board->cp, value);
    html_open(html, "figcaption");
    html_element(html, "b", NULL,
                 record->position.side == WHITE ? "White to move" : "Black to move");
    html_open_with(html, "span", "class=\"said\"");
    html_textf(html, "label %s, net %s", label, value);
    html_close(html);
    put_game(html, record);
    html_close(html);
}

static bool has_best_move(const struct report_worst *worst)
{
    for (size_t i = 0; i < worst->count; i++)
        if (worst->boards[i].record.label.best_move != MOVE_NONE)
            return true;
    return false;
}

/* Evals out of games come without a best move. */
static void put_explanation(struct html *html, const struct report_worst *worst)
{
    html_open(html, "p");
    html_textf(html,
               "The %zu %s of test whose value is farthest from the label, as win shares "
               "\u03c3(cp/400), the worst first. Numbers are centipawns from White\u2019s view%s. ",
               worst->count, plural(worst->count, "position", "positions"),
               has_best_move(worst)
                   ? "; the squares of the best move that came with the label are shaded"
                   : "");
    html_text(html, "Games played on Lichess are linked to.");
    html_close(html);
}

void report_boards_write(struct html *html, size_t number, const char *name, bool last_exact,
                         const struct report_worst *worst)
{
    if (worst->count == 0)
        return;
    html_elementf(html, "h3", NULL, "Where %.200s errs most", name);
    put_explanation(html, worst);
    define_pieces(html);
    html_open_with(html, "div", "class=\"boards\"");
    for (size_t i = 0; i < worst->count; i++) {
        html_open_with(html, "figure", "class=\"board\"");
        draw_board(html, number, i, &worst->boards[i]);
        put_caption(html, last_exact, &worst->boards[i]);
        html_close(html);
    }
    html_close(html);
}
