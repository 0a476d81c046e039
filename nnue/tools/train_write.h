/* SPDX-License-Identifier: MIT */
/*
 * A trained net as a .safetensors file of floats, whatever its architecture.
 */
#ifndef PLYMILL_NNUE_TOOLS_TRAIN_WRITE_H
#define PLYMILL_NNUE_TOOLS_TRAIN_WRITE_H

#include "formats/io/buffer.h"
#include "nnue/tools/safetensors_write.h"
#include "nnue/tools/train_model.h"

#define TRAIN_FILE_MAX  (1u << 30) /* bytes */
#define TRAIN_TEXTS_MAX 40         /* metadata entries that a caller may add */

/* The file's bytes. texts: metadata behind family, arch and unit_cp. */
int train_encode(const struct train_model *model, const struct text_out *texts, size_t text_count,
                 struct buffer *out, struct error *err);

#endif
