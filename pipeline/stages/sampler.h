/* SPDX-License-Identifier: MIT */
/*
 * Which positions of a game are samples: the plies in [min_ply, max_ply] whose side to move is not
 * in check (unless allowed), the last position only when a legal move exists in it, and when labels
 * come from the games only those that the game judges; of these the per_game plies with the
 * smallest draws.
 */
#ifndef PLYMILL_PIPELINE_STAGES_SAMPLER_H
#define PLYMILL_PIPELINE_STAGES_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/chess/position.h"
#include "formats/io/error.h"
#include "formats/label.h"
#include "formats/pgn.h"
#include "pipeline/recipe/settings.h"

struct sampler_rule {
    uint64_t seed;
    uint32_t per_game; /* 0: all */
    uint32_t min_ply, max_ply;
    bool in_check;
    enum label_source source; /* SOURCE_ENGINE: evals of the game do not matter; SOURCE_INPUT:
                                 there are no games */
    uint32_t first_eval;      /* the game's evals of positions before this ply do not count */
};

/* How the plies of one game were judged; they add up to plies + 1 (the start position counts). */
struct sampler_counts {
    uint32_t out_of_range, in_check, no_move, no_eval, bad_eval, not_drawn, taken;
};

struct sampler_pick {
    uint32_t ply;
    struct position position;
    uint16_t move;     /* played from it, MOVE_NONE at the end of the game */
    struct score eval; /* by rule.source, side to move; SCORE_NONE for SOURCE_ENGINE */
    uint16_t eval_depth;
    bool labeled; /* a dataset's position that keeps the label it came with */
    struct label label;
};

struct sampler; /* scratch memory for any number of games */

/* label.source */
enum label_source sampler_source_from(const struct settings *settings);
void sampler_rule_from(const struct settings *settings, struct sampler_rule *rule);
struct sampler *sampler_new(void);
void sampler_free(struct sampler *sampler);
/* *picks in order of ply, counts->taken of them, valid until the next call. */
int sampler_take(struct sampler *sampler, const struct sampler_rule *rule,
                 const struct pgn_game *game, const char *game_id,
                 const struct sampler_pick **picks, struct sampler_counts *counts,
                 struct error *err);

#endif
