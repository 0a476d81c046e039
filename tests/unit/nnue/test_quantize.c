/* SPDX-License-Identifier: MIT */
/*
 * Quantisation: rounding, scales, multipliers, what does not fit, what stands in the file, and the
 * published table of where the error comes from.
 */
#include <math.h>
#include <stdio.h>

#include "nnue/tools/attribution.h"
#include "nnue/tools/reference.h"
#include "nnue/tools/samples.h"
#include "tests/unit/nnue/synthetic.h"

#define VECTORS "tests/data/vectors/syn_tinynnue.tsv"

/* A net of one unit a layer in which every weight and bias is zero but those a test sets. */
static struct tinynnue_float tiny_net(void)
{
    struct tinynnue_float net;
    assert_int_equal(tinynnue_float_new(&net, 1, 1), 0);
    return net;
}

static void test_ties_go_away_from_zero(void **state)
{
    struct tinynnue_float net = tiny_net();
    struct quantized q;
    (void)state;
    /* max = 127/4: one step is 1/4, exactly; odd eighths are ties. */
    net.w1[0] = 31.75F;
    net.w1[1] = 0.125F;
    net.w1[2] = -0.125F;
    net.w1[3] = 0.625F;
    net.w1[4] = -0.375F;
    net.b1[0] = -0.875F;
    net.w2[0] = 1.0F;
    net.w3[0] = -1.0F;
    assert_int_equal(quantize_net(&net, 24, &q, NULL), 0);
    assert_true(q.scale[0] == 0.25);
    assert_int_equal(q.net.w1[0], 127);
    assert_int_equal(q.net.w1[1], 1);
    assert_int_equal(q.net.w1[2], -1);
    assert_int_equal(q.net.w1[3], 3);
    assert_int_equal(q.net.w1[4], -2);
    assert_int_equal(q.net.b1[0], -4);
    assert_int_equal(q.net.w3[0], -127);
    quantized_free(&q);
    tinynnue_float_free(&net);
}

static void test_zero_tensor_has_scale_one(void **state)
{
    struct tinynnue_float net = tiny_net();
    struct quantized q;
    struct error err;
    (void)state;
    net.b1[0] = 0.5F;
    net.b2[0] = 2.0F;
    assert_int_equal(quantize_net(&net, 20, &q, &err), 0);
    for (unsigned i = 0; i < 3; i++)
        assert_true(q.scale[i] == 1);
    assert_int_equal(q.net.b1[0], 1);
    assert_int_equal(q.net.b2[0], 254);
    assert_int_equal(q.net.multiplier[0], 127 << 20);
    assert_int_equal(q.net.multiplier[1], 1 << 20);
    quantized_free(&q);
    tinynnue_float_free(&net);
}

/* M1 comes from max|W1| itself: 127.0 * (max / 127) would round the other way for this value. */
static void test_first_multiplier_is_the_maximum(void **state)
{
    struct tinynnue_float net = tiny_net();
    struct quantized q;
    uint32_t found = 0;
    (void)state;
    net.w2[0] = net.w3[0] = 1.0F;
    for (uint32_t k = 0; k < 1u << 22 && !found; k += 997) {
        double most = 0.25 + ((double)k * 2 + 1) * 0x1p-25; /* times 2^24: an exact half */
        if (round(127.0 * (most / 127.0) * 0x1p24) == round(most * 0x1p24))
            continue;
        found = k + 1;
        net.w1[0] = (float)most;
        assert_true((double)net.w1[0] == most);
        assert_int_equal(quantize_net(&net, 24, &q, NULL), 0);
        assert_int_equal(q.net.multiplier[0], (1 << 22) + (int32_t)k + 1);
        quantized_free(&q);
    }
    assert_true(found);
    tinynnue_float_free(&net);
}

static void test_limits(void **state)
{
    struct tinynnue_float net = tiny_net();
    struct quantized q;
    struct error err;
    (void)state;
    net.w1[0] = net.w2[0] = net.w3[0] = 1.0F;
    for (unsigned shift = 16; shift <= 30; shift++) {
        /* m1 = 1, m2 = 1/127, m3 = 400/127^2: all fit at every S */
        assert_int_equal(quantize_net(&net, shift, &q, &err), 0);
        assert_int_equal(q.net.multiplier[0], 1 << shift);
        quantized_free(&q);
    }
    assert_int_equal(quantize_net(&net, 15, &q, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    assert_int_equal(quantize_net(&net, 31, &q, &err), -1);
    net.w1[0] = 0x1.fffffep6F; /* 2^7 - 2^-17: times 2^24 just below 2^31 */
    assert_int_equal(quantize_net(&net, 24, &q, &err), 0);
    assert_int_equal(q.net.multiplier[0], INT32_MAX - 127);
    quantized_free(&q);
    net.w1[0] = 128;
    assert_int_equal(quantize_net(&net, 24, &q, &err), -1);
    assert_non_null(strstr(err.text, "M1"));
    net.w1[0] = 1;
    net.w2[0] = 127.0F * 0x1p-25F; /* m2 * 2^24 = 1/2: rounds up to 1 */
    assert_int_equal(quantize_net(&net, 24, &q, &err), 0);
    assert_int_equal(q.net.multiplier[1], 1);
    quantized_free(&q);
    net.w2[0] = 126.0F * 0x1p-25F;
    assert_int_equal(quantize_net(&net, 24, &q, &err), -1);
    assert_non_null(strstr(err.text, "M2"));
    net.w2[0] = 1;
    net.b2[0] = 1e9F;
    assert_int_equal(quantize_net(&net, 24, &q, &err), -1);
    assert_non_null(strstr(err.text, "l2.bias"));
    net.b2[0] = 132000; /* 132000 * 127 * 127 < 2^31 - 127 * 128 */
    assert_int_equal(quantize_net(&net, 24, &q, &err), 0);
    quantized_free(&q);
    net.b2[0] = 133144; /* fits int32, the sum need not */
    assert_int_equal(quantize_net(&net, 24, &q, &err), -1);
    tinynnue_float_free(&net);
}

static void test_files_read_back(void **state)
{
    struct tinynnue_float net = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct buffer floats = synthetic_file(&net, 0), ints = synthetic_file(&net, 24);
    struct safetensors *file = malloc(sizeof *file);
    struct tinynnue_float net_read;
    struct tinynnue_int ints_read;
    struct quantized q;
    static const char *const names[3] = {"s1", "s2", "s3"};
    char text[64];
    (void)state;
    assert_int_equal(floats.length % 8, 4); /* header a multiple of 8, 102,721 floats behind it */
    assert_int_equal(safetensors_parse(floats.data, floats.length, file, NULL), 0);
    assert_true(tinynnue_is_float(file));
    assert_int_equal(tinynnue_read_float(file, 128, 32, &net_read, NULL), 0);
    assert_memory_equal(net_read.w1, net.w1, 102721 * sizeof(float));
    assert_true(safetensors_text(file, "stm_bit", text, sizeof text));
    assert_string_equal(text, "white");
    assert_int_equal(safetensors_parse(ints.data, ints.length, file, NULL), 0);
    assert_int_equal(tinynnue_read_int(file, 128, 32, &ints_read, NULL), 0);
    assert_int_equal(quantize_net(&net, 24, &q, NULL), 0);
    assert_memory_equal(ints_read.b1, q.net.b1, (128 + 32 + 1) * 4 + 769 * 128 + 128 * 32 + 32);
    assert_memory_equal(ints_read.multiplier, q.net.multiplier, sizeof q.net.multiplier);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(safetensors_text(file, names[i], text, sizeof text));
        assert_true(strtod(text, NULL) == q.scale[i]);
    }
    quantized_free(&q);
    tinynnue_int_free(&ints_read);
    tinynnue_float_free(&net_read);
    tinynnue_float_free(&net);
    buffer_free(&floats);
    buffer_free(&ints);
    free(file);
}

static void test_shortest_decimals(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {1, "1"},
                 {400, "400"},
                 {-1000, "-1000"},
                 {1e15, "1e+15"},
                 {0.25, "0.25"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "5e-324"}};
    char text[TINYNET_SCALE_SIZE];
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        tinynet_format_double(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

static struct samples vector_positions(void)
{
    struct samples samples = {0};
    struct sample sample;
    char line[512];
    FILE *file = fopen(VECTORS, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        assert_true(sample_from_fen(line, &sample));
        assert_int_equal(samples_add(&samples, &sample, NULL), 0);
    }
    fclose(file);
    assert_int_equal(samples.count, 308);
    return samples;
}

static void expect_row(const struct attribution *table, const char *expected)
{
    char text[80];
    for (unsigned i = 0; i < table->count; i++) {
        const struct attribution_row *row = &table->rows[i];
        snprintf(text, sizeof text, "%s %.3f %.3f %.3f", row->name, row->mean, row->p99, row->max);
        if (!strcmp(text, expected)) {
            assert_true(row->possible);
            return;
        }
    }
    fail_msg("no row is \"%s\"", expected);
}

/* The published table. */
static void test_attribution(void **state)
{
    static const char *const expected[] = {
        "W1 1.433 4.738 6.006",          "W2 1.259 4.696 5.157", "W3 0.893 3.228 3.602",
        "b1 0.340 1.152 1.410",          "b2 0.002 0.006 0.006", "b3 0.008 0.008 0.008",
        "h1 1.073 3.045 3.963",          "h2 1.084 3.652 4.565", "all, S = 24 2.815 8.845 10.487",
        "all, S = 16 2.867 8.266 10.487"};
    struct tinynnue_float net = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct samples samples = vector_positions();
    struct attribution table;
    (void)state;
    assert_int_equal(
        attribution_measure(&net, 24, samples.items, samples.count, false, &table, NULL), 0);
    assert_int_equal(table.count, 17);
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        expect_row(&table, expected[i]);
    assert_false(table.has_cost);
    assert_int_equal(
        attribution_measure(&net, 20, samples.items, samples.count, false, &table, NULL), 0);
    assert_int_equal(table.count, 18);
    assert_string_equal(table.rows[17].name, "all, S = 20");
    samples_free(&samples);
    tinynnue_float_free(&net);
}

/* The value's own rounding is at most half a centipawn; M3's error is the value's, times M3's
 * published relative error: 1.0e-5 at S = 16, 3.9e-7 at S = 24. */
static void test_attribution_of_the_last_step(void **state)
{
    struct tinynnue_float net = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct samples samples = vector_positions();
    struct reference_exact exact;
    struct attribution table;
    double largest = 0;
    (void)state;
    assert_int_equal(
        attribution_measure(&net, 24, samples.items, samples.count, false, &table, NULL), 0);
    assert_int_equal(reference_exact_new(&net, &exact, NULL), 0);
    for (size_t i = 0; i < samples.count; i++) {
        double cp =
            fabs(reference_exact_cp(&exact, samples.items[i].features, samples.items[i].count));
        largest = cp > largest ? cp : largest;
    }
    reference_exact_free(&exact);
    for (unsigned i = 0; i < table.count; i++) {
        const struct attribution_row *row = &table.rows[i];
        double relative = !strcmp(row->name, "M3, S = 16")   ? 1.0e-5
                          : !strcmp(row->name, "M3, S = 24") ? 3.9e-7
                                                             : 0;
        if (relative > 0)
            assert_true(fabs(row->max / (relative * largest) - 1) < 0.06);
        if (!strcmp(row->name, "M1, S = 24"))
            assert_true(row->max < 1e-9); /* exact: relative error 0 */
        if (!strcmp(row->name, "cp"))
            assert_true(row->max <= 0.5 && row->mean > 0.2 && row->mean < 0.3);
    }
    samples_free(&samples);
    tinynnue_float_free(&net);
}

/* With the float net's own values as labels, rounded, it errs by less than any of its integers. */
static void test_attribution_costs(void **state)
{
    struct tinynnue_float net = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct samples samples = vector_positions();
    struct reference_exact exact;
    struct attribution table;
    (void)state;
    assert_int_equal(reference_exact_new(&net, &exact, NULL), 0);
    for (size_t i = 0; i < samples.count; i++)
        samples.items[i].cp = (int32_t)lround(
            reference_exact_cp(&exact, samples.items[i].features, samples.items[i].count));
    reference_exact_free(&exact);
    assert_int_equal(
        attribution_measure(&net, 24, samples.items, samples.count, true, &table, NULL), 0);
    assert_true(table.has_cost);
    assert_true(table.wdl_mse > 0 && table.wdl_mse < 1e-6);
    assert_true(table.rows[0].cost > 1); /* W1: many times the error */
    assert_true(table.rows[table.count - 1].cost > table.rows[0].cost); /* all of it: more */
    samples_free(&samples);
    tinynnue_float_free(&net);
}

/* A file that is not that of the integers is found out. */
static void test_read_back(void **state)
{
    struct tinynnue_float net = synthetic_float(SYNTHETIC_SEED, 128, 32);
    struct samples samples = vector_positions();
    struct buffer bytes = synthetic_file(&net, 24);
    struct quantized q;
    struct error err = {.text = ""};
    (void)state;
    assert_int_equal(quantize_net(&net, 24, &q, NULL), 0);
    assert_int_equal(quantize_check(&q, bytes.data, bytes.length, &samples, NULL), 0);
    q.net.b3[0] += 1000;
    assert_int_equal(quantize_check(&q, bytes.data, bytes.length, &samples, &err), -1);
    assert_int_equal(err.code, ERROR_DIFFERS);
    assert_int_equal(quantize_check(&q, bytes.data, bytes.length - 1, &samples, &err), -1);
    quantized_free(&q);
    buffer_free(&bytes);
    samples_free(&samples);
    tinynnue_float_free(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ties_go_away_from_zero),
        cmocka_unit_test(test_zero_tensor_has_scale_one),
        cmocka_unit_test(test_first_multiplier_is_the_maximum),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_files_read_back),
        cmocka_unit_test(test_shortest_decimals),
        cmocka_unit_test(test_attribution),
        cmocka_unit_test(test_attribution_of_the_last_step),
        cmocka_unit_test(test_attribution_costs),
        cmocka_unit_test(test_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
