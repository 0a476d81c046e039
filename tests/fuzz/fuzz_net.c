/* SPDX-License-Identifier: MIT */
/*
 * Net files of every kind: whatever is read is either refused with one line, or evaluates, updated
 * as well as fresh, with the fastest kernels as well as with the scalar ones, to the same values.
 *
 * An input is the arch that is asked for (an empty line: none), a newline, and the file. Real files
 * have megabytes of weights: "FILL!", three bytes of a count (little-endian) and a byte stand for
 * that many of these bytes.
 */
#include "nnue/core/plynnue.h"
#include "tests/fuzz/fuzz.h"

enum { FILE_MAX = 6 << 20, MARK = 5, MARK_SIZE = MARK + 4, ARCH_MAX = 400, MOVES = 4 };

struct bytes {
    uint8_t *data;
    size_t size;
};

/* What stands at in: how many bytes of the file, out of how many of the input, and the last one. */
static size_t take(const uint8_t *in, size_t size, size_t *used)
{
    bool fill = size >= MARK_SIZE && !memcmp(in, "FILL!", MARK);
    *used = fill ? MARK_SIZE : 1;
    return fill ? in[5] | (size_t)in[6] << 8 | (size_t)in[7] << 16 : 1;
}

static size_t expanded_size(const uint8_t *in, size_t size)
{
    size_t total = 0, used;
    for (; size; in += used, size -= used)
        total += take(in, size, &used);
    return total;
}

/* The file with its fillings, in memory of exactly its size; NULL data when it is too long. */
static struct bytes expand(const uint8_t *in, size_t size)
{
    struct bytes out = {NULL, expanded_size(in, size)};
    size_t at = 0, used;
    if (out.size > FILE_MAX)
        return out;
    out.data = malloc(out.size + (out.size == 0));
    FUZZ_ASSERT(out.data);
    for (; size; in += used, size -= used) {
        size_t count = take(in, size, &used);
        memset(out.data + at, in[used - 1], count);
        at += count;
    }
    return out;
}

static plynnue_net *load(const struct bytes *file, const char *arch, enum plynnue_isa isa)
{
    struct plynnue_options options = {.size = sizeof options, .arch = arch, .isa = isa};
    struct plynnue_error error = {.code = 1};
    plynnue_net *net;
    int code = plynnue_net_from_memory(file->data, file->size, &options, &net, &error);
    if (code) {
        FUZZ_ASSERT(!net && code == error.code && error.text[0] && !strchr(error.text, '\n'));
        FUZZ_ASSERT(error.offset <= file->size && memchr(error.text, 0, sizeof error.text));
    }
    return net;
}

/* e2e4, a null move, Ke1-e2, Ke2-d1 (over the middle): every kind of net refreshes somewhere. */
static const struct plynnue_delta moves[MOVES] = {
    {1, 1, {{0, 12}, {0, 0}}, {{0, 28}, {0, 0}}},
    {0, 0, {{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}},
    {1, 1, {{5, 4}, {0, 0}}, {{5, 12}, {0, 0}}},
    {1, 1, {{5, 12}, {0, 0}}, {{5, 2}, {0, 0}}},
};

static const struct plynnue_piece few[] = {{5, 4}, {11, 60}, {0, 12}, {6, 35}, {3, 0}, {10, 59}};
static const struct plynnue_piece many[] = {
    {5, 4},   {11, 60}, {0, 12},  {4, 40},  {4, 41},  {4, 42},  {4, 43},  {4, 44},
    {4, 45},  {4, 32},  {4, 34},  {4, 36},  {4, 38},  {4, 24},  {4, 27},  {4, 30},
    {10, 48}, {10, 50}, {10, 52}, {10, 54}, {10, 16}, {10, 17}, {10, 18}, {10, 19},
    {1, 20},  {1, 21},  {7, 22},  {7, 23},  {2, 8},   {8, 9},   {3, 10},  {9, 11}};

static const struct plynnue_position boards[2] = {{few, sizeof few / sizeof *few, 0},
                                                  {many, sizeof many / sizeof *many, 1}};

static bool same(double a, double b, bool floats)
{
    double difference = a > b ? a - b : b - a, size = (a > 0 ? a : -a) + 1;
    return floats ? !(difference > 1e-3 * size) || a != a || b != b : a == b;
}

/* The board on acc's top is the same as the one that fresh is set to. */
static void compare(plynnue_acc *acc, plynnue_acc *fresh, bool floats)
{
    for (int side = 0; side < 2; side++) {
        struct plynnue_raw a, b;
        FUZZ_ASSERT(
            same(plynnue_acc_eval_float(acc, side), plynnue_acc_eval_float(fresh, side), floats));
        plynnue_acc_eval_raw(acc, side, &a);
        plynnue_acc_eval_raw(fresh, side, &b);
        FUZZ_ASSERT(a.buckets >= 0 && a.buckets <= 32 && a.bucket >= 0);
        FUZZ_ASSERT(floats || (a.bucket < a.buckets && !memcmp(&a, &b, sizeof a)));
        if (!floats)
            FUZZ_ASSERT(plynnue_acc_eval(acc, side) == plynnue_acc_eval(fresh, side));
    }
}

/* The same pushes on both stacks; the second is evaluated at the end only. */
static void play(plynnue_acc *steady, plynnue_acc *lazy, const struct plynnue_position *board,
                 bool floats)
{
    FUZZ_ASSERT(!plynnue_acc_set(steady, board) && !plynnue_acc_set(lazy, board));
    compare(steady, lazy, floats);
    for (unsigned i = 0; i < MOVES; i++) {
        FUZZ_ASSERT(!plynnue_acc_push(steady, &moves[i]) && !plynnue_acc_push(lazy, &moves[i]));
        (void)plynnue_acc_eval(steady, (int)i % 2);
    }
    compare(steady, lazy, floats);
    for (unsigned i = 0; i < MOVES; i++)
        FUZZ_ASSERT(!plynnue_acc_pop(steady));
    FUZZ_ASSERT(!plynnue_acc_set(lazy, board));
    compare(steady, lazy, floats);
}

static void evaluate(const plynnue_net *net, const plynnue_net *scalar)
{
    struct plynnue_info info = {.size = sizeof info};
    plynnue_acc *fast = NULL, *slow = NULL;
    int32_t values[2];
    void *scratch = malloc(plynnue_batch_scratch(net));
    plynnue_net_info(net, &info);
    FUZZ_ASSERT(memchr(info.arch, 0, sizeof info.arch) && info.inputs && info.l1);
    FUZZ_ASSERT(scratch && !plynnue_acc_new(net, MOVES, &fast, NULL) &&
                !plynnue_acc_new(scalar, MOVES, &slow, NULL));
    FUZZ_ASSERT(!plynnue_eval_batch(net, boards, 2, values, scratch));
    for (unsigned i = 0; i < 2; i++) {
        play(fast, slow, &boards[i], info.is_float);
        FUZZ_ASSERT(info.is_float || values[i] == plynnue_acc_eval(fast, boards[i].side));
    }
    plynnue_acc_free(fast);
    plynnue_acc_free(slow);
    free(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char arch[ARCH_MAX];
    const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
    size_t length = line ? (size_t)(line - data) : 0;
    if (!line || length >= ARCH_MAX)
        return 0;
    memcpy(arch, data, length);
    arch[length] = '\0';
    struct bytes file = expand(line + 1, size - length - 1);
    if (!file.data)
        return 0;
    const char *asked = arch[0] ? arch : NULL;
    plynnue_net *net = load(&file, asked, PLYNNUE_ISA_AUTO);
    if (net) {
        plynnue_net *scalar = load(&file, asked, PLYNNUE_ISA_SCALAR);
        FUZZ_ASSERT(scalar);
        evaluate(net, scalar);
        plynnue_net_close(scalar);
    }
    plynnue_net_close(net);
    free(file.data);
    return 0;
}
