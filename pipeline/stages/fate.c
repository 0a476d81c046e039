/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/fate.h"

#include <string.h>

void fate_rule_from(const struct settings *settings, struct fate_rule *rule)
{
    rule->last_exact = strcmp(settings_string(settings, "label.score"), "last-exact") == 0;
    rule->drop_mate = strcmp(settings_string(settings, "filter.mate"), "drop") == 0;
    rule->drop_capture = strcmp(settings_string(settings, "filter.capture"), "drop") == 0;
    rule->drop_promotion = strcmp(settings_string(settings, "filter.promotion"), "drop") == 0;
}

enum fate fate_of_label(const struct fate_rule *rule, const struct position *position,
                        const struct label *label, uint16_t played)
{
    uint16_t move = label->best_move != MOVE_NONE ? label->best_move : played;
    if (label->status == LABEL_FAILED)
        return FATE_ENGINE_FAILURE;
    if (label->status == LABEL_NO_MOVE)
        return FATE_NO_LEGAL_MOVE;
    const struct score *score = rule->last_exact ? &label->exact : &label->final;
    if (score->kind == SCORE_NONE)
        return FATE_ONLY_BOUNDS;
    if (rule->drop_mate && score->kind == SCORE_MATE)
        return FATE_MATE;
    if (move == MOVE_NONE)
        return FATE_KEPT;
    if (rule->drop_capture && position_captured(position, move) != PIECE_NONE)
        return FATE_CAPTURE;
    if (rule->drop_promotion && move_kind(move) == MOVE_PROMOTION)
        return FATE_PROMOTION;
    return FATE_KEPT;
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
        [FATE_DUPLICATE] = "duplicate",
        [FATE_LEAK] = "leak",
        [FATE_KEPT] = "kept",
    };
    return texts[fate];
}
