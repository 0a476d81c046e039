/* SPDX-License-Identifier: MIT */
/*
 * Samples of a shard that ask the engine the same question: only the first of them is sent, the
 * others get its label.
 */
#ifndef PLYMILL_PIPELINE_STAGES_EQUAL_H
#define PLYMILL_PIPELINE_STAGES_EQUAL_H

#include <stddef.h>
#include <stdint.h>

#include "formats/io/error.h"
#include "pipeline/stages/labelkey.h"

struct equal_item {
    uint8_t key[LABELKEY_SIZE];
    int64_t sample;
};

struct equal {
    struct equal_item *items; /* sorted by key, then sample */
    size_t count, capacity;
    /* After equal_link, by sample id (from 1): */
    int64_t *next;  /* the next sample with the same question, 0: none */
    int64_t *first; /* the first one: itself where it is the one to ask */
    uint64_t saved; /* questions that need not be asked */
};

/* For ids 1 .. samples. */
int equal_init(struct equal *equal, uint64_t samples, struct error *err);
void equal_free(struct equal *equal);
/* Every id once, in any order. */
void equal_add(struct equal *equal, int64_t sample, const uint8_t key[LABELKEY_SIZE]);
void equal_link(struct equal *equal);

#endif
