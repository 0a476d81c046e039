/* SPDX-License-Identifier: MIT */
/*
 * The evals and results of Lichess that its own list of damages calls wrong, by the day of a game.
 * docs/LICHESS.md has the list with reasons.
 */
#ifndef PLYMILL_PIPELINE_STAGES_KNOWNBAD_H
#define PLYMILL_PIPELINE_STAGES_KNOWNBAD_H

#include <stdbool.h>
#include <stdint.h>

#include "pipeline/recipe/dates.h"

struct knownbad {
    bool game;          /* nothing of it is to be used */
    bool result;        /* its result is not to be used */
    uint32_t first_ply; /* evals of positions before this ply are not to be used */
};

/* day NULL: not known, and then nothing is known to be bad. variant: not the standard start. */
struct knownbad knownbad_of(const struct dates *day, bool variant);

#endif
