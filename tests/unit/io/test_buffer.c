/* SPDX-License-Identifier: MIT */
/*
 * Buffers up to their cap and one byte past it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/io/buffer.h"

#define CAP 100u

static void extended_to_the_cap(void **state)
{
    struct buffer buffer;
    struct error err = {0};
    (void)state;
    buffer_init(&buffer, CAP);
    char *begin = buffer_extend(&buffer, CAP - 1, &err);
    assert_non_null(begin);
    memset(begin, 'x', CAP - 1);
    assert_ptr_equal(begin, buffer.data);
    assert_int_equal(buffer.data[CAP - 1], '\0');
    begin = buffer_extend(&buffer, 1, &err);
    assert_non_null(begin);
    *begin = 'y';
    assert_int_equal(buffer.length, CAP);
    assert_int_equal(buffer.data[CAP - 2], 'x');
    assert_int_equal(buffer.data[CAP - 1], 'y');
    assert_int_equal(buffer.data[CAP], '\0');
    assert_null(buffer_extend(&buffer, 1, &err));
    assert_string_equal(err.text, "over 100 bytes");
    assert_int_equal(buffer.length, CAP);
    buffer_free(&buffer);
}

static void appended_to_the_cap(void **state)
{
    struct buffer buffer;
    struct error err = {0};
    char bytes[CAP + 1];
    (void)state;
    memset(bytes, 'z', sizeof bytes);
    buffer_init(&buffer, CAP);
    assert_int_equal(buffer_append(&buffer, bytes, CAP + 1, &err), -1);
    assert_int_equal(buffer.length, 0);
    assert_int_equal(buffer_append(&buffer, bytes, CAP, &err), 0);
    assert_int_equal(buffer_append(&buffer, bytes, 1, &err), -1);
    assert_int_equal(buffer.length, CAP);
    buffer_free(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extended_to_the_cap),
        cmocka_unit_test(appended_to_the_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
