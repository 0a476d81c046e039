/* SPDX-License-Identifier: MIT */
/*
 * Files of Stockfish's nets that are cut, longer, changed or of other kinds: each is refused with
 * the byte and the reason, and nothing is left behind.
 */
#include "tests/unit/nnue/sf_synthetic.h"

enum { L1 = 32, SEED = 5, STACKS = 8, CUTS = 150, TEXT_SIZE = 12 };

static struct buffer make_file(enum synthetic_kind kind, bool packed)
{
    struct synthetic_net *net = synthetic_sf_new(kind, SEED, L1, STACKS);
    struct buffer bytes = synthetic_sf_encode(net, SEED, packed);
    synthetic_sf_free(net);
    return bytes;
}

/* What the library says about the first size bytes; the net is closed again. */
static struct plynnue_error load(const struct buffer *bytes, size_t size, const char *arch)
{
    struct plynnue_options options = {sizeof options, arch, PLYNNUE_ISA_SCALAR};
    struct plynnue_error error = {.text = ""};
    plynnue_net *net;
    int code = plynnue_net_from_memory(bytes->data, size, &options, &net, &error);
    assert_int_equal(code, error.code);
    assert_true((net == NULL) == (code != PLYNNUE_OK));
    plynnue_net_close(net);
    return error;
}

static void assert_refused(const struct plynnue_error *error, int code, uint64_t offset,
                           const char *text)
{
    if (error->code != code || error->offset != offset || !strstr(error->text, text))
        fail_msg("%d at %llu: %s; expected %d at %llu: %s", error->code,
                 (unsigned long long)error->offset, error->text, code, (unsigned long long)offset,
                 text);
}

struct variant {
    enum synthetic_kind kind;
    bool packed;
};

static const struct variant variants[] = {
    {SYN_SF14, false}, {SYN_SF15_1, false}, {SYN_SF16, true},     {SYN_SF18, true},
    {SYN_SF18, false}, {SYN_SF19, true},    {SYN_SF19LITE, true}, {SYN_SF19LITE, false},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

static void test_sound(void **state)
{
    (void)state;
    for (unsigned i = 0; i < VARIANTS; i++) {
        struct buffer bytes = make_file(variants[i].kind, variants[i].packed);
        struct plynnue_error error =
            load(&bytes, bytes.length, synthetic_facts(variants[i].kind).arch);
        if (error.code)
            fail_msg("%s", error.text);
        buffer_free(&bytes);
    }
}

/* Cut anywhere, by one byte, or one byte longer. */
static void test_cut(void **state)
{
    (void)state;
    for (unsigned i = 0; i < VARIANTS; i++) {
        struct buffer bytes = make_file(variants[i].kind, variants[i].packed);
        const char *arch = synthetic_facts(variants[i].kind).arch;
        size_t length = bytes.length;
        struct plynnue_error error;
        for (size_t cut = 1; cut <= CUTS; cut++) {
            size_t size = cut < CUTS / 2 ? cut : length / CUTS * cut - 1;
            error = load(&bytes, size, arch);
            assert_int_equal(error.code, PLYNNUE_EFORMAT);
            assert_true(error.offset <= size);
        }
        error = load(&bytes, length - 1, arch);
        assert_int_equal(error.code, PLYNNUE_EFORMAT);
        assert_non_null(strstr(error.text, "stack 7"));
        assert_int_equal(buffer_append(&bytes, "", 1, NULL), 0);
        error = load(&bytes, length + 1, arch);
        assert_refused(&error, PLYNNUE_EFORMAT, length, "1 bytes follow");
        buffer_free(&bytes);
    }
}

/* The byte at which something stands in a file of synthetic_sf_encode. */
static size_t transformer_at(const struct buffer *bytes)
{
    return TEXT_SIZE + (uint8_t)bytes->data[8];
}

static size_t stack_at(const struct buffer *bytes, enum synthetic_kind kind, unsigned stack)
{
    struct synthetic_net *net = synthetic_sf_new(kind, SEED, L1, STACKS);
    size_t size = 4;
    for (unsigned k = 0; k < 3; k++)
        size += (size_t)net->layer[0][k].outputs * (4 + net->layer[0][k].stride);
    synthetic_sf_free(net);
    return bytes->length - (STACKS - stack) * size;
}

static void flip(struct buffer *bytes, size_t at)
{
    bytes->data[at] = (char)(bytes->data[at] ^ 1);
}

static void test_hashes(void **state)
{
    struct plynnue_error error;
    (void)state;
    for (unsigned i = 0; i < VARIANTS; i++) {
        struct buffer bytes = make_file(variants[i].kind, variants[i].packed);
        const char *arch = synthetic_facts(variants[i].kind).arch;
        size_t first = stack_at(&bytes, variants[i].kind, 0);
        size_t last = stack_at(&bytes, variants[i].kind, 7);
        size_t features = transformer_at(&bytes) + 3; /* the highest byte tells which features */
        flip(&bytes, 4);
        error = load(&bytes, bytes.length, arch);
        assert_refused(&error, PLYNNUE_EFORMAT, 4, "hash");
        flip(&bytes, 4);
        flip(&bytes, first);
        error = load(&bytes, bytes.length, arch);
        assert_refused(&error, PLYNNUE_EFORMAT, first, "stack 0");
        flip(&bytes, first);
        flip(&bytes, last + 3);
        error = load(&bytes, bytes.length, arch);
        assert_refused(&error, PLYNNUE_EFORMAT, last, "stack 7");
        flip(&bytes, last + 3);
        flip(&bytes, features);
        error = load(&bytes, bytes.length, arch);
        assert_refused(&error, PLYNNUE_EARCH, 0, "asked for");
        error = load(&bytes, bytes.length, NULL);
        assert_refused(&error, PLYNNUE_EARCH, 0, "not known");
        buffer_free(&bytes);
    }
}

/* A byte of a packed block that makes its number go on, or a length that is not the block's. */
static void test_blocks(void **state)
{
    struct buffer bytes = make_file(SYN_SF19LITE, true);
    size_t block = transformer_at(&bytes) + 4, numbers = block + 21, end;
    struct plynnue_error error;
    (void)state;
    end =
        numbers + ((uint8_t)bytes.data[block + 17] | (size_t)(uint8_t)bytes.data[block + 18] << 8);
    bytes.data[end - 1] = (char)(bytes.data[end - 1] | 0x80);
    error = load(&bytes, bytes.length, NULL);
    assert_int_equal(error.code, PLYNNUE_EFORMAT);
    assert_true(error.offset >= end - 3 && error.offset < end);
    assert_non_null(strstr(error.text, "cut or over"));
    bytes.data[end - 1] = (char)(bytes.data[end - 1] & 0x7f);
    bytes.data[block + 17] = (char)(bytes.data[block + 17] - 1);
    error = load(&bytes, bytes.length, NULL);
    assert_int_equal(error.code, PLYNNUE_EFORMAT);
    bytes.data[block + 17] = (char)(bytes.data[block + 17] + 1);
    bytes.data[block + 20] = 0x7f; /* over the end of the file */
    error = load(&bytes, bytes.length, NULL);
    assert_refused(&error, PLYNNUE_EFORMAT, block, "are left in the file");
    bytes.data[block + 20] = 0;
    bytes.data[block] = 'c'; /* no block: then an array as it is, and nothing fits */
    error = load(&bytes, bytes.length, NULL);
    assert_int_equal(error.code, PLYNNUE_EFORMAT);
    buffer_free(&bytes);
}

/* Any one byte changed: loaded or refused, never worse (run with sanitizers). */
static void test_any_byte(void **state)
{
    struct rng rng = {SEED};
    (void)state;
    for (unsigned i = 0; i < VARIANTS; i++) {
        struct buffer bytes = make_file(variants[i].kind, variants[i].packed);
        bool early = variants[i].kind == SYN_SF19LITE;
        for (unsigned round = 0; round < (early ? 300 : 10); round++) {
            size_t at = round % 2 ? rng_below(&rng, 200) : rng_below(&rng, (uint32_t)bytes.length);
            char old = bytes.data[at];
            bytes.data[at] = (char)(uint8_t)rng_below(&rng, 256);
            load(&bytes, bytes.length, synthetic_facts(variants[i].kind).arch);
            bytes.data[at] = old;
        }
        buffer_free(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),    cmocka_unit_test(test_cut),
        cmocka_unit_test(test_hashes),   cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_any_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
