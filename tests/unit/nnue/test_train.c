/* SPDX-License-Identifier: MIT */
/*
 * Training: gradients against finite differences of an independent computation in double, the same
 * net for any number of threads, a loss that falls, and our own exponential.
 */
#include <math.h>
#include <stdio.h>

#include "nnue/tools/fmath.h"
#include "nnue/tools/reference.h"
#include "nnue/tools/rng.h"
#include "nnue/tools/train.h"
#include "nnue/tools/train_step.h"
#include "tests/unit/nnue/train_samples.h"

static double exact_loss(const struct reference_exact *net, const struct samples *samples)
{
    double sum = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        double out = reference_exact_cp(net, sample->features, sample->count) / 400;
        double error = 1 / (1 + exp(-out)) - 1 / (1 + exp(-sample->cp / 400.0));
        sum += error * error;
    }
    return sum / (double)samples->count;
}

/* Where a parameter stands in both layouts. */
struct place {
    double *exact;
    float gradient;
};

/* False where the clamp has a corner within the step: one-sided differences disagree there. */
static bool difference(struct reference_exact *net, double *parameter,
                       const struct samples *samples, double *derivative)
{
    const double h = 1e-6;
    double middle = *parameter, at, above, below;
    at = exact_loss(net, samples);
    *parameter = middle + h;
    above = exact_loss(net, samples);
    *parameter = middle - h;
    below = exact_loss(net, samples);
    *parameter = middle;
    *derivative = (above - below) / (2 * h);
    return fabs((above - at) - (at - below)) < 1e-3 * fabs(above - below) + 1e-14;
}

static void check_place(struct reference_exact *net, struct place place,
                        const struct samples *samples, unsigned *checked)
{
    double derivative;
    if (!difference(net, place.exact, samples, &derivative) || fabs(derivative) < 1e-7)
        return;
    if (fabs((double)place.gradient - derivative) > 2e-4 * fabs(derivative) + 1e-8)
        fail_msg("gradient %g, difference quotient %g", (double)place.gradient, derivative);
    ++*checked;
}

static struct place pick(const struct train_model *model, struct reference_exact *net,
                         unsigned part, struct rng *rng)
{
    size_t h1 = net->h1, h2 = net->h2, i = rng_below(rng, (uint32_t)h1);
    size_t o = rng_below(rng, (uint32_t)h2), f = rng_below(rng, TINYNNUE_INPUTS);
    const float *gradient = model->gradient, *w2 = gradient + train_model_weights(model, 0, 0);
    switch (part) {
    case 0:
        return (struct place){&net->w1[f * h1 + i], gradient[f * model->width + i]};
    case 1:
        return (struct place){&net->b1[i], gradient[model->bias + i]};
    case 2:
        return (struct place){&net->w2[o * h1 + i], w2[o * model->width + i]};
    case 3:
        return (struct place){&net->b2[o], gradient[train_model_bias(model, 0, 0) + o]};
    case 4:
        return (struct place){&net->w3[o], gradient[train_model_weights(model, 0, 1) + o]};
    default:
        return (struct place){&net->b3[0], gradient[train_model_bias(model, 0, 1)]};
    }
}

/* Odd widths, so that padding is in play. */
static void test_gradient(void **state)
{
    static const unsigned tries[6] = {1500, 19, 200, 7, 7, 1}, least[6] = {50, 5, 20, 3, 3, 1};
    struct samples samples = material_samples(5, 40);
    uint8_t *packed = pack_all(&samples);
    const struct train_step_options options = {.batch = 40, .gain = 1};
    const struct train_view plain = {.flip = false};
    struct train_arch arch;
    struct train_data data = {packed, samples.count, 0, {.scale = 400}};
    struct train_model model;
    struct workers *workers;
    struct train_step *step;
    struct tinynnue_float floats;
    struct reference_exact exact;
    struct rng rng = {77};
    uint32_t order[40];
    (void)state;
    for (uint32_t i = 0; i < 40; i++)
        order[i] = i;
    assert_int_equal(train_arch_parse("769->19->7->1", &arch, NULL), 0);
    assert_int_equal(train_model_new(&model, &arch, NULL), 0);
    assert_int_equal(workers_new(1, &workers, NULL), 0);
    assert_int_equal(train_step_new(&model, workers, train_kernels_find(PLYNNUE_ISA_AUTO), &options,
                                    &step, NULL),
                     0);
    assert_int_equal(tinynnue_float_new(&floats, 19, 7), 0);
    train_model_initialise(&model, 3);
    train_export_769(&model, &floats);
    assert_int_equal(reference_exact_new(&floats, &exact, NULL), 0);
    train_step_prepare(step, &data, order, 40, &plain);
    double sum = train_step_run(step, NULL, &data, NULL, 0, &plain);
    assert_true(fabs(sum / 40 - exact_loss(&exact, &samples)) < 1e-6);
    for (unsigned part = 0; part < 6; part++) {
        unsigned checked = 0;
        for (unsigned i = 0; i < tries[part]; i++)
            check_place(&exact, pick(&model, &exact, part, &rng), &samples, &checked);
        assert_in_range(checked, least[part], tries[part]);
    }
    reference_exact_free(&exact);
    tinynnue_float_free(&floats);
    train_step_free(step);
    workers_free(workers);
    train_model_free(&model);
    free(packed);
    samples_free(&samples);
}

struct losses {
    double train[20], validation[20];
    unsigned count;
};

static int note_epoch(void *context, const struct train_epoch *epoch, struct error *err)
{
    struct losses *losses = context;
    (void)err;
    assert_int_equal(epoch->epoch, losses->count + 1);
    losses->train[losses->count] = epoch->train_loss;
    losses->validation[losses->count++] = epoch->validation_loss;
    return 0;
}

static struct train_options small_options(unsigned threads, uint64_t seed)
{
    /* 700 positions in batches of 128: the last one is short */
    struct train_options options = {.seed = seed,
                                    .epochs = 12,
                                    .batch = 128,
                                    .learning_rate = 5e-3,
                                    .scale = 400,
                                    .threads = threads};
    assert_int_equal(train_arch_parse("769->24->9->1", &options.arch, NULL), 0);
    return options;
}

static struct tinynnue_float train_with(const struct train_options *options,
                                        const struct samples *train_set,
                                        const struct samples *held_out, struct losses *losses)
{
    struct train_listener listener = {.epoch = note_epoch, .context = losses};
    struct train_model model;
    struct tinynnue_float net;
    struct train_set *positions = set_of(train_set, UINT64_MAX);
    struct train_set *validation = set_of(held_out, UINT64_MAX);
    losses->count = 0;
    assert_int_equal(train_net(options, positions, validation, &listener, &model, NULL), 0);
    train_set_free(positions);
    train_set_free(validation);
    assert_int_equal(tinynnue_float_new(&net, 24, 9), 0);
    train_export_769(&model, &net);
    train_model_free(&model);
    return net;
}

static struct tinynnue_float train(const struct samples *train_set, const struct samples *held_out,
                                   unsigned threads, uint64_t seed, struct losses *losses)
{
    struct train_options options = small_options(threads, seed);
    struct tinynnue_float net = train_with(&options, train_set, held_out, losses);
    assert_int_equal(losses->count, 12);
    return net;
}

static void test_threads_change_nothing(void **state)
{
    struct samples samples = material_samples(1, 700), held_out = material_samples(2, 100);
    struct losses one, more;
    struct tinynnue_float net = train(&samples, &held_out, 1, 9, &one);
    size_t size = (769 * 24 + 24 + 24 * 9 + 9 + 9 + 1) * sizeof(float);
    (void)state;
    for (unsigned threads = 2; threads <= 5; threads++) {
        struct tinynnue_float other = train(&samples, &held_out, threads, 9, &more);
        assert_memory_equal(net.w1, other.w1, size);
        assert_memory_equal(one.train, more.train, sizeof one.train[0] * 12);
        assert_memory_equal(one.validation, more.validation, sizeof one.train[0] * 12);
        tinynnue_float_free(&other);
    }
    struct tinynnue_float other = train(&samples, &held_out, 1, 10, &more);
    assert_memory_not_equal(net.w1, other.w1, size);
    tinynnue_float_free(&other);
    tinynnue_float_free(&net);
    samples_free(&samples);
    samples_free(&held_out);
}

static void test_loss_falls(void **state)
{
    struct samples samples = material_samples(1, 4000), held_out = material_samples(2, 100);
    struct losses losses;
    struct tinynnue_float net = train(&samples, &held_out, 2, 0, &losses);
    struct reference_exact exact;
    (void)state;
    assert_true(losses.train[11] < 0.5 * losses.train[0]);
    assert_true(losses.validation[11] < 0.8 * losses.validation[0]);
    /* The reported loss is the one of the net that comes out. */
    assert_int_equal(reference_exact_new(&net, &exact, NULL), 0);
    assert_true(fabs(exact_loss(&exact, &held_out) - losses.validation[11]) < 1e-6);
    reference_exact_free(&exact);
    tinynnue_float_free(&net);
    samples_free(&samples);
    samples_free(&held_out);
}

/* The first step of Adam is learning_rate * g / (|g| + epsilon'), whatever the size of g. */
static void test_first_adam_step(void **state)
{
    _Alignas(64) float values[16] = {0}, first[16] = {0}, second[16] = {0}, gradient[16];
    const float correction = sqrtf(1 - 0.999F);
    struct adam_step step = {0.9F, 0.999F,  1e-8F * correction, 1e-3F * correction / (1 - 0.9F),
                             1,    INFINITY};
    (void)state;
    for (int i = 0; i < 16; i++)
        gradient[i] = (float)(i % 2 ? 1 : -1) * powf(10, (float)(-i) / 4);
    gradient[15] = 0;
    train_kernels_base.adam(values, first, second, gradient, 16, &step);
    for (int i = 0; i < 15; i++)
        assert_true(fabsf(values[i] - (i % 2 ? -1e-3F : 1e-3F)) < 2e-7F);
    assert_true(values[15] == 0);
}

static void test_exponential(void **state)
{
    (void)state;
    for (double x = -700; x < 700; x += 0.37)
        assert_true(fabs(fmath_exp(x) / exp(x) - 1) < 1e-15);
    assert_true(fmath_exp(0) == 1);
    assert_true(fmath_exp(-1e300) == 0);
    assert_true(fmath_exp(1e300) < INFINITY);
    assert_true(fmath_sigmoid(0) == 0.5);
    assert_true(fmath_sigmoid(-1e6) < 1e-300 && fmath_sigmoid(1e6) == 1);
    assert_true(fabs(fmath_win_share(400) - 0.7310585786300049) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential), cmocka_unit_test(test_first_adam_step),
        cmocka_unit_test(test_gradient),    cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_loss_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
