/* SPDX-License-Identifier: MIT */
/*
 * A .nnue file of one of the designs of sf_design.h, taken apart and proved sound before anything
 * is allocated:
 *
 *     header, see container.h
 *     transformer hash, then blocks of numbers in the design's order
 *     8 times: network hash, then three dense layers
 *
 * A block is an array as it is, or one of LEB128 numbers (int8 arrays are never packed). A dense
 * layer is int32 biases, then int8 weights, a row for each output, rows padded to multiples of 32.
 */
#ifndef PLYNNUE_SF_FILE_H
#define PLYNNUE_SF_FILE_H

#include "nnue/core/container.h"
#include "nnue/core/leb128.h"
#include "nnue/core/sf_design.h"

/* Numbers of a block that are still unread, packed or not. */
struct sf_array {
    bool packed;
    const uint8_t *bytes;
    struct leb128 block;
};

struct sf_file {
    const struct sf_design *design;
    struct sf_shape shape;
    struct sf_array arrays[SF_PAIRS_PSQT + 1]; /* by enum sf_block */
    const uint8_t *stacks;                     /* [shape.stacks][sf_design_stack_size] */
};

/*
 * Takes a container apart that container_open has opened. asked: a design's name or its full
 * notation; NULL: what the file says. PLYNNUE_EARCH: not known, not what was asked for, or not to
 * be told without asking. PLYNNUE_EFORMAT: damaged.
 */
int sf_file_open(struct sf_file *file, const struct container *container, const char *asked,
                 struct plynnue_error *error);

/* The next count numbers of an array. */
void sf_array_read_i8(struct sf_array *array, int8_t *out, size_t count);
void sf_array_read_i16(struct sf_array *array, int16_t *out, size_t count);
void sf_array_read_i32(struct sf_array *array, int32_t *out, size_t count);

#endif
