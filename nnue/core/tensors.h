/* SPDX-License-Identifier: MIT */
/*
 * Tensors out of safetensors files, checked against what a kind of net must have.
 */
#ifndef PLYNNUE_TENSORS_H
#define PLYNNUE_TENSORS_H

#include "nnue/core/safetensors.h"

#define TENSORS_RANK_MAX 3

/* What a tensor must be. */
struct tensor_spec {
    const char *name, *dtype;
    unsigned rank;
    uint64_t shape[TENSORS_RANK_MAX]; /* [rank] */
};

/*
 * Finds all of specs [count], and no tensor else in the file. 0, or PLYNNUE_EARCH saying what is
 * missing or how it differs; arch is named in the text.
 */
int tensors_find(const struct safetensors *file, const struct tensor_spec *specs, unsigned count,
                 const char *arch, const struct safetensors_tensor **out,
                 struct plynnue_error *error);
/* Copies all of an F32 tensor. PLYNNUE_EFORMAT on what is not finite. */
int tensors_copy_f32(const struct safetensors *file, const struct safetensors_tensor *tensor,
                     float *out, struct plynnue_error *error);
/* A metadata value that is a plain decimal like 400 or 288.46, over 0. */
bool tensors_decimal(const struct safetensors *file, const char *key, double *value);
/*
 * A metadata value that must be this number where it is given. PLYNNUE_EARCH otherwise.
 */
int tensors_agree(const struct safetensors *file, const char *key, int64_t expected,
                  struct plynnue_error *error);

#endif
