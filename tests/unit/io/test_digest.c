/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 against the examples of FIPS 180-4, and the byte order of numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/io/bytes.h"
#include "formats/io/digest.h"

static const char abc_hex[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char empty_hex[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char million_hex[] =
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

static void published_digests(void **state)
{
    (void)state;
    uint8_t binary[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    digest_bytes("abc", 3, binary);
    digest_to_hex(binary, DIGEST_SIZE, hex);
    assert_string_equal(hex, abc_hex);
    digest_bytes("", 0, binary);
    digest_to_hex(binary, DIGEST_SIZE, hex);
    assert_string_equal(hex, empty_hex);
    digest_to_hex(binary, 3, hex);
    assert_string_equal(hex, "e3b0c4");
}

static void one_object_serves_many_texts(void **state)
{
    (void)state;
    struct digest *digest = digest_new();
    assert_non_null(digest);
    uint8_t binary[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    for (int i = 0; i < 1000000; i++)
        digest_update(digest, "a", 1);
    digest_finish(digest, binary);
    digest_to_hex(binary, DIGEST_SIZE, hex);
    assert_string_equal(hex, million_hex);
    digest_update(digest, "ab", 2);
    digest_update(digest, "c", 1);
    digest_finish(digest, binary);
    digest_to_hex(binary, DIGEST_SIZE, hex);
    assert_string_equal(hex, abc_hex);
    digest_free(digest);
}

static void a_file_is_hashed(void **state)
{
    (void)state;
    char hex[DIGEST_HEX_SIZE];
    uint64_t bytes = 1;
    struct error err = {0};
    assert_int_equal(digest_file("/dev/null", hex, &bytes, &err), 0);
    assert_string_equal(hex, empty_hex);
    assert_int_equal(bytes, 0);
    assert_int_equal(digest_file("/nonexistent-file", hex, NULL, &err), -1);
    assert_string_equal(err.text, "/nonexistent-file: No such file or directory");
    assert_int_equal(digest_file("/tmp", hex, NULL, &err), -1);
    assert_string_equal(err.text, "/tmp: Is a directory");
}

static void numbers_have_their_bytes(void **state)
{
    (void)state;
    uint8_t bytes[8];
    static const uint8_t little[] = {0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x81};
    static const uint8_t big[] = {0x81, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    bytes_put_u64(bytes, 0x8123456789abcdefu);
    assert_memory_equal(bytes, little, 8);
    assert_true(bytes_get_u64(little) == 0x8123456789abcdefu);
    assert_int_equal(bytes_get_u32(little), 0x89abcdefu);
    assert_int_equal(bytes_get_u16(little + 6), 0x8123);
    bytes_put_be64(bytes, 0x8123456789abcdefu);
    assert_memory_equal(bytes, big, 8);
    assert_true(bytes_get_be64(big) == 0x8123456789abcdefu);
    assert_int_equal(bytes_get_be32(big), 0x81234567);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_digests),
        cmocka_unit_test(one_object_serves_many_texts),
        cmocka_unit_test(a_file_is_hashed),
        cmocka_unit_test(numbers_have_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
