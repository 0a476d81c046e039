/* SPDX-License-Identifier: MIT */
/*
 * The fate of a sample: exactly one, the first that applies, in this order. The fates of a build
 * add up to its samples.
 */
#ifndef PLYMILL_PIPELINE_STAGES_FATE_H
#define PLYMILL_PIPELINE_STAGES_FATE_H

#include <stdbool.h>

#include "formats/chess/position.h"
#include "formats/label.h"
#include "pipeline/recipe/settings.h"

enum fate {
    FATE_ENGINE_FAILURE, /* no engine could answer */
    FATE_NO_LEGAL_MOVE,
    FATE_ONLY_BOUNDS, /* label.score = "last-exact" and there was none */
    FATE_MATE,
    FATE_CAPTURE,   /* the best move captures (en passant too, castling not); see below */
    FATE_PROMOTION, /* the best move promotes */
    FATE_DUPLICATE, /* an equal position of the same split has a smaller shuffle draw */
    FATE_LEAK,      /* a held-out position that occurs in train, or in validation and test */
    FATE_KEPT,
    FATE_COUNT
};

struct fate_rule {
    bool last_exact, drop_mate, drop_capture, drop_promotion;
};

void fate_rule_from(const struct settings *settings, struct fate_rule *rule);
/*
 * The fate by the sample alone: FATE_KEPT if neither label nor filters refuse it. Labels that know
 * no best move (an [%eval] does not) are judged by the move played; a position without either, the
 * last one of a game, neither captures nor promotes.
 */
enum fate fate_of_label(const struct fate_rule *rule, const struct position *position,
                        const struct label *label, uint16_t played);
/* "kept", "mate", ...: the words of counts, manifest and report. */
const char *fate_text(enum fate fate);

#endif
