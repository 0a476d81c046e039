/* SPDX-License-Identifier: MIT */
/*
 * Which training it is: equal options and positions lead to the same net, so that a checkpoint may
 * be gone on from. What changes nothing (threads, instruction set) does not count.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_IDENTITY_H
#define PLYMILL_NNUE_TOOLS_TRAIN_IDENTITY_H

#include "formats/io/digest.h"
#include "nnue/tools/train.h"

#define TRAIN_VERSION 3 /* grows when the same options lead to another net than before */

int train_identity(const struct train_options *options, const struct train_set *train,
                   const struct train_set *validation, uint8_t out[DIGEST_SIZE], struct error *err);

#endif
