/* SPDX-License-Identifier: MIT */
/*
 * The first layer of integer nets with two views, see transformer.h.
 */
#include "nnue/core/transformer.h"

_Static_assert(TRANSFORMER_WIDTH_STEP * sizeof(int16_t) == MEMORY_ALIGNMENT &&
                   ROW_COLUMNS_STEP * sizeof(int32_t) == MEMORY_ALIGNMENT,
               "a state is writable as far as a row goes");

int transformer_new(struct transformer *t, uint32_t width, uint32_t psqt)
{
    t->width = width;
    t->psqt = psqt;
    t->bias = memory_new(transformer_stride(t) * sizeof *t->bias);
    t->weights = memory_new(t->map.rows * transformer_stride(t) * sizeof *t->weights);
    if (t->bias && t->weights)
        return PLYNNUE_OK;
    transformer_free(t);
    return PLYNNUE_ENOMEM;
}

void transformer_free(struct transformer *t)
{
    memory_free(t->bias);
    memory_free(t->weights);
    t->bias = NULL;
    t->weights = NULL;
}

static void follow(const struct transformer *t, const struct kernels *kernels,
                   const struct row_list *rows, const void *before, void *after)
{
    kernels->rows_i16(after, before, t->weights, t->width, transformer_columns(t), rows);
}

void transformer_refresh(const struct transformer *t, const struct kernels *kernels,
                         const struct board *board, unsigned view, void *state)
{
    struct row_list rows;
    feature_map_active(&t->map, board, view, &rows);
    follow(t, kernels, &rows, t->bias, state);
}

void transformer_update(const struct transformer *t, const struct kernels *kernels,
                        const struct change *change, unsigned view, const void *before, void *after)
{
    struct row_list rows;
    feature_map_changes(&t->map, change, view, &rows);
    follow(t, kernels, &rows, before, after);
}

void transformer_advance(const struct transformer *t, const struct kernels *kernels,
                         const struct board *from, const struct board *to, unsigned view,
                         void *state)
{
    struct row_list rows;
    feature_map_difference(&t->map, from, to, view, &rows);
    follow(t, kernels, &rows, state, state);
}

static const struct transformer *transformer_of(const struct plynnue_net *net)
{
    return net->model;
}

size_t transformer_arch_state_size(const struct plynnue_net *net)
{
    return transformer_state_size(transformer_of(net));
}

void transformer_arch_refresh(const struct plynnue_net *net, const struct board *board,
                              unsigned view, void *state)
{
    transformer_refresh(transformer_of(net), net->kernels, board, view, state);
}

bool transformer_arch_follows(const struct plynnue_net *net, const struct change *change,
                              unsigned view)
{
    return feature_map_follows(&transformer_of(net)->map, change, view);
}

void transformer_arch_update(const struct plynnue_net *net, const struct change *change,
                             unsigned view, const void *before, void *after)
{
    transformer_update(transformer_of(net), net->kernels, change, view, before, after);
}

unsigned transformer_arch_cache_slots(const struct plynnue_net *net, unsigned view)
{
    const struct feature_map *map = &transformer_of(net)->map;
    (void)view;
    return map->slots > 1 ? map->slots : 0; /* with one slot no king ever needs a refresh */
}

unsigned transformer_arch_cache_slot(const struct plynnue_net *net, const struct board *board,
                                     unsigned view)
{
    return feature_map_slot(&transformer_of(net)->map, board, view);
}

void transformer_arch_advance(const struct plynnue_net *net, const struct board *from,
                              const struct board *to, unsigned view, void *state)
{
    transformer_advance(transformer_of(net), net->kernels, from, to, view, state);
}
