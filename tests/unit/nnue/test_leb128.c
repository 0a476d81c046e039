/* SPDX-License-Identifier: MIT */
/*
 * Blocks of signed LEB128 numbers: known encodings, the limits of 16 and 32 bits and one past them,
 * and what is said about blocks that are not sound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka wants the headers above before it. */
#include <cmocka.h>

#include "nnue/core/leb128.h"

enum { BLOCK_MAX = 256, FILE_OFFSET = 1000 };

struct block_bytes {
    uint8_t bytes[BLOCK_MAX];
    size_t size;
};

static struct block_bytes make_block(const void *payload, size_t size)
{
    struct block_bytes out = {.size = LEB128_HEAD_SIZE + size};
    assert_true(out.size <= BLOCK_MAX);
    memcpy(out.bytes, "COMPRESSED_LEB128", 17);
    out.bytes[17] = (uint8_t)size;
    memcpy(out.bytes + LEB128_HEAD_SIZE, payload, size);
    return out;
}

static struct leb128 open_block(const struct block_bytes *bytes)
{
    struct leb128 block;
    assert_true(leb128_detect(bytes->bytes, bytes->size));
    assert_int_equal(leb128_open(bytes->bytes, bytes->size, FILE_OFFSET, &block, NULL), 0);
    return block;
}

/* Values that the encodings are published with (the last ones in descriptions of LEB128). */
static void test_numbers(void **state)
{
    static const uint8_t payload[] = {0x00, 0x02, 0x7e, 0x3f, 0xc0, 0x00, 0x40, 0xbf, 0x7f,
                                      0xff, 0x00, 0x80, 0x01, 0x80, 0x7f, 0x81, 0x01, 0xff,
                                      0x7e, 0xc0, 0xbb, 0x78, 0xe5, 0x8e, 0x26};
    static const int32_t values[] = {0,   2,   -2,   63,  64,   -64,     -65,
                                     127, 128, -128, 129, -129, -123456, 624485};
    enum { COUNT = sizeof values / sizeof *values };
    struct block_bytes bytes = make_block(payload, sizeof payload);
    struct leb128 block = open_block(&bytes);
    int32_t out[COUNT];
    (void)state;
    assert_int_equal(leb128_count(&block), COUNT);
    assert_int_equal(leb128_check(&block, COUNT, 32, NULL), PLYNNUE_OK);
    leb128_read_i32(&block, out, 5);
    leb128_read_i32(&block, out + 5, COUNT - 5);
    assert_memory_equal(out, values, sizeof values);
    assert_ptr_equal(block.next, block.end);
}

static void test_limits(void **state)
{
    static const uint8_t payload16[] = {0xff, 0xff, 0x01, 0x80, 0x80, 0x7e};
    static const uint8_t payload32[] = {0xff, 0xff, 0xff, 0xff, 0x07, 0x80, 0x80, 0x80, 0x80, 0x78};
    struct block_bytes bytes = make_block(payload16, sizeof payload16);
    struct leb128 block = open_block(&bytes);
    int16_t small[2];
    int32_t large[2];
    (void)state;
    assert_int_equal(leb128_check(&block, 2, 16, NULL), PLYNNUE_OK);
    leb128_read_i16(&block, small, 2);
    assert_int_equal(small[0], INT16_MAX);
    assert_int_equal(small[1], INT16_MIN);
    bytes = make_block(payload32, sizeof payload32);
    block = open_block(&bytes);
    assert_int_equal(leb128_check(&block, 2, 32, NULL), PLYNNUE_OK);
    leb128_read_i32(&block, large, 2);
    assert_int_equal(large[0], INT32_MAX);
    assert_int_equal(large[1], INT32_MIN);
}

/* The block must be refused at that byte of its payload, for the reason named. */
static void refused(const char *payload, size_t size, uint64_t count, unsigned bits, unsigned at,
                    const char *reason)
{
    struct block_bytes bytes = make_block(payload, size);
    struct leb128 block = open_block(&bytes);
    struct plynnue_error error = {.text = ""};
    assert_int_equal(leb128_check(&block, count, bits, &error), PLYNNUE_EFORMAT);
    assert_int_equal(error.code, PLYNNUE_EFORMAT);
    assert_int_equal(error.offset, FILE_OFFSET + LEB128_HEAD_SIZE + at);
    if (!strstr(error.text, reason))
        fail_msg("%s, expected: %s", error.text, reason);
}

#define REFUSED(payload, ...) refused(payload, sizeof payload - 1, __VA_ARGS__)

static void test_refused(void **state)
{
    (void)state;
    REFUSED("\x01\x80\x80\x02", 2, 16, 1, "wider");       /* 32768 */
    REFUSED("\xff\xff\x7d", 1, 16, 0, "wider");           /* -32769 */
    REFUSED("\x80\x80\x80\x80\x08", 1, 32, 0, "wider");   /* 2^31 */
    REFUSED("\xff\xff\xff\xff\x77", 1, 32, 0, "wider");   /* -2^31 - 1 */
    REFUSED("\x80\x80\x80\x00", 1, 16, 0, "cut or over"); /* 0 in four bytes */
    REFUSED("\x80\x80\x80\x80\x80\x00", 1, 32, 0, "cut or over");
    REFUSED("\x01\x80", 2, 16, 1, "cut or over"); /* the block ends in a number */
    REFUSED("\x01\x02", 3, 16, 2, "fewer");
    REFUSED("\x01\x02\x03", 2, 16, 2, "more");
    REFUSED("", 1, 16, 0, "fewer");
    REFUSED("\x05", 0, 16, 0, "more");
}

static void test_bounds(void **state)
{
    struct block_bytes bytes = make_block("\x01\x02", 2);
    struct leb128 block;
    struct plynnue_error error = {.text = ""};
    (void)state;
    assert_int_equal(leb128_open(bytes.bytes, bytes.size, 7, &block, &error), PLYNNUE_OK);
    assert_int_equal(block.offset, 7 + LEB128_HEAD_SIZE);
    assert_int_equal(leb128_open(bytes.bytes, bytes.size - 1, 7, &block, &error), PLYNNUE_EFORMAT);
    assert_int_equal(error.offset, 7);
    assert_non_null(strstr(error.text, "2 bytes, but only 1"));
    assert_int_equal(leb128_open(bytes.bytes, LEB128_HEAD_SIZE - 1, 7, &block, &error),
                     PLYNNUE_EFORMAT);
    bytes.bytes[20] = 0xff; /* over 4 GB */
    assert_int_equal(leb128_open(bytes.bytes, bytes.size, 7, &block, &error), PLYNNUE_EFORMAT);
    bytes.bytes[0] = 'X';
    assert_false(leb128_detect(bytes.bytes, bytes.size));
    assert_int_equal(leb128_open(bytes.bytes, bytes.size, 7, &block, &error), PLYNNUE_EFORMAT);
    assert_false(leb128_detect((const uint8_t *)"COMPRESSED_LEB12", 16));
    bytes = make_block("", 0);
    block = open_block(&bytes);
    assert_int_equal(leb128_count(&block), 0);
    assert_int_equal(leb128_check(&block, 0, 16, NULL), PLYNNUE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
