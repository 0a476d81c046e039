/* SPDX-License-Identifier: MIT */
/*
 * splitmix64: the seeded generator of initial weights, training order, random games, bootstrap
 * samples and the synthetic test nets. The same numbers on every machine.
 */
#ifndef PLYMILL_NNUE_TOOLS_RNG_H
#define PLYMILL_NNUE_TOOLS_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state; /* the seed before the first draw */
};

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* 0 .. n - 1, n >= 1: the high word of a product, which is even enough for n far below 2^32. */
static inline uint32_t rng_below(struct rng *rng, uint32_t n)
{
    return (uint32_t)(((rng_next(rng) >> 32) * n) >> 32);
}

/* [0, 1) in steps of 2^-24: exact as a float. */
static inline float rng_unit(struct rng *rng)
{
    return (float)(rng_next(rng) >> 40) * 0x1p-24F;
}

/* A generator of its own for each use of one seed: no stream is a shifted copy of another. */
static inline struct rng rng_derive(uint64_t seed, uint64_t use)
{
    struct rng first = {seed};
    struct rng second = {rng_next(&first) ^ use};
    return (struct rng){rng_next(&second)};
}

#endif
