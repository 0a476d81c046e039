/* SPDX-License-Identifier: MIT */
/*
 * What an engine is asked, as 16 bytes: two questions of one key get the same label from the same
 * engine. So a question needs to be asked once only, in a shard and over builds, and can be drawn
 * for the audit by what it is and not by when it is asked.
 *
 * XXH3 (128 bits) over the label key (poskey.h), the kind of limit (1 byte) and the limit (u64 LE).
 * With 2^32 different questions the odds that any two share a key are 2^-65.
 */
#ifndef PLYMILL_PIPELINE_STAGES_LABELKEY_H
#define PLYMILL_PIPELINE_STAGES_LABELKEY_H

#include <stdint.h>

#include "labeler/pool.h"

#define LABELKEY_SIZE 16

void labelkey_of(const struct pool_job *job, uint8_t key[LABELKEY_SIZE]);
/* The draw `audit`: XXH64("audit\0" key). */
uint64_t labelkey_draw(const uint8_t key[LABELKEY_SIZE]);

#endif
