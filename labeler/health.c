/* SPDX-License-Identifier: MIT */
#include "labeler/health.h"

#include <stddef.h>

#define EXACT 16 /* microseconds below which a bucket is one of them */

static unsigned highest_bit(uint64_t number)
{
    unsigned bit = 0;
    while (number >>= 1)
        bit++;
    return bit;
}

static size_t bucket_of(uint64_t us)
{
    if (us < EXACT)
        return (size_t)us;
    unsigned bit = highest_bit(us);
    size_t bucket = EXACT + 8 * (size_t)(bit - 4) + (size_t)(us >> (bit - 3) & 7);
    return bucket < HEALTH_BUCKETS ? bucket : HEALTH_BUCKETS - 1;
}

/* The middle of a bucket. */
static uint64_t bucket_middle(size_t bucket)
{
    if (bucket < EXACT)
        return bucket;
    unsigned shift = (unsigned)(bucket - EXACT) / 8 + 1;
    uint64_t eighths = 8 + (bucket - EXACT) % 8;
    return (eighths << shift) + (UINT64_C(1) << shift) / 2;
}

void health_note(struct health *health, uint64_t us, uint64_t nodes)
{
    health->labels++;
    health->nodes += nodes;
    health->search_us += us;
    health->slowest_us = us > health->slowest_us ? us : health->slowest_us;
    health->count[bucket_of(us)]++;
}

uint64_t health_quantile(const struct health *health, double share)
{
    double wanted = share * (double)health->labels;
    uint64_t below = 0;
    if (health->labels == 0)
        return 0;
    for (size_t bucket = 0; bucket < HEALTH_BUCKETS; bucket++) {
        below += health->count[bucket];
        if (below > 0 && (double)below >= wanted) {
            uint64_t us = bucket_middle(bucket);
            return us < health->slowest_us ? us : health->slowest_us;
        }
    }
    return health->slowest_us;
}
