/* SPDX-License-Identifier: MIT */
/*
 * Vector files of Stockfish's nets: what their columns are, and a net held against every line.
 */
#ifndef PLYMILL_TESTS_SF_VECTORS_H
#define PLYMILL_TESTS_SF_VECTORS_H

#include "tests/unit/nnue/vectorfile.h"

/* Columns behind the FEN. A pair is "psqt,positional" before the division by 16. */
enum sf_columns {
    SF_BUCKET_PAIRS,       /* bucket in use, pairs of 8 stacks */
    SF_BUCKET_PARTS_VALUE, /* bucket in use, its psqt, its positional, value */
    SF_VALUE_BUCKET_PAIRS, /* value, bucket in use, pairs of 8 stacks */
    SF_VALUE_BUCKET_PAIR,  /* value, bucket in use, pair of that stack */
    SF_VALUE_BUCKET        /* value, bucket in use */
};

enum { SF_STACKS = 8 };

static inline void sf_expect_pair(const struct vectorfile *v, unsigned column,
                                  const struct plynnue_raw *raw, int stack)
{
    char text[64];
    snprintf(text, sizeof text, "%lld,%lld", (long long)raw->psqt[stack],
             (long long)raw->positional[stack]);
    if (strcmp(text, v->column[column]) != 0)
        fail_msg("line %u, %s: column %u is %s, got %s", v->lines, v->column[0], column,
                 v->column[column], text);
}

static inline void sf_expect_raw(const struct vectorfile *v, enum sf_columns columns,
                                 const struct plynnue_raw *raw)
{
    bool bucket_first = columns == SF_BUCKET_PAIRS || columns == SF_BUCKET_PARTS_VALUE;
    unsigned next = bucket_first ? 2 : 3;
    assert_int_equal(raw->buckets, SF_STACKS);
    vectors_expect(v, next - 1, raw->bucket);
    if (columns == SF_BUCKET_PAIRS || columns == SF_VALUE_BUCKET_PAIRS)
        for (int i = 0; i < SF_STACKS; i++)
            sf_expect_pair(v, next + (unsigned)i, raw, i);
    if (columns == SF_VALUE_BUCKET_PAIR)
        sf_expect_pair(v, next, raw, raw->bucket);
    if (columns == SF_BUCKET_PARTS_VALUE) {
        vectors_expect(v, 2, raw->psqt[raw->bucket]);
        vectors_expect(v, 3, raw->positional[raw->bucket]);
    }
}

static inline void sf_expect_line(const struct vectorfile *v, enum sf_columns columns,
                                  const plynnue_net *net, plynnue_acc *acc, void *scratch)
{
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    struct plynnue_position board = vectors_board(v->column[0], pieces);
    struct plynnue_raw raw;
    int32_t value, batch;
    assert_int_equal(plynnue_acc_set(acc, &board), PLYNNUE_OK);
    plynnue_acc_eval_raw(acc, board.side, &raw);
    sf_expect_raw(v, columns, &raw);
    value = plynnue_acc_eval(acc, board.side);
    if (columns != SF_BUCKET_PAIRS)
        vectors_expect(v, columns == SF_BUCKET_PARTS_VALUE ? 4 : 1, value);
    assert_true(plynnue_acc_eval_float(acc, board.side) == value);
    assert_int_equal(plynnue_eval_batch(net, &board, 1, &batch, scratch), PLYNNUE_OK);
    assert_int_equal(batch, value);
}

/* All lines of a file: raw integers, value, and value in a batch. */
static inline void sf_expect_file(const plynnue_net *net, const char *file, enum sf_columns columns,
                                  unsigned lines)
{
    struct vectorfile v = vectors_open(file);
    struct plynnue_info info = {.size = sizeof info};
    void *scratch = malloc(plynnue_batch_scratch(net));
    plynnue_acc *acc;
    assert_non_null(scratch);
    plynnue_net_info(net, &info);
    assert_true(info.verified && info.has_psqt);
    assert_int_equal(plynnue_acc_new(net, 0, &acc, NULL), PLYNNUE_OK);
    while (vectors_next(&v))
        sf_expect_line(&v, columns, net, acc, scratch);
    vectors_close(&v, lines);
    plynnue_acc_free(acc);
    free(scratch);
}

#endif
