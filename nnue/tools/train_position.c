/* SPDX-License-Identifier: MIT */
/*
 * See train_position.h.
 */
#include "nnue/tools/train_position.h"

#include <string.h>

#include "formats/io/bytes.h"

enum { AT_CP = 40, AT_PIECES = 44, AT_RESULT = 45, AT_SIDE = 46 };
enum { BITS = 10, LOW = (1 << BITS) - 1, GROUP = 4, GROUP_BYTES = 5 };

static void pack_group(const uint16_t *features, unsigned count, uint8_t *out)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < count; i++)
        bits |= (uint64_t)features[i] << BITS * i;
    bytes_put_u32(out, (uint32_t)bits);
    out[4] = (uint8_t)(bits >> 32);
}

void train_position_pack(const struct sample *sample, uint8_t out[TRAIN_POSITION_SIZE])
{
    const bool white = sample_white_moves(sample);
    const unsigned pieces = sample->count - (unsigned)white;
    memset(out, 0, TRAIN_POSITION_SIZE);
    uint8_t *group = out;
    for (unsigned k = 0; k < pieces; k += GROUP, group += GROUP_BYTES)
        pack_group(sample->features + k, pieces - k < GROUP ? pieces - k : GROUP, group);
    bytes_put_u32(out + AT_CP, (uint32_t)sample->cp);
    out[AT_PIECES] = (uint8_t)pieces;
    out[AT_RESULT] = (uint8_t)sample->result;
    out[AT_SIDE] = white;
}

/* All groups at any rate: no branch depends on the position. */
void train_position_unpack(const uint8_t in[TRAIN_POSITION_SIZE], struct sample *sample)
{
    uint16_t *features = sample->features;
    const uint8_t *group = in;
    for (unsigned k = 0; k < PLYNNUE_PIECES_MAX; k += GROUP, group += GROUP_BYTES) {
        const uint64_t bits = bytes_get_u32(group) | (uint64_t)group[4] << 32;
        features[k] = bits & LOW;
        features[k + 1] = bits >> BITS & LOW;
        features[k + 2] = bits >> 2 * BITS & LOW;
        features[k + 3] = (uint16_t)(bits >> 3 * BITS);
    }
    sample->count = in[AT_PIECES];
    if (in[AT_SIDE])
        features[sample->count++] = FEATURE769_WHITE_MOVE;
    sample->result = (int8_t)in[AT_RESULT];
    sample->cp = (int32_t)bytes_get_u32(in + AT_CP);
    sample->game = 0;
}

unsigned train_position_pieces(const uint8_t in[TRAIN_POSITION_SIZE])
{
    return in[AT_PIECES];
}
