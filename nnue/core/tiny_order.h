/* SPDX-License-Identifier: MIT */
/*
 * Hidden units of a TinyNNUE may stand in any order. Kernels that add products up in 16 bits want
 * one in which sums of many of them fit, whatever the activations.
 */
#ifndef PLYNNUE_TINY_ORDER_H
#define PLYNNUE_TINY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "nnue/core/kernels.h"

/*
 * Looks for an order of the units of a second layer, weights row-major [TINY_OUTPUTS][width], in
 * which `depth` groups (2 or 4; places p, p + 4 .. of 16, and their neighbours) have products whose
 * sum fits int16 in every output. order: [width], which unit stands at each place: at first where
 * to look from, then what was found. false, and order as it was: there is none, or no short way to
 * one. width: a multiple of 16 up to TINY_WIDTH_MAX.
 */
bool tiny_order_fit(uint16_t *order, const int8_t *weights, uint32_t width, unsigned depth);

#endif
