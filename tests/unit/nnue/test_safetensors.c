/* SPDX-License-Identifier: MIT */
/*
 * The safetensors reader and the net loader on damaged and hostile files: each kind of damage is an
 * error that names a byte, never a crash.
 */
#include <stdio.h>

#include "formats/io/bytes.h"
#include "tests/unit/nnue/synthetic.h"

/* A file with this header and so many bytes of data. The copy is exact, so that overreads are seen.
 */
static uint8_t *make_file(const char *header, size_t data, size_t *size)
{
    size_t length = strlen(header);
    uint8_t *bytes = calloc(8 + length + data, 1);
    assert_non_null(bytes);
    bytes_put_u64(bytes, length);
    memcpy(bytes + 8, header, length);
    *size = 8 + length + data;
    return bytes;
}

static int parse(const char *header, size_t data, struct safetensors *out,
                 struct plynnue_error *error)
{
    size_t size;
    uint8_t *bytes = make_file(header, data, &size);
    int code = safetensors_parse(bytes, size, out, error);
    free(bytes);
    return code;
}

#define TENSOR(name, dtype, shape, begin, end)                                                     \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" begin "," end   \
    "]}"

static void test_good_headers(void **state)
{
    static const struct {
        const char *header;
        size_t data;
        unsigned tensors;
    } cases[] = {
        {"{}", 0, 0},
        {"{}      ", 0, 0},
        {"{\"__metadata__\":{}}", 0, 0},
        {"{" TENSOR("a", "F32", "[2]", "0", "8") "}", 8, 1},
        {"{ \"a\" : { \"shape\" : [ 2 , 1 ] , \"data_offsets\" : [ 0 , 2 ] , \"dtype\" : \"I8\" } "
         "}",
         2, 1},
        {"{" TENSOR("a", "I16", "[]", "0", "2") "}", 2, 1},
        {"{" TENSOR("b", "U8", "[3]", "2", "5") "," TENSOR("a", "I8", "[2]", "0", "2") "}", 5, 2},
        {"{" TENSOR("a", "I64", "[0,7]", "0", "0") "," TENSOR("b", "I8", "[1]", "0", "1") "}", 1,
         2},
        {"{" TENSOR("a", "I8", "[1,1,1,1,1,1,1,1]", "0", "1") "}", 1, 1},
    };
    struct safetensors *file = malloc(sizeof *file);
    struct plynnue_error error;
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (parse(cases[i].header, cases[i].data, file, &error))
            fail_msg("%s: %s", cases[i].header, error.text);
        assert_int_equal(file->tensor_count, cases[i].tensors);
    }
    free(file);
}

static void test_bad_headers(void **state)
{
    static const struct {
        const char *header;
        size_t data;
    } cases[] = {
        {"", 0},
        {" {}", 0},
        {"[]", 0},
        {"{", 0},
        {"{}x", 0},
        {"{},", 0},
        {"{\"a\"}", 0},
        {"{\"a\":}", 0},
        {"{\"a\":{}}", 0},
        {"{\"a\":1}", 0},
        {"{\"a", 0},
        {"{\"a\\", 0},
        {"{\"a\\\"", 0},
        {"{\"a\nb\":{}}", 0},
        {"{\"\\u12\":{}}", 0},
        {"{\"\\ud800\":{}}", 0},
        {"{\"\\q\":{}}", 0},
        {"{,}", 0},
        /* fields: missing, twice, unknown */
        {"{\"a\":{\"dtype\":\"I8\",\"shape\":[1]}}", 1},
        {"{\"a\":{\"dtype\":\"I8\",\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1},
        {"{\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1],\"x\":1}}", 1},
        {"{" TENSOR("a", "I7", "[1]", "0", "1") "}", 1},
        {"{" TENSOR("a", "THEBIGTYPE", "[1]", "0", "1") "}", 1},
        /* numbers */
        {"{" TENSOR("a", "I8", "[-1]", "0", "1") "}", 1},
        {"{" TENSOR("a", "I8", "[1.0]", "0", "1") "}", 1},
        {"{" TENSOR("a", "I8", "[1e0]", "0", "1") "}", 1},
        {"{" TENSOR("a", "I8", "[01]", "0", "1") "}", 1},
        {"{" TENSOR("a", "I8", "[99999999999999999999]", "0", "1") "}", 1},
        {"{" TENSOR("a", "I8", "[4294967296,4294967296]", "0", "0") "}", 0},
        {"{" TENSOR("a", "F64", "[2305843009213693952]", "0", "0") "}", 0},
        {"{" TENSOR("a", "I8", "[1,1,1,1,1,1,1,1,1]", "0", "1") "}", 1},
        {"{\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0]}}", 1},
        {"{\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1,1]}}", 1},
        /* ranges: reversed, outside, of the wrong size, with holes, overlaps, leftovers */
        {"{" TENSOR("a", "I8", "[1]", "1", "0") "}", 1},
        {"{" TENSOR("a", "I8", "[2]", "0", "2") "}", 1},
        {"{" TENSOR("a", "I8", "[9223372036854775807]", "0", "9223372036854775807") "}", 1},
        {"{" TENSOR("a", "F32", "[2]", "0", "7") "}", 8},
        {"{" TENSOR("a", "I8", "[1]", "1", "2") "}", 2},
        {"{" TENSOR("a", "I8", "[1]", "0", "1") "," TENSOR("b", "I8", "[1]", "2", "3") "}", 3},
        {"{" TENSOR("a", "I8", "[2]", "0", "2") "," TENSOR("b", "I8", "[2]", "1", "3") "}", 3},
        {"{" TENSOR("a", "I8", "[2]", "0", "2") "," TENSOR("b", "I8", "[2]", "0", "2") "}", 2},
        {"{" TENSOR("a", "I8", "[1]", "0", "1") "}", 2},
        {"{}", 1},
        /* names and metadata */
        {"{" TENSOR("a", "I8", "[1]", "0", "1") "," TENSOR("a", "I8", "[1]", "1", "2") "}", 2},
        {"{" TENSOR("a234567890123456789012345678901234567890123456789012345678901234", "I8", "[1]",
                    "0", "1") "}",
         1},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0},
        {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0},
        {"{\"__metadata__\":{\"a\":1}}", 0},
        {"{\"__metadata__\":[]}", 0},
    };
    struct safetensors *file = malloc(sizeof *file);
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plynnue_error error = {.text = ""};
        if (parse(cases[i].header, cases[i].data, file, &error) != PLYNNUE_EFORMAT)
            fail_msg("accepted: %s", cases[i].header);
        assert_int_equal(error.code, PLYNNUE_EFORMAT);
        assert_true(error.text[0]);
    }
    free(file);
}

static void test_lengths(void **state)
{
    uint8_t bytes[16] = {0};
    struct safetensors *file = malloc(sizeof *file);
    (void)state;
    for (size_t size = 0; size < 8; size++)
        assert_int_equal(safetensors_parse(bytes, size, file, NULL), PLYNNUE_EFORMAT);
    memcpy(bytes + 8, "{}      ", 8);
    bytes_put_u64(bytes, 8);
    assert_int_equal(safetensors_parse(bytes, 16, file, NULL), PLYNNUE_OK);
    static const uint64_t bad[] = {
        0, 1, 9, SAFETENSORS_HEADER_MAX, SAFETENSORS_HEADER_MAX + 1, UINT64_MAX, UINT64_MAX - 7};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        bytes_put_u64(bytes, bad[i]);
        assert_int_equal(safetensors_parse(bytes, 16, file, NULL), PLYNNUE_EFORMAT);
    }
    free(file);
}

/* The most tensors, metadata entries and name bytes, and one more of each. */
static void test_limits(void **state)
{
    struct safetensors *file = malloc(sizeof *file);
    char name[SAFETENSORS_NAME_MAX + 1], header[SAFETENSORS_TEXTS_MAX * 80];
    (void)state;
    for (unsigned extra = 0; extra < 2; extra++) {
        size_t used = 0;
        for (unsigned i = 0; i < SAFETENSORS_TENSORS_MAX + extra; i++)
            used += (size_t)snprintf(header + used, sizeof header - used,
                                     "%s\"t%u\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":"
                                     "[%u,%u]}",
                                     i ? "," : "{", i, i, i + 1);
        snprintf(header + used, sizeof header - used, "}");
        assert_int_equal(parse(header, SAFETENSORS_TENSORS_MAX + extra, file, NULL),
                         extra ? PLYNNUE_EFORMAT : PLYNNUE_OK);
        used = (size_t)snprintf(header, sizeof header, "{\"__metadata__\":");
        for (unsigned i = 0; i < SAFETENSORS_TEXTS_MAX + extra; i++)
            used += (size_t)snprintf(header + used, sizeof header - used, "%s\"k%u\":\"\"",
                                     i ? "," : "{", i);
        snprintf(header + used, sizeof header - used, "}}");
        assert_int_equal(parse(header, 0, file, NULL), extra ? PLYNNUE_EFORMAT : PLYNNUE_OK);
        memset(name, 'n', sizeof name);
        name[SAFETENSORS_NAME_MAX - 1 + extra] = '\0';
        snprintf(header, sizeof header, "{\"__metadata__\":{\"%s\":\"\"}}", name);
        assert_int_equal(parse(header, 0, file, NULL), extra ? PLYNNUE_EFORMAT : PLYNNUE_OK);
    }
    free(file);
}

static void test_metadata_values(void **state)
{
    static const char header[] =
        "{\"__metadata__\":{\"plain\":\"a->b\",\"escaped\":\"\\\"\\\\\\/"
        "\\n\\u00e9\\u20ac\\ud83d\\ude00\","
        "\"n\":\"16777216\",\"big\":\"9223372036854775807\",\"over\":\"9223372036854775808\","
        "\"neg\":\"-1\",\"none\":\"\",\"bad\":\"\\ud800x\",\"nul\":\"\\u0000\"}}";
    struct safetensors *file = malloc(sizeof *file);
    size_t size;
    uint8_t *bytes = make_file(header, 0, &size);
    char text[32];
    int64_t value;
    (void)state;
    assert_int_equal(safetensors_parse(bytes, size, file, NULL), 0);
    assert_true(safetensors_text(file, "plain", text, sizeof text));
    assert_string_equal(text, "a->b");
    assert_true(safetensors_text(file, "plain", text, 5));
    assert_false(safetensors_text(file, "plain", text, 4));
    assert_true(safetensors_text(file, "escaped", text, sizeof text));
    assert_string_equal(text, "\"\\/\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_false(safetensors_text(file, "absent", text, sizeof text));
    assert_false(safetensors_text(file, "bad", text, sizeof text));
    assert_false(safetensors_text(file, "nul", text, sizeof text));
    assert_true(safetensors_integer(file, "n", &value));
    assert_int_equal(value, 16777216);
    assert_true(safetensors_integer(file, "big", &value));
    assert_true(value == INT64_MAX);
    assert_false(safetensors_integer(file, "over", &value));
    assert_false(safetensors_integer(file, "neg", &value));
    assert_false(safetensors_integer(file, "none", &value));
    free(bytes);
    free(file);
}

/* Every prefix and every flipped byte of a header: an error or a net, never more than that. */
static void test_damaged_net(void **state)
{
    struct tinynnue_float floats = synthetic_float(1, 16, 4);
    struct buffer bytes = synthetic_file(&floats, 24);
    size_t header = (size_t)bytes_get_u64((uint8_t *)bytes.data) + 8;
    plynnue_net *net;
    (void)state;
    for (size_t size = 0; size < bytes.length; size += size < header + 64 ? 1 : 997) {
        uint8_t *cut = malloc(size ? size : 1);
        memcpy(cut, bytes.data, size);
        assert_int_not_equal(plynnue_net_from_memory(cut, size, NULL, &net, NULL), PLYNNUE_OK);
        assert_null(net);
        free(cut);
    }
    for (size_t at = 0; at < header; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes.data[at] = (char)(bytes.data[at] ^ (1 << bit));
            if (!plynnue_net_from_memory(bytes.data, bytes.length, NULL, &net, NULL))
                plynnue_net_close(net);
            bytes.data[at] = (char)(bytes.data[at] ^ (1 << bit));
        }
    buffer_free(&bytes);
    tinynnue_float_free(&floats);
}

/* Replaces text in a net file's header by text of the same length. */
static int load_with(const struct buffer *bytes, const char *from, const char *to)
{
    uint8_t *copy = malloc(bytes->length);
    plynnue_net *net;
    int code;
    memcpy(copy, bytes->data, bytes->length);
    uint8_t *hit = memmem(copy, bytes->length, from, strlen(from));
    assert_non_null(hit);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(hit, to, strlen(to));
    code = plynnue_net_from_memory(copy, bytes->length, NULL, &net, NULL);
    plynnue_net_close(net);
    free(copy);
    return code;
}

static void test_wrong_nets(void **state)
{
    struct tinynnue_float floats = synthetic_float(1, 16, 4);
    struct buffer ints = synthetic_file(&floats, 24), reals = synthetic_file(&floats, 0);
    (void)state;
    assert_int_equal(load_with(&ints, "\"M1\":\"6", "\"M1\":\"6"), PLYNNUE_OK);
    assert_int_equal(load_with(&ints, "769->16->4->1", "769->4->16->1"), PLYNNUE_EARCH);
    assert_int_equal(load_with(&ints, "769->16->4->1", "768->16->4->1"), PLYNNUE_EARCH);
    assert_int_equal(load_with(&ints, "769->16->4->1", "769->16->4->2"), PLYNNUE_EARCH);
    assert_int_equal(load_with(&ints, "769->16->4->1", "769->016->4>1"), PLYNNUE_EARCH);
    assert_int_equal(load_with(&ints, "\"arch\"", "\"arcx\""), PLYNNUE_EARCH);
    assert_int_equal(load_with(&ints, "l1.weight", "l9.weight"), PLYNNUE_EARCH);
    assert_int_equal(load_with(&ints, "\"unit_cp\":\"400\"", "\"unit_cp\":\"300\""), PLYNNUE_EARCH);
    assert_int_equal(load_with(&ints, "\"S\":\"24\"", "\"S\":\"30\""), PLYNNUE_OK);
    assert_int_equal(load_with(&ints, "\"S\":\"24\"", "\"S\":\"31\""), PLYNNUE_EFORMAT);
    assert_int_equal(load_with(&ints, "\"S\":\"24\"", "\"S\":\"00\""), PLYNNUE_EFORMAT);
    assert_int_equal(load_with(&ints, "\"S\":\"24\"", "\"T\":\"24\""), PLYNNUE_EFORMAT);
    assert_int_equal(load_with(&ints, "\"M1\":\"6", "\"M1\":\"-"), PLYNNUE_EFORMAT);
    assert_int_equal(load_with(&ints, "\"I32\",\"shape\":[16]", "\"F32\",\"shape\":[16]"),
                     PLYNNUE_EARCH);
    /* NaN and infinity are no weights */
    uint8_t *value = (uint8_t *)reals.data + reals.length - 4;
    plynnue_net *net;
    struct plynnue_error error;
    bytes_put_u32(value, 0x7f800000);
    assert_int_equal(plynnue_net_from_memory(reals.data, reals.length, NULL, &net, &error),
                     PLYNNUE_EFORMAT);
    assert_int_equal(error.offset, reals.length - 4);
    bytes_put_u32(value, 0xffc00000);
    assert_int_equal(plynnue_net_from_memory(reals.data, reals.length, NULL, &net, NULL),
                     PLYNNUE_EFORMAT);
    bytes_put_u32(value, 0x7f7fffff);
    assert_int_equal(plynnue_net_from_memory(reals.data, reals.length, NULL, &net, NULL),
                     PLYNNUE_OK);
    plynnue_net_close(net);
    assert_int_equal(plynnue_net_from_memory("\x20\x2f\xf3\x7a rest", 9, NULL, &net, NULL),
                     PLYNNUE_EFORMAT);
    assert_int_equal(plynnue_net_from_memory("not a net at all", 16, NULL, &net, NULL),
                     PLYNNUE_EFORMAT);
    assert_int_equal(plynnue_net_from_memory("", 0, NULL, &net, NULL), PLYNNUE_EFORMAT);
    buffer_free(&ints);
    buffer_free(&reals);
    tinynnue_float_free(&floats);
}

/* A bias with which some sum could leave int32 is refused; the largest that cannot is not. */
static void test_overflowing_bias(void **state)
{
    struct tinynnue_int net;
    (void)state;
    assert_int_equal(tinynnue_int_new(&net, 16, 4), 0);
    net.shift = 24;
    net.multiplier[0] = net.multiplier[1] = net.multiplier[2] = 1;
    net.b2[3] = INT32_MAX - 16 * 127 * 128;
    assert_int_equal(tinynnue_int_check(&net, NULL), PLYNNUE_OK);
    net.b2[3]++;
    assert_int_equal(tinynnue_int_check(&net, NULL), PLYNNUE_EFORMAT);
    net.b2[3] = -(INT32_MAX - 16 * 127 * 128);
    assert_int_equal(tinynnue_int_check(&net, NULL), PLYNNUE_OK);
    net.b1[0] = INT32_MIN;
    assert_int_equal(tinynnue_int_check(&net, NULL), PLYNNUE_EFORMAT);
    tinynnue_int_free(&net);
}

static void test_arch_strings(void **state)
{
    uint32_t h1, h2;
    char text[TINYNNUE_ARCH_SIZE];
    (void)state;
    assert_true(tinynnue_parse_arch("769->128->32->1", &h1, &h2));
    assert_int_equal(h1, 128);
    assert_int_equal(h2, 32);
    assert_true(tinynnue_parse_arch("769->4096->1024->1", &h1, &h2));
    tinynnue_format_arch(h1, h2, text);
    assert_string_equal(text, "769->4096->1024->1");
    static const char *const bad[] = {"",
                                      "769",
                                      "769->128->32",
                                      "769->128->32->1 ",
                                      "769->128->32->12",
                                      "769->0->32->1",
                                      "769->4097->32->1",
                                      "769->128->1025->1",
                                      "769->99999999999999999999->32->1",
                                      "769->-1->32->1",
                                      "769->128->32->32->1"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(tinynnue_parse_arch(bad[i], &h1, &h2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_headers),    cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_lengths),         cmocka_unit_test(test_limits),
        cmocka_unit_test(test_metadata_values), cmocka_unit_test(test_damaged_net),
        cmocka_unit_test(test_wrong_nets),      cmocka_unit_test(test_overflowing_bias),
        cmocka_unit_test(test_arch_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
