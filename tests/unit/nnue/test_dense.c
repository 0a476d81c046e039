/* SPDX-License-Identifier: MIT */
/*
 * Dense layers at every instruction set against a plain sum: the lines of a bug report where sums
 * in 16 bits saturate, and layers of many shapes with the largest activations and weights.
 */
#include <stdio.h>

#include "nnue/core/dense.h"
#include "tests/unit/nnue/netgen.h"

#define SATURATION "tests/data/cases/043-maddubs-saturation/input.tsv"
#define FACTS      "tests/data/cases/043-maddubs-saturation/expected.md"

enum { LINE_SIZE = 8192, INPUTS_MAX = 1024, OUTPUTS_MAX = 64, ACTIVATION_MAX = 127 };

/* All sums of a layer at one level. in: [inputs] */
static void run_layer(const struct kernels *kernels, uint32_t inputs, uint32_t outputs,
                      size_t stride, const int32_t *bias, const int8_t *weights, const uint8_t *in,
                      int32_t *out)
{
    struct dense layer;
    uint8_t *room = memory_new(dense_input_size(inputs));
    int32_t *sums = memory_new(dense_output_size(outputs));
    assert_non_null(room);
    assert_non_null(sums);
    memset(room, 0xff, dense_input_size(inputs)); /* what lies behind the inputs says nothing */
    memcpy(room, in, inputs);
    assert_int_equal(dense_new(&layer, kernels, inputs, outputs, stride, bias, weights), 0);
    kernels->dense_i8(&layer, sums, room);
    memcpy(out, sums, outputs * sizeof *out);
    dense_free(&layer);
    memory_free(room);
    memory_free(sums);
}

static uint32_t parse_numbers(const char *text, int *out)
{
    uint32_t count = 0;
    int length;
    for (; sscanf(text, "%d%n", &out[count], &length) == 1; text += length)
        count++;
    return count;
}

/* The exact value that the facts name for a line. */
static int32_t exact_fact(const char *name)
{
    char line[512], head[64];
    int value = 0;
    bool found = false;
    FILE *file = fopen(FACTS, "r");
    assert_non_null(file);
    snprintf(head, sizeof head, "%.40s = exact ", name);
    while (!found && fgets(line, sizeof line, file))
        found =
            !strncmp(line, head, strlen(head)) && sscanf(line + strlen(head), "%d", &value) == 1;
    assert_true(found);
    fclose(file);
    return value;
}

/* Activations over 127 never reach a layer: such lines concern the scalar reference only. */
static void check_line(char *line)
{
    static int numbers[INPUTS_MAX];
    uint8_t in[INPUTS_MAX];
    int8_t weights[INPUTS_MAX];
    int32_t bias = 0, sum;
    char *inputs = strchr(line, '\t'), *factors = strrchr(line, '\t');
    bool small = true;
    assert_true(inputs && factors && inputs < factors);
    *inputs = *factors = '\0';
    uint32_t count = parse_numbers(inputs + 1, numbers);
    for (uint32_t i = 0; i < count; i++) {
        in[i] = (uint8_t)numbers[i];
        small = small && numbers[i] <= ACTIVATION_MAX;
    }
    assert_int_equal(parse_numbers(factors + 1, numbers), count);
    for (uint32_t i = 0; i < count; i++)
        weights[i] = (int8_t)numbers[i];
    for (unsigned isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++) {
        const struct kernels *kernels = kernels_find((enum plynnue_isa)isa);
        if (!kernels || (!small && isa != PLYNNUE_ISA_SCALAR))
            continue;
        run_layer(kernels, count, 1, count, &bias, weights, in, &sum);
        if (sum != exact_fact(line))
            fail_msg("%s, level %u: %d", line, isa, sum);
    }
}

static void test_sums_do_not_saturate(void **state)
{
    static char line[LINE_SIZE];
    unsigned lines = 0;
    FILE *file = fopen(SATURATION, "r");
    (void)state;
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); lines++) {
        line[strcspn(line, "\n")] = '\0';
        check_line(line);
    }
    assert_int_equal(lines, 11);
    fclose(file);
}

/* Draws of a layer, extremes often. */
static void draw_layer(struct rng *rng, uint8_t *in, int8_t *weights, int32_t *bias, uint32_t shape)
{
    bool extreme = shape % 2;
    for (unsigned i = 0; i < INPUTS_MAX; i++)
        in[i] = extreme ? ACTIVATION_MAX : (uint8_t)(rng_next(rng) % 128);
    for (unsigned i = 0; i < INPUTS_MAX * OUTPUTS_MAX; i++)
        weights[i] = extreme ? -128 : (int8_t)(rng_next(rng) % 256 - 128);
    for (unsigned i = 0; i < OUTPUTS_MAX; i++)
        bias[i] = (int32_t)(uint32_t)rng_next(rng); /* sums may wrap */
}

static void check_shape(uint32_t inputs, uint32_t outputs, size_t stride, const int32_t *bias,
                        const int8_t *weights, const uint8_t *in)
{
    int32_t expected[OUTPUTS_MAX], out[OUTPUTS_MAX];
    for (uint32_t o = 0; o < outputs; o++) {
        int64_t sum = bias[o];
        for (uint32_t i = 0; i < inputs; i++)
            sum += (int64_t)weights[o * stride + i] * in[i];
        expected[o] = (int32_t)(uint32_t)(uint64_t)sum;
    }
    for (unsigned isa = PLYNNUE_ISA_SCALAR; isa <= PLYNNUE_ISA_NEON; isa++) {
        const struct kernels *kernels = kernels_find((enum plynnue_isa)isa);
        if (!kernels)
            continue;
        run_layer(kernels, inputs, outputs, stride, bias, weights, in, out);
        for (uint32_t o = 0; o < outputs; o++)
            if (out[o] != expected[o])
                fail_msg("%u -> %u, level %u: output %u is %d, expected %d", inputs, outputs, isa,
                         o, out[o], expected[o]);
    }
}

static void test_shapes(void **state)
{
    static const uint32_t inputs[] = {1, 5, 15, 30, 32, 33, 64, 100, 128, 512, 1024};
    static const uint32_t outputs[] = {1, 2, 5, 8, 15, 16, 17, 31, 32, 33, 64};
    static uint8_t in[INPUTS_MAX];
    static int8_t weights[INPUTS_MAX * OUTPUTS_MAX];
    static int32_t bias[OUTPUTS_MAX];
    struct rng rng = {NETGEN_SEED};
    (void)state;
    for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++)
        for (unsigned o = 0; o < sizeof outputs / sizeof *outputs; o++) {
            draw_layer(&rng, in, weights, bias, i + o);
            check_shape(inputs[i], outputs[o], inputs[i], bias, weights, in);
            if (inputs[i] % 32)
                check_shape(inputs[i], outputs[o], (inputs[i] + 31) / 32 * 32, bias, weights, in);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_do_not_saturate),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
