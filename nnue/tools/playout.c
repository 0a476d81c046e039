/* SPDX-License-Identifier: MIT */
/*
 * Positions out of random games, see playout.h.
 */
#include "nnue/tools/playout.h"

#include "formats/chess/movegen.h"
#include "nnue/tools/rng.h"

enum { PLIES = 100, FIRST_PLY = 10, ONE_IN = 8 };

static int play_one(struct rng *rng, size_t count, struct samples *samples, struct error *err)
{
    struct position position;
    struct sample sample;
    uint16_t moves[MOVES_MAX];
    position_start(&position);
    for (unsigned ply = 0; ply < PLIES && samples->count < count; ply++) {
        unsigned choices = movegen_legal(&position, moves);
        if (!choices)
            break;
        if (ply >= FIRST_PLY && rng_below(rng, ONE_IN) == 0) {
            sample_from_position(&position, &sample);
            if (samples_add(samples, &sample, err))
                return -1;
        }
        position_make(&position, moves[rng_below(rng, choices)], NULL);
    }
    return 0;
}

int playout_samples(uint64_t seed, size_t count, struct samples *samples, struct error *err)
{
    struct rng rng = {seed};
    count += samples->count;
    while (samples->count < count)
        if (play_one(&rng, count, samples, err))
            return -1;
    return 0;
}
