/* SPDX-License-Identifier: MIT */
/*
 * Designs of Stockfish's nets, see sf_design.h.
 */
#include "nnue/core/sf_design.h"

#include <stdio.h>
#include <string.h>

#include "nnue/core/archtext.h"
#include "nnue/core/container.h"
#include "nnue/core/sf_pairs.h"

#define HASH_HALFKA    0x5F234CB8u
#define HASH_HALFKA_HM 0x7F234CB8u
#define HASH_THREATS   0x8F234CB8u
#define HASH_19        0xCB685B13u
#define HASH_P_HM      0x6F234CB8u

/* clang-format off */
#define BLOCKS_PLAIN {SF_BIAS, SF_SQUARES, SF_SQUARES_PSQT}
/* clang-format on */

/* What all nets with the inputs of Stockfish 15 have in common. */
#define DESIGN_HM(engine)                                                                          \
    .name = (engine), .version = CONTAINER_VERSION_14, .feature_hash = HASH_HALFKA_HM,             \
    .squares = SF_HALFKA_HM, .blocks = BLOCKS_PLAIN, .transform = SF_PAIR_127,                     \
    .skip = SF_SKIP_LAST, .shift = 6, .l2 = 16

#define DESIGN_19(engine)                                                                          \
    .name = (engine), .version = CONTAINER_VERSION_19, .transform = SF_PAIR_255,                   \
    .skip = SF_SKIP_PAIR, .shift = 7, .squared = true, .all_to_last = true, .apart = true,         \
    .implied = true, .verified = true, .l1 = 1024, .l2 = 32

static const struct sf_design designs[] = {
    {.name = "sf14",
     .version = CONTAINER_VERSION_14,
     .feature_hash = HASH_HALFKA,
     .squares = SF_HALFKA_V2,
     .blocks = BLOCKS_PLAIN,
     .transform = SF_CLIP,
     .skip = SF_SKIP_NONE,
     .shift = 6,
     .implied = true,
     .l1 = 512,
     .l2 = 16},
    {DESIGN_HM("sf15"), .l1 = 1024},
    {DESIGN_HM("sf15.1"), .squared = true, .verified = true, .l1 = 1024, .units_a_pawn = 361},
    {DESIGN_HM("sf16"), .squared = true, .verified = true, .implied = true, .l1 = 1536,
     .units_a_pawn = 328},
    {DESIGN_HM("sf16.1"), .squared = true, .implied = true, .l1 = 2560},
    {DESIGN_HM("sf17"), .squared = true, .verified = true, .apart = true, .implied = true,
     .l1 = 3072},
    {DESIGN_HM("sf17.1"), .squared = true, .verified = true, .apart = true, .l1 = 3072},
    {DESIGN_HM("sf18"), .squared = true, .apart = true, .implied = true, .l1 = 128},
    {.name = "sf18",
     .version = CONTAINER_VERSION_14,
     .feature_hash = HASH_THREATS,
     .squares = SF_HALFKA_HM,
     .threats = true,
     .threat_set = SF_THREATS_18,
     .blocks = {SF_BIAS, SF_THREATS, SF_SQUARES, SF_BOTH_PSQT},
     .transform = SF_PAIR_255,
     .skip = SF_SKIP_LAST,
     .shift = 6,
     .squared = true,
     .apart = true,
     .implied = true,
     .verified = true,
     .l1 = 1024,
     .l2 = 16},
    {DESIGN_19("sf19"), .feature_hash = HASH_19, .squares = SF_HALFKA_HM, .threats = true,
     .threat_set = SF_THREATS_19, .pairs = true,
     .blocks = {SF_BIAS, SF_THREATS, SF_THREATS_PSQT, SF_PAIRS, SF_PAIRS_PSQT, SF_SQUARES,
                SF_SQUARES_PSQT}},
    {DESIGN_19("sf19lite"), .feature_hash = HASH_P_HM, .squares = SF_P_HM, .blocks = BLOCKS_PLAIN},
};

enum { DESIGNS = sizeof designs / sizeof *designs };

enum { NUMBER_MAX = 1000000 }; /* of a shape as it is written: the limits are others */

/* Behind the bracket: "22528->1024)x2->16->32->1x8". */
static bool parse_shape(const char *text, struct sf_asked *asked)
{
    struct sf_shape *shape = &asked->shape;
    shape->stacks = 1;
    asked->shaped = true;
    if (!archtext_number(&text, 1, NUMBER_MAX, &asked->inputs) || !archtext_skip(&text, "->") ||
        !archtext_number(&text, 1, NUMBER_MAX, &shape->l1) || !archtext_skip(&text, ")x2->") ||
        !archtext_number(&text, 1, NUMBER_MAX, &shape->l2) || !archtext_skip(&text, "->") ||
        !archtext_number(&text, 1, NUMBER_MAX, &shape->l3) || !archtext_skip(&text, "->1"))
        return false;
    if (archtext_skip(&text, "x") && !archtext_number(&text, 1, NUMBER_MAX, &shape->stacks))
        return false;
    return !*text;
}

bool sf_design_parse(const char *text, struct sf_asked *asked)
{
    size_t length = strcspn(text, "(");
    memset(asked, 0, sizeof *asked);
    if (length >= sizeof asked->name)
        return false;
    memcpy(asked->name, text, length);
    for (unsigned i = 0; i < DESIGNS; i++)
        if (!strcmp(designs[i].name, asked->name))
            return text[length] ? parse_shape(text + length + 1, asked) : true;
    return false;
}

void sf_design_format(const struct sf_design *design, const struct sf_shape *shape, char out[128])
{
    char stacks[16] = "";
    if (shape->stacks > 1)
        snprintf(stacks, sizeof stacks, "x%u", shape->stacks);
    snprintf(out, 128, "%s(%u->%u)x2->%u->%u->1%s", design->name, sf_design_inputs(design),
             shape->l1, shape->l2, shape->l3, stacks);
}

bool sf_design_l1(uint32_t feature_hash, uint32_t transformer_hash, uint32_t *l1)
{
    uint32_t width = feature_hash ^ transformer_hash;
    *l1 = width / 2;
    return width % 4 == 0 && *l1 > 0 && *l1 <= SF_L1_MAX;
}

const struct sf_design *sf_design_find(const char *name, uint32_t version,
                                       uint32_t transformer_hash, bool packed)
{
    for (unsigned i = 0; i < DESIGNS; i++) {
        const struct sf_design *design = &designs[i];
        bool many = design->feature_hash == HASH_HALFKA_HM;
        uint32_t l1;
        if (design->version != version ||
            !sf_design_l1(design->feature_hash, transformer_hash, &l1))
            continue;
        if (name ? !strcmp(name, design->name)
                 : design->implied && (!many || (packed && design->l1 == l1)))
            return design;
    }
    return NULL;
}

static uint32_t squares_rows(enum sf_squares_set set)
{
    static const uint32_t rows[] = {
        [SF_HALFKA_V2] = 45056, [SF_HALFKA_HM] = 22528, [SF_P_HM] = 768};
    return rows[set];
}

uint32_t sf_design_relations(const struct sf_design *design)
{
    uint32_t threats =
        design->threat_set == SF_THREATS_18 ? SF_THREATS_18_ROWS : SF_THREATS_19_ROWS;
    return (design->threats ? threats : 0) + (design->pairs ? SF_PAIRS_ROWS : 0);
}

uint32_t sf_design_inputs(const struct sf_design *design)
{
    return squares_rows(design->squares) + sf_design_relations(design);
}

uint32_t sf_design_network_hash(const struct sf_shape *shape)
{
    uint32_t hash = container_hash_inputs(2 * shape->l1);
    hash = container_hash_clip(container_hash_affine(hash, shape->l2));
    hash = container_hash_clip(container_hash_affine(hash, shape->l3));
    return container_hash_affine(hash, 1);
}

uint32_t sf_design_inputs0(const struct sf_design *design, const struct sf_shape *shape)
{
    return design->transform == SF_CLIP ? 2 * shape->l1 : shape->l1;
}

uint32_t sf_design_inputs1(const struct sf_design *design, const struct sf_shape *shape)
{
    uint32_t outputs = shape->l2 - (design->skip == SF_SKIP_LAST);
    return design->squared ? 2 * outputs : outputs;
}

uint32_t sf_design_inputs2(const struct sf_design *design, const struct sf_shape *shape)
{
    return design->all_to_last ? 2 * shape->l2 + 2 * shape->l3 : shape->l3;
}

static uint64_t layer_size(uint32_t inputs, uint32_t outputs)
{
    return (uint64_t)outputs * (4 + sf_design_stride(inputs));
}

uint64_t sf_design_stack_size(const struct sf_design *design, const struct sf_shape *shape)
{
    return 4 + layer_size(sf_design_inputs0(design, shape), shape->l2) +
           layer_size(sf_design_inputs1(design, shape), shape->l3) +
           layer_size(sf_design_inputs2(design, shape), 1);
}
