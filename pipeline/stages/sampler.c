/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/sampler.h"

#include <stdlib.h>
#include <string.h>

#include "formats/chess/movegen.h"
#include "formats/draw.h"

struct draw {
    uint64_t value;
    uint32_t ply;
};

struct sampler {
    struct draw draws[PGN_PLIES_MAX + 1];
    bool taken[PGN_PLIES_MAX + 1];
    struct sampler_pick *picks;
    size_t capacity;
};

enum label_source sampler_source_from(const struct settings *settings)
{
    const char *word = settings_string(settings, "label.source");
    if (strcmp(word, "lichess-eval") == 0)
        return SOURCE_LICHESS_EVAL;
    if (strcmp(word, "pgn-comment") == 0)
        return SOURCE_PGN_COMMENT;
    return strcmp(word, "input") == 0 ? SOURCE_INPUT : SOURCE_ENGINE;
}

void sampler_rule_from(const struct settings *settings, struct sampler_rule *rule)
{
    rule->seed = (uint64_t)settings_integer(settings, "sample.seed");
    rule->per_game = (uint32_t)settings_integer(settings, "sample.per_game");
    rule->min_ply = (uint32_t)settings_integer(settings, "sample.min_ply");
    rule->max_ply = settings_is_set(settings, "sample.max_ply")
                        ? (uint32_t)settings_integer(settings, "sample.max_ply")
                        : UINT32_MAX;
    rule->in_check = settings_boolean(settings, "sample.in_check");
    rule->source = sampler_source_from(settings);
    rule->first_eval = 0;
}

struct sampler *sampler_new(void)
{
    return calloc(1, sizeof(struct sampler));
}

void sampler_free(struct sampler *sampler)
{
    if (sampler)
        free(sampler->picks);
    free(sampler);
}

static int compare_draws(const void *a, const void *b)
{
    const struct draw *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->ply < y->ply ? -1 : x->ply > y->ply;
}

static bool last_has_move(const struct pgn_game *game)
{
    struct position position = game->start;
    for (uint32_t ply = 0; ply < game->plies; ply++)
        position_make(&position, game->moves[ply], NULL);
    return movegen_has_legal(&position);
}

/* What the game says of the position at a ply, from the side to move; false if nothing. */
static bool find_eval(enum label_source source, const struct pgn_game *game, uint32_t ply,
                      struct score *eval, uint16_t *depth)
{
    *eval = (struct score){.kind = SCORE_NONE};
    *depth = 0;
    if (source == SOURCE_LICHESS_EVAL) {
        bool black = (game->start.side == WHITE) == (ply % 2 == 1);
        *eval = game->evals[ply];
        eval->value = black ? -eval->value : eval->value;
    } else if (source == SOURCE_PGN_COMMENT && ply < game->plies) {
        *eval = game->comments[ply];
        *depth = game->comment_depths[ply];
    }
    return eval->kind != SCORE_NONE;
}

static size_t collect(struct sampler *sampler, const struct sampler_rule *rule,
                      const struct pgn_game *game, const char *game_id,
                      struct sampler_counts *counts)
{
    size_t eligible = 0;
    bool any_eval = rule->source == SOURCE_ENGINE;
    struct score eval;
    uint16_t depth;
    for (uint32_t ply = 0; ply <= game->plies; ply++) {
        if (ply < rule->min_ply || ply > rule->max_ply) {
            counts->out_of_range++;
        } else if (game->in_check[ply] && !rule->in_check) {
            counts->in_check++;
        } else if (ply == game->plies && !last_has_move(game)) {
            counts->no_move++;
        } else if (!any_eval && !find_eval(rule->source, game, ply, &eval, &depth)) {
            counts->no_eval++;
        } else if (!any_eval && ply < rule->first_eval) {
            counts->bad_eval++;
        } else {
            uint64_t value = draw_ply(DRAW_SAMPLE, game_id, ply, rule->seed);
            sampler->draws[eligible++] = (struct draw){value, ply};
        }
    }
    return eligible;
}

static int reserve(struct sampler *sampler, size_t count, struct error *err)
{
    if (count <= sampler->capacity)
        return 0;
    struct sampler_pick *picks = realloc(sampler->picks, count * sizeof *picks);
    if (!picks)
        return error_memory(err);
    sampler->picks = picks;
    sampler->capacity = count;
    return 0;
}

/* Plays the game once more and keeps the positions at the plies that were drawn. */
static void replay(struct sampler *sampler, enum label_source source, const struct pgn_game *game)
{
    struct position position = game->start;
    struct sampler_pick *pick = sampler->picks;
    for (uint32_t ply = 0; ply <= game->plies; ply++) {
        uint16_t move = ply < game->plies ? game->moves[ply] : MOVE_NONE;
        if (sampler->taken[ply]) {
            *pick = (struct sampler_pick){.ply = ply, .position = position, .move = move};
            find_eval(source, game, ply, &pick->eval, &pick->eval_depth);
            pick++;
        }
        if (ply < game->plies)
            position_make(&position, move, NULL);
    }
}

int sampler_take(struct sampler *sampler, const struct sampler_rule *rule,
                 const struct pgn_game *game, const char *game_id,
                 const struct sampler_pick **picks, struct sampler_counts *counts,
                 struct error *err)
{
    *counts = (struct sampler_counts){0};
    size_t eligible = collect(sampler, rule, game, game_id, counts);
    size_t count = eligible;
    if (rule->per_game != 0 && count > rule->per_game)
        count = rule->per_game;
    counts->taken = (uint32_t)count;
    counts->not_drawn = (uint32_t)(eligible - count);
    if (reserve(sampler, count, err) < 0)
        return -1;
    qsort(sampler->draws, eligible, sizeof *sampler->draws, compare_draws);
    memset(sampler->taken, 0, game->plies + 1);
    for (size_t i = 0; i < count; i++)
        sampler->taken[sampler->draws[i].ply] = true;
    if (count > 0)
        replay(sampler, rule->source, game);
    *picks = sampler->picks;
    return 0;
}
