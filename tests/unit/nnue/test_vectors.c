/* SPDX-License-Identifier: MIT */
/*
 * The synthetic TinyNNUE net against the published vectors: every column, to the last unit, by the
 * plain reference and by the library at every instruction set that this machine has.
 */
#include <stdio.h>

#include "nnue/tools/reference.h"
#include "nnue/tools/samples.h"
#include "tests/unit/nnue/synthetic.h"

#define VECTORS "tests/data/vectors/syn_tinynnue.tsv"

enum { LINES = 308, COLUMNS = 11, LINE_SIZE = 512 };

/* One line: the FEN and ten numbers as text. */
struct line {
    char text[LINE_SIZE];
    char *column[COLUMNS];
};

static bool next_line(FILE *file, struct line *line)
{
    do {
        if (!fgets(line->text, LINE_SIZE, file))
            return false;
    } while (line->text[0] == '#');
    line->text[strcspn(line->text, "\n")] = '\0';
    char *rest = line->text;
    for (unsigned i = 0; i < COLUMNS; i++) {
        line->column[i] = rest;
        assert_non_null(rest);
        rest = strchr(rest, '\t');
        if (rest)
            *rest++ = '\0';
    }
    assert_null(rest);
    return true;
}

static void assert_number(const struct line *line, unsigned column, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    assert_string_equal(line->column[column], text);
}

static void check_reference_line(const struct line *line, const struct quantized *s24,
                                 const struct quantized *s16, const struct reference_exact *exact)
{
    struct sample sample;
    struct reference_steps steps;
    char text[32];
    assert_true(sample_from_fen(line->column[0], &sample));
    reference_int(&s24->net, sample.features, sample.count, &steps);
    assert_number(line, 1, sample.count);
    assert_number(line, 2, steps.sum_acc1);
    assert_number(line, 3, steps.sum_a1);
    assert_number(line, 4, steps.sum_acc2);
    assert_number(line, 5, steps.sum_a2);
    assert_number(line, 6, steps.acc3);
    assert_number(line, 7, steps.cp);
    assert_number(line, 8, sample_white_moves(&sample) ? steps.cp : -steps.cp);
    reference_int(&s16->net, sample.features, sample.count, &steps);
    assert_number(line, 9, steps.cp);
    snprintf(text, sizeof text, "%.4f", reference_exact_cp(exact, sample.features, sample.count));
    assert_string_equal(line->column[10], text);
}

static void test_reference(void **state)
{
    struct tinynnue_float net = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct quantized s24, s16;
    struct reference_exact exact;
    struct line line;
    FILE *file = fopen(VECTORS, "r");
    unsigned lines = 0;
    (void)state;
    assert_non_null(file);
    assert_int_equal(quantize_net(&net, 24, &s24, NULL), 0);
    assert_int_equal(quantize_net(&net, 16, &s16, NULL), 0);
    assert_int_equal(reference_exact_new(&net, &exact, NULL), 0);
    for (; next_line(file, &line); lines++)
        check_reference_line(&line, &s24, &s16, &exact);
    assert_int_equal(lines, LINES);
    fclose(file);
    quantized_free(&s24);
    quantized_free(&s16);
    reference_exact_free(&exact);
    tinynnue_float_free(&net);
}

/* Both sides of one position, by stack, raw and batch. */
static void check_library_line(const struct line *line, plynnue_net *net, plynnue_acc *acc,
                               void *scratch, unsigned white_column)
{
    struct sample sample;
    struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
    struct plynnue_position board;
    struct plynnue_raw raw;
    int32_t value;
    assert_true(sample_from_fen(line->column[0], &sample));
    sample_to_pieces(&sample, pieces, &board);
    assert_int_equal(plynnue_acc_set(acc, &board), PLYNNUE_OK);
    value = plynnue_acc_eval(acc, board.side);
    assert_number(line, white_column, board.side == 0 ? value : -value);
    assert_true(plynnue_acc_eval_float(acc, board.side) == value);
    plynnue_acc_eval_raw(acc, board.side, &raw);
    assert_int_equal(raw.buckets, 1);
    if (white_column == 7)
        assert_number(line, 6, raw.positional[0]);
    value = 0;
    assert_int_equal(plynnue_eval_batch(net, &board, 1, &value, scratch), PLYNNUE_OK);
    assert_number(line, white_column, board.side == 0 ? value : -value);
}

static void check_library(unsigned shift, unsigned white_column, enum plynnue_isa isa)
{
    struct tinynnue_float floats = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct buffer bytes = synthetic_file(&floats, shift);
    struct plynnue_options options = {.size = sizeof options, .isa = isa};
    struct line line;
    FILE *file = fopen(VECTORS, "r");
    plynnue_net *net;
    plynnue_acc *acc;
    void *scratch;
    assert_non_null(file);
    if (plynnue_net_from_memory(bytes.data, bytes.length, &options, &net, NULL) != PLYNNUE_EISA) {
        assert_non_null(net);
        assert_int_equal(plynnue_acc_new(net, 0, &acc, NULL), PLYNNUE_OK);
        scratch = malloc(plynnue_batch_scratch(net));
        while (next_line(file, &line))
            check_library_line(&line, net, acc, scratch, white_column);
        free(scratch);
        plynnue_acc_free(acc);
        plynnue_net_close(net);
    }
    fclose(file);
    buffer_free(&bytes);
    tinynnue_float_free(&floats);
}

static void test_library(void **state)
{
    (void)state;
    for (unsigned isa = PLYNNUE_ISA_AUTO; isa <= PLYNNUE_ISA_NEON; isa++) {
        check_library(24, 7, (enum plynnue_isa)isa);
        check_library(16, 9, (enum plynnue_isa)isa);
    }
}

static void test_library_float(void **state)
{
    struct tinynnue_float floats = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct buffer bytes = synthetic_file(&floats, 0);
    plynnue_net *net = synthetic_open(&bytes, NULL);
    plynnue_acc *acc;
    struct line line;
    FILE *file = fopen(VECTORS, "r");
    (void)state;
    assert_non_null(file);
    assert_int_equal(plynnue_acc_new(net, 0, &acc, NULL), PLYNNUE_OK);
    while (next_line(file, &line)) {
        struct sample sample;
        struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
        struct plynnue_position board;
        char text[32];
        double value;
        assert_true(sample_from_fen(line.column[0], &sample));
        sample_to_pieces(&sample, pieces, &board);
        assert_int_equal(plynnue_acc_set(acc, &board), PLYNNUE_OK);
        value = plynnue_acc_eval_float(acc, board.side);
        snprintf(text, sizeof text, "%.4f", board.side == 0 ? value : -value);
        assert_string_equal(text, line.column[10]);
    }
    fclose(file);
    plynnue_acc_free(acc);
    plynnue_net_close(net);
    buffer_free(&bytes);
    tinynnue_float_free(&floats);
}

static void assert_digest(const struct tensor_out *tensors, const struct tinynnue_int *ints,
                          const char *expected)
{
    struct buffer bytes;
    uint8_t digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    buffer_init(&bytes, TINYNET_FILE_MAX);
    for (unsigned i = 0; i < TINYNET_TENSORS; i++)
        assert_int_equal(tensor_append_values(&tensors[i], &bytes, NULL), 0);
    if (ints) {
        int32_t tail[4] = {ints->multiplier[0], ints->multiplier[1], ints->multiplier[2],
                           (int32_t)ints->shift};
        struct tensor_out last = {"tail", TENSOR_I32, 1, {4, 0}, tail};
        assert_int_equal(tensor_append_values(&last, &bytes, NULL), 0);
    }
    digest_bytes(bytes.data, bytes.length, digest);
    digest_to_hex(digest, sizeof digest, hex);
    assert_string_equal(hex, expected);
    buffer_free(&bytes);
}

static void test_digests(void **state)
{
    static const struct {
        unsigned shift;
        const char *sha256;
        int32_t multiplier[3];
    } cases[] = {{24, SYNTHETIC_S24_SHA256, {6038120, 33013, 298243}},
                 {16, SYNTHETIC_S16_SHA256, {23586, 129, 1165}}};
    struct tinynnue_float net = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct tensor_out tensors[TINYNET_TENSORS];
    (void)state;
    tinynet_float_tensors(&net, tensors);
    assert_digest(tensors, NULL, SYNTHETIC_FLOAT_SHA256);
    for (unsigned i = 0; i < 2; i++) {
        struct quantized q;
        assert_int_equal(quantize_net(&net, cases[i].shift, &q, NULL), 0);
        assert_memory_equal(q.net.multiplier, cases[i].multiplier, sizeof q.net.multiplier);
        tinynet_int_tensors(&q.net, tensors);
        assert_digest(tensors, &q.net, cases[i].sha256);
        quantized_free(&q);
    }
    tinynnue_float_free(&net);
}

/* The numbers that the spec works out by hand for three positions. */
static void test_worked_examples(void **state)
{
    static const char *const fens[] = {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                                       "4k3/8/8/8/3p4/8/4P3/3K4 b - - 0 1",
                                       "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1"};
    static const uint16_t features[] = {12, 323, 411, 764};
    static const int64_t cp[] = {-206, 238, -85};
    struct tinynnue_float net = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct quantized q;
    struct sample sample[3];
    struct reference_steps steps;
    int32_t acc1[TINYNNUE_H1_MAX];
    (void)state;
    assert_int_equal(quantize_net(&net, 24, &q, NULL), 0);
    for (unsigned i = 0; i < 3; i++) {
        struct position position = synthetic_position(fens[i]);
        sample_from_position(&position, &sample[i]);
        reference_int(&q.net, sample[i].features, sample[i].count, &steps);
        assert_int_equal(steps.cp, cp[i]);
    }
    assert_int_equal(sample[0].count, 33);
    reference_acc1(&q.net, sample[0].features, sample[0].count, acc1);
    assert_int_equal(acc1[1], 384);
    assert_int_equal(sample[1].count, 4);
    assert_memory_equal(sample[1].features, features, sizeof features);
    reference_acc1(&q.net, sample[1].features, sample[1].count, acc1);
    assert_int_equal(acc1[0], 125);
    assert_int_equal(requantise(acc1[0], q.net.multiplier[0], 24), 45);
    assert_int_equal(acc1[3], -52);
    reference_acc1(&q.net, sample[2].features, sample[2].count, acc1);
    assert_int_equal(acc1[0], 87);
    assert_int_equal(requantise(acc1[0], q.net.multiplier[0], 24), 31);
    assert_int_equal(requantise(384, q.net.multiplier[0], 24), 138);
    assert_int_equal(requantise(-4807, q.net.multiplier[2], 24), -85);
    quantized_free(&q);
    tinynnue_float_free(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digests),         cmocka_unit_test(test_reference),
        cmocka_unit_test(test_library),         cmocka_unit_test(test_library_float),
        cmocka_unit_test(test_worked_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
