/* SPDX-License-Identifier: MIT */
/*
 * HalfKP nets, (41024 -> L1) x 2 -> L2 -> L3 -> 1, the nets of Stockfish 12 and 13:
 *
 *   x   = clamp(accumulators, 0, 127), side to move first
 *   x1  = clamp((W0 x + b0) >> 6, 0, 127), x2 = clamp((W1 x1 + b1) >> 6, 0, 127)
 *   raw = W2 x2 + b2, value = raw / 16, truncated: the engine's internal units (208 = a pawn)
 *
 * The file: header (container.h), hash, bias i16 [L1], weights i16 [41024][L1], hash, then for each
 * dense layer bias i32 [outputs], weights i8 [outputs][inputs rounded up to 32].
 */
#ifndef PLYNNUE_HALFKP_H
#define PLYNNUE_HALFKP_H

#include "nnue/core/arch.h"

#define HALFKP_L1_MAX 4096 /* a multiple of 32 */
#define HALFKP_L2_MAX 1024 /* and L3 */

struct halfkp_shape {
    uint32_t l1, l2, l3;
};

/* Reads "halfkp(41024->L1)x2->L2->L3->1" within the limits above. */
bool halfkp_parse_arch(const char *text, struct halfkp_shape *shape);
void halfkp_format_arch(const struct halfkp_shape *shape, char *out, size_t size);

#endif
