/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/fate.h"

#include <string.h>

#include "formats/chess/bitboard.h"
#include "formats/draw.h"

static bool word_is(const struct settings *settings, const char *key, const char *word)
{
    return strcmp(settings_string(settings, key), word) == 0;
}

static int64_t limit_from(const struct settings *settings, const char *key)
{
    return settings_is_set(settings, key) ? settings_integer(settings, key) : FATE_NO_LIMIT;
}

void fate_rule_from(const struct settings *settings, struct fate_rule *rule)
{
    *rule = (struct fate_rule){
        .last_exact = word_is(settings, "label.score", "last-exact"),
        .drop_mate = word_is(settings, "filter.mate", "drop"),
        .drop_capture = word_is(settings, "filter.capture", "drop"),
        .drop_promotion = word_is(settings, "filter.promotion", "drop"),
        .drop_bounds = word_is(settings, "filter.bounds", "drop"),
        .max_abs_score = limit_from(settings, "filter.max_abs_score"),
        .wdl_consistency = limit_from(settings, "filter.wdl_consistency"),
        .fewest_pieces = (unsigned)settings_integer_item(settings, "filter.pieces", 0),
        .most_pieces = (unsigned)settings_integer_item(settings, "filter.pieces", 1),
        .seed = (uint64_t)settings_integer(settings, "filter.seed")};
    size_t classes = settings_count(settings, "filter.piece_weights");
    for (size_t i = 0; i < classes; i++) /* checked when they were set */
        (void)pieceweights_add(&rule->weights, settings_item(settings, "filter.piece_weights", i));
}

unsigned fate_count_pieces(const struct position *position)
{
    return bitboard_count(position->colour[WHITE] | position->colour[BLACK]);
}

/* Before any filter: is there a score to use? */
static enum fate by_label(const struct fate_sample *sample, const struct score *score)
{
    if (sample->label->status == LABEL_FAILED)
        return FATE_ENGINE_FAILURE;
    if (sample->label->status == LABEL_NO_MOVE)
        return FATE_NO_LEGAL_MOVE;
    return score->kind == SCORE_NONE ? FATE_ONLY_BOUNDS : FATE_KEPT;
}

static enum fate by_move(const struct fate_rule *rule, const struct fate_sample *sample)
{
    uint16_t move =
        sample->label->best_move != MOVE_NONE ? sample->label->best_move : sample->played;
    if (move == MOVE_NONE)
        return FATE_KEPT;
    if (rule->drop_capture && position_captured(sample->position, move) != PIECE_NONE)
        return FATE_CAPTURE;
    if (rule->drop_promotion && move_kind(move) == MOVE_PROMOTION)
        return FATE_PROMOTION;
    return FATE_KEPT;
}

static enum fate by_score(const struct fate_rule *rule, const struct label *label,
                          const struct score *score)
{
    if (score->kind == SCORE_CP && rule->max_abs_score != FATE_NO_LIMIT &&
        (score->value > rule->max_abs_score || score->value < -rule->max_abs_score))
        return FATE_SCORE;
    if (rule->drop_bounds && !rule->last_exact && label->bound != BOUND_EXACT)
        return FATE_BOUND;
    return FATE_KEPT;
}

static const struct score *score_of(const struct fate_rule *rule, const struct fate_sample *sample)
{
    return rule->last_exact ? &sample->label->exact : &sample->label->final;
}

enum fate fate_before_weights(const struct fate_rule *rule, const struct fate_sample *sample)
{
    const struct score *score = score_of(rule, sample);
    enum fate fate = by_label(sample, score);
    if (fate == FATE_KEPT && rule->drop_mate && score->kind == SCORE_MATE)
        fate = FATE_MATE;
    if (fate == FATE_KEPT)
        fate = by_move(rule, sample);
    if (fate == FATE_KEPT)
        fate = by_score(rule, sample->label, score);
    if (fate != FATE_KEPT)
        return fate;
    unsigned pieces = fate_count_pieces(sample->position);
    return pieces < rule->fewest_pieces || pieces > rule->most_pieces ? FATE_PIECES : FATE_KEPT;
}

void fate_weigh(struct fate_rule *rule, const int64_t counts[PIECEWEIGHTS_HIGH + 1])
{
    pieceweights_keep(&rule->weights, counts, &rule->keep);
}

static bool stays_by_weight(const struct fate_rule *rule, const struct fate_sample *sample)
{
    unsigned pieces = fate_count_pieces(sample->position);
    if (rule->weights.classes == 0 || rule->keep.all[pieces])
        return true;
    uint64_t draw = draw_ply(DRAW_PIECES, sample->game_id, sample->ply, rule->seed);
    return draw < rule->keep.below[pieces];
}

/* The score in favour of the side to move; a mate is more than any number of centipawns. */
static int64_t size_of(const struct score *score)
{
    if (score->kind == SCORE_CP)
        return score->value;
    return score->value > 0 ? FATE_NO_LIMIT : -FATE_NO_LIMIT;
}

/* Is a side that did not win ahead by more than the limit? */
static bool is_against_result(const struct fate_rule *rule, const struct fate_sample *sample)
{
    if (rule->wdl_consistency == FATE_NO_LIMIT || sample->result < -1 || sample->result > 1)
        return false;
    int64_t size = size_of(score_of(rule, sample));
    int won = sample->position->side == WHITE ? sample->result : -sample->result;
    return (won <= 0 && size > rule->wdl_consistency) ||
           (won >= 0 && size < -rule->wdl_consistency);
}

enum fate fate_of_sample(const struct fate_rule *rule, const struct fate_sample *sample)
{
    enum fate fate = fate_before_weights(rule, sample);
    if (fate != FATE_KEPT)
        return fate;
    if (!stays_by_weight(rule, sample))
        return FATE_PIECE_WEIGHTS;
    return is_against_result(rule, sample) ? FATE_RESULT : FATE_KEPT;
}

const char *fate_text(enum fate fate)
{
    static const char *const texts[FATE_COUNT] = {
        [FATE_ENGINE_FAILURE] = "engine failure",
        [FATE_NO_LEGAL_MOVE] = "no legal move",
        [FATE_ONLY_BOUNDS] = "only bounds",
        [FATE_MATE] = "mate",
        [FATE_CAPTURE] = "best move captures",
        [FATE_PROMOTION] = "best move promotes",
        [FATE_SCORE] = "score too large",
        [FATE_BOUND] = "score is a bound",
        [FATE_PIECES] = "number of pieces",
        [FATE_PIECE_WEIGHTS] = "thinned out by pieces",
        [FATE_RESULT] = "score against the result",
        [FATE_OPENING] = "enough of its opening",
        [FATE_DUPLICATE] = "duplicate",
        [FATE_LEAK] = "leak",
        [FATE_KEPT] = "kept",
    };
    return texts[fate];
}
