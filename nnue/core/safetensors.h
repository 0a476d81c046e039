/* SPDX-License-Identifier: MIT */
/*
 * A reader of safetensors files that trusts nothing in them.
 *
 *   0      8  n, length of the header, u64 LE
 *   8      n  JSON: { "__metadata__": { "key": "text", ... },
 *             "name": { "dtype": "F32", "shape": [769, 128], "data_offsets": [begin, end] }, ... }
 *             starts with '{', may end in spaces
 *   8+n       the tensors' bytes, row-major, little-endian; offsets count from here
 *
 * The ranges must cover the data exactly: no hole, no overlap, nothing after. Nothing is allocated
 * and nothing is copied but the names: the result points into the bytes, which must outlive it.
 */
#ifndef PLYNNUE_SAFETENSORS_H
#define PLYNNUE_SAFETENSORS_H

#include <stdbool.h>

#include "nnue/core/plynnue.h"

#define SAFETENSORS_HEADER_MAX  100000000 /* bytes: the reference reader's limit too */
#define SAFETENSORS_TENSORS_MAX 64
#define SAFETENSORS_TEXTS_MAX   256 /* entries of __metadata__ */
#define SAFETENSORS_NAME_MAX    64  /* bytes of a name or metadata key, with the zero */
#define SAFETENSORS_RANK_MAX    8   /* dimensions of a tensor */
#define SAFETENSORS_DTYPE_MAX   8   /* bytes of a dtype's name, with the zero */

struct safetensors_tensor {
    char name[SAFETENSORS_NAME_MAX];
    char dtype[SAFETENSORS_DTYPE_MAX]; /* "F32", "I8", ... */
    unsigned rank;
    uint64_t shape[SAFETENSORS_RANK_MAX]; /* [rank] */
    uint64_t count;                       /* elements: the product of shape */
    uint64_t begin, end;                  /* in the data */
    const uint8_t *data;                  /* end - begin bytes, not aligned */
};

/* One entry of __metadata__; the value is JSON text between its quotes, escapes not undone. */
struct safetensors_text {
    char key[SAFETENSORS_NAME_MAX];
    const char *value;
    size_t size;
};

/* 25 kB: belongs on the heap. */
struct safetensors {
    unsigned tensor_count, text_count;
    uint64_t data_start;                                        /* offset of the data in the file */
    struct safetensors_tensor tensors[SAFETENSORS_TENSORS_MAX]; /* in order of begin */
    struct safetensors_text texts[SAFETENSORS_TEXTS_MAX];
};

/* Could these bytes be the start of a safetensors file? A guess, to choose the error text. */
bool safetensors_detect(const void *data, size_t size);
/* 0, or PLYNNUE_EFORMAT with the offset of the fault in the file. */
int safetensors_parse(const void *data, size_t size, struct safetensors *out,
                      struct plynnue_error *error);
/* By name, or NULL. */
const struct safetensors_tensor *safetensors_find(const struct safetensors *file, const char *name);
/*
 * A metadata value with its escapes undone (UTF-8), zero-terminated. False, and out is "", when
 * there is no such key or the value does not fit into size bytes.
 */
bool safetensors_text(const struct safetensors *file, const char *key, char *out, size_t size);
/* A metadata value that is a whole decimal number 0 .. 2^63 - 1. */
bool safetensors_integer(const struct safetensors *file, const char *key, int64_t *value);

#endif
