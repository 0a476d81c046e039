/* SPDX-License-Identifier: MIT */
/*
 * Files of published values: lines of columns with tabs between, comments with # in front.
 */
#ifndef PLYMILL_TESTS_VECTORFILE_H
#define PLYMILL_TESTS_VECTORFILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above before it. */
#include <cmocka.h>

#include "nnue/core/plynnue.h"
#include "nnue/tools/samples.h"

enum { VECTOR_COLUMNS = 16, VECTOR_LINE = 1024 };

struct vectorfile {
    FILE *file;
    char line[VECTOR_LINE];
    char *column[VECTOR_COLUMNS];
    unsigned columns;
    unsigned lines; /* read so far */
};

static inline struct vectorfile vectors_open(const char *name)
{
    struct vectorfile v = {.columns = 0};
    char path[256];
    snprintf(path, sizeof path, "tests/data/vectors/%s", name);
    v.file = fopen(path, "r");
    if (!v.file)
        fail_msg("%s is missing", path);
    return v;
}

static inline bool vectors_next(struct vectorfile *v)
{
    do {
        if (!fgets(v->line, VECTOR_LINE, v->file))
            return false;
    } while (v->line[0] == '#');
    v->line[strcspn(v->line, "\n")] = '\0';
    v->columns = 0;
    for (char *rest = v->line; rest; v->columns++) {
        assert_true(v->columns < VECTOR_COLUMNS);
        v->column[v->columns] = rest;
        rest = strchr(rest, '\t');
        if (rest)
            *rest++ = '\0';
    }
    v->lines++;
    return true;
}

/* All lines must have been seen: a file that was cut proves less. */
static inline void vectors_close(struct vectorfile *v, unsigned lines)
{
    assert_int_equal(v->lines, lines);
    fclose(v->file);
}

static inline int64_t vectors_number(const struct vectorfile *v, unsigned column)
{
    char *end;
    assert_true(column < v->columns);
    int64_t value = strtoll(v->column[column], &end, 10);
    assert_true(end != v->column[column] && !*end);
    return value;
}

static inline void vectors_expect(const struct vectorfile *v, unsigned column, int64_t value)
{
    if (vectors_number(v, column) != value)
        fail_msg("line %u, %s: column %u is %s, got %lld", v->lines, v->column[0], column,
                 v->column[column], (long long)value);
}

/* A board of the library; pieces has room for 32. */
static inline struct plynnue_position vectors_board(const char *fen, struct plynnue_piece *pieces)
{
    struct sample sample;
    struct plynnue_position board;
    assert_true(sample_from_fen(fen, &sample));
    sample_to_pieces(&sample, pieces, &board);
    return board;
}

#endif
