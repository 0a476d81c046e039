/* SPDX-License-Identifier: MIT */
/*
 * What the preset "best" adds to training: augmentation against turned FENs, dropout, schedule,
 * weight decay, targets; and that no instruction set, no number of threads and no place of the
 * positions changes a bit of the net.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnue/tools/rng.h"
#include "nnue/tools/train.h"
#include "nnue/tools/train_features.h"
#include "nnue/tools/train_kernels.h"
#include "nnue/tools/train_schedule.h"
#include "nnue/tools/train_step.h"
#include "nnue/tools/train_targets.h"
#include "tests/unit/nnue/train_samples.h"

static const enum plynnue_isa levels[] = {PLYNNUE_ISA_SCALAR, PLYNNUE_ISA_AVX2,
                                          PLYNNUE_ISA_AVX512VNNI};

enum { LEVELS = sizeof levels / sizeof *levels };

static int compare_rows(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

static void assert_same_features(const char *fen, bool flip, bool mirror, const char *turned)
{
    uint16_t rows[TRAIN_ROWS_MAX], wanted[TRAIN_ROWS_MAX];
    struct train_arch arch;
    struct sample sample, other;
    assert_int_equal(train_arch_parse("769->16->8->1", &arch, NULL), 0);
    assert_true(sample_from_fen(fen, &sample) && sample_from_fen(turned, &other));
    unsigned count = train_features_fill(&arch, &sample, flip, mirror, rows);
    assert_int_equal(train_features_fill(&arch, &other, false, false, wanted), count);
    qsort(rows, count, sizeof *rows, compare_rows);
    qsort(wanted, count, sizeof *wanted, compare_rows);
    assert_memory_equal(rows, wanted, count * sizeof *rows);
}

static void test_turned_positions(void **state)
{
    static const char fen[] = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w";
    (void)state;
    assert_same_features(fen, false, false, fen);
    assert_same_features(fen, true, false,
                         "r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b");
    assert_same_features(fen, false, true,
                         "r2k3r/1bpqpp1p/1pnp2nb/3NP3/3P2p1/p1Q2N2/PPPBBPPP/R2K3R w");
    assert_same_features(fen, true, true,
                         "r2k3r/pppbbppp/P1q2n2/3p2P1/3np3/1PNP2NB/1BPQPP1P/R2K3R b");
    assert_same_features("8/8/8/8/8/1k6/p7/K7 b", true, false, "k7/P7/1K6/8/8/8/8/8 w");
}

static struct train_options full_options(void)
{
    struct train_options options = {.seed = 7,
                                    .epochs = 6,
                                    .batch = 150, /* chunks of 64, 64, 22; last batch 100 */
                                    .learning_rate = 4e-3,
                                    .weight_decay = 0.3,
                                    .dropout = 0.2,
                                    .flip = true,
                                    .mirror = true,
                                    .cosine = true,
                                    .warmup = 1,
                                    .average = 0.95,
                                    .wdl = 0.3,
                                    .scale = 350,
                                    .best = true};
    assert_int_equal(train_arch_parse("769->40->24->1", &options.arch, NULL), 0);
    return options;
}

/* The digest of the net that comes out; memory 0: positions in a scratch file. */
static void train_digest(unsigned threads, enum plynnue_isa isa, uint64_t memory,
                         uint8_t digest[DIGEST_SIZE])
{
    struct samples samples = material_samples(1, 700), held_out = material_samples(2, 130);
    struct train_options options = full_options();
    struct train_model model;
    options.threads = threads;
    options.isa = isa;
    for (size_t i = 0; i < samples.count; i++)
        samples.items[i].result = (int8_t)(i % 4) - 1; /* one in four is unknown */
    struct train_set *set = set_of(&samples, memory), *validation = set_of(&held_out, memory);
    assert_int_equal(train_net(&options, set, validation, NULL, &model, NULL), 0);
    train_set_free(set);
    train_set_free(validation);
    digest_bytes(model.values, model.total * sizeof *model.values, digest);
    train_model_free(&model);
    samples_free(&samples);
    samples_free(&held_out);
}

static void test_levels_and_threads(void **state)
{
    uint8_t first[DIGEST_SIZE], other[DIGEST_SIZE];
    (void)state;
    train_digest(1, PLYNNUE_ISA_SCALAR, UINT64_MAX, first);
    for (unsigned i = 0; i < LEVELS; i++)
        for (unsigned threads = 1; threads <= 3; threads++)
            if (train_kernels_find(levels[i])) {
                train_digest(threads, levels[i], threads % 2 ? 0 : UINT64_MAX, other);
                assert_memory_equal(first, other, DIGEST_SIZE);
            }
}

static void fill(float *values, size_t count, uint64_t seed)
{
    struct rng rng = {seed};
    for (size_t i = 0; i < count; i++)
        values[i] = 2 * rng_unit(&rng) - 1;
}

/* Every tile shape and remainder, against sums in double. */
static void check_product(const struct train_kernels *kernels, size_t rows, size_t columns,
                          size_t depth)
{
    _Alignas(64) static float a[70 * 40], b[40 * 192], start[192], to[70 * 192], base[70 * 192];
    struct matrix_product product = {.to = to,
                                     .start = start,
                                     .a = a,
                                     .b = b,
                                     .to_stride = columns,
                                     .a_row = depth,
                                     .a_step = 1,
                                     .b_stride = columns,
                                     .rows = rows,
                                     .columns = columns,
                                     .depth = depth};
    fill(a, rows * depth, 1);
    fill(b, depth * columns, 2);
    fill(start, columns, 3);
    kernels->multiply_matrix(&product);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            double sum = (double)start[c];
            for (size_t k = 0; k < depth; k++)
                sum += (double)a[r * depth + k] * (double)b[k * columns + c];
            assert_true(fabs((double)to[r * columns + c] - sum) < 1e-4);
        }
    product.to = base;
    train_kernels_base.multiply_matrix(&product);
    assert_memory_equal(to, base, rows * columns * sizeof *to);
    /* the other way through a, no start: as in the gradient of weights */
    product.start = NULL;
    product.a_row = 1;
    product.a_step = rows;
    kernels->multiply_matrix(&product);
    for (size_t r = 0; r < rows; r++) {
        double sum = 0;
        for (size_t k = 0; k < depth; k++)
            sum += (double)a[r + k * rows] * (double)b[k * columns + columns - 1];
        assert_true(fabs((double)base[r * columns + columns - 1] - sum) < 1e-4);
    }
}

static void test_products(void **state)
{
    static const size_t rows[] = {1, 3, 4, 7, 8, 64, 67}, columns[] = {16, 32, 48, 64, 144, 192};
    (void)state;
    for (unsigned i = 0; i < LEVELS; i++) {
        const struct train_kernels *kernels = train_kernels_find(levels[i]);
        for (unsigned r = 0; kernels && r < sizeof rows / sizeof *rows; r++)
            for (unsigned c = 0; c < sizeof columns / sizeof *columns; c++)
                check_product(kernels, rows[r], columns[c], r % 2 ? 40 : 9);
    }
}

static void test_activations(void **state)
{
    _Alignas(64) float x[16] = {-1, 0, 0.25F, 1, 1.5F}, gate[16];
    const struct activation clamp = {.squared = false}, squared = {.squared = true};
    (void)state;
    train_kernels_base.activate(x, gate, 16, &clamp, 0);
    const float clamped[5] = {0, 0, 0.25F, 1, 1}, passes[5] = {0, 1, 1, 1, 0};
    assert_memory_equal(x, clamped, sizeof clamped);
    assert_memory_equal(gate, passes, sizeof passes);
    x[1] = 0.5F;
    train_kernels_base.activate(x, gate, 16, &squared, 0);
    assert_true(x[1] == 0.25F && gate[1] == 1 && x[2] == 0.0625F && gate[2] == 0.5F);
}

/* A share of 0.2 of the units: 3277 of 16384 expected, standard deviation 51. */
static void test_dropout(void **state)
{
    _Alignas(64) static float x[1024], gate[1024];
    const struct activation dropout = {
        .dropout = true, .threshold = (uint32_t)(0.2 * 4294967296.0), .grow = 1.25F};
    unsigned dropped = 0;
    (void)state;
    for (uint32_t key = 0; key < 16; key++) {
        for (unsigned i = 0; i < 1024; i++)
            x[i] = 0.5F;
        train_kernels_base.activate(x, gate, 1024, &dropout, key * 77);
        for (unsigned i = 0; i < 1024; i++) {
            dropped += x[i] == 0;
            assert_true(x[i] == 0 ? gate[i] == 0 : x[i] == 0.625F && gate[i] == 1.25F);
        }
    }
    assert_in_range(dropped, 3277 - 205, 3277 + 205);
}

static void test_decay_and_limit(void **state)
{
    _Alignas(64) float values[16], first[16] = {0}, second[16] = {0}, gradient[16] = {0};
    const struct adam_step step = {.beta1 = 0.9F,
                                   .beta2 = 0.999F,
                                   .epsilon = 1e-8F,
                                   .step = 1e-3F,
                                   .keep = 0.75F,
                                   .limit = 0.5F};
    (void)state;
    for (int i = 0; i < 16; i++)
        values[i] = (float)(i - 8) / 8;
    train_kernels_base.adam(values, first, second, gradient, 16, &step);
    assert_true(values[0] == -0.5F && values[2] == -0.5F);
    assert_true(values[4] == -0.375F && values[8] == 0 && values[15] == 0.5F);
}

static void test_schedule(void **state)
{
    const struct train_schedule schedule = {
        .learning_rate = 2, .steps = 110, .warmup = 10, .cosine = true};
    (void)state;
    for (double x = 0; x <= 1; x += 1.0 / 128)
        assert_true(fabs(train_schedule_cosine(x) - cos(acos(-1) * x)) < 1e-12);
    assert_true(fabs(train_schedule_rate(&schedule, 0) - 0.2) < 1e-12);
    assert_true(fabs(train_schedule_rate(&schedule, 9) - 2) < 1e-12);
    assert_true(fabs(train_schedule_rate(&schedule, 10) - 2) < 1e-12);
    assert_true(fabs(train_schedule_rate(&schedule, 60) - 1) < 1e-12);
    assert_true(train_schedule_rate(&schedule, 109) < 0.001);
    const struct train_schedule constant = {.learning_rate = 2, .steps = 110};
    assert_true(train_schedule_rate(&constant, 0) == 2 && train_schedule_rate(&constant, 109) == 2);
}

static void test_targets(void **state)
{
    const struct sample lost = {.cp = 400, .result = -1}, won = {.cp = 0, .result = 1};
    const struct sample unknown = {.cp = 400, .result = SAMPLES_RESULT_UNKNOWN};
    const struct train_target score = {400, 0}, result = {400, 1}, blend = {200, 0.25};
    const double share = 0.7310585786300049; /* sigmoid(1) */
    (void)state;
    assert_true(fabs(train_target_of(&score, &lost) - share) < 1e-15);
    assert_true(fabs(train_target_of(&score, &unknown) - share) < 1e-15);
    assert_true(train_target_of(&result, &lost) == 0 && train_target_of(&result, &won) == 1);
    assert_true(fabs(train_target_of(&result, &unknown) - share) < 1e-15);
    assert_true(fabs(train_target_of(&blend, &lost) - 0.75 * 0.8807970779778823) < 1e-15);
    assert_true(train_target_of(&blend, &won) == 0.625);
}

/* Turned targets and features belong together: a net that knows material learns it from turned
 * positions too, so that its loss on unturned ones falls as well. */
static void test_augmented_loss_falls(void **state)
{
    struct samples samples = material_samples(1, 3000), held_out = material_samples(2, 500);
    struct train_options options = full_options();
    struct train_model model;
    struct train_losses {
        double first, last;
    } losses = {0};
    (void)state;
    options.epochs = 12;
    options.learning_rate = 1e-2;
    options.wdl = 0;
    options.scale = 400;
    uint8_t *packed = pack_all(&held_out);
    struct train_set *set = set_of(&samples, UINT64_MAX);
    struct train_set *validation = set_of(&held_out, UINT64_MAX);
    const struct train_data data = {packed, held_out.count, 0, {.scale = 400}};
    const struct train_step_options step_options = {.batch = 128, .gain = 1};
    for (unsigned trained = 0; trained < 2; trained++) {
        struct workers *workers;
        struct train_step *step;
        if (trained)
            assert_int_equal(train_net(&options, set, validation, NULL, &model, NULL), 0);
        else
            assert_int_equal(train_model_new(&model, &options.arch, NULL), 0);
        assert_int_equal(workers_new(1, &workers, NULL), 0);
        assert_int_equal(train_step_new(&model, workers, train_kernels_find(PLYNNUE_ISA_AUTO),
                                        &step_options, &step, NULL),
                         0);
        *(trained ? &losses.last : &losses.first) = train_step_losses(step, &data);
        train_step_free(step);
        workers_free(workers);
        train_model_free(&model);
    }
    assert_true(losses.last < 0.7 * losses.first);
    train_set_free(set);
    train_set_free(validation);
    free(packed);
    samples_free(&samples);
    samples_free(&held_out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turned_positions),
        cmocka_unit_test(test_levels_and_threads),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_activations),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_decay_and_limit),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_augmented_loss_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
