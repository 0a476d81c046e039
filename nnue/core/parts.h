/* SPDX-License-Identifier: MIT */
/*
 * The numbers of a loaded net, for proofs about them: how large its sums can become. Evaluation
 * goes another way and needs none of this.
 */
#ifndef PLYNNUE_PARTS_H
#define PLYNNUE_PARTS_H

#include "nnue/core/dense.h"
#include "nnue/core/sf_relations.h"
#include "nnue/core/tinynnue.h"
#include "nnue/core/transformer.h"

#define PARTS_LAYERS_MAX 3
#define PARTS_HEADS_MAX  32

/* The same layer of every head. Inputs are 0 .. 127. Only the scalar kernels leave the weights
 * row-major, [outputs][inputs]: ask a net that was opened with PLYNNUE_ISA_SCALAR. */
struct parts_layer {
    const struct dense *head[PARTS_HEADS_MAX];
};

/* The output of bullet's nets: activations 0 .. activation_max times weights. */
struct parts_output {
    const int16_t *weights; /* [heads][inputs], padding of zeros included; NULL: there is none */
    uint32_t inputs;
    int64_t activation_max; /* QA, or QA squared */
};

/* Borrowed from the net. What a kind does not have is NULL or 0. */
struct net_parts {
    const struct tinynnue_int *tiny_int;
    const struct tinynnue_float *tiny_float;
    const struct feature_map *map;        /* of all nets with two sides */
    const struct transformer *squares;    /* of those with integers */
    const struct sf_relations *relations; /* threats and pawn pairs, added to the squares */
    unsigned heads, layer_count;
    struct parts_layer layers[PARTS_LAYERS_MAX];
    struct parts_output output;
    /* How many numbers the net holds, by what they take as integers (of float nets: what they
     * would). */
    uint64_t bytes1, bytes2, bytes4;
};

/* A net of any kind. */
void net_parts(const struct plynnue_net *net, struct net_parts *parts);

#endif
