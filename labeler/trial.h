/* SPDX-License-Identifier: MIT */
/*
 * Which reset makes an engine forget: TRIAL_POSITIONS positions are labeled in two orders, each on
 * fresh processes, and every field of the labels is compared.
 */
#ifndef PLYMILL_LABELER_TRIAL_H
#define PLYMILL_LABELER_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/io/error.h"
#include "labeler/engine_config.h"

#define TRIAL_POSITIONS 30

enum trial_verdict {
    TRIAL_ORDER_FREE,
    TRIAL_DEPENDS,    /* labels differ: those of `differing` positions */
    TRIAL_IMPOSSIBLE, /* the engine has no such reset, or did not get through; note says why */
    TRIAL_SKIPPED     /* not tried */
};

struct trial {
    enum trial_verdict verdict;
    unsigned differing;
    char note[ERROR_TEXT_MAX]; /* of TRIAL_IMPOSSIBLE, and the first difference of TRIAL_DEPENDS */
    double ms_per_label;       /* of wall time, the start of the first processes left out */
};

/* Name as a recipe has it: "ucinewgame", "clear-hash", "restart". */
const char *trial_reset_name(enum engine_reset reset);
/*
 * Never fails: what goes wrong is the verdict. config's own reset is not used. workers: processes
 * for RESET_RESTART; the others run on one, where the order shows most.
 */
void trial_run(const struct engine_config *config, enum engine_reset reset, unsigned workers,
               uint64_t nodes, struct trial *trial);

#endif
