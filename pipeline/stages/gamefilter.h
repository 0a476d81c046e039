/* SPDX-License-Identifier: MIT */
/*
 * Which games the recipe's [input] asks for, decided by their tags before a move is read. A game is
 * refused for the first reason that applies, in the order of enum refusal; that is no error, and
 * counted by reason.
 */
#ifndef PLYMILL_PIPELINE_STAGES_GAMEFILTER_H
#define PLYMILL_PIPELINE_STAGES_GAMEFILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/pgn.h"
#include "pipeline/recipe/dates.h"
#include "pipeline/recipe/settings.h"
#include "pipeline/stages/knownbad.h"

enum refusal {
    REFUSAL_NONE,
    REFUSAL_KNOWN_BAD,
    REFUSAL_RATING,
    REFUSAL_TIME_CONTROL,
    REFUSAL_TERMINATION,
    REFUSAL_RESULT,
    REFUSAL_BOT,
    REFUSAL_DATE,
    REFUSAL_FRACTION,  /* by the draw: gamefilter_takes_draw */
    REFUSAL_MAX_GAMES, /* not among the lowest draws: lowest.h */
    REFUSAL_COUNT
};

/* By estimate of a game's length: base + 40 * increment, in seconds, as Lichess names them. */
enum speed {
    SPEED_ULTRABULLET,    /* below 30 */
    SPEED_BULLET,         /* below 180 */
    SPEED_BLITZ,          /* below 480 */
    SPEED_RAPID,          /* below 1500 */
    SPEED_CLASSICAL,      /* below 21600 */
    SPEED_CORRESPONDENCE, /* more, or no clock: "-" */
    SPEED_UNKNOWN
};

struct gamefilter {
    unsigned min_elo, max_elo;               /* 0: none */
    unsigned speeds, terminations, results;  /* bits of what is wanted, 0: all */
    bool exclude_bots, has_dates, known_bad; /* known_bad: leave it out */
    struct dates dates;
    uint64_t seed; /* of the draw */
    bool all;      /* fraction = 1 */
    uint64_t below;
};

void gamefilter_from(const struct settings *settings, struct gamefilter *filter);
/* input.variants: or of enum pgn_variant. */
unsigned gamefilter_variants(const struct settings *settings);
/* By the tags alone. */
enum refusal gamefilter_judge(const struct gamefilter *filter, const struct pgn_game *game);
/* Is draw / 2^64 below the fraction? Exact. */
bool gamefilter_takes_draw(const struct gamefilter *filter, uint64_t draw);
/* What is known to be bad of the game; nothing when bad things are to be kept. */
struct knownbad gamefilter_known_bad(const struct gamefilter *filter, const struct pgn_game *game);
/* "rating", "time control", ...: the words of counts. */
const char *gamefilter_text(enum refusal refusal);

/* A rating tag's number, 0 if it is none. */
uint16_t gamefilter_rating(const struct pgn_game *game, const char *tag);
/*
 * "300+3", "600", "0.5+0.05", "-"; with periods, "40/7200:3600", what the first one gives for 40
 * moves ("1/86400" is a day a move). text may be NULL.
 */
enum speed gamefilter_speed(const char *text);

#endif
