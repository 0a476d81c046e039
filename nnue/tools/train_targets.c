/* SPDX-License-Identifier: MIT */
/*
 * Targets of training, see train_targets.h.
 */
#include "nnue/tools/train_targets.h"

#include "nnue/tools/fmath.h"

double train_target_of(const struct train_target *target, const struct sample *sample)
{
    const double share = fmath_sigmoid(sample->cp / target->scale);
    if (target->wdl > 0 && sample->result != SAMPLES_RESULT_UNKNOWN)
        return (1 - target->wdl) * share + target->wdl * (sample->result + 1) / 2.0;
    return share;
}
