/* SPDX-License-Identifier: MIT */
/*
 * Every kernel at every instruction set against the scalar one: random numbers, and the extremes
 * where 16 bits saturate or wrap. Levels that this CPU lacks are skipped, and counted.
 *
 * Buffers have a margin behind what a kernel may write, which must stay as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above before it. */
#include <cmocka.h>

#include "nnue/core/dense.h"
#include "nnue/tools/rng.h"
#include "tests/unit/skip.h"

enum { MARGIN = 64, FILL = 0x5A, ROWS = 40, SEED = 20 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What a test is about: the table, and random numbers. */
struct setting {
    const struct kernels *kernels;
    struct rng rng;
};

static struct setting begin(void **state)
{
    static const char *const names[] = {"auto", "scalar", "avx2", "avxvnni", "avx512vnni", "neon"};
    enum plynnue_isa isa = *(const enum plynnue_isa *)*state;
    struct setting s = {kernels_find(isa), {SEED}};
    if (!s.kernels)
        SKIP_BECAUSE("this CPU has no %s", names[isa]);
    assert_int_equal(s.kernels->isa, isa);
    return s;
}

/* low .. high, the ends more often than what lies between. */
static int64_t draw(struct rng *rng, int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)(high - low) + 1;
    switch (rng_below(rng, 8)) {
    case 0:
        return low;
    case 1:
        return high;
    default:
        return low + (int64_t)(rng_next(rng) % span);
    }
}

static void *room(size_t size)
{
    char *memory = memory_new(size + MARGIN);
    assert_non_null(memory);
    memset(memory, FILL, size + MARGIN);
    return memory;
}

static void assert_margin(const void *memory, size_t size)
{
    for (size_t i = 0; i < MARGIN; i++)
        assert_int_equal(((const uint8_t *)memory)[size + i], FILL);
}

static uint8_t *draw_u8(struct rng *rng, size_t count, uint8_t high)
{
    uint8_t *out = room(count);
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)draw(rng, 0, high);
    return out;
}

static int8_t *draw_i8(struct rng *rng, size_t count, int low, int high)
{
    int8_t *out = room(count);
    for (size_t i = 0; i < count; i++)
        out[i] = (int8_t)draw(rng, low, high);
    return out;
}

static int16_t *draw_i16(struct rng *rng, size_t count, int low, int high)
{
    int16_t *out = room(count * sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = (int16_t)draw(rng, low, high);
    return out;
}

static int32_t *draw_i32(struct rng *rng, size_t count, int64_t low, int64_t high)
{
    int32_t *out = room(count * sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = (int32_t)draw(rng, low, high);
    return out;
}

static void draw_rows(struct rng *rng, struct row_list *rows)
{
    static const unsigned counts[] = {0, 1, 2, 3, 5, 32, 33};
    rows->removed_count = counts[rng_below(rng, COUNT(counts))];
    rows->added_count = counts[rng_below(rng, COUNT(counts))];
    for (unsigned i = 0; i < rows->removed_count; i++)
        rows->removed[i] = rng_below(rng, ROWS);
    for (unsigned i = 0; i < rows->added_count; i++)
        rows->added[i] = rng_below(rng, ROWS);
}

/* One width of one of the kernels over rows: apart and in place. */
#define CHECK_ROWS(name, acc_t, weight_t, acc_draw, weight_draw, acc_low, acc_high)                \
    static void check_##name(struct setting *s, size_t width)                                      \
    {                                                                                              \
        acc_t *from = acc_draw(&s->rng, width, acc_low, acc_high);                                 \
        acc_t *to = room(width * sizeof *to), *want = room(width * sizeof *want);                  \
        weight_t *weights = weight_draw;                                                           \
        struct row_list rows;                                                                      \
        draw_rows(&s->rng, &rows);                                                                 \
        kernels_scalar.name(want, from, weights, width, &rows);                                    \
        s->kernels->name(to, from, weights, width, &rows);                                         \
        assert_memory_equal(to, want, width * sizeof *to);                                         \
        s->kernels->name(from, from, weights, width, &rows);                                       \
        assert_memory_equal(from, want, width * sizeof *to);                                       \
        assert_margin(to, width * sizeof *to);                                                     \
        assert_margin(from, width * sizeof *to);                                                   \
        memory_free(from);                                                                         \
        memory_free(to);                                                                           \
        memory_free(want);                                                                         \
        memory_free(weights);                                                                      \
    }

CHECK_ROWS(rows_i8, int32_t, int8_t, draw_i32, draw_i8(&s->rng, ROWS *width, -128, 127), INT32_MIN,
           INT32_MAX)
CHECK_ROWS(rows_i32, int32_t, int32_t, draw_i32,
           draw_i32(&s->rng, ROWS *width, INT32_MIN, INT32_MAX), INT32_MIN, INT32_MAX)
CHECK_ROWS(rows_i8_i16, int16_t, int8_t, draw_i16, draw_i8(&s->rng, ROWS *width, -128, 127),
           INT16_MIN, INT16_MAX)

/* A row of width numbers and columns behind them; both wrap. */
static void draw_columns(struct rng *rng, int16_t *row, size_t width, size_t columns)
{
    int32_t *behind = (int32_t *)(void *)(row + width);
    for (size_t i = 0; i < width; i++)
        row[i] = (int16_t)draw(rng, INT16_MIN, INT16_MAX);
    for (size_t i = 0; i < columns; i++)
        behind[i] = (int32_t)draw(rng, INT32_MIN, INT32_MAX);
}

static void check_rows_i16(struct setting *s, size_t width, size_t columns)
{
    const size_t stride = row_stride_i16(width, columns), size = stride * sizeof(int16_t);
    int16_t *from = room(size), *to = room(size), *want = room(size), *weights = room(ROWS * size);
    struct row_list rows;
    draw_rows(&s->rng, &rows);
    draw_columns(&s->rng, from, width, columns);
    for (size_t i = 0; i < ROWS; i++)
        draw_columns(&s->rng, weights + i * stride, width, columns);
    kernels_scalar.rows_i16(want, from, weights, width, columns, &rows);
    s->kernels->rows_i16(to, from, weights, width, columns, &rows);
    assert_memory_equal(to, want, size);
    s->kernels->rows_i16(from, from, weights, width, columns, &rows);
    assert_memory_equal(from, want, size);
    assert_margin(to, size);
    assert_margin(from, size);
    memory_free(from);
    memory_free(to);
    memory_free(want);
    memory_free(weights);
}

static void test_rows(void **state)
{
    static const size_t any[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 40, 128, 129, 257, 1000};
    static const size_t even[] = {32, 64, 96, 128, 160, 256, 288, 512, 1024, 1056, 3072};
    struct setting s = begin(state);
    for (unsigned round = 0; round < 8; round++) {
        for (size_t i = 0; i < COUNT(any); i++) {
            check_rows_i8(&s, any[i]);
            check_rows_i32(&s, any[i]);
        }
        for (size_t i = 0; i < COUNT(even); i++) {
            for (size_t columns = 0; columns <= 48; columns += ROW_COLUMNS_STEP)
                check_rows_i16(&s, even[i], columns);
            check_rows_i8_i16(&s, even[i]);
        }
    }
}

#if defined(__x86_64__)

/* Both tables for AVX-512, whichever of them is this CPU's. */
static void test_rows_by_both_tables(void **state)
{
    static const struct kernels *const tables[] = {&kernels_avx512vnni, &kernels_avx512vnni_zen5};
    static const size_t widths[] = {32, 128, 256, 480, 512, 544, 640, 1024, 1536, 3072};
    struct setting s = begin(state);
    for (size_t t = 0; t < COUNT(tables); t++)
        for (size_t i = 0; i < COUNT(widths); i++)
            for (size_t columns = 0; columns <= 48; columns += ROW_COLUMNS_STEP) {
                s.kernels = tables[t];
                assert_int_equal(s.kernels->isa, PLYNNUE_ISA_AVX512VNNI);
                check_rows_i16(&s, widths[i], columns);
            }
}

#endif

static void test_sum(void **state)
{
    struct setting s = begin(state);
    for (size_t width = 32; width <= 320; width += 32) {
        int16_t *x = draw_i16(&s.rng, width, INT16_MIN, INT16_MAX);
        int16_t *y = draw_i16(&s.rng, width, INT16_MIN, INT16_MAX);
        int16_t *got = room(width * sizeof *got), *want = room(width * sizeof *want);
        kernels_scalar.sum_i16(want, x, y, width);
        s.kernels->sum_i16(got, x, y, width);
        assert_memory_equal(got, want, width * sizeof *got + MARGIN);
        s.kernels->sum_i16(x, x, y, width);
        assert_memory_equal(x, want, width * sizeof *got);
        memory_free(x);
        memory_free(y);
        memory_free(got);
        memory_free(want);
    }
}

/* Numbers about the one where the result turns from 126 to 127, which inputs are capped at. */
static void put_thresholds(int32_t *in, size_t count, int32_t multiplier, unsigned shift)
{
    int64_t top = (INT64_C(253) << (shift - 1)) / multiplier;
    for (size_t i = 0; i < count && i < 5; i++) {
        int64_t value = top + (int64_t)i - 2;
        in[i] = value > INT32_MAX ? INT32_MAX : (int32_t)value;
    }
}

static void test_requantise(void **state)
{
    struct setting s = begin(state);
    for (unsigned round = 0; round < 3000; round++) {
        unsigned shift = 1 + rng_below(&s.rng, 30);
        int32_t multiplier = (int32_t)draw(&s.rng, 1, INT64_C(1) << (1 + rng_below(&s.rng, 30)));
        int64_t reach = INT64_C(1) << (1 + rng_below(&s.rng, 30));
        size_t count = 1 + rng_below(&s.rng, 80);
        int32_t *in = draw_i32(&s.rng, count, -reach, reach);
        uint8_t *got = room(count), *want = room(count);
        if (round % 4 == 0)
            in[rng_below(&s.rng, (uint32_t)count)] = round % 8 ? INT32_MIN : INT32_MAX;
        if (round % 2)
            put_thresholds(in, count, multiplier, shift);
        if (round % 50 == 0)
            multiplier = INT32_MAX;
        struct requant requant = requant_make(multiplier, shift);
        kernels_scalar.requantise_u8(want, in, count, &requant);
        s.kernels->requantise_u8(got, in, count, &requant);
        assert_memory_equal(got, want, count + MARGIN);
        memory_free(in);
        memory_free(got);
        memory_free(want);
    }
}

/* Every int16, by multipliers of all sizes. */
static void test_requantise_i16(void **state)
{
    enum { VALUES = 1 << 16, NARROW_MIN = 100 };
    struct setting s = begin(state);
    int16_t *in = room(VALUES * sizeof *in);
    uint8_t *got = room(VALUES), *want = room(VALUES);
    unsigned narrow = 0;
    for (size_t i = 0; i < VALUES; i++)
        in[i] = (int16_t)(INT16_MIN + (int32_t)i);
    for (unsigned round = 0; round < 300; round++) {
        unsigned shift = 1 + rng_below(&s.rng, 30);
        int32_t multiplier = (int32_t)draw(&s.rng, 1, INT64_C(1) << (1 + rng_below(&s.rng, 30)));
        struct requant requant = requant_make(multiplier, shift);
        if (!requant.narrow)
            continue;
        narrow++;
        kernels_scalar.requantise_i16_u8(want, in, VALUES, &requant);
        s.kernels->requantise_i16_u8(got, in, VALUES, &requant);
        assert_memory_equal(got, want, VALUES + MARGIN);
    }
    assert_true(narrow >= NARROW_MIN);
    memory_free(in);
    memory_free(got);
    memory_free(want);
}

static void test_requantise_i16_counts(void **state)
{
    struct setting s = begin(state);
    struct requant requant = requant_make(6038120, 24);
    assert_true(requant.narrow && requant.word);
    for (size_t count = 32; count <= 320; count += 32) {
        int16_t *in = draw_i16(&s.rng, count, -500, 500);
        uint8_t *got = room(count), *want = room(count);
        kernels_scalar.requantise_i16_u8(want, in, count, &requant);
        s.kernels->requantise_i16_u8(got, in, count, &requant);
        assert_memory_equal(got, want, count + MARGIN);
        memory_free(in);
        memory_free(got);
        memory_free(want);
    }
}

/* The one multiplication that stands for a rescaling, over all that it says it reaches. */
static void test_rounded(void **state)
{
    enum { REACHING_MIN = 100 };
    struct setting s = begin(state);
    unsigned reaching = 0;
    for (unsigned round = 0; round < 300; round++) {
        unsigned shift = 16 + rng_below(&s.rng, 9);
        int32_t multiplier = (int32_t)draw(&s.rng, INT64_C(1) << (shift - 3), INT64_C(8) << shift);
        struct requant requant = requant_make(multiplier, shift);
        reaching += requant.reach != 0;
        for (int32_t x = -requant.reach; x <= requant.reach; x++) {
            int64_t exact = requantise(x, multiplier, shift);
            int32_t scaled = x * (1 << requant.up);
            int32_t quick = (scaled * requant.factor + (1 << 14)) >> 15;
            assert_in_range(scaled + (1 << 15), 0, UINT16_MAX);
            assert_int_equal(quick < 0     ? 0
                             : quick < 127 ? quick
                                           : 127,
                             exact < 0     ? 0
                             : exact < 127 ? exact
                                           : 127);
        }
    }
    assert_true(reaching >= REACHING_MIN);
}

static void test_clip(void **state)
{
    struct setting s = begin(state);
    for (size_t count = 32; count <= 320; count += 32)
        for (size_t shift = 0; shift < 32; shift += 16) {
            int reach = count % 64 ? INT16_MAX : 200;
            int16_t *in = draw_i16(&s.rng, count, -reach - 1, reach);
            uint8_t *got = room(shift + count), *want = room(shift + count);
            kernels_scalar.clip_u8(want + shift, in, count);
            s.kernels->clip_u8(got + shift, in, count);
            assert_memory_equal(got, want, shift + count + MARGIN);
            memory_free(in);
            memory_free(got);
            memory_free(want);
        }
}

static void test_pair(void **state)
{
    static const struct {
        int16_t max;
        unsigned shift;
    } kinds[] = {{127, 7}, {255, 9}, {1, 0}, {11, 0}, {15, 1}, {90, 6}, {255, 10}};
    struct setting s = begin(state);
    for (size_t kind = 0; kind < COUNT(kinds); kind++)
        for (size_t half = 16; half <= 272; half += 16) {
            int reach = half % 32 ? INT16_MAX : kinds[kind].max + 20;
            int16_t *in = draw_i16(&s.rng, 2 * half, -reach - 1, reach);
            uint8_t *got = room(half), *want = room(half);
            kernels_scalar.pair_u8(want, in, half, kinds[kind].max, kinds[kind].shift);
            s.kernels->pair_u8(got, in, half, kinds[kind].max, kinds[kind].shift);
            assert_memory_equal(got, want, half + MARGIN);
            memory_free(in);
            memory_free(got);
            memory_free(want);
        }
}

/* Sums and a place for activations at an odd address. */
static void check_activation(struct setting *s, size_t count, unsigned shift, bool square)
{
    int64_t reach = INT64_C(1) << rng_below(&s->rng, 32);
    size_t start = rng_below(&s->rng, 17), whole = (count + 15) / 16 * 16;
    int32_t *in = draw_i32(&s->rng, whole, -reach, reach - 1);
    uint8_t *got = room(start + whole), *want = room(start + whole);
    if (square) {
        kernels_scalar.square_clip_u8(want + start, in, count, shift);
        s->kernels->square_clip_u8(got + start, in, count, shift);
    } else {
        kernels_scalar.shift_clip_u8(want + start, in, count, shift);
        s->kernels->shift_clip_u8(got + start, in, count, shift);
    }
    assert_memory_equal(got, want, start + count);
    assert_memory_equal(got + start + whole, want + start + whole, MARGIN);
    memory_free(in);
    memory_free(got);
    memory_free(want);
}

static void test_activations(void **state)
{
    struct setting s = begin(state);
    for (size_t count = 0; count <= 50; count++)
        for (unsigned shift = 0; shift < 40; shift++) {
            if (shift < 32)
                check_activation(&s, count, shift, false);
            check_activation(&s, count, shift, true);
        }
}

/* How activations of a dense layer are drawn. */
enum pattern { PATTERN_RANDOM, PATTERN_FULL, PATTERN_NONE, PATTERN_SPARSE, PATTERN_ONE, PATTERNS };

static uint8_t *draw_activations(struct rng *rng, size_t count, enum pattern pattern)
{
    size_t size = dense_input_size((uint32_t)count);
    uint8_t *in = draw_u8(rng, size, 127);
    for (size_t i = 0; i < count; i++)
        if (pattern == PATTERN_FULL)
            in[i] = 127;
        else if (pattern == PATTERN_NONE || pattern == PATTERN_ONE ||
                 (pattern == PATTERN_SPARSE && rng_below(rng, 10)))
            in[i] = 0;
    if (pattern == PATTERN_ONE)
        in[rng_below(rng, (uint32_t)count)] = 1;
    /* What lies behind the inputs says nothing. */
    for (size_t i = count; i < size; i++)
        in[i] = (uint8_t)rng_next(rng);
    return in;
}

static void check_dense(struct setting *s, uint32_t inputs, uint32_t outputs, enum pattern pattern,
                        int low, int high)
{
    size_t stride = inputs + rng_below(&s->rng, 3), size = dense_output_size(outputs);
    int8_t *weights = draw_i8(&s->rng, outputs * stride, low, high);
    int32_t *bias = draw_i32(&s->rng, outputs, -(1 << 20), 1 << 20);
    uint8_t *in = draw_activations(&s->rng, inputs, pattern);
    int32_t *got = room(size), *want = room(size);
    struct dense fast, plain;
    assert_int_equal(dense_new(&fast, s->kernels, inputs, outputs, stride, bias, weights), 0);
    assert_int_equal(dense_new(&plain, &kernels_scalar, inputs, outputs, stride, bias, weights), 0);
    kernels_scalar.dense_i8(&plain, want, in);
    s->kernels->dense_i8(&fast, got, in);
    assert_memory_equal(got, want, outputs * sizeof *got);
    assert_margin(got, size);
    dense_free(&fast);
    dense_free(&plain);
    memory_free(weights);
    memory_free(bias);
    memory_free(in);
    memory_free(got);
    memory_free(want);
}

/* A block of positions, each as if it were alone. */
static void check_dense_block(struct setting *s, uint32_t inputs, uint32_t outputs)
{
    size_t size = dense_output_size(outputs);
    int8_t *weights = draw_i8(&s->rng, (size_t)outputs * inputs, -128, 127);
    int32_t *bias = draw_i32(&s->rng, outputs, -(1 << 20), 1 << 20), *want = room(size);
    int32_t *got[DENSE_BLOCK];
    uint8_t *in[DENSE_BLOCK];
    struct dense fast, plain;
    assert_int_equal(dense_new(&fast, s->kernels, inputs, outputs, inputs, bias, weights), 0);
    assert_int_equal(dense_new(&plain, &kernels_scalar, inputs, outputs, inputs, bias, weights), 0);
    for (unsigned i = 0; i < DENSE_BLOCK; i++) {
        in[i] = draw_activations(&s->rng, inputs, (enum pattern)rng_below(&s->rng, PATTERNS));
        got[i] = room(size);
    }
    s->kernels->dense_block(&fast, got, (const uint8_t *const *)in);
    for (unsigned i = 0; i < DENSE_BLOCK; i++) {
        kernels_scalar.dense_i8(&plain, want, in[i]);
        assert_memory_equal(got[i], want, outputs * sizeof *want);
        assert_margin(got[i], size);
        memory_free(in[i]);
        memory_free(got[i]);
    }
    dense_free(&fast);
    dense_free(&plain);
    memory_free(weights);
    memory_free(bias);
    memory_free(want);
}

static void test_dense_block(void **state)
{
    static const uint32_t inputs[] = {1, 4, 15, 16, 17, 30, 32, 64, 65, 255, 256, 512, 1024, 3072};
    static const uint32_t outputs[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 32, 33, 48, 64, 100};
    struct setting s = begin(state);
    assert_non_null(s.kernels->dense_block);
    for (size_t i = 0; i < COUNT(inputs); i++)
        for (size_t o = 0; o < COUNT(outputs); o++)
            for (unsigned round = 0; round < 8; round++)
                check_dense_block(&s, inputs[i], outputs[o]);
}

static void test_dense(void **state)
{
    static const uint32_t inputs[] = {1,   2,   3,   4,   5,   30,  31,  32,   64,   65,
                                      100, 128, 255, 256, 257, 320, 512, 1024, 2048, 3072};
    static const uint32_t outputs[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 32, 33, 48, 64, 100};
    static const struct {
        int low, high;
    } weights[] = {{-128, 127}, {-128, -128}, {127, 127}, {-3, 3}};
    struct setting s = begin(state);
    for (size_t i = 0; i < COUNT(inputs); i++)
        for (size_t o = 0; o < COUNT(outputs); o++)
            for (unsigned pattern = 0; pattern < PATTERNS; pattern++)
                for (size_t w = 0; w < COUNT(weights); w++)
                    check_dense(&s, inputs[i], outputs[o], (enum pattern)pattern, weights[w].low,
                                weights[w].high);
}

/* Weights about those from which on several groups no longer fit 16 bits. */
static void test_dense_ends(void **state)
{
    static const uint32_t inputs[] = {4, 16, 30, 32, 255, 256, 320, 1024};
    static const uint32_t outputs[] = {5, 16, 32, 48};
    static const int ends[] = {32, 33, 64, 65};
    struct setting s = begin(state);
    for (size_t i = 0; i < COUNT(inputs); i++)
        for (size_t o = 0; o < COUNT(outputs); o++)
            for (size_t e = 0; e < COUNT(ends); e++) {
                check_dense(&s, inputs[i], outputs[o], PATTERN_FULL, ends[e] - 1, ends[e]);
                check_dense(&s, inputs[i], outputs[o], PATTERN_FULL, ends[e], ends[e]);
                check_dense(&s, inputs[i], outputs[o], PATTERN_FULL, -ends[e], 1 - ends[e]);
                check_dense(&s, inputs[i], outputs[o], PATTERN_FULL, -ends[e], -ends[e]);
                check_dense(&s, inputs[i], outputs[o], PATTERN_SPARSE, -ends[e], ends[e]);
            }
}

/* The lists of groups that are not zero at every share of zeros, so that each way is taken. */
static void test_dense_shares(void **state)
{
    enum { INPUTS = 1024, OUTPUTS = 16 };
    struct setting s = begin(state);
    int8_t *weights = draw_i8(&s.rng, INPUTS * OUTPUTS, -128, 127);
    int32_t bias[OUTPUTS] = {0}, *got = room(sizeof bias), *want = room(sizeof bias);
    struct dense fast, plain;
    assert_int_equal(dense_new(&fast, s.kernels, INPUTS, OUTPUTS, INPUTS, bias, weights), 0);
    assert_int_equal(dense_new(&plain, &kernels_scalar, INPUTS, OUTPUTS, INPUTS, bias, weights), 0);
    for (uint32_t share = 0; share <= 256; share++) {
        uint8_t *in = draw_u8(&s.rng, INPUTS, 127);
        for (size_t i = 0; i < INPUTS; i += 4)
            if (rng_below(&s.rng, 256) < share)
                memset(in + i, 0, 4);
        kernels_scalar.dense_i8(&plain, want, in);
        s.kernels->dense_i8(&fast, got, in);
        assert_memory_equal(got, want, sizeof bias);
        memory_free(in);
    }
    dense_free(&fast);
    dense_free(&plain);
    memory_free(weights);
    memory_free(got);
    memory_free(want);
}

/* The largest turn of make_tiny. */
enum { TURN_MAX = 254 };

/* Nets of tiny layers: weights of the second layer between low and high, or one run of a block's
 * inputs that has 127 in one output. reach: of acc. */
struct tiny_kind {
    int low, high;
    bool run;
    int32_t multiplier, multiplier2;
    int reach;
};

static struct tiny_layers *make_tiny(const struct kernels *kernels, uint32_t width,
                                     const int8_t *weights2, const int8_t *weights3,
                                     const int32_t *bias, const struct tiny_kind *kind)
{
    struct tiny_layers *tiny = memory_new(sizeof *tiny);
    tiny->width = width;
    tiny->requant[0] = requant_make(kind->multiplier, 24);
    tiny->in_reach = tiny->requant[0].reach >= kind->reach + TURN_MAX;
    tiny->requant[1] = requant_make(kind->multiplier2, 24);
    tiny->weights2 = memory_new((size_t)TINY_OUTPUTS * width);
    for (unsigned side = 0; side < 2; side++) {
        tiny->turn[side] = memory_new(width * sizeof *tiny->turn[side]);
        for (uint32_t i = 0; i < width; i++)
            tiny->turn[side][i] = (int16_t)(side ? 0 : i * 7 % (TURN_MAX + 1));
    }
    memcpy(tiny->bias2, bias, sizeof tiny->bias2);
    tiny->bias3 = bias[TINY_OUTPUTS];
    kernels->tiny_pack(tiny, weights2, weights3);
    return tiny;
}

static int8_t *draw_weights2(struct setting *s, uint32_t width, const struct tiny_kind *kind)
{
    enum { RUN = 32 };
    int8_t *weights = draw_i8(&s->rng, (size_t)TINY_OUTPUTS * width, kind->low, kind->high);
    size_t output = rng_below(&s->rng, TINY_OUTPUTS), first = RUN * rng_below(&s->rng, width / RUN);
    if (kind->run) {
        memset(weights, 0, (size_t)TINY_OUTPUTS * width);
        memset(weights + output * width + first, 127, RUN);
    }
    return weights;
}

static void free_tiny(struct tiny_layers *tiny)
{
    memory_free(tiny->weights2);
    memory_free(tiny->turn[0]);
    memory_free(tiny->turn[1]);
    memory_free(tiny);
}

static void draw_items(struct rng *rng, struct plynnue_piece items[2])
{
    for (unsigned k = 0; k < 2; k++)
        items[k] = (struct plynnue_piece){(uint8_t)rng_below(rng, 12), (uint8_t)rng_below(rng, 64)};
}

/* A change of every shape: the accumulator after it is that of the kernel for rows, its value that
 * of the reference. */
static void check_tiny_steps(struct setting *s, const struct tiny_layers *fast,
                             const struct tiny_layers *plain)
{
    const uint32_t width = fast->width;
    for (unsigned shape = 0; shape < 9; shape++) {
        struct plynnue_delta delta = {.removed_count = (uint8_t)(shape % 3),
                                      .added_count = (uint8_t)(shape / 3)};
        int16_t *before = draw_i16(&s->rng, width, -400, 400);
        int16_t *got = memory_new(width * sizeof *got), *want = memory_new(width * sizeof *want);
        struct row_list rows = {delta.removed_count, delta.added_count, {0}, {0}};
        draw_items(&s->rng, delta.removed);
        draw_items(&s->rng, delta.added);
        for (unsigned k = 0; k < 2; k++) {
            rows.removed[k] = 64U * delta.removed[k].piece + delta.removed[k].square;
            rows.added[k] = 64U * delta.added[k].piece + delta.added[k].square;
        }
        kernels_scalar.rows_i8_i16(want, before, plain->rows, width, &rows);
        int32_t value = fast->run.step(fast, &delta, before, got, shape % 2);
        assert_memory_equal(got, want, width * sizeof *want);
        assert_int_equal(value, plain->run.forward(plain, want, shape % 2));
        memory_free(before);
        memory_free(got);
        memory_free(want);
    }
}

/* Where weights are negative biases are large, so that sums are not all capped at 0. */
static void check_tiny(struct setting *s, uint32_t width, const struct tiny_kind *kind)
{
    const bool lifted = kind->high < 0;
    int8_t *weights2 = draw_weights2(s, width, kind);
    int8_t *weights3 = draw_i8(&s->rng, TINY_OUTPUTS, -128, 127);
    int8_t *rows = draw_i8(&s->rng, (size_t)768 * width, -25, 25);
    int32_t *bias =
        draw_i32(&s->rng, TINY_OUTPUTS + 1, lifted ? 0 : -20000, lifted ? 4000000 : 20000);
    struct tiny_layers *fast = make_tiny(s->kernels, width, weights2, weights3, bias, kind);
    struct tiny_layers *plain = make_tiny(&kernels_scalar, width, weights2, weights3, bias, kind);
    for (unsigned round = 0; round < 30; round++) {
        int16_t *acc = draw_i16(&s->rng, width, -kind->reach, kind->reach);
        for (unsigned side = 0; side < 2; side++)
            assert_int_equal(fast->run.forward(fast, acc, side),
                             plain->run.forward(plain, acc, side));
        memory_free(acc);
    }
    fast->rows = plain->rows = rows;
    check_tiny_steps(s, fast, plain);
    free_tiny(fast);
    free_tiny(plain);
    memory_free(rows);
    memory_free(weights2);
    memory_free(weights3);
    memory_free(bias);
}

static void test_tiny(void **state)
{
    /* At 2^24: as in TinyNNUE's vectors; one that no 16-bit factor stands for; those that need a
     * shift of 1 and of 3. */
    static const int32_t multipliers[] = {6038120, 1677722, 1 << 24, 100000000};
    /* As in the vectors, where weights at their ends bring sums beyond all caps; and one for which
     * they do not, so that a sum that wrapped shows. */
    static const int32_t multipliers2[] = {33013, 400};
    static const int reaches[] = {500, INT16_MAX};
    static const struct tiny_kind kinds[] = {{.low = -128, .high = 127},
                                             {.low = -128, .high = -128},
                                             {.low = 127, .high = 127},
                                             {.low = -20, .high = 20},
                                             {.low = 32, .high = 32},
                                             {.low = 33, .high = 33},
                                             {.low = -32, .high = -32},
                                             {.low = -33, .high = -33},
                                             {.low = 64, .high = 65},
                                             {.low = -65, .high = -64},
                                             {.run = true}};
    struct setting s = begin(state);
    for (uint32_t width = TINY_WIDTH_STEP; width <= TINY_WIDTH_MAX; width += TINY_WIDTH_STEP)
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (size_t m = 0; m < COUNT(multipliers) * COUNT(multipliers2) * COUNT(reaches); m++) {
                struct tiny_kind kind = kinds[k];
                kind.multiplier = multipliers[m % 4];
                kind.multiplier2 = multipliers2[m / 4 % 2];
                kind.reach = reaches[m / 8];
                check_tiny(&s, width, &kind);
            }
}

static void check_dot(struct setting *s, size_t count, int16_t max, int reach, bool narrow)
{
    int16_t *in = draw_i16(&s->rng, count, INT16_MIN, INT16_MAX);
    int16_t *weights = draw_i16(&s->rng, count, -reach, reach > INT16_MAX ? INT16_MAX : reach);
    assert_true(s->kernels->crelu_dot(in, weights, count, max, narrow) ==
                kernels_scalar.crelu_dot(in, weights, count, max, narrow));
    assert_true(s->kernels->screlu_dot(in, weights, count, max, narrow) ==
                kernels_scalar.screlu_dot(in, weights, count, max, narrow));
    memory_free(in);
    memory_free(weights);
}

static void test_dots(void **state)
{
    static const size_t counts[] = {32, 64, 96, 1024, 4096, 8224};
    struct setting s = begin(state);
    for (unsigned round = 0; round < 20; round++)
        for (size_t i = 0; i < COUNT(counts); i++) {
            check_dot(&s, counts[i], 255, 128, true);
            check_dot(&s, counts[i], 1, 128, true);
            check_dot(&s, counts[i], 255, 32768, false);
            check_dot(&s, counts[i], INT16_MAX, 32768, false);
            check_dot(&s, counts[i], 181, 1000, false);
        }
}

/* Every activation and weight at its end: the largest sums that int32 lanes ever hold. */
static void test_dot_extremes(void **state)
{
    enum { COUNT_MAX = 8192 };
    struct setting s = begin(state);
    int16_t *in = room(COUNT_MAX * sizeof *in), *weights = room(COUNT_MAX * sizeof *weights);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t i = 0; i < COUNT_MAX; i++) {
            in[i] = INT16_MAX;
            weights[i] = (int16_t)(sign * 128);
        }
        assert_true(s.kernels->crelu_dot(in, weights, COUNT_MAX, 255, true) ==
                    sign * INT64_C(255) * 128 * COUNT_MAX);
        assert_true(s.kernels->screlu_dot(in, weights, COUNT_MAX, 255, true) ==
                    sign * INT64_C(255) * 255 * 128 * COUNT_MAX);
        for (size_t i = 0; i < COUNT_MAX; i++)
            weights[i] = INT16_MIN;
        assert_true(s.kernels->screlu_dot(in, weights, COUNT_MAX, INT16_MAX, false) ==
                    INT64_C(-32768) * 32767 * 32767 * COUNT_MAX);
    }
    memory_free(in);
    memory_free(weights);
}

/* Numbers separated by blanks, up to a tab or the end; gives how many. */
static size_t read_numbers(const char *text, int *out, size_t max)
{
    size_t count = 0;
    while (strchr("-0123456789", *text) && *text) {
        char *end;
        assert_true(count < max);
        out[count++] = (int)strtol(text, &end, 10);
        text = end + strspn(end, " ");
    }
    return count;
}

/* A line of the case: activations and weights, and what it is called. */
struct line {
    char name[32];
    int in[512], weights[512];
    size_t count;
};

static bool next_line(FILE *file, struct line *line)
{
    static char text[16384];
    if (!fgets(text, sizeof text, file))
        return false;
    char *first = strchr(text, '\t');
    char *second = first ? strchr(first + 1, '\t') : NULL;
    assert_non_null(second);
    *first = '\0';
    assert_true(strlen(text) < sizeof line->name);
    memcpy(line->name, text, strlen(text) + 1);
    line->count = read_numbers(first + 1, line->in, 512);
    assert_int_equal(read_numbers(second + 1, line->weights, 512), line->count);
    return true;
}

/* The same weights for every output: one is kept as a row, sixteen in lanes. */
static void check_line(const struct kernels *kernels, const struct line *line, uint32_t outputs,
                       int32_t exact)
{
    uint8_t *in = room(dense_input_size((uint32_t)line->count));
    int8_t *weights = room(outputs * line->count);
    int32_t *got = room(dense_output_size(outputs)), bias[16] = {0};
    struct dense layer;
    for (size_t i = 0; i < line->count; i++) {
        in[i] = (uint8_t)line->in[i];
        for (size_t o = 0; o < outputs; o++)
            weights[o * line->count + i] = (int8_t)line->weights[i];
    }
    assert_int_equal(
        dense_new(&layer, kernels, (uint32_t)line->count, outputs, line->count, bias, weights), 0);
    kernels->dense_i8(&layer, got, in);
    for (size_t o = 0; o < outputs; o++)
        assert_int_equal(got[o], exact);
    dense_free(&layer);
    memory_free(in);
    memory_free(weights);
    memory_free(got);
}

/*
 * Dot products where sums of 16 bits saturate or wrap, and the exact values that were published
 * with them. Activations beyond 127 do not occur in any net, and no level has to be right for them.
 */
static void test_saturation_case(void **state)
{
    static const struct {
        const char *name;
        int32_t exact;
        bool occurs;
    } lines[] = {{"pair-127", 32258, true},       {"pair-255", 64770, false},
                 {"pair-255-neg", -65280, false}, {"pair-127-neg", -32512, true},
                 {"two-blocks-127", 64516, true}, {"two-blocks-127-neg", -65024, true},
                 {"two-blocks-mixed", 0, true},   {"three-blocks-86", 54954, true},
                 {"limit-258", 32766, true},      {"limit-259", 32893, true},
                 {"random-256", 64892, true}};
    struct setting s = begin(state);
    FILE *file = fopen("tests/data/cases/043-maddubs-saturation/input.tsv", "r");
    static struct line line;
    assert_non_null(file);
    for (size_t i = 0; i < COUNT(lines); i++) {
        assert_true(next_line(file, &line));
        assert_string_equal(line.name, lines[i].name);
        if (!lines[i].occurs)
            continue;
        check_line(s.kernels, &line, 1, lines[i].exact);
        check_line(s.kernels, &line, 16, lines[i].exact);
    }
    assert_false(next_line(file, &line));
    fclose(file);
}

static void test_dispatch(void **state)
{
    (void)state;
    assert_ptr_equal(kernels_find(PLYNNUE_ISA_SCALAR), &kernels_scalar);
    assert_non_null(kernels_find(PLYNNUE_ISA_AUTO));
    assert_null(kernels_find((enum plynnue_isa)(PLYNNUE_ISA_NEON + 1)));
    for (unsigned isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++) {
        const struct kernels *kernels = kernels_find((enum plynnue_isa)isa);
        assert_int_equal(kernels != NULL, kernels_cpu_has((enum plynnue_isa)isa));
        if (kernels)
            assert_int_equal(kernels->isa, isa);
    }
#if defined(__aarch64__)
    assert_int_equal(kernels_find(PLYNNUE_ISA_AUTO)->isa, PLYNNUE_ISA_NEON);
#endif
}

static enum plynnue_isa levels[] = {PLYNNUE_ISA_SCALAR, PLYNNUE_ISA_AVX2, PLYNNUE_ISA_AVXVNNI,
                                    PLYNNUE_ISA_AVX512VNNI, PLYNNUE_ISA_NEON};

/* The scalar kernels too, where a value is known from elsewhere; the rest would be empty. */
static double *draw_f64(struct rng *rng, size_t count)
{
    double *out = memory_new(count * sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = (double)draw(rng, -(INT64_C(1) << 40), INT64_C(1) << 40) * 0x1p-39;
    return out;
}

static float *draw_f32(struct rng *rng, size_t count)
{
    float *out = memory_new(count * sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = (float)draw(rng, -(1 << 24), 1 << 24) * 0x1p-25F;
    return out;
}

/* All bits, whatever a vector holds. */
static void check_floats(struct setting *s, size_t inputs, size_t outputs)
{
    enum { FLOAT_ROWS = 8 };
    double *in = draw_f64(&s->rng, inputs);
    float *weights = draw_f32(&s->rng, inputs * (outputs > FLOAT_ROWS ? outputs : FLOAT_ROWS));
    float *bias = draw_f32(&s->rng, outputs);
    in[0] = -0.0; /* with no weight the clamp gets it as it is */
    weights[0] = 0;
    size_t size = (inputs > outputs ? inputs : outputs) * sizeof(double);
    double *got = room(size), *want = room(size);
    struct row_list rows = {
        .removed_count = 2, .removed = {6, 3}, .added_count = 4, .added = {1, 2, 5, 5}};
    kernels_scalar.rows_f32(want, in, weights, inputs, &rows);
    s->kernels->rows_f32(got, in, weights, inputs, &rows);
    assert_memory_equal(got, want, size + MARGIN);
    kernels_scalar.clamp_f64(want, in, weights, -1, inputs);
    s->kernels->clamp_f64(got, in, weights, -1, inputs);
    assert_memory_equal(got, want, size + MARGIN);
    kernels_scalar.dense_f32(want, bias, weights, in, inputs, outputs);
    s->kernels->dense_f32(got, bias, weights, in, inputs, outputs);
    assert_memory_equal(got, want, size + MARGIN);
    memory_free(in);
    memory_free(weights);
    memory_free(bias);
    memory_free(got);
    memory_free(want);
}

static void test_floats(void **state)
{
    static const size_t outputs[] = {1, 2, 3, 4, 7, 32};
    struct setting s = begin(state);
    for (size_t inputs = 1; inputs <= 150; inputs++)
        for (size_t i = 0; i < COUNT(outputs); i++)
            check_floats(&s, inputs, outputs[i]);
}

#define AT_LEVEL(test, level) cmocka_unit_test_prestate(test, &levels[level])
#define AT_LEVELS(test)       AT_LEVEL(test, 1), AT_LEVEL(test, 2), AT_LEVEL(test, 3), AT_LEVEL(test, 4)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dispatch),
        AT_LEVELS(test_rows),
        AT_LEVELS(test_sum),
        AT_LEVELS(test_requantise),
        AT_LEVELS(test_requantise_i16),
        AT_LEVELS(test_requantise_i16_counts),
        AT_LEVEL(test_rounded, 0),
        AT_LEVELS(test_clip),
        AT_LEVELS(test_pair),
        AT_LEVELS(test_activations),
        AT_LEVELS(test_dense),
        AT_LEVEL(test_dense_block, 3),
#if defined(__x86_64__)
        AT_LEVEL(test_rows_by_both_tables, 3),
#endif
        AT_LEVELS(test_dense_ends),
        AT_LEVELS(test_dense_shares),
        AT_LEVELS(test_tiny),
        AT_LEVELS(test_dots),
        AT_LEVELS(test_floats),
        AT_LEVEL(test_dot_extremes, 0),
        AT_LEVELS(test_dot_extremes),
        AT_LEVEL(test_saturation_case, 0),
        AT_LEVELS(test_saturation_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
