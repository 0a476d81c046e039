/* SPDX-License-Identifier: MIT */
/*
 * Accumulators of threats and pawn pairs, see sf_relations.h.
 */
#include "nnue/core/sf_relations.h"

#include <string.h>

#include "nnue/core/sf_pairs.h"

int sf_relations_new(struct sf_relations *relations, enum sf_threat_set set, bool pairs,
                     uint32_t width, uint32_t psqt)
{
    size_t rows;
    memset(relations, 0, sizeof *relations);
    relations->threats = memory_new(sizeof *relations->threats);
    if (!relations->threats)
        return PLYNNUE_ENOMEM;
    sf_threats_init(relations->threats, set);
    rows = relations->threats->rows + (pairs ? (size_t)SF_PAIRS_ROWS : 0);
    relations->rows = (uint32_t)rows;
    relations->width = width;
    relations->psqt = psqt;
    relations->pairs = pairs;
    relations->weights = memory_new(rows * width);
    relations->psqt_weights = memory_new(rows * psqt * sizeof *relations->psqt_weights);
    if (relations->weights && relations->psqt_weights)
        return PLYNNUE_OK;
    sf_relations_free(relations);
    return PLYNNUE_ENOMEM;
}

void sf_relations_free(struct sf_relations *relations)
{
    memory_free(relations->threats);
    memory_free(relations->weights);
    memory_free(relations->psqt_weights);
    memset(relations, 0, sizeof *relations);
}

static size_t psqt_offset(const struct sf_relations *relations)
{
    return memory_align(relations->width * sizeof(int16_t));
}

static void apply(const struct sf_relations *relations, const struct kernels *kernels,
                  const struct row_list *rows, const void *before, void *after)
{
    size_t offset = psqt_offset(relations);
    const void *psqt_before = (const char *)before + offset;
    void *psqt_after = (char *)after + offset;
    kernels->rows_i8_i16(after, before, relations->weights, relations->width, rows);
    kernels->rows_i32(psqt_after, psqt_before, relations->psqt_weights, relations->psqt, rows);
}

void sf_relations_refresh(const struct sf_relations *relations, const struct kernels *kernels,
                          const struct board *board, unsigned view, void *state)
{
    struct row_list rows;
    rows.removed_count = rows.added_count = 0;
    sf_threats_active(relations->threats, board, view, &rows);
    if (relations->pairs)
        sf_pairs_active(board, view, relations->threats->rows, &rows);
    memset(state, 0, psqt_offset(relations) + relations->psqt * sizeof(int32_t));
    apply(relations, kernels, &rows, state, state);
}

bool sf_relations_follow(const struct change *change, unsigned view)
{
    return sf_rows_follow(change->before->king[view], change->after->king[view]);
}

void sf_relations_update(const struct sf_relations *relations, const struct kernels *kernels,
                         const struct change *change, unsigned view, const void *before,
                         void *after)
{
    uint64_t changed = board_differences(change->before, change->after);
    struct row_list rows;
    rows.removed_count = rows.added_count = 0;
    sf_threats_changes(relations->threats, change->before, change->after, changed, view, &rows);
    if (relations->pairs)
        sf_pairs_changes(change->before, change->after, changed, view, relations->threats->rows,
                         &rows);
    apply(relations, kernels, &rows, before, after);
}
