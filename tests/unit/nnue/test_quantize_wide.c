/* SPDX-License-Identifier: MIT */
/*
 * Float nets with two sides to integer files. Floats that are seeded integers over their scales
 * must give back the files of those integers, byte by byte, whose digests are published; floats
 * between the steps must come out within what half a step can do.
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "nnue/tools/attribution.h"
#include "nnue/tools/playout.h"
#include "nnue/tools/quantize_wide.h"
#include "nnue/tools/score_net.h"
#include "tests/unit/nnue/netgen.h"

enum { PATH_SIZE = 64, TENSORS = 8, TEXTS = 3 };

/* A float net before it is a file. */
struct floats {
    const char *arch, *unit_cp, *order; /* the last two may be NULL */
    unsigned count;
    struct tensor_out tensors[TENSORS];
    float *values[TENSORS];
};

static float *add(struct floats *net, const char *name, unsigned rank, const uint64_t *shape)
{
    struct tensor_out *tensor = &net->tensors[net->count];
    *tensor = (struct tensor_out){.name = name, .type = TENSOR_F32, .rank = rank};
    memcpy(tensor->shape, shape, rank * sizeof *shape);
    net->values[net->count] = calloc(tensor_out_count(tensor), sizeof(float));
    assert_non_null(net->values[net->count]);
    tensor->values = net->values[net->count];
    return net->values[net->count++];
}

static void floats_free(struct floats *net)
{
    for (unsigned i = 0; i < net->count; i++)
        free(net->values[i]);
    net->count = 0;
}

static void save(const struct floats *net, char path[PATH_SIZE])
{
    struct text_out texts[TEXTS] = {{"arch", net->arch}};
    size_t count = 1;
    struct buffer bytes;
    if (net->unit_cp)
        texts[count++] = (struct text_out){"unit_cp", net->unit_cp};
    if (net->order)
        texts[count++] = (struct text_out){"order", net->order};
    buffer_init(&bytes, PLYNNUE_FILE_MAX);
    assert_int_equal(safetensors_write(texts, count, net->tensors, net->count, &bytes, NULL), 0);
    snprintf(path, PATH_SIZE, "/tmp/plymill-floats-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.data, bytes.length), (ssize_t)bytes.length);
    close(fd);
    buffer_free(&bytes);
}

static void load(const struct floats *net, struct quantize_wide *out)
{
    char path[PATH_SIZE];
    struct error err = {.text = ""};
    save(net, path);
    if (quantize_wide_load(path, NULL, out, &err) != 1)
        fail_msg("%s", err.text);
    unlink(path);
}

static struct buffer encode(const struct floats *net, char arch[QUANTIZE_ARCH_MAX])
{
    struct quantize_wide wide;
    struct buffer bytes;
    struct error err = {.text = ""};
    buffer_init(&bytes, PLYNNUE_FILE_MAX);
    load(net, &wide);
    if (quantize_wide_encode(&wide, NULL, 0, &bytes, arch, &err))
        fail_msg("%s", err.text);
    quantize_wide_free(&wide);
    return bytes;
}

/* The error that encoding gives. */
static void refuse(const struct floats *net, const char *expected)
{
    struct quantize_wide wide;
    struct buffer bytes;
    struct error err = {.text = ""};
    char arch[QUANTIZE_ARCH_MAX];
    buffer_init(&bytes, PLYNNUE_FILE_MAX);
    load(net, &wide);
    assert_int_equal(quantize_wide_encode(&wide, NULL, 0, &bytes, arch, &err), -1);
    if (!strstr(err.text, expected))
        fail_msg("%s, expected %s", err.text, expected);
    quantize_wide_free(&wide);
    buffer_free(&bytes);
}

/* Little-endian integers of so many bytes over scale. */
static void from_integers(const uint8_t *integers, unsigned bytes, size_t count, double scale,
                          float *out)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = 0;
        for (unsigned k = 0; k < bytes; k++)
            bits |= (uint32_t)integers[i * bytes + k] << 8 * k;
        int32_t value = bytes == 1 ? (int8_t)bits : bytes == 2 ? (int16_t)bits : (int32_t)bits;
        out[i] = (float)(value / scale);
    }
}

static struct floats bullet_floats(const char *arch, uint64_t rows, uint64_t n, uint64_t heads)
{
    struct floats net = {.arch = arch};
    add(&net, "ft.weight", 2, (const uint64_t[]){rows, n});
    add(&net, "ft.bias", 1, &n);
    add(&net, "out.weight", 2, (const uint64_t[]){heads, 2 * n});
    add(&net, "out.bias", 1, &heads);
    return net;
}

static void check_bullet(const struct netgen_bullet *shape, const char *arch, const char *side,
                         const char *sha256)
{
    struct netgen g = netgen_bullet(NETGEN_SEED, shape);
    uint64_t rows = (uint64_t)768 * shape->king_buckets, n = shape->n, heads = shape->heads;
    struct floats net = bullet_floats(arch, rows, n, heads);
    const uint8_t *at = g.bytes;
    const double scales[] = {255, 255, 64, 255 * 64};
    char text[QUANTIZE_ARCH_MAX];
    netgen_expect(&g, 0, g.size, sha256);
    for (unsigned i = 0; i < 4; i++) {
        size_t count = tensor_out_count(&net.tensors[i]);
        from_integers(at, 2, count, scales[i], net.values[i]);
        at += 2 * count;
    }
    struct buffer bytes = encode(&net, text);
    assert_int_equal(bytes.length, g.size);
    assert_memory_equal(bytes.data, g.bytes, g.size);
    assert_string_equal(text, side);
    buffer_free(&bytes);
    floats_free(&net);
    free(g.bytes);
}

static void test_bullet_gives_back_its_integers(void **state)
{
    static const struct netgen_bullet plain = {128, 1, 1, 60, 120, 127, 0};
    static const struct netgen_bullet hm8 = {64, 10, 8, 60, 120, 127, 0};
    (void)state;
    check_bullet(&plain, "(768->128)x2->1 screlu", "(768->128)x2->1 screlu qa=255 qb=64 scale=400",
                 "7f105fdd9e2e2f14966a19983f78f00b49ce00045ae1a7d676d1690e85beb884");
    check_bullet(&hm8, "(768x10hm->64)x2->1x8 screlu table=" NETGEN_BULLET_TABLE,
                 "(768x10hm->64)x2->1x8 screlu qa=255 qb=64 scale=400 transposed "
                 "table=" NETGEN_BULLET_TABLE,
                 "eccdc3f18f57497eddd85691ef855d80adead2c0b062bad6a6ef21af32443496");
}

enum { L1 = 32, L2 = 16, HEADS = 8 };

static struct floats halfka_floats(const char *order)
{
    struct floats net = {.arch = "halfka(22528->32)x2->16->1x8", .order = order};
    add(&net, "ft.weight", 2, (const uint64_t[]){22528, L1});
    add(&net, "ft.bias", 1, (const uint64_t[]){L1});
    add(&net, "l1.weight", 3, (const uint64_t[]){HEADS, L2, 2 * L1});
    add(&net, "l1.bias", 2, (const uint64_t[]){HEADS, L2});
    add(&net, "out.weight", 2, (const uint64_t[]){HEADS, L2});
    add(&net, "out.bias", 1, (const uint64_t[]){HEADS});
    return net;
}

/* Every tensor of the seeded integer net, and what its file says of itself. */
static void test_halfka_gives_back_its_integers(void **state)
{
    static const unsigned sizes[] = {2, 2, 1, 4, 1, 4};
    static const double scales[] = {127, 127, 64, 8128, 64, 8128};
    const struct netgen_halfka shape = {L1, L2, HEADS, false, "seed", NULL};
    size_t data;
    struct netgen g = netgen_halfka(NETGEN_SEED, &shape, &data);
    struct floats net = halfka_floats("seed");
    struct safetensors *file = malloc(sizeof *file);
    char text[QUANTIZE_ARCH_MAX], value[64];
    const uint8_t *at = g.bytes + data;
    (void)state;
    for (unsigned i = 0; i < net.count; i++) {
        size_t count = tensor_out_count(&net.tensors[i]);
        from_integers(at, sizes[i], count, scales[i], net.values[i]);
        at += sizes[i] * count;
    }
    struct buffer bytes = encode(&net, text);
    assert_string_equal(text, "");
    assert_int_equal(safetensors_parse(bytes.data, bytes.length, file, NULL), PLYNNUE_OK);
    at = g.bytes + data;
    for (unsigned i = 0; i < net.count; i++) {
        const struct safetensors_tensor *found = safetensors_find(file, net.tensors[i].name);
        size_t size = sizes[i] * tensor_out_count(&net.tensors[i]);
        assert_non_null(found);
        assert_int_equal(found->end - found->begin, size);
        assert_memory_equal(found->data, at, size);
        at += size;
    }
    static const char *const texts[][2] = {
        {"family", "halfka"}, {"arch", "halfka(22528->32)x2->16->1x8"},
        {"order", "seed"},    {"buckets", "8"},
        {"ft_scale", "127"},  {"shift", "6"},
        {"cp_num", "400"},    {"cp_den", "8128"}};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(safetensors_text(file, texts[i][0], value, sizeof value));
        assert_string_equal(value, texts[i][1]);
    }
    free(file);
    buffer_free(&bytes);
    floats_free(&net);
    free(g.bytes);
}

static struct floats halfkp_floats(void)
{
    struct floats net = {.arch = "halfkp(41024->32)x2->32->32->1"};
    add(&net, "ft.weight", 2, (const uint64_t[]){41024, L1});
    add(&net, "ft.bias", 1, (const uint64_t[]){L1});
    add(&net, "l1.weight", 2, (const uint64_t[]){32, 2 * L1});
    add(&net, "l1.bias", 1, (const uint64_t[]){32});
    add(&net, "l2.weight", 2, (const uint64_t[]){32, 32});
    add(&net, "l2.bias", 1, (const uint64_t[]){32});
    add(&net, "out.weight", 2, (const uint64_t[]){1, 32});
    add(&net, "out.bias", 1, (const uint64_t[]){1});
    return net;
}

/* All of the seeded .nnue behind its description, and the header's hashes. */
static void test_halfkp_gives_back_its_integers(void **state)
{
    static const struct {
        unsigned tensor, bytes;
        double scale;
    } order[] = {{1, 2, 127},  {0, 2, 127}, {3, 4, 8128}, {2, 1, 64},
                 {5, 4, 8128}, {4, 1, 64},  {7, 4, 9600}, {6, 1, 9600 / 127.0}};
    struct netgen g = netgen_halfkp(NETGEN_SEED, L1);
    struct floats net = halfkp_floats();
    const size_t description = strlen("synthetic sf12 12345"), own = strlen(net.arch);
    const uint8_t *at = g.bytes + 12 + description + 4;
    char text[QUANTIZE_ARCH_MAX];
    (void)state;
    for (unsigned i = 0; i < net.count; i++) {
        size_t count = tensor_out_count(&net.tensors[order[i].tensor]);
        at += i == 2 ? 4 : 0; /* the network's hash */
        from_integers(at, order[i].bytes, count, order[i].scale, net.values[order[i].tensor]);
        at += order[i].bytes * count;
    }
    assert_ptr_equal(at, g.bytes + g.size);
    struct buffer bytes = encode(&net, text);
    assert_string_equal(text, "");
    assert_int_equal(bytes.length - own, g.size - description);
    assert_memory_equal(bytes.data, g.bytes, 8);
    assert_memory_equal(bytes.data + 12, net.arch, own);
    assert_memory_equal(bytes.data + 12 + own, g.bytes + 12 + description,
                        g.size - 12 - description);
    buffer_free(&bytes);
    floats_free(&net);
    free(g.bytes);
}

static void draw(struct rng *rng, const struct floats *net, unsigned tensor, double most)
{
    size_t count = tensor_out_count(&net->tensors[tensor]);
    for (size_t i = 0; i < count; i++)
        net->values[tensor][i] = (float)((2 * (double)rng_unit(rng) - 1) * most);
}

/* Floats between the steps: mean and largest error of the integer file in cp. */
static struct attribution measure(const struct floats *net)
{
    struct quantize_wide wide;
    struct samples samples = {0};
    struct attribution table;
    struct buffer bytes;
    struct error err = {.text = ""};
    char arch[QUANTIZE_ARCH_MAX];
    buffer_init(&bytes, PLYNNUE_FILE_MAX);
    load(net, &wide);
    assert_int_equal(playout_samples(7, 300, &samples, NULL), 0);
    if (quantize_wide_encode(&wide, NULL, 0, &bytes, arch, &err) ||
        attribution_measure_wide(&wide, &bytes, arch, &samples, false, &table, &err))
        fail_msg("%s", err.text);
    assert_int_equal(table.count, net->count + 1);
    for (unsigned i = 0; i < net->count; i++)
        assert_string_equal(table.rows[i].name, net->tensors[i].name);
    assert_string_equal(table.rows[net->count].name, "all");
    assert_int_equal(table.has_cost, false);
    samples_free(&samples);
    quantize_wide_free(&wide);
    buffer_free(&bytes);
    return table;
}

static double sum_of_sizes(const struct floats *net, unsigned tensor)
{
    double sum = 0;
    for (size_t i = 0; i < tensor_out_count(&net->tensors[tensor]); i++)
        sum += fabs((double)net->values[tensor][i]);
    return sum;
}

/*
 * (768->N)x2->1 crelu. Half a step of 1/QA in the bias and in each of at most 32 rows moves an
 * activation by up to 33/510, the output by that times the weights; half a step of 1/QB in each
 * weight moves it by up to 2N/128; the bias by half of 1/(QA*QB).
 */
static void test_bullet_errors_are_bounded(void **state)
{
    struct floats net = bullet_floats("(768->32)x2->1 crelu", 768, 32, 1);
    struct rng rng = {11};
    (void)state;
    draw(&rng, &net, 0, 0.3);
    draw(&rng, &net, 1, 0.5);
    draw(&rng, &net, 2, 0.5);
    draw(&rng, &net, 3, 0.5);
    struct attribution table = measure(&net);
    double activation = 33 / 510.0, sizes = sum_of_sizes(&net, 2);
    double weights = 2 * 32 / 128.0, bias = 0.5 / (255 * 64);
    assert_true(table.rows[0].max <= 400 * sizes * 32 / 510.0);
    assert_true(table.rows[1].max <= 400 * sizes / 510.0);
    assert_true(table.rows[2].max <= 400 * weights);
    assert_true(table.rows[3].max <= 400 * bias * (1 + 1e-6));
    assert_true(table.rows[4].max <= 400 * ((sizes + weights) * activation + weights + bias) + 1);
    /* Errors of chance mostly cancel: a wrong scale would be beyond all of this. */
    assert_true(table.rows[4].mean > 0.05 && table.rows[4].mean < 15);
    floats_free(&net);
}

/* The same for the other kinds, by what chance leaves. */
static void test_errors_are_small(void **state)
{
    static const double halfka[] = {0.05, 0.5, 0.4, 0.3, 1.5, 0.3};
    static const double halfkp[] = {0.05, 0.5, 0.4, 0.3, 0.4, 0.3, 1.5, 0.3};
    struct floats a = halfka_floats("stockfish"), p = halfkp_floats();
    struct rng rng = {12};
    (void)state;
    a.unit_cp = "288.25";
    for (unsigned i = 0; i < a.count; i++)
        draw(&rng, &a, i, halfka[i]);
    for (unsigned i = 0; i < p.count; i++)
        draw(&rng, &p, i, halfkp[i]);
    struct attribution table = measure(&a);
    assert_true(table.rows[6].mean > 0.05 && table.rows[6].mean < 15);
    table = measure(&p);
    assert_true(table.rows[8].mean > 0.05 && table.rows[8].mean < 15);
    /* A net that speaks of 250 cp: the last layer has other steps, the value is as right. */
    p.unit_cp = "250";
    double mean = table.rows[8].mean;
    table = measure(&p);
    assert_true(table.rows[8].mean < 1.5 * mean);
    floats_free(&a);
    floats_free(&p);
}

/* The last value that fits and the first that does not, each way. */
static void test_limits(void **state)
{
    struct floats net = halfka_floats("seed");
    char text[QUANTIZE_ARCH_MAX];
    (void)state;
    net.values[2][(3 * L2 + 5) * 2 * L1 + 7] = 127.484375F / 64; /* 127.48.. steps */
    net.values[2][0] = -128.484375F / 64;
    struct buffer bytes = encode(&net, text);
    buffer_free(&bytes);
    net.values[2][(3 * L2 + 5) * 2 * L1 + 7] = 127.5F / 64;
    refuse(&net, "l1.weight[3, 5, 7] = 1.9921875 is 128 steps of 1/64, int8 holds -128 .. 127: "
                 "train it with |values| up to 1.98438");
    net.values[2][(3 * L2 + 5) * 2 * L1 + 7] = 0;
    net.values[2][0] = -128.5F / 64;
    refuse(&net, "l1.weight[0, 0, 0] = -2.0078125 is -129 steps");
    net.values[2][0] = 0;
    net.values[0][22527 * L1 + 31] = 259;
    refuse(&net, "ft.weight[22527, 31] = 259 is 32893 steps of 1/127, int16 holds");
    net.values[0][22527 * L1 + 31] = 0;
    net.values[5][7] = 264209; /* * 8128 is over 2^31 */
    refuse(&net, "out.bias[7] = 264209 is 2147490752 steps");
    net.values[5][7] = 264208;
    bytes = encode(&net, text);
    buffer_free(&bytes);
    floats_free(&net);
}

/* Halves go away from zero. */
static void test_ties(void **state)
{
    static const float values[] = {0.5F / 64, -0.5F / 64, 1.5F / 64, -2.5F / 64, 0.49F / 64};
    static const int8_t expected[] = {1, -1, 2, -3, 0};
    struct floats net = halfka_floats("seed");
    struct safetensors *file = malloc(sizeof *file);
    char text[QUANTIZE_ARCH_MAX];
    (void)state;
    memcpy(net.values[4], values, sizeof values);
    struct buffer bytes = encode(&net, text);
    assert_int_equal(safetensors_parse(bytes.data, bytes.length, file, NULL), PLYNNUE_OK);
    assert_memory_equal(safetensors_find(file, "out.weight")->data, expected, sizeof expected);
    free(file);
    buffer_free(&bytes);
    floats_free(&net);
}

/* Units that a file cannot say; units that it can. */
static void test_units(void **state)
{
    struct floats bullet = bullet_floats("(768->1)x2->1 screlu", 768, 1, 1);
    struct floats halfka = halfka_floats("seed");
    struct safetensors *file = malloc(sizeof *file);
    char text[QUANTIZE_ARCH_MAX], value[32];
    (void)state;
    bullet.unit_cp = "288.46";
    refuse(&bullet, "unit_cp 288.46: the scale of a quantised.bin is a whole number up to 65535");
    bullet.unit_cp = "65536";
    refuse(&bullet, "a whole number up to 65535");
    bullet.unit_cp = "65535";
    struct buffer bytes = encode(&bullet, text);
    assert_string_equal(text, "(768->1)x2->1 screlu qa=255 qb=64 scale=65535");
    buffer_free(&bytes);
    halfka.unit_cp = "288.25";
    bytes = encode(&halfka, text);
    assert_int_equal(safetensors_parse(bytes.data, bytes.length, file, NULL), PLYNNUE_OK);
    assert_true(safetensors_text(file, "cp_num", value, sizeof value));
    assert_string_equal(value, "28825");
    assert_true(safetensors_text(file, "cp_den", value, sizeof value));
    assert_string_equal(value, "812800");
    buffer_free(&bytes);
    halfka.unit_cp = "288.46153";
    refuse(&halfka, "unit_cp 288.46153: at most 4 digits behind the point");
    free(file);
    floats_free(&bullet);
    floats_free(&halfka);
}

static void test_other_files(void **state)
{
    struct floats net = {.arch = "769->1->1->1"};
    struct quantize_wide wide;
    struct error err = {.text = ""};
    char path[PATH_SIZE];
    (void)state;
    add(&net, "l1.weight", 2, (const uint64_t[]){769, 1});
    save(&net, path);
    assert_int_equal(quantize_wide_load(path, NULL, &wide, &err), 0);
    quantize_wide_free(&wide);
    net.arch = "(768->1)x2->1 screlu";
    unlink(path);
    save(&net, path);
    assert_int_equal(quantize_wide_load(path, NULL, &wide, &err), -1);
    assert_non_null(strstr(err.text, "ft.weight"));
    quantize_wide_free(&wide);
    unlink(path);
    assert_int_equal(quantize_wide_load(path, NULL, &wide, &err), -1);
    quantize_wide_free(&wide);
    floats_free(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bullet_gives_back_its_integers),
        cmocka_unit_test(test_halfka_gives_back_its_integers),
        cmocka_unit_test(test_halfkp_gives_back_its_integers),
        cmocka_unit_test(test_bullet_errors_are_bounded),
        cmocka_unit_test(test_errors_are_small),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
