/* SPDX-License-Identifier: MIT */
/*
 * Architectures of training, see train_arch.h.
 */
#include "nnue/tools/train_arch.h"

#include <math.h>

#include "nnue/core/tinynnue.h"

static bool parse_769(const char *text, struct train_arch *arch)
{
    uint32_t h1, h2;
    if (!tinynnue_parse_arch(text, &h1, &h2))
        return false;
    *arch = (struct train_arch){.features = TRAIN_769,
                                .inputs = TINYNNUE_INPUTS,
                                .views = 1,
                                .l1 = h1,
                                .layers = 2,
                                .outputs = {h2, 1},
                                .heads = 1,
                                .unit_cp = TINYNNUE_UNIT_CP,
                                .limits = {INFINITY, INFINITY, INFINITY, INFINITY}};
    return true;
}

int train_arch_parse(const char *text, struct train_arch *arch, struct error *err)
{
    if (parse_769(text, arch))
        return 0;
    return error_set(err, ERROR_USAGE,
                     "train.arch \"%s\": expected 769->H1->H2->1 with H1 <= %d and H2 <= %d", text,
                     TINYNNUE_H1_MAX, TINYNNUE_H2_MAX);
}
