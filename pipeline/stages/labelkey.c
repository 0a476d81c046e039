/* SPDX-License-Identifier: MIT */
#include "pipeline/stages/labelkey.h"

#include <string.h>
#include <xxhash.h>

#include "formats/chess/poskey.h"
#include "formats/io/bytes.h"

#define LABEL_SIZE (POSKEY_BOARD_SIZE + 2)

void labelkey_of(const struct pool_job *job, uint8_t key[LABELKEY_SIZE])
{
    uint8_t question[LABEL_SIZE + 9];
    XXH128_canonical_t canonical;
    poskey_label(&job->position, question);
    question[LABEL_SIZE] = job->limit_kind;
    bytes_put_u64(question + LABEL_SIZE + 1, job->limit);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(question, sizeof question));
    memcpy(key, canonical.digest, LABELKEY_SIZE);
}

uint64_t labelkey_draw(const uint8_t key[LABELKEY_SIZE])
{
    uint8_t text[6 + LABELKEY_SIZE] = "audit"; /* and its zero */
    memcpy(text + 6, key, LABELKEY_SIZE);
    return XXH64(text, sizeof text, 0);
}
