/* SPDX-License-Identifier: MIT */
/*
 * What inspect found, as text for people.
 */
#include <inttypes.h>
#include <string.h>

#include "formats/chess/fen.h"
#include "formats/chess/ucimove.h"
#include "pipeline/report/html.h"
#include "pipeline/report/inspect.h"

#define NAME_SIZE   28
#define BAR_SIZE    40
#define LINE_SIZE   80
#define PIECES_STEP 4
#define PHASE_STEP  5
#define PLY_STEP    40

static const char *const result_names[] = {"1-0", "1/2-1/2", "0-1", "unknown"};
static const char *const mover_names[] = {"won by the mover", "drawn", "lost by the mover",
                                          "unknown"};
static const char *const source_names[] = {"engine", "lichess-eval", "pgn-comment", "input"};

static double share_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void put_number(const char *name, uint64_t number, FILE *out)
{
    char text[HTML_NUMBER_SIZE];
    html_format_integer((int64_t)number, text);
    fprintf(out, "  %-*s %16s\n", NAME_SIZE, name, text);
}

static void put_share(const char *name, uint64_t part, uint64_t whole, FILE *out)
{
    char text[HTML_NUMBER_SIZE];
    html_format_integer((int64_t)part, text);
    fprintf(out, "  %-*s %16s %8.3f %%\n", NAME_SIZE, name, text, 100 * share_of(part, whole));
}

/* The same with a bar, where it stands in a distribution. */
static void put_bar(const char *name, uint64_t part, uint64_t whole, uint64_t most, FILE *out)
{
    static const char bar[BAR_SIZE + 1] = "########################################";
    char text[HTML_NUMBER_SIZE];
    html_format_integer((int64_t)part, text);
    int length = (int)(share_of(part, most) * BAR_SIZE + 0.5);
    fprintf(out, "  %-*s %16s %8.3f %%%s%.*s\n", NAME_SIZE, name, text, 100 * share_of(part, whole),
            length > 0 ? "  " : "", length, bar);
}

/* Field names in lines of fitting length. */
static void put_fields(const struct inspect *inspect, FILE *out)
{
    size_t column = 2 + NAME_SIZE;
    fprintf(out, "  %-*s", NAME_SIZE, "fields");
    for (unsigned field = 0; inspect_field_name(field); field++) {
        const char *name = inspect_field_name(field);
        if (!(inspect->codec->fields & 1u << field))
            continue;
        if (column + 1 + strlen(name) > LINE_SIZE) {
            fprintf(out, "\n  %-*s", NAME_SIZE, "");
            column = 2 + NAME_SIZE;
        }
        column += (size_t)fprintf(out, " %s", name);
    }
    fputc('\n', out);
}

static void put_unit(const struct inspect *inspect, FILE *out)
{
    fprintf(out, "  %-*s ", NAME_SIZE, "unit of scores");
    if (inspect->codec->centipawns)
        fprintf(out, "centipawns, as in all %s files\n", inspect->codec->name);
    else if (inspect->has_unit && inspect->unit.scale == 1)
        fprintf(out, "centipawns (%s)\n", inspect->unit.source);
    else if (inspect->has_unit)
        fprintf(out, "%.15g to a centipawn (%s)\n", inspect->unit.scale, inspect->unit.source);
    else
        fprintf(out, "not known; %s files usually hold %s\n", inspect->codec->name,
                inspect->codec->internal_unit ? "internal units of the engine" : "centipawns");
}

static void put_repeats(const struct inspect *inspect, FILE *out)
{
    if (inspect->games.distinct > 0) {
        put_number("games", inspect->games.distinct, out);
        put_number("most records of a game", inspect->games.most, out);
    }
    if (inspect->boards.distinct == 0)
        return;
    put_number("different positions", inspect->boards.distinct, out);
    put_share("repetitions", inspect->records - inspect->boards.distinct, inspect->records, out);
    put_number("times of the most frequent", inspect->boards.most, out);
}

static void put_head(const struct inspect *inspect, FILE *out)
{
    fprintf(out, "%s: %s, %s\n", inspect->path, inspect->codec->name, inspect->codec->summary);
    put_number("records", inspect->records, out);
    if (inspect->file_bytes > 0)
        put_number("bytes of the file", inspect->file_bytes, out);
    put_number("bytes of the data", inspect->content_bytes, out);
    if (inspect->records > 0)
        fprintf(out, "  %-*s %16.2f\n", NAME_SIZE, "bytes a record",
                share_of(inspect->content_bytes, inspect->records));
    put_fields(inspect, out);
    if (inspect->codec->fields & CODEC_HOLDS_SCORE)
        put_unit(inspect, out);
}

static void put_results(const struct inspect *inspect, FILE *out)
{
    bool side = inspect->codec->fields & CODEC_HOLDS_SIDE;
    if (!(inspect->codec->fields & CODEC_HOLDS_RESULT))
        return;
    fprintf(out, "results\n");
    for (int result = 0; result < INSPECT_RESULTS; result++)
        if (result != INSPECT_UNKNOWN || inspect->results[result] > 0)
            put_share(side ? result_names[result] : mover_names[result], inspect->results[result],
                      inspect->records, out);
}

static void put_positions(const struct inspect *inspect, FILE *out)
{
    uint64_t all = inspect->records;
    unsigned fields = inspect->codec->fields;
    fprintf(out, "positions\n");
    put_repeats(inspect, out);
    if (fields & CODEC_HOLDS_SIDE) {
        put_share("White to move", inspect->sides[0], all, out);
        put_share("Black to move", inspect->sides[1], all, out);
    }
    put_share("in check", inspect->in_check, all, out);
    if (fields & CODEC_HOLDS_EP)
        put_share("en passant possible", inspect->en_passant, all, out);
    if (inspect->chess960 > 0)
        put_share("Chess960 castling", inspect->chess960, all, out);
    if (fields & CODEC_HOLDS_MOVE) {
        put_share("with a best move", inspect->best, all, out);
        put_share("with the move played", inspect->played, all, out);
        put_share("whose move captures", inspect->captures, all, out);
        put_share("whose move promotes", inspect->promotions, all, out);
    }
    for (int source = 0; fields & CODEC_HOLDS_SOURCE && source < 4; source++) {
        char name[NAME_SIZE + 8];
        snprintf(name, sizeof name, "source %s", source_names[source]);
        if (inspect->sources[source] > 0)
            put_share(name, inspect->sources[source], all, out);
    }
}

static void put_kinds(const struct inspect *inspect, FILE *out)
{
    uint64_t all = inspect->records;
    put_share("numbers", inspect->kinds[SCORE_CP], all, out);
    if (inspect->kinds[SCORE_MATE] > 0)
        put_share("mates", inspect->kinds[SCORE_MATE], all, out);
    if (inspect->kinds[SCORE_NONE] > 0)
        put_share("none", inspect->kinds[SCORE_NONE], all, out);
    if (inspect->codec->fields & CODEC_HOLDS_LABEL)
        put_share("bounds", inspect->bounds[BOUND_LOWER] + inspect->bounds[BOUND_UPPER], all, out);
}

static void put_quantiles(const struct inspect *inspect, FILE *out)
{
    int32_t scores[INSPECT_QUANTILES];
    inspect_quantiles(inspect, scores);
    fprintf(out, "  %-*s %16" PRId32 "\n", NAME_SIZE, "lowest", inspect->score_min);
    for (int i = 0; i < INSPECT_QUANTILES; i++) {
        char name[NAME_SIZE + 8];
        snprintf(name, sizeof name, "%.0f %% are at most", 100 * inspect_fractions[i]);
        fprintf(out, "  %-*s %16" PRId32 "\n", NAME_SIZE, name, scores[i]);
    }
    fprintf(out, "  %-*s %16" PRId32 "\n", NAME_SIZE, "highest", inspect->score_max);
    fprintf(out, "  %-*s %16.2f\n", NAME_SIZE, "mean",
            (double)inspect->score_sum / (double)inspect->kinds[SCORE_CP]);
}

#define EDGES 9

static void put_histogram(const struct inspect *inspect, FILE *out)
{
    static const int32_t edges[EDGES] = {25, 50, 100, 200, 400, 800, 1600, 3200, INSPECT_SCORE_MAX};
    uint64_t counts[2 * EDGES + 1], most = 0;
    char names[2 * EDGES + 1][NAME_SIZE + 8];
    for (int i = 0; i < EDGES; i++) {
        int32_t low = i > 0 ? edges[i - 1] + 1 : 1;
        counts[EDGES + 1 + i] = inspect_scores_between(inspect, low, edges[i]);
        counts[EDGES - 1 - i] = inspect_scores_between(inspect, -edges[i], -low);
        snprintf(names[EDGES + 1 + i], sizeof *names, "%6" PRId32 " to %6" PRId32, low, edges[i]);
        snprintf(names[EDGES - 1 - i], sizeof *names, "%6" PRId32 " to %6" PRId32, -edges[i], -low);
    }
    counts[EDGES] = inspect_scores_between(inspect, 0, 0);
    snprintf(names[EDGES], sizeof *names, "%6d", 0);
    for (int i = 0; i <= 2 * EDGES; i++)
        most = counts[i] > most ? counts[i] : most;
    for (int i = 0; i <= 2 * EDGES; i++)
        put_bar(names[i], counts[i], inspect->kinds[SCORE_CP], most, out);
}

static void put_scores(const struct inspect *inspect, FILE *out)
{
    if (!(inspect->codec->fields & CODEC_HOLDS_SCORE))
        return;
    fprintf(out, "scores, from the side to move\n");
    put_kinds(inspect, out);
    if (inspect->kinds[SCORE_CP] == 0)
        return;
    put_quantiles(inspect, out);
    put_histogram(inspect, out);
}

/* Counts in groups of `step` from `first` on, of `last` at the most. */
struct groups {
    const uint64_t *counts;
    int first, last, step;
    bool open; /* the last count stands for all that is beyond, too */
};

static uint64_t sum_group(const struct groups *groups, int from)
{
    uint64_t sum = 0;
    for (int i = from; i < from + groups->step && i <= groups->last; i++)
        sum += groups->counts[i];
    return sum;
}

static void put_groups(const struct groups *groups, uint64_t all, FILE *out)
{
    uint64_t most = 0;
    int end = groups->first;
    for (int from = groups->first; from <= groups->last; from += groups->step) {
        uint64_t sum = sum_group(groups, from);
        most = sum > most ? sum : most;
        end = sum > 0 ? from : end;
    }
    for (int from = groups->first; from <= end; from += groups->step) {
        char name[NAME_SIZE + 8];
        int to = from + groups->step - 1;
        if (to >= groups->last && groups->open)
            snprintf(name, sizeof name, "%d and more", from);
        else
            snprintf(name, sizeof name, "%d to %d", from, to < groups->last ? to : groups->last);
        put_bar(name, sum_group(groups, from), all, most, out);
    }
}

static void put_distributions(const struct inspect *inspect, FILE *out)
{
    const struct groups phases = {inspect->phases, 0, INSPECT_PHASE_MAX, PHASE_STEP, false};
    const struct groups pieces = {inspect->pieces, 2, 32, PIECES_STEP, false};
    const struct groups plies = {inspect->plies, 0, INSPECT_PLY_MAX, PLY_STEP, true};
    fprintf(out, "phase: knights and bishops 1, rooks 2, queens 4; 24 is the start\n");
    put_groups(&phases, inspect->records, out);
    fprintf(out, "pieces\n");
    put_groups(&pieces, inspect->records, out);
    if (!(inspect->codec->fields & CODEC_HOLDS_PLY))
        return;
    fprintf(out, "ply: %" PRIu32 " to %" PRIu32 "\n", inspect->ply_min, inspect->ply_max);
    put_groups(&plies, inspect->records, out);
}

void inspect_write_board(const struct position *position, FILE *out)
{
    static const char letters[] = "PNBRQKpnbrqk.";
    for (int rank = 7; rank >= 0; rank--) {
        fprintf(out, "    %d ", rank + 1);
        for (unsigned file = 0; file < 8; file++)
            fprintf(out, " %c", letters[position->board[square_make(file, (unsigned)rank)]]);
        fputc('\n', out);
    }
    fprintf(out, "       a b c d e f g h\n");
}

static void put_score(const struct score *score, FILE *out)
{
    if (score->kind == SCORE_CP)
        fprintf(out, "  score %" PRId32, score->value);
    else if (score->kind == SCORE_MATE)
        fprintf(out, "  mate %" PRId32, score->value);
}

static void put_move(const char *name, const struct record *record, uint16_t move, FILE *out)
{
    char text[UCIMOVE_MAX];
    if (move == MOVE_NONE)
        return;
    ucimove_format(move, record->position.chess960, text);
    fprintf(out, "  %s %s", name, text);
}

static void put_record(const struct inspect *inspect, const struct record *record, FILE *out)
{
    unsigned fields = inspect->codec->fields;
    char fen[FEN_MAX];
    fen_format(&record->position, FEN_XFEN, fen);
    fprintf(out, "  %s\n   ", fen);
    put_score(&record->label.final, out);
    put_move("best", record, record->label.best_move, out);
    put_move("played", record, record->played, out);
    if (fields & CODEC_HOLDS_RESULT)
        fprintf(out, "  result %s",
                record->result < -1 || record->result > 1
                    ? "*"
                    : (fields & CODEC_HOLDS_SIDE ? result_names : mover_names)[1 - record->result]);
    if (fields & CODEC_HOLDS_PLY)
        fprintf(out, "  ply %" PRIu32, record->ply);
    if (record->game_id[0])
        fprintf(out, "  game %s", record->game_id);
    fputc('\n', out);
}

void inspect_write_text(const struct inspect *inspect, bool boards, FILE *out)
{
    put_head(inspect, out);
    if (inspect->records == 0)
        return;
    put_results(inspect, out);
    put_positions(inspect, out);
    put_scores(inspect, out);
    put_distributions(inspect, out);
    if (inspect->head_count > 0)
        fprintf(out, "first records\n");
    for (uint64_t i = 0; i < inspect->head_count; i++) {
        put_record(inspect, &inspect->head[i], out);
        if (boards)
            inspect_write_board(&inspect->head[i].position, out);
    }
}
