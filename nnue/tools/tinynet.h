/* SPDX-License-Identifier: MIT */
/*
 * 769-H1-H2-1 nets as files: loading into numbers that can be worked with, and writing.
 */
#ifndef PLYMILL_NNUE_TOOLS_TINYNET_H
#define PLYMILL_NNUE_TOOLS_TINYNET_H

#include "formats/io/buffer.h"
#include "formats/io/error.h"
#include "nnue/core/tinynnue.h"
#include "nnue/tools/safetensors_write.h"

#define TINYNET_FILE_MAX   (64u << 20) /* bytes: H1 4096, H2 1024 as floats take 29 MB */
#define TINYNET_TEXTS_MAX  40          /* metadata entries that a writer may add */
#define TINYNET_SCALE_SIZE 32          /* shortest decimal of a double, with the zero */

/* A net out of a file: one of the two kinds. */
struct tinynet {
    bool is_float;
    struct tinynnue_float floats; /* is_float */
    struct tinynnue_int ints;     /* otherwise */
    bool has_scale;               /* s1 s2 s3 stood in the file */
    double scale[3];              /* what one step of W1, W2, W3 is worth */
};

/* 0, or -1 when the file is no 769-H1-H2-1 net. */
int tinynet_load(const char *path, struct tinynet *net, struct error *err);
void tinynet_free(struct tinynet *net);

/* The tensors in the order of the spec (weights and biases layer by layer). */
enum { TINYNET_TENSORS = 6 };
void tinynet_float_tensors(const struct tinynnue_float *net,
                           struct tensor_out out[TINYNET_TENSORS]);
void tinynet_int_tensors(const struct tinynnue_int *net, struct tensor_out out[TINYNET_TENSORS]);

/* A file's bytes. extra: metadata behind the entries that every such net has (at most 40). */
int tinynet_encode_float(const struct tinynnue_float *net, const struct text_out *extra,
                         size_t extra_count, struct buffer *out, struct error *err);
int tinynet_encode_int(const struct tinynnue_int *net, const double scale[3],
                       const struct text_out *extra, size_t extra_count, struct buffer *out,
                       struct error *err);

/* The shortest decimal that reads back to the same double. */
void tinynet_format_double(double value, char out[TINYNET_SCALE_SIZE]);

#endif
