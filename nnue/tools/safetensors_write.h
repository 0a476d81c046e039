/* SPDX-License-Identifier: MIT */
/*
 * A writer of safetensors files (layout: nnue/core/safetensors.h). The same input gives the same
 * bytes: metadata and tensors stand in the order given, the header is padded with spaces to a
 * multiple of 8.
 */
#ifndef PLYMILL_NNUE_TOOLS_SAFETENSORS_WRITE_H
#define PLYMILL_NNUE_TOOLS_SAFETENSORS_WRITE_H

#include <stdint.h>

#include "formats/io/buffer.h"
#include "formats/io/error.h"

#define TENSOR_RANK_MAX 3

enum tensor_type { TENSOR_F32, TENSOR_I32, TENSOR_I16, TENSOR_I8 };

/* One tensor to be written. values: float, int32_t, int16_t or int8_t, row-major. */
struct tensor_out {
    const char *name;
    enum tensor_type type;
    unsigned rank;                   /* 1 .. TENSOR_RANK_MAX */
    uint64_t shape[TENSOR_RANK_MAX]; /* [rank] */
    const void *values;
};

/* One entry of the metadata. */
struct text_out {
    const char *key, *value;
};

uint64_t tensor_out_count(const struct tensor_out *tensor);
unsigned tensor_type_size(enum tensor_type type);
/* The values alone, little-endian. */
int tensor_append_values(const struct tensor_out *tensor, struct buffer *out, struct error *err);
/* A whole file. Tensors with wider elements should come first: then all are aligned. */
int safetensors_write(const struct text_out *texts, size_t text_count,
                      const struct tensor_out *tensors, size_t tensor_count, struct buffer *out,
                      struct error *err);

#endif
