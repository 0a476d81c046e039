/* SPDX-License-Identifier: MIT */
#include "pipeline/report/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "formats/chess/poskey.h"
#include "formats/io/fault.h"

const double inspect_fractions[INSPECT_QUANTILES] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

static const char *const field_names[] = {"side",           "castling", "chess960",   "en_passant",
                                          "halfmove",       "fullmove", "ply",        "result",
                                          "unknown_result", "move",     "both_moves", "score",
                                          "label",          "game_id",  "ratings",    "source"};

const char *inspect_field_name(unsigned field)
{
    return field < sizeof field_names / sizeof *field_names ? field_names[field] : NULL;
}

unsigned inspect_phase(const struct position *position)
{
    static const unsigned weights[6] = {0, 1, 1, 2, 4, 0};
    unsigned sum = 0;
    for (unsigned type = KNIGHT; type <= QUEEN; type++)
        sum += weights[type] * (unsigned)__builtin_popcountll(position->type[type]);
    return sum < INSPECT_PHASE_MAX ? sum : INSPECT_PHASE_MAX;
}

static int new_sort(struct extsort **sorter, struct error *err)
{
    const char *folder = getenv("TMPDIR");
    return extsort_new(folder && *folder ? folder : "/tmp", INSPECT_MEMORY, sorter, err);
}

int inspect_begin(struct inspect *inspect, const char *path, const struct codec *codec,
                  bool duplicates, uint64_t head, struct error *err)
{
    *inspect = (struct inspect){.path = path, .codec = codec, .head_wanted = head};
    inspect->ply_min = UINT32_MAX;
    inspect->score_min = INT32_MAX;
    inspect->score_max = INT32_MIN;
    inspect->has_unit = inspect_find_unit(path, codec, &inspect->unit);
    inspect->scores = calloc(2 * INSPECT_SCORE_MAX + 1, sizeof *inspect->scores);
    inspect->head = calloc(head + 1, sizeof *inspect->head);
    if (!inspect->scores || !inspect->head)
        return error_memory(err);
    if (duplicates && new_sort(&inspect->board_sort, err) < 0)
        return -1;
    return duplicates && codec->fields & CODEC_HOLDS_GAME_ID ? new_sort(&inspect->game_sort, err)
                                                             : 0;
}

static void count_position(struct inspect *inspect, const struct position *position)
{
    unsigned pieces = (unsigned)__builtin_popcountll(position->colour[0] | position->colour[1]);
    inspect->sides[position->side]++;
    inspect->in_check += position_checkers(position) != 0;
    inspect->chess960 += position->chess960;
    inspect->en_passant += position->ep != SQUARE_NONE;
    inspect->pieces[pieces <= 32 ? pieces : 32]++;
    inspect->phases[inspect_phase(position)]++;
}

static void count_score(struct inspect *inspect, const struct score *score)
{
    inspect->kinds[score->kind]++;
    if (score->kind != SCORE_CP)
        return;
    int32_t at = score->value;
    if (at < -INSPECT_SCORE_MAX)
        at = -INSPECT_SCORE_MAX;
    if (at > INSPECT_SCORE_MAX)
        at = INSPECT_SCORE_MAX;
    inspect->scores[at + INSPECT_SCORE_MAX]++;
    inspect->score_sum += score->value;
    if (score->value < inspect->score_min)
        inspect->score_min = score->value;
    if (score->value > inspect->score_max)
        inspect->score_max = score->value;
}

static void count_moves(struct inspect *inspect, const struct record *record)
{
    uint16_t best = record->label.best_move;
    uint16_t move = best != MOVE_NONE ? best : record->played;
    inspect->best += best != MOVE_NONE;
    inspect->played += record->played != MOVE_NONE;
    if (move == MOVE_NONE)
        return;
    inspect->captures += position_captured(&record->position, move) != PIECE_NONE;
    inspect->promotions += move_kind(move) == MOVE_PROMOTION;
}

static void count_ply(struct inspect *inspect, uint32_t ply)
{
    inspect->plies[ply < INSPECT_PLY_MAX ? ply : INSPECT_PLY_MAX]++;
    if (ply < inspect->ply_min)
        inspect->ply_min = ply;
    if (ply > inspect->ply_max)
        inspect->ply_max = ply;
}

static int sort_keys(struct inspect *inspect, const struct record *record, struct error *err)
{
    uint8_t board[POSKEY_BOARD_SIZE];
    struct extsort_item item = {.key = board, .key_size = sizeof board};
    poskey_board(&record->position, board);
    if (inspect->board_sort && extsort_add(inspect->board_sort, &item, err) < 0)
        return -1;
    item = (struct extsort_item){.key = (const uint8_t *)record->game_id,
                                 .key_size = (uint32_t)strlen(record->game_id)};
    return inspect->game_sort ? extsort_add(inspect->game_sort, &item, err) : 0;
}

static enum inspect_result result_of(const struct record *record)
{
    if (record->result < -1 || record->result > 1)
        return INSPECT_UNKNOWN;
    return (enum inspect_result)(1 - record->result);
}

int inspect_add(struct inspect *inspect, const struct record *record, struct error *err)
{
    if (inspect->head_count < inspect->head_wanted)
        inspect->head[inspect->head_count++] = *record;
    inspect->records++;
    inspect->results[result_of(record)]++;
    inspect->bounds[record->label.bound]++;
    inspect->sources[record->source]++;
    count_position(inspect, &record->position);
    count_score(inspect, &record->label.final);
    count_moves(inspect, record);
    count_ply(inspect, record->ply);
    return sort_keys(inspect, record, err);
}

/* Counts the groups of equal keys. */
static int count_repeats(struct extsort *sorter, struct inspect_repeats *repeats, struct error *err)
{
    uint8_t last[POSKEY_BOARD_SIZE];
    uint32_t last_size = 0;
    uint64_t times = 0;
    struct extsort_item item;
    int status = sorter ? extsort_finish(sorter, err) : 0;
    while (status == 0 && sorter && (status = extsort_next(sorter, &item, err)) == 1) {
        bool same =
            times > 0 && item.key_size == last_size && memcmp(item.key, last, item.key_size) == 0;
        repeats->distinct += !same;
        times = same ? times + 1 : 1;
        if (times > repeats->most)
            repeats->most = times;
        memcpy(last, item.key, item.key_size);
        last_size = item.key_size;
        status = 0;
    }
    return status;
}

int inspect_finish(struct inspect *inspect, struct error *err)
{
    if (count_repeats(inspect->board_sort, &inspect->boards, err) < 0)
        return -1;
    return count_repeats(inspect->game_sort, &inspect->games, err);
}

void inspect_free(struct inspect *inspect)
{
    extsort_free(inspect->board_sort);
    extsort_free(inspect->game_sort);
    free(inspect->scores);
    free(inspect->head);
    *inspect = (struct inspect){.path = NULL};
}

void inspect_quantiles(const struct inspect *inspect, int32_t scores[INSPECT_QUANTILES])
{
    uint64_t sum = 0;
    int next = 0;
    for (int32_t at = 0; at <= 2 * INSPECT_SCORE_MAX; at++) {
        sum += inspect->scores[at];
        while (next < INSPECT_QUANTILES && (double)sum > 0 &&
               (double)sum >= inspect_fractions[next] * (double)inspect->kinds[SCORE_CP])
            scores[next++] = at - INSPECT_SCORE_MAX;
    }
    while (next < INSPECT_QUANTILES)
        scores[next++] = 0;
}

uint64_t inspect_scores_between(const struct inspect *inspect, int32_t low, int32_t high)
{
    uint64_t sum = 0;
    for (int32_t score = low; score <= high; score++)
        sum += inspect->scores[score + INSPECT_SCORE_MAX];
    return sum;
}
