/* SPDX-License-Identifier: MIT */
/*
 * Errors: texts, prefixes, codes, cutting, and growable buffers up to their cap.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/io/buffer.h"
#include "formats/io/error.h"

static void an_error_reads_from_outside_in(void **state)
{
    (void)state;
    struct error err = {0};
    assert_int_equal(error_set(&err, ERROR_USAGE, "byte %d", 12), -1);
    assert_int_equal(error_prefix(&err, "game %d", 3), -1);
    assert_int_equal(error_prefix(&err, "%s", "a.pgn"), -1);
    assert_string_equal(err.text, "a.pgn: game 3: byte 12");
    assert_int_equal(err.code, ERROR_USAGE);
}

static void a_full_disk_is_to_be_tried_again(void **state)
{
    (void)state;
    struct error err = {0};
    error_system(&err, ENOSPC, "out.rec");
    assert_int_equal(err.code, ERROR_RETRY);
    assert_string_equal(err.text, "out.rec: No space left on device");
    error_system(&err, ENOENT, "in.pgn");
    assert_int_equal(err.code, ERROR_FAILED);
    assert_string_equal(err.text, "in.pgn: No such file or directory");
}

static void no_error_is_wanted(void **state)
{
    (void)state;
    assert_int_equal(error_set(NULL, ERROR_FAILED, "x"), -1);
    assert_int_equal(error_system(NULL, EIO, "x"), -1);
    assert_int_equal(error_prefix(NULL, "x"), -1);
    assert_int_equal(error_memory(NULL), -1);
}

static void a_text_is_one_line_and_is_cut(void **state)
{
    (void)state;
    struct error err = {0};
    error_set(&err, ERROR_FAILED, "a\nb\x1b[31mc\xc3\xa9");
    assert_string_equal(err.text, "a b?[31mc\xc3\xa9");
    char longest[2 * ERROR_TEXT_MAX];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    error_set(&err, ERROR_FAILED, "%s", longest);
    assert_int_equal(strlen(err.text), ERROR_TEXT_MAX - 1);
    error_prefix(&err, "%s", longest);
    assert_int_equal(strlen(err.text), ERROR_TEXT_MAX - 1);
    error_system(&err, EIO, "%s", longest);
    assert_int_equal(strlen(err.text), ERROR_TEXT_MAX - 1);
}

static void a_buffer_grows_to_its_cap_and_not_past_it(void **state)
{
    (void)state;
    struct buffer buffer;
    struct error err = {0};
    buffer_init(&buffer, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(buffer_append(&buffer, &"0123456789"[i % 10], 1, &err), 0);
    assert_int_equal(buffer.length, 1000);
    assert_int_equal(buffer.data[1000], 0);
    assert_int_equal(buffer.data[999], '9');
    assert_int_equal(buffer_append(&buffer, "x", 1, &err), -1);
    assert_string_equal(err.text, "over 1000 bytes");
    assert_int_equal(buffer_append(&buffer, "", 0, &err), 0);
    assert_int_equal(buffer_reserve(&buffer, SIZE_MAX, &err), -1);
    buffer_clear(&buffer);
    assert_int_equal(buffer.length, 0);
    assert_int_equal(buffer_printf(&buffer, &err, "%s %d", "ply", 12), 0);
    assert_string_equal(buffer.data, "ply 12");
    assert_int_equal(buffer_printf(&buffer, &err, "%995s", ""), -1);
    assert_int_equal(buffer_printf(&buffer, &err, "%994s", ""), 0);
    buffer_free(&buffer);
    assert_null(buffer.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_reads_from_outside_in),
        cmocka_unit_test(a_full_disk_is_to_be_tried_again),
        cmocka_unit_test(no_error_is_wanted),
        cmocka_unit_test(a_text_is_one_line_and_is_cut),
        cmocka_unit_test(a_buffer_grows_to_its_cap_and_not_past_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
