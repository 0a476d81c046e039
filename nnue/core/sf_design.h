/* SPDX-License-Identifier: MIT */
/*
 * The designs of Stockfish's nets since version 14: which features, which blocks in which order,
 * which arithmetic; and the shape, the numbers in which nets of one design may differ.
 *
 * A design has a name, the one of the engine: sf14 sf15 sf15.1 sf16 sf16.1 sf17 sf17.1 sf18 sf19
 * sf19lite. The name alone leaves the shape to the file; written out it is
 *
 *     sf15.1(22528->1024)x2->16->32->1x8
 *
 * for features, L1, outputs of the first dense layer (those that skip the rest counted), of the
 * second, of the last, and the number of stacks. The small nets of Stockfish 16.1 to 18 go by the
 * engine's name too.
 */
#ifndef PLYNNUE_SF_DESIGN_H
#define PLYNNUE_SF_DESIGN_H

#include <stdbool.h>

#include "nnue/core/plynnue.h"
#include "nnue/core/sf_threats.h"

#define SF_L1_MAX     8192 /* of one side; even */
#define SF_L2_MAX     256  /* outputs of the first dense layer, at least 3 */
#define SF_L3_MAX     256
#define SF_STACKS_MAX 32

/* The piece-square features: see features.h. */
enum sf_squares_set { SF_HALFKA_V2, SF_HALFKA_HM, SF_P_HM };

/* What becomes of the accumulators before the first dense layer. */
enum sf_transform {
    SF_CLIP,     /* clamp(a, 0, 127) */
    SF_PAIR_127, /* clamp(a[j], 0, 127) * clamp(a[j + L1/2], 0, 127) >> 7 */
    SF_PAIR_255  /* clamp(a[j], 0, 255) * clamp(a[j + L1/2], 0, 255) >> 9 */
};

/* What the first dense layer's last outputs add to the last layer's sum. */
enum sf_skip {
    SF_SKIP_NONE,
    SF_SKIP_LAST, /* y[L2-1] * 9600 / 8128, not an input of the second layer */
    SF_SKIP_PAIR  /* y[L2-2] - y[L2-1], inputs of the second layer as well; then the whole sum
                   * 9600 / 16384 */
};

/* The blocks of the feature transformer. */
enum sf_block {
    SF_END,
    SF_BIAS,
    SF_SQUARES,
    SF_SQUARES_PSQT,
    SF_THREATS,
    SF_THREATS_PSQT,
    SF_BOTH_PSQT, /* of threats, then of squares */
    SF_PAIRS,
    SF_PAIRS_PSQT
};

#define SF_BLOCKS_MAX 8 /* the end included */

struct sf_design {
    const char *name;
    uint32_t version, feature_hash;
    enum sf_squares_set squares;
    bool threats, pairs;
    enum sf_threat_set threat_set;
    uint8_t blocks[SF_BLOCKS_MAX]; /* enum sf_block */
    enum sf_transform transform;
    enum sf_skip skip;
    uint8_t shift;         /* from sums of the first layer to activations; of the second: 6 */
    bool squared;          /* squares of the first layer's outputs are inputs of the second too */
    bool all_to_last;      /* the last layer sees the first one's activations, and squares too */
    bool apart;            /* psqt and positional are divided by 16 separately */
    bool implied;          /* a file's hashes say that it is this one (HalfKAv2_hm: and its L1) */
    bool verified;         /* compared with integers of the engine */
    uint32_t l1, l2;       /* of the net of that name; L3 is 32, stacks are 8 */
    uint16_t units_a_pawn; /* of 100 centipawns; 0: not constant or not known */
};

/* What a file's numbers must be like. */
struct sf_shape {
    uint32_t l1, l2, l3, stacks;
};

/* What a caller asked for: a design's name, perhaps a shape. */
struct sf_asked {
    char name[16];
    bool shaped;
    uint32_t inputs;
    struct sf_shape shape;
};

/* false: not written like an architecture of this file. */
bool sf_design_parse(const char *text, struct sf_asked *asked);
/* The full notation; out has room for 128 bytes. */
void sf_design_format(const struct sf_design *design, const struct sf_shape *shape, char out[128]);

/* Do the upper bits of a feature transformer's hash belong to a known set? Gives L1 then. */
bool sf_design_l1(uint32_t feature_hash, uint32_t transformer_hash, uint32_t *l1);
/*
 * The design of that name for files of that version and transformer hash; NULL: none. name NULL:
 * the design that such a file has in any case, or by its L1; packed: its blocks are LEB128.
 */
const struct sf_design *sf_design_find(const char *name, uint32_t version,
                                       uint32_t transformer_hash, bool packed);

/* Rows of all sets together, and of the sets but for the piece-squares. */
uint32_t sf_design_inputs(const struct sf_design *design);
uint32_t sf_design_relations(const struct sf_design *design);
/* The network hash that follows from a shape. */
uint32_t sf_design_network_hash(const struct sf_shape *shape);
/* Numbers that go into each of the three dense layers. */
uint32_t sf_design_inputs0(const struct sf_design *design, const struct sf_shape *shape);
uint32_t sf_design_inputs1(const struct sf_design *design, const struct sf_shape *shape);
uint32_t sf_design_inputs2(const struct sf_design *design, const struct sf_shape *shape);
/* Inputs of a dense layer as files store them: rows are padded to multiples of 32. */
static inline uint32_t sf_design_stride(uint32_t inputs)
{
    return (inputs + 31) / 32 * 32;
}

/* Bytes of one stack in a file, its hash included. */
uint64_t sf_design_stack_size(const struct sf_design *design, const struct sf_shape *shape);

#endif
