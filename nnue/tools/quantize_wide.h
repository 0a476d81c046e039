/* SPDX-License-Identifier: MIT */
/*
 * Float nets with two sides to integer nets, each to the file that its kind has:
 *
 *   (768xK->N)x2->1xB          bullet's quantised.bin, and a side file that says what it is
 *   halfka(22528->L1)x2->L2->1xB   safetensors with I16, I8 and I32
 *   halfkp(41024->L1)x2->L2->L3->1 a .nnue of Stockfish 12
 *
 * Every tensor times its scale, rounded half away from zero:
 *
 *   tensor              768          halfka      halfkp
 *   ft.*                QA   I16     127   I16   127      I16
 *   l1, l2.weight                    64    I8    64       I8
 *   l1, l2.bias                      8128  I32   8128     I32
 *   out.weight          QB   I16     64    I8    U / 127  I8    U = 16 * 208 / 100 * unit_cp:
 *   out.bias            QA*QB I16    8128  I32   U        I32   9600 where the unit is Stockfish's
 *
 * A value that leaves its type is an error: clipping is the business of training.
 */
#ifndef PLYMILL_NNUE_TOOLS_QUANTIZE_WIDE_H
#define PLYMILL_NNUE_TOOLS_QUANTIZE_WIDE_H

#include "formats/io/buffer.h"
#include "formats/io/error.h"
#include "nnue/core/bullet.h"
#include "nnue/core/halfka.h"
#include "nnue/core/halfkp.h"
#include "nnue/tools/safetensors_write.h"

enum quantize_to { QUANTIZE_SAFETENSORS, QUANTIZE_BULLET, QUANTIZE_NNUE };

#define QUANTIZE_WIDE_TENSORS 8
#define QUANTIZE_ARCH_MAX     512 /* of a side file's line, with the zero */
#define QUANTIZE_TEXTS_MAX    40  /* entries of metadata about the origin */

/* One tensor of the float net and what it becomes. */
struct quantize_tensor {
    const char *name;
    float *values; /* [count] */
    uint64_t count;
    unsigned rank;
    uint64_t shape[TENSOR_RANK_MAX];
    double scale;
    enum tensor_type type;
    size_t offset; /* of its bytes in the file */
};

/* A float net as it stands in a file. */
struct quantize_wide {
    enum quantize_to to;
    struct buffer file; /* its bytes */
    char arch[QUANTIZE_ARCH_MAX];
    union {
        struct bullet_shape bullet;
        struct halfka_shape halfka;
        struct halfkp_shape halfkp;
    } shape; /* by to */
    double unit_cp;
    unsigned count;
    struct quantize_tensor tensors[QUANTIZE_WIDE_TENSORS]; /* ft, l1, .., out: weight, bias */
};

/*
 * Reads a file. arch: what its metadata do not say, or NULL. 1, 0 when it is a safetensors file of
 * another kind of net, -1. quantize_wide_free frees it in any case.
 */
int quantize_wide_load(const char *path, const char *arch, struct quantize_wide *net,
                       struct error *err);
void quantize_wide_free(struct quantize_wide *net);
/*
 * The bytes of the integer net, and the line of its side file ("" when it needs none). texts: what
 * is said about its origin, where the file has room for it. -1 names the tensor and the index of
 * a value that does not fit.
 */
int quantize_wide_encode(const struct quantize_wide *net, const struct text_out *texts,
                         size_t text_count, struct buffer *out, char arch[QUANTIZE_ARCH_MAX],
                         struct error *err);
/* The file with one tensor as its integers are: q / scale. out: as large as file, a copy. */
int quantize_wide_round_one(const struct quantize_wide *net, unsigned tensor, struct buffer *out,
                            struct error *err);

/* "safetensors", "bullet", "nnue" */
const char *quantize_to_name(enum quantize_to to);
/* What a file's name ends in. */
const char *quantize_to_suffix(enum quantize_to to);

#endif
