/* SPDX-License-Identifier: MIT */
/*
 * The first layer of integer nets with two views: int16 accumulators over the rows of a feature
 * map, and for some nets 32-bit columns beside them that count material (psqt). Rows, biases and
 * states are all
 *
 *   int16 [width], then int32 [psqt rounded up to ROW_COLUMNS_STEP], zero behind psqt
 *
 * so that one pass over the rows makes both and columns are near the numbers in memory.
 * All sums wrap, so that an update equals a refresh for any weights.
 */
#ifndef PLYNNUE_TRANSFORMER_H
#define PLYNNUE_TRANSFORMER_H

#include "nnue/core/features.h"

#define TRANSFORMER_WIDTH_STEP 32

struct transformer {
    struct feature_map map;
    uint32_t width;   /* a multiple of TRANSFORMER_WIDTH_STEP */
    uint32_t psqt;    /* columns, 0 where a net has none */
    int16_t *bias;    /* a row, its columns zero */
    int16_t *weights; /* [map.rows] rows, see above */
};

/* Makes room, all zero, for the map that is already filled in. 0 or PLYNNUE_ENOMEM. */
int transformer_new(struct transformer *t, uint32_t width, uint32_t psqt);
/* What was never made is allowed, when it is zero. */
void transformer_free(struct transformer *t);

static inline size_t transformer_columns(const struct transformer *t)
{
    const size_t step = ROW_COLUMNS_STEP;
    return (t->psqt + step - 1) / step * step;
}
/* int16 from one row to the next. */
static inline size_t transformer_stride(const struct transformer *t)
{
    return row_stride_i16(t->width, transformer_columns(t));
}
/* Bytes of a view's state. Kernels write up to a multiple of MEMORY_ALIGNMENT: all of a row. */
static inline size_t transformer_state_size(const struct transformer *t)
{
    return t->width * sizeof(int16_t) + t->psqt * sizeof(int32_t);
}
/* The columns of a state or a row. */
static inline const int32_t *transformer_psqt(const struct transformer *t, const void *row)
{
    return (const int32_t *)(const void *)((const int16_t *)row + t->width);
}

/* What struct arch asks for. */
void transformer_refresh(const struct transformer *t, const struct kernels *kernels,
                         const struct board *board, unsigned view, void *state);
void transformer_update(const struct transformer *t, const struct kernels *kernels,
                        const struct change *change, unsigned view, const void *before,
                        void *after);
void transformer_advance(const struct transformer *t, const struct kernels *kernels,
                         const struct board *from, const struct board *to, unsigned view,
                         void *state);

/* The same for struct arch, of nets whose model starts with a struct transformer. */
size_t transformer_arch_state_size(const struct plynnue_net *net);
void transformer_arch_refresh(const struct plynnue_net *net, const struct board *board,
                              unsigned view, void *state);
bool transformer_arch_follows(const struct plynnue_net *net, const struct change *change,
                              unsigned view);
void transformer_arch_update(const struct plynnue_net *net, const struct change *change,
                             unsigned view, const void *before, void *after);
unsigned transformer_arch_cache_slots(const struct plynnue_net *net, unsigned view);
unsigned transformer_arch_cache_slot(const struct plynnue_net *net, const struct board *board,
                                     unsigned view);
void transformer_arch_advance(const struct plynnue_net *net, const struct board *from,
                              const struct board *to, unsigned view, void *state);

/* The seven members of struct arch that these are. */
#define TRANSFORMER_ARCH                                                                           \
    .views = 2, .state_size = transformer_arch_state_size, .refresh = transformer_arch_refresh,    \
    .follows = transformer_arch_follows, .update = transformer_arch_update,                        \
    .cache_slots = transformer_arch_cache_slots, .cache_slot = transformer_arch_cache_slot,        \
    .advance = transformer_arch_advance

#endif
