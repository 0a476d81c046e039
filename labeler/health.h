/* SPDX-License-Identifier: MIT */
/*
 * How engines did over a stretch of work: how long their answers took, how many of them had to be
 * killed. Times are of this machine at that time, for people to look at; nothing that a dataset
 * consists of may depend on them.
 */
#ifndef PLYMILL_LABELER_HEALTH_H
#define PLYMILL_LABELER_HEALTH_H

#include <stdint.h>

/* Eight buckets to every doubling, from 16 us on: a quantile is right within 1 in 16. */
#define HEALTH_BUCKETS 384

/* Starts as {0}. */
struct health {
    uint64_t labels;                /* answers */
    uint64_t failures;              /* positions given up */
    uint64_t restarts;              /* engines that were killed and started anew */
    uint64_t timeouts;              /* of these, for saying nothing in time; the others broke off */
    uint64_t nodes;                 /* of the answers */
    uint64_t search_us;             /* from the questions to the best moves, summed */
    uint64_t slowest_us;            /* of one answer */
    uint64_t count[HEALTH_BUCKETS]; /* answers by how long they took */
};

void health_note(struct health *health, uint64_t us, uint64_t nodes);
/* Microseconds that the share (0 to 1) of the answers took at most, about; 0 without answers. */
uint64_t health_quantile(const struct health *health, double share);

#endif
