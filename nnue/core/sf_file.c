/* SPDX-License-Identifier: MIT */
/*
 * Taking a .nnue file apart, see sf_file.h.
 */
#include "nnue/core/sf_file.h"

#include <stdio.h>
#include <string.h>

#include "nnue/core/fail.h"
#include "nnue/core/little.h"
#include "nnue/core/sf_pairs.h"

enum { L2_MIN = 3, L3_MIN = 1, L3_USUAL = 32, STACKS_USUAL = 8 };

/* What a block of a design holds, but for how many numbers a row has. */
struct block_kind {
    const char *what;
    unsigned bits;
    bool psqt; /* a number for each stack in a row, not one for each unit */
};

static const struct block_kind kinds[] = {
    [SF_BIAS] = {"the transformer's biases", 16, false},
    [SF_SQUARES] = {"the piece-square weights", 16, false},
    [SF_SQUARES_PSQT] = {"the piece-square values", 32, true},
    [SF_THREATS] = {"the threat weights", 8, false},
    [SF_THREATS_PSQT] = {"the threat values", 32, true},
    [SF_BOTH_PSQT] = {"the threat and piece-square values", 32, true},
    [SF_PAIRS] = {"the pawn pair weights", 8, false},
    [SF_PAIRS_PSQT] = {"the pawn pair values", 32, true},
};

static uint64_t block_rows(const struct sf_design *design, enum sf_block block)
{
    uint32_t pairs = design->pairs ? SF_PAIRS_ROWS : 0;
    uint32_t threats = sf_design_relations(design) - pairs;
    uint32_t squares = sf_design_inputs(design) - pairs - threats;
    switch (block) {
    case SF_BIAS:
        return 1;
    case SF_SQUARES:
    case SF_SQUARES_PSQT:
        return squares;
    case SF_THREATS:
    case SF_THREATS_PSQT:
        return threats;
    case SF_BOTH_PSQT:
        return (uint64_t)threats + squares;
    default:
        return pairs;
    }
}

/* Takes a block. prove: looks at every number; else only at how many psqt numbers there are. */
static int take_block(struct sf_file *file, struct container *c, enum sf_block block, bool prove,
                      struct plynnue_error *error)
{
    const struct block_kind *kind = &kinds[block];
    struct sf_array *array = &file->arrays[block];
    uint64_t columns = kind->psqt ? file->shape.stacks : file->shape.l1;
    uint64_t count = block_rows(file->design, block) * columns;
    int code;
    array->packed = kind->bits > 8 && leb128_detect(c->data + c->at, c->size - c->at);
    if (!array->packed)
        return container_take(c, count * (kind->bits / 8), kind->what, &array->bytes, error);
    code = leb128_open(c->data + c->at, c->size - c->at, c->at, &array->block, error);
    if (code)
        return code;
    c->at += LEB128_HEAD_SIZE + (uint64_t)(array->block.end - array->block.next);
    if (prove)
        return leb128_check(&array->block, count, kind->bits, error);
    return kind->psqt && leb128_count(&array->block) != count ? PLYNNUE_EFORMAT : PLYNNUE_OK;
}

static int take_blocks(struct sf_file *file, struct container *c, bool prove,
                       struct plynnue_error *error)
{
    const uint8_t *blocks = file->design->blocks;
    int code = PLYNNUE_OK;
    for (unsigned i = 0; !code && blocks[i] != SF_END; i++)
        code = take_block(file, c, (enum sf_block)blocks[i], prove, error);
    return code;
}

static int take_stacks(struct sf_file *file, struct container *c, uint32_t hash,
                       struct plynnue_error *error)
{
    uint64_t size = sf_design_stack_size(file->design, &file->shape);
    const uint8_t *layers;
    int code = PLYNNUE_OK;
    file->stacks = c->data + c->at;
    for (uint32_t i = 0; !code && i < file->shape.stacks; i++) {
        char what[32];
        snprintf(what, sizeof what, "stack %u", i);
        code = container_section(c, hash, what, error);
        if (!code)
            code = container_take(c, size - sizeof hash, what, &layers, error);
    }
    return code ? code : container_end(c, error);
}

/* Bytes behind the blocks when a row has so many psqt columns; UINT64_MAX: that cannot be. */
static uint64_t left_for_stacks(const struct sf_file *file, const struct container *c,
                                uint32_t stacks)
{
    struct sf_file try = *file;
    struct container rest = *c;
    try.shape.stacks = stacks;
    if (take_blocks(&try, &rest, false, NULL))
        return UINT64_MAX;
    return rest.size - rest.at;
}

/* L2 and L3 that hash and size of a stack allow: how many; *shape gets the first. */
static unsigned solve_stack(const struct sf_design *design, uint32_t hash, uint64_t size,
                            struct sf_shape *shape)
{
    struct sf_shape try = *shape;
    unsigned count = 0;
    for (try.l2 = L2_MIN; try.l2 <= SF_L2_MAX; try.l2++)
        for (try.l3 = L3_MIN; try.l3 <= SF_L3_MAX; try.l3++)
            if (sf_design_stack_size(design, &try) == size &&
                sf_design_network_hash(&try) == hash && !count++)
                *shape = try;
    return count;
}

/* All shapes that hash and size of the file allow: how many; file->shape gets the first. */
static unsigned solve(struct sf_file *file, const struct container *c, uint32_t hash)
{
    struct sf_shape found = file->shape;
    unsigned count = 0;
    for (uint32_t stacks = 1; stacks <= SF_STACKS_MAX; stacks++) {
        uint64_t left = left_for_stacks(file, c, stacks);
        struct sf_shape try = file->shape;
        unsigned more;
        if (left == UINT64_MAX || left % stacks)
            continue;
        try.stacks = stacks;
        more = solve_stack(file->design, hash, left / stacks, &try);
        if (more && !count)
            found = try;
        count += more;
    }
    file->shape = found;
    return count;
}

/* The shape that was not asked for: the usual one, or the only one that fits. */
static int find_shape(struct sf_file *file, const struct container *c, uint32_t hash,
                      struct plynnue_error *error)
{
    struct sf_shape usual = {file->shape.l1, file->design->l2, L3_USUAL, STACKS_USUAL};
    uint64_t size = sf_design_stack_size(file->design, &usual);
    char text[128];
    unsigned count;
    if (sf_design_network_hash(&usual) == hash &&
        left_for_stacks(file, c, STACKS_USUAL) == STACKS_USUAL * size) {
        file->shape = usual;
        return PLYNNUE_OK;
    }
    count = solve(file, c, hash);
    if (count == 1)
        return PLYNNUE_OK;
    if (!count) {
        file->shape = usual; /* what is wrong with the file shows when it is read as usual */
        return PLYNNUE_OK;
    }
    sf_design_format(file->design, &file->shape, text);
    return core_fail(error, PLYNNUE_EARCH, 0, "%u shapes fit this file: ask for one, such as %s",
                     count, text);
}

static int check_asked(const struct sf_file *file, const struct sf_asked *asked,
                       struct plynnue_error *error)
{
    const struct sf_shape *shape = &asked->shape;
    if (asked->inputs != sf_design_inputs(file->design))
        return core_fail(error, PLYNNUE_EARCH, 0, "%s has %u inputs, asked for %u", asked->name,
                         sf_design_inputs(file->design), asked->inputs);
    if (shape->l1 != file->shape.l1)
        return core_fail(error, PLYNNUE_EARCH, 0, "L1 is %u by the file's hashes, asked for %u",
                         file->shape.l1, shape->l1);
    if (shape->l2 < L2_MIN || shape->l2 > SF_L2_MAX || shape->l3 < L3_MIN ||
        shape->l3 > SF_L3_MAX || shape->stacks < 1 || shape->stacks > SF_STACKS_MAX)
        return core_fail(error, PLYNNUE_EARCH, 0,
                         "layers of %d .. %d and %d .. %d outputs and 1 .. %d stacks are known",
                         L2_MIN, SF_L2_MAX, L3_MIN, SF_L3_MAX, SF_STACKS_MAX);
    return PLYNNUE_OK;
}

static int fail_unknown(const struct container *c, uint32_t transformer_hash, const char *asked,
                        struct plynnue_error *error)
{
    if (asked)
        return core_fail(error, PLYNNUE_EARCH, 0,
                         "asked for %.40s, but version %08x and transformer hash %08x are not its",
                         asked, c->version, transformer_hash);
    if (sf_design_find("sf15", c->version, transformer_hash, false))
        return core_fail(error, PLYNNUE_EARCH, 0,
                         "the file does not say which Stockfish's arithmetic it is made for: ask "
                         "for arch sf15, sf15.1, sf16, sf16.1 or sf17");
    return core_fail(error, PLYNNUE_EARCH, 0,
                     "a Stockfish net with features that are not known: version %08x, "
                     "transformer hash %08x",
                     c->version, transformer_hash);
}

/* Design and L1, from the hash that stands next. */
static int find_design(struct sf_file *file, const struct container *c, const char *name,
                       struct plynnue_error *error)
{
    uint32_t hash;
    uint64_t first = c->at + sizeof hash;
    int code = container_peek(c, &hash, error);
    if (code)
        return code;
    file->design = sf_design_find(name, c->version, hash,
                                  leb128_detect(c->data + first, (size_t)(c->size - first)));
    if (!file->design)
        return fail_unknown(c, hash, name, error);
    sf_design_l1(file->design->feature_hash, hash, &file->shape.l1);
    return PLYNNUE_OK;
}

int sf_file_open(struct sf_file *file, const struct container *container, const char *asked,
                 struct plynnue_error *error)
{
    struct container c = *container;
    struct sf_asked wish = {.shaped = false};
    uint32_t hash, transformer_hash;
    int code;
    memset(file, 0, sizeof *file);
    if (asked && !sf_design_parse(asked, &wish))
        return core_fail(error, PLYNNUE_EARCH, 0, "architecture %.80s is not known", asked);
    code = find_design(file, &c, asked ? wish.name : NULL, error);
    if (code)
        return code;
    transformer_hash = file->design->feature_hash ^ 2 * file->shape.l1;
    hash = c.hash ^ transformer_hash;
    code = container_section(&c, transformer_hash, "the feature transformer", error);
    if (code)
        return code;
    code = wish.shaped ? check_asked(file, &wish, error) : find_shape(file, &c, hash, error);
    if (code)
        return code;
    if (wish.shaped)
        file->shape = wish.shape;
    if (sf_design_network_hash(&file->shape) != hash)
        return core_fail(error, PLYNNUE_EFORMAT, 4,
                         "the file's hash is %08x, %08x would be that of its shape", c.hash,
                         sf_design_network_hash(&file->shape) ^ transformer_hash);
    code = take_blocks(file, &c, true, error);
    return code ? code : take_stacks(file, &c, hash, error);
}

void sf_array_read_i8(struct sf_array *array, int8_t *out, size_t count)
{
    memcpy(out, array->bytes, count);
    array->bytes += count;
}

void sf_array_read_i16(struct sf_array *array, int16_t *out, size_t count)
{
    if (array->packed) {
        leb128_read_i16(&array->block, out, count);
        return;
    }
    little_copy_i16(out, array->bytes, count);
    array->bytes += count * sizeof *out;
}

void sf_array_read_i32(struct sf_array *array, int32_t *out, size_t count)
{
    if (array->packed) {
        leb128_read_i32(&array->block, out, count);
        return;
    }
    little_copy_i32(out, array->bytes, count);
    array->bytes += count * sizeof *out;
}
