/* SPDX-License-Identifier: MIT */
/*
 * From accumulators to a value, as Stockfish's nets compute it. With N the L1 of one side, x the
 * inputs of the first dense layer, y and z its sums and what is made of them:
 *
 *     x = the pairs' products of both sides (Stockfish 14: all 2 N units clipped)
 *     y = W0 x + b0
 *     z = min(y^2 >> (2 * shift + 7), 127) (not before 15.1), then clamp(y >> shift, 0, 127)
 *     y1 = W1 z + b1; z1 = clamp(y1 >> 6, 0, 127); out = W2 z1 + b2
 *
 * and Stockfish 19: z1 with squares too, out = W2 (z, z1) + b2. Divisions truncate. Products are 64
 * bits wide: squares of real sums, and sums times 9600, leave 32.
 */
#include "nnue/core/sf_model.h"

enum { PAWN_UNITS = 9600, LAST_DIVISOR = 8128, PAIR_DIVISOR = 16384 };
enum { SHIFT = 6, SQUARE_EXTRA = 7, OUTPUT_SCALE = 16, PIECES_MAX = PLYNNUE_PIECES_MAX };

/* Parts of the memory that an evaluation gets. */
struct scratch {
    uint8_t *x;
    int16_t *sum;             /* accumulators of squares and relations; behind x */
    int32_t *y0, *y1, *out;   /* sums of the layers */
    uint8_t *z0, *z1, *input; /* activations; what the last layer takes */
};

/* Where the second layer's activations start behind the first one's. */
static size_t z1_offset(const struct sf_model *model)
{
    uint32_t inputs = sf_design_inputs1(model->design, &model->shape);
    return model->design->all_to_last ? inputs : dense_input_size(inputs);
}

static struct scratch split(const struct sf_model *model, void *memory)
{
    const struct sf_shape *shape = &model->shape;
    struct scratch parts;
    char *next = memory;
    parts.x = (uint8_t *)next;
    next += dense_input_size(sf_model_inputs0(model));
    parts.sum = (int16_t *)(void *)next;
    next += memory_align(model->squares.width * sizeof *parts.sum);
    parts.y0 = (int32_t *)(void *)next;
    next += dense_output_size(shape->l2);
    parts.y1 = (int32_t *)(void *)next;
    next += dense_output_size(shape->l3);
    parts.out = (int32_t *)(void *)next;
    next += dense_output_size(1);
    parts.z0 = (uint8_t *)next;
    parts.z1 = parts.z0 + z1_offset(model);
    parts.input = model->design->all_to_last ? parts.z0 : parts.z1;
    return parts;
}

/* Activations are written up to a multiple of 16: what that is more than they are, the rounding up
 * of their room to 64 leaves, for one half or both. */
size_t sf_forward_size(const struct sf_model *model)
{
    const struct sf_shape *shape = &model->shape;
    return dense_input_size(sf_model_inputs0(model)) +
           memory_align(model->squares.width * sizeof(int16_t)) + dense_output_size(shape->l2) +
           dense_output_size(shape->l3) + dense_output_size(1) +
           dense_input_size(sf_design_inputs1(model->design, shape)) +
           dense_input_size(2 * shape->l3);
}

void sf_forward_transform(const struct sf_model *model, const struct kernels *kernels,
                          const void *const *states, unsigned side, void *memory)
{
    struct scratch parts = split(model, memory);
    uint32_t width = model->squares.width;
    for (unsigned i = 0; i < 2; i++) {
        unsigned view = side ^ i;
        const int16_t *in = states[view];
        if (model->relations.rows) {
            kernels->sum_i16(parts.sum, in, states[2 + view], width);
            in = parts.sum;
        }
        if (model->design->transform == SF_CLIP)
            kernels->clip_u8(parts.x + (size_t)i * width, in, width);
        else
            kernels->pair_u8(parts.x + (size_t)i * model->half_width, in, model->half_width,
                             model->design->transform == SF_PAIR_127 ? 127 : 255,
                             model->design->transform == SF_PAIR_127 ? 7 : 9);
    }
}

/* Activations of count sums: squares in front where there are any. */
static void activate(const struct kernels *kernels, uint8_t *out, const int32_t *in, uint32_t count,
                     unsigned shift, bool squared)
{
    if (squared) {
        kernels->square_clip_u8(out, in, count, 2 * shift + SQUARE_EXTRA);
        out += count;
    }
    kernels->shift_clip_u8(out, in, count, shift);
}

int64_t sf_forward_positional(const struct sf_model *model, const struct kernels *kernels,
                              uint32_t stack, void *memory)
{
    const struct sf_design *design = model->design;
    const struct dense *layer = model->stacks[stack].layer;
    struct scratch parts = split(model, memory);
    uint32_t l2 = model->shape.l2;
    bool last = design->skip == SF_SKIP_LAST;
    int64_t sum;
    kernels->dense_i8(&layer[0], parts.y0, parts.x);
    activate(kernels, parts.z0, parts.y0, l2 - last, design->shift, design->squared);
    kernels->dense_i8(&layer[1], parts.y1, parts.z0);
    activate(kernels, parts.z1, parts.y1, model->shape.l3, SHIFT, design->all_to_last);
    kernels->dense_i8(&layer[2], parts.out, parts.input);
    sum = parts.out[0];
    if (last)
        sum += (int64_t)parts.y0[l2 - 1] * PAWN_UNITS / LAST_DIVISOR;
    if (design->skip == SF_SKIP_PAIR)
        sum = (sum + parts.y0[l2 - 2] - parts.y0[l2 - 1]) * PAWN_UNITS / PAIR_DIVISOR;
    return sum;
}

int64_t sf_forward_psqt(const struct sf_model *model, const void *const *states, unsigned side,
                        uint32_t stack)
{
    int64_t difference = 0;
    for (unsigned i = 0; i < 2; i++) {
        unsigned view = side ^ i;
        int64_t value = transformer_psqt(&model->squares, states[view])[stack];
        if (model->relations.rows)
            value += transformer_psqt(&model->squares, states[2 + view])[stack];
        difference += i ? -value : value;
    }
    return difference / 2;
}

uint32_t sf_forward_stack(const struct sf_model *model, unsigned pieces)
{
    uint32_t step = (PIECES_MAX + model->shape.stacks - 1) / model->shape.stacks;
    return (pieces - 1) / step;
}

int32_t sf_forward_value(const struct sf_model *model, int64_t psqt, int64_t positional)
{
    if (model->design->apart)
        return (int32_t)(psqt / OUTPUT_SCALE + positional / OUTPUT_SCALE);
    return (int32_t)((psqt + positional) / OUTPUT_SCALE);
}
