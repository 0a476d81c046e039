/* SPDX-License-Identifier: MIT */
/*
 * Training of every architecture against the library: the loss of a step is that of the written net
 * as libplynnue evaluates it in double, its gradient that loss's difference quotient. And the loss
 * falls, the same for any number of threads and instruction set.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/io/file.h"
#include "nnue/tools/fmath.h"
#include "nnue/tools/quantize_wide.h"
#include "nnue/tools/rng.h"
#include "nnue/tools/train.h"
#include "nnue/tools/train_features.h"
#include "nnue/tools/train_step.h"
#include "nnue/tools/train_write.h"
#include "tests/unit/nnue/train_samples.h"

enum { POSITIONS = 40, PLACES = 60 };

/* As the written file is evaluated. */
static double library_loss(const struct train_model *model, const struct samples *samples)
{
    struct buffer file;
    plynnue_net *net;
    plynnue_acc *acc;
    double sum = 0;
    buffer_init(&file, TRAIN_FILE_MAX);
    assert_int_equal(train_encode(model, NULL, 0, &file, NULL), 0);
    struct plynnue_error error;
    if (plynnue_net_from_memory(file.data, file.length, NULL, &net, &error))
        fail_msg("%s", error.text);
    assert_int_equal(plynnue_acc_new(net, 1, &acc, NULL), 0);
    for (size_t i = 0; i < samples->count; i++) {
        struct plynnue_piece pieces[PLYNNUE_PIECES_MAX];
        struct plynnue_position position;
        sample_to_pieces(&samples->items[i], pieces, &position);
        assert_int_equal(plynnue_acc_set(acc, &position), 0);
        double cp = plynnue_acc_eval_float(acc, position.side), label = samples->items[i].cp;
        double miss = fmath_win_share(cp) - fmath_win_share(position.side ? -label : label);
        sum += miss * miss;
    }
    plynnue_acc_free(acc);
    plynnue_net_close(net);
    buffer_free(&file);
    return sum / (double)samples->count;
}

/* False where an activation has a corner within the step, or too little happens to measure. */
static bool difference(struct train_model *model, size_t at, double middle,
                       const struct samples *samples, double *derivative)
{
    const float h = 0x1p-16F, value = model->values[at];
    model->values[at] = value + h;
    double above = library_loss(model, samples), up = (double)model->values[at] - (double)value;
    model->values[at] = value - h;
    double below = library_loss(model, samples), down = (double)value - (double)model->values[at];
    model->values[at] = value;
    *derivative = (above - below) / (up + down);
    return fabs((above - middle) / up - (middle - below) / down) < 0.02 * fabs(*derivative);
}

/* A parameter of that stretch which has a gradient; 0 when there is none to be found. */
static size_t pick(const struct train_model *model, size_t begin, size_t end, struct rng *rng)
{
    for (unsigned tries = 0; tries < 20000; tries++) {
        size_t at = begin + rng_below(rng, (uint32_t)(end - begin));
        if (fabs((double)model->gradient[at]) > 1e-5)
            return at;
    }
    return 0;
}

static void check_stretch(struct train_model *model, size_t begin, size_t end, double middle,
                          const struct samples *samples, struct rng *rng)
{
    unsigned checked = 0;
    for (unsigned i = 0; i < PLACES && checked < 6; i++) {
        size_t at = pick(model, begin, end, rng);
        double derivative;
        if (!at || !difference(model, at, middle, samples, &derivative))
            continue;
        if (fabs((double)model->gradient[at] - derivative) > 0.03 * fabs(derivative))
            fail_msg("%s: parameter %zu: gradient %g, difference quotient %g", model->arch.text, at,
                     (double)model->gradient[at], derivative);
        checked++;
    }
    assert_in_range(checked, 1, PLACES);
}

static void check_gradient(const char *text, bool share)
{
    struct samples samples = material_samples(5, POSITIONS);
    uint8_t *packed = pack_all(&samples);
    const struct train_data data = {packed, samples.count, 0, {.scale = 400}};
    const struct train_view plain = {.flip = false};
    uint32_t order[POSITIONS];
    struct train_arch arch;
    struct train_model model;
    struct workers *workers;
    struct train_step *step;
    struct rng rng = {3};
    for (uint32_t i = 0; i < POSITIONS; i++)
        order[i] = i;
    assert_int_equal(train_arch_parse(text, &arch, NULL), 0);
    if (share)
        train_arch_share(&arch);
    const struct train_step_options options = {.batch = POSITIONS, .gain = arch.unit_cp / 400};
    assert_int_equal(train_model_new(&model, &arch, NULL), 0);
    assert_int_equal(workers_new(1, &workers, NULL), 0);
    assert_int_equal(train_step_new(&model, workers, train_kernels_find(PLYNNUE_ISA_AUTO), &options,
                                    &step, NULL),
                     0);
    train_model_initialise(&model, 3);
    for (size_t i = 0; i < arch.l1; i++)
        model.values[model.bias + i] = 0.5F * rng_unit(&rng);
    train_step_prepare(step, &data, order, POSITIONS, &plain);
    double loss = train_step_run(step, NULL, &data, NULL, 0, &plain) / POSITIONS;
    double middle = library_loss(&model, &samples);
    assert_true(fabs(loss - middle) < 1e-5 * middle);
    check_stretch(&model, 1, model.bias, middle, &samples, &rng);
    check_stretch(&model, model.bias, model.heads, middle, &samples, &rng);
    if (share)
        check_stretch(&model, arch.inputs * model.width, model.bias, middle, &samples, &rng);
    const unsigned head =
        arch.views > 1 ? train_features_head(&arch, train_position_pieces(packed)) : 0;
    for (unsigned i = 0; i < arch.layers; i++) {
        size_t begin = train_model_weights(&model, head, i);
        size_t bias = train_model_bias(&model, head, i);
        check_stretch(&model, begin, bias, middle, &samples, &rng);
        check_stretch(&model, bias, bias + model.layers[i].out_width, middle, &samples, &rng);
    }
    train_step_free(step);
    workers_free(workers);
    train_model_free(&model);
    free(packed);
    samples_free(&samples);
}

static void test_769(void **state)
{
    (void)state;
    check_gradient("769->20->7->1", false);
    check_gradient("769->20->7->1", true);
}

static void test_bullet(void **state)
{
    (void)state;
    check_gradient("(768->32)x2->1 crelu", false);
    check_gradient("(768->32)x2->1 screlu", false);
    check_gradient("(768x2hm->32)x2->1x8 screlu table=0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,"
                   "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
                   true);
    check_gradient("(768->32)x2->1 screlu", true);
}

static void test_halfka(void **state)
{
    (void)state;
    check_gradient("halfka(22528->32)x2->16->1x8", false);
    check_gradient("halfka(22528->32)x2->16->1x8", true);
}

static void test_halfkp(void **state)
{
    (void)state;
    check_gradient("halfkp(41024->32)x2->8->8->1", false);
    check_gradient("halfkp(41024->32)x2->8->8->1", true);
}

/* Without validation. */
static void train_all(const struct train_options *options, const struct samples *samples,
                      struct train_model *model)
{
    const struct samples none = {0};
    struct train_set *set = set_of(samples, UINT64_MAX), *empty = set_of(&none, UINT64_MAX);
    assert_int_equal(train_net(options, set, empty, NULL, model, NULL), 0);
    train_set_free(set);
    train_set_free(empty);
}

static void train_one(const char *text, unsigned threads, enum plynnue_isa isa, double *first,
                      double *last, uint8_t digest[DIGEST_SIZE])
{
    struct samples samples = material_samples(1, 2500);
    struct train_options options = {.epochs = 4,
                                    .batch = 100,
                                    .learning_rate = 5e-3,
                                    .weight_decay = 0.1,
                                    .dropout = 0.1,
                                    .flip = true,
                                    .mirror = true,
                                    .cosine = true,
                                    .scale = 400,
                                    .threads = threads,
                                    .isa = isa};
    struct train_model model, blank;
    assert_int_equal(train_arch_parse(text, &options.arch, NULL), 0);
    train_all(&options, &samples, &model);
    assert_int_equal(train_model_new(&blank, &options.arch, NULL), 0);
    *first = library_loss(&blank, &samples);
    *last = library_loss(&model, &samples);
    digest_bytes(model.values, model.total * sizeof *model.values, digest);
    train_model_free(&blank);
    train_model_free(&model);
    samples_free(&samples);
}

static void test_training(void **state)
{
    static const char *const archs[] = {"(768->32)x2->1x8 screlu", "halfka(22528->32)x2->8->1x8",
                                        "halfkp(41024->32)x2->8->8->1"};
    uint8_t digest[DIGEST_SIZE], other[DIGEST_SIZE];
    double first, last;
    (void)state;
    for (unsigned i = 0; i < sizeof archs / sizeof *archs; i++) {
        train_one(archs[i], 1, PLYNNUE_ISA_AUTO, &first, &last, digest);
        assert_true(last < 0.7 * first);
        train_one(archs[i], 3, PLYNNUE_ISA_SCALAR, &first, &last, other);
        assert_memory_equal(digest, other, DIGEST_SIZE);
    }
}

/* Steps as long as a weight's whole range: without limits nothing would fit. */
static void train_wildly(const char *text, struct buffer *file)
{
    struct samples samples = material_samples(1, 1000);
    struct train_options options = {
        .epochs = 2, .batch = 20, .learning_rate = 2, .flip = true, .scale = 400, .threads = 1};
    struct train_model model;
    assert_int_equal(train_arch_parse(text, &options.arch, NULL), 0);
    train_arch_share(&options.arch);
    train_all(&options, &samples, &model);
    assert_int_equal(train_encode(&model, NULL, 0, file, NULL), 0);
    train_model_free(&model);
    samples_free(&samples);
}

static void check_fits(const char *text)
{
    char path[] = "/tmp/plymill-test-XXXXXX", arch[QUANTIZE_ARCH_MAX];
    struct quantize_wide net;
    struct buffer file, integers;
    struct error err;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    buffer_init(&file, TRAIN_FILE_MAX);
    buffer_init(&integers, TRAIN_FILE_MAX);
    train_wildly(text, &file);
    assert_int_equal(file_write_all(path, file.data, file.length, NULL), 0);
    assert_int_equal(quantize_wide_load(path, NULL, &net, NULL), 1);
    if (quantize_wide_encode(&net, NULL, 0, &integers, arch, &err))
        fail_msg("%s: %s", text, err.text);
    quantize_wide_free(&net);
    buffer_free(&integers);
    buffer_free(&file);
    remove(path);
}

static void test_every_value_fits_its_integer(void **state)
{
    (void)state;
    check_fits("(768->16)x2->1 screlu");
    check_fits("(768->16)x2->1x8 screlu qa=1024 qb=512 scale=300");
    check_fits("(768->16)x2->1 crelu qa=181 qb=32767");
    check_fits("halfka(22528->32)x2->8->1x8");
    check_fits("halfkp(41024->32)x2->8->8->1");
}

/* 32 rows and the bias of any net stay within the int16 of an accumulator. */
static void test_accumulators_fit(void **state)
{
    static const struct {
        const char *text;
        double steps;
    } nets[] = {{"(768->16)x2->1 screlu", 255},
                {"(768->16)x2->1 screlu qa=1024", 1024},
                {"(768->16)x2->1 crelu qa=32767", 32767},
                {"halfka(22528->32)x2->8->1x8", 127},
                {"halfkp(41024->32)x2->8->8->1", 127}};
    (void)state;
    for (unsigned i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct train_arch arch;
        assert_int_equal(train_arch_parse(nets[i].text, &arch, NULL), 0);
        double row = round((double)arch.limits[0] * nets[i].steps);
        double bias = round((double)arch.bias_limits[0] * nets[i].steps);
        assert_true(row >= 1 && bias >= 1);
        assert_true(32 * row + bias <= INT16_MAX);
    }
}

static void test_refused(void **state)
{
    static const char *const wrong[] = {"",
                                        "769->0->8->1",
                                        "768->16->8->1",
                                        "(768->32)x2->2",
                                        "halfka(22528->32)x2->8->1x8 order=stockfish",
                                        "halfkp(41024->32)x2->8->1",
                                        "sf15"};
    struct train_arch arch;
    (void)state;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(train_arch_parse(wrong[i], &arch, NULL), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_769),
        cmocka_unit_test(test_bullet),
        cmocka_unit_test(test_halfka),
        cmocka_unit_test(test_halfkp),
        cmocka_unit_test(test_training),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_every_value_fits_its_integer),
        cmocka_unit_test(test_accumulators_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
