/* SPDX-License-Identifier: MIT */
/*
 * Positions in training: packed and unpacked, in memory and in a scratch file, and the order of an
 * epoch by windows, which is the same wherever they are.
 */
#include <stdio.h>
#include <unistd.h>

#include "nnue/tools/train.h"
#include "nnue/tools/train_window.h"
#include "tests/unit/nnue/train_samples.h"

static void check_round_trip(const struct sample *sample)
{
    uint8_t packed[TRAIN_POSITION_SIZE];
    struct sample back;
    memset(&back, 0x5A, sizeof back);
    train_position_pack(sample, packed);
    train_position_unpack(packed, &back);
    assert_int_equal(back.count, sample->count);
    assert_memory_equal(back.features, sample->features, sample->count * sizeof *back.features);
    assert_int_equal(back.cp, sample->cp);
    assert_int_equal(back.result, sample->result);
    assert_int_equal(back.game, 0);
    assert_int_equal(train_position_pieces(packed),
                     sample->count - (sample_white_moves(sample) ? 1 : 0));
}

/* 2 and 32 pieces, either side, the corners, every result, scores at their ends. */
static void test_packing(void **state)
{
    static const char *const fens[] = {"k7/8/8/8/8/8/8/7K b - - 0 1", "K7/8/8/8/8/8/8/7k w - - 0 1",
                                       "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                                       "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
                                       "qqqqqqqq/qqqqqqqk/8/8/8/8/QQQQQQQQ/KQQQQQQQ w - - 0 1"};
    static const int32_t scores[] = {0, -1, 2000, -INT32_MAX, INT32_MAX};
    struct samples samples = material_samples(3, 2000);
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct sample sample;
        assert_true(sample_from_fen(fens[i], &sample));
        sample.cp = scores[i];
        sample.result = (int8_t)((int)i % 4 - 1);
        check_round_trip(&sample);
    }
    for (size_t i = 0; i < samples.count; i++)
        check_round_trip(&samples.items[i]);
    samples_free(&samples);
}

static void test_memory_or_disk(void **state)
{
    struct samples samples = material_samples(3, 3000);
    const uint64_t all = samples.count * TRAIN_POSITION_SIZE;
    struct train_set *held = set_of(&samples, all), *filed = set_of(&samples, all - 1);
    uint8_t *packed = pack_all(&samples), digest[DIGEST_SIZE], *read = malloc(all);
    (void)state;
    digest_bytes(packed, all, digest);
    assert_int_equal(train_set_memory(held), all);
    assert_int_equal(train_set_memory(filed), 0);
    assert_int_equal(train_set_count(filed), samples.count);
    assert_memory_equal(train_set_digest(held), digest, DIGEST_SIZE);
    assert_memory_equal(train_set_digest(filed), digest, DIGEST_SIZE);
    assert_int_equal(train_set_read(filed, 0, samples.count, read), 0);
    assert_memory_equal(read, packed, all);
    assert_int_equal(train_set_read(filed, 2990, 10, read), 0);
    assert_memory_equal(read, packed + 2990 * TRAIN_POSITION_SIZE, 10 * TRAIN_POSITION_SIZE);
    assert_int_not_equal(train_set_read(filed, 2990, 11, read), 0);
    free(read);
    free(packed);
    train_set_free(held);
    train_set_free(filed);
    samples_free(&samples);
}

static void test_no_place(void **state)
{
    const struct train_place place = {"no/such/folder", 0};
    struct train_set *set;
    struct error err = {.code = 0};
    (void)state;
    assert_int_equal(train_set_new(10, &place, &set, &err), -1);
    assert_non_null(strstr(err.text, "no/such/folder"));
    assert_null(set);
}

/* Positions that differ in their label, which is their number. */
static struct samples numbered(size_t count)
{
    struct samples samples = {0};
    struct sample sample;
    assert_true(sample_from_fen("k7/8/8/8/8/8/8/7K b - - 0 1", &sample));
    for (size_t i = 0; i < count; i++) {
        sample.cp = (int32_t)i;
        assert_int_equal(samples_add(&samples, &sample, NULL), 0);
    }
    return samples;
}

enum { MOST = 10000, BATCH = 300 };

/* The numbers of a pass, in its order. */
static uint32_t *walk(const struct samples *samples, uint64_t memory, unsigned threads,
                      const struct rng *rng, size_t *windows)
{
    struct train_set *set = set_of(samples, memory);
    uint32_t *numbers = calloc(samples->count, sizeof *numbers);
    struct train_window *window;
    struct train_data data;
    struct workers *workers;
    size_t at = 0;
    int more;
    *windows = 0;
    assert_int_equal(workers_new(threads, &workers, NULL), 0);
    assert_int_equal(train_window_new(samples->count, MOST, BATCH, workers, &window, NULL), 0);
    train_window_begin(window, set, rng);
    while ((more = train_window_next(window, &data, NULL)) > 0) {
        assert_int_equal(data.first, at);
        assert_true(at + data.count == samples->count || data.count % BATCH == 0);
        for (size_t i = 0; i < data.count; i++) {
            const size_t place = rng ? train_window_order(window)[i] : i;
            struct sample sample;
            train_position_unpack(data.positions + place * TRAIN_POSITION_SIZE, &sample);
            numbers[at++] = (uint32_t)sample.cp;
        }
        ++*windows;
    }
    assert_int_equal(more, 0);
    assert_int_equal(at, samples->count);
    train_window_free(window);
    workers_free(workers);
    train_set_free(set);
    return numbers;
}

/* Each once. */
static void check_all(const uint32_t *numbers, size_t count)
{
    bool *seen = calloc(count, sizeof *seen);
    for (size_t i = 0; i < count; i++) {
        assert_in_range(numbers[i], 0, count - 1);
        assert_false(seen[numbers[i]]);
        seen[numbers[i]] = true;
    }
    free(seen);
}

/* Neighbours of the set that are still neighbours: hardly any. */
static void check_mixed(const uint32_t *numbers, size_t count)
{
    size_t together = 0;
    for (size_t i = 1; i < count; i++)
        together += numbers[i] == numbers[i - 1] + 1;
    assert_in_range(together, 0, count / 100);
}

/* One window; one more position than that; some, with a last block that is short or whole. */
static void test_order(void **state)
{
    static const size_t counts[] = {1, 4096, MOST, MOST + 1, 33333, 10 * TRAIN_BLOCK};
    const struct rng seed = {11}, other = {12};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct samples samples = numbered(counts[i]);
        size_t windows, again;
        uint32_t *held = walk(&samples, UINT64_MAX, 1, &seed, &windows);
        uint32_t *filed = walk(&samples, 0, 3, &seed, &again);
        uint32_t *differs = walk(&samples, UINT64_MAX, 2, &other, &again);
        uint32_t *plain = walk(&samples, 0, 2, NULL, &again);
        const size_t length = counts[i] <= MOST ? counts[i] : MOST - MOST % BATCH;
        assert_int_equal(windows, (counts[i] + length - 1) / length);
        assert_int_equal(again, windows);
        assert_memory_equal(held, filed, counts[i] * sizeof *held);
        check_all(held, counts[i]);
        if (counts[i] > 1) {
            assert_memory_not_equal(held, differs, counts[i] * sizeof *held);
            check_mixed(held, counts[i]);
        }
        for (size_t k = 0; k < counts[i]; k++)
            assert_int_equal(plain[k], k);
        free(held);
        free(filed);
        free(differs);
        free(plain);
        samples_free(&samples);
    }
}

/* More than a window: positions of 700 over and over. */
static struct train_set *many(const struct samples *samples, size_t count, uint64_t memory)
{
    const struct train_place place = {".", memory};
    struct train_set *set;
    assert_int_equal(train_set_new(count, &place, &set, NULL), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(train_set_add(set, &samples->items[i % samples->count], NULL), 0);
    assert_int_equal(train_set_finish(set, NULL), 0);
    return set;
}

static void train_many(uint64_t memory, unsigned threads, enum plynnue_isa isa,
                       uint8_t digest[DIGEST_SIZE])
{
    struct samples samples = material_samples(1, 700);
    struct train_set *train = many(&samples, TRAIN_WINDOW + 50000, memory);
    struct train_set *validation = many(&samples, 700, memory);
    struct train_options options = {.epochs = 2,
                                    .batch = 5000,
                                    .learning_rate = 1e-3,
                                    .dropout = 0.1,
                                    .flip = true,
                                    .mirror = true,
                                    .scale = 400,
                                    .best = true,
                                    .threads = threads,
                                    .isa = isa};
    struct train_model model;
    assert_int_equal(train_arch_parse("769->16->8->1", &options.arch, NULL), 0);
    assert_int_equal(train_net(&options, train, validation, NULL, &model, NULL), 0);
    digest_bytes(model.values, model.total * sizeof *model.values, digest);
    train_model_free(&model);
    train_set_free(train);
    train_set_free(validation);
    samples_free(&samples);
}

/* The last block, which is short, anywhere among the others: a window may end in the middle of a
 * block, begin in the middle of one, and have it between them. */
static void test_short_block(void **state)
{
    struct samples samples = numbered(8 * (size_t)TRAIN_BLOCK + 565);
    (void)state;
    for (uint64_t key = 1; key <= 16; key++) {
        const struct rng seed = {key};
        size_t windows;
        uint32_t *numbers = walk(&samples, UINT64_MAX, 1, &seed, &windows);
        check_all(numbers, samples.count);
        free(numbers);
    }
    samples_free(&samples);
}

static void test_training_by_windows(void **state)
{
    uint8_t first[DIGEST_SIZE], other[DIGEST_SIZE];
    (void)state;
    train_many(UINT64_MAX, 1, PLYNNUE_ISA_AUTO, first);
    train_many(0, 2, PLYNNUE_ISA_AUTO, other);
    assert_memory_equal(first, other, DIGEST_SIZE);
    train_many(0, 3, PLYNNUE_ISA_SCALAR, other);
    assert_memory_equal(first, other, DIGEST_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packing),     cmocka_unit_test(test_memory_or_disk),
        cmocka_unit_test(test_no_place),    cmocka_unit_test(test_order),
        cmocka_unit_test(test_short_block), cmocka_unit_test(test_training_by_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
