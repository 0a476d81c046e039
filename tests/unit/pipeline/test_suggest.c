/* SPDX-License-Identifier: MIT */
/*
 * Edit distances known from textbooks, and what counts as near enough to be suggested.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/recipe/suggest.h"

static void test_distances(void **state)
{
    (void)state;
    assert_int_equal(suggest_distance("", ""), 0);
    assert_int_equal(suggest_distance("", "abc"), 3);
    assert_int_equal(suggest_distance("abc", ""), 3);
    assert_int_equal(suggest_distance("kitten", "sitting"), 3);
    assert_int_equal(suggest_distance("saturday", "sunday"), 3);
    assert_int_equal(suggest_distance("intention", "execution"), 5);
}

static void test_longest_word(void **state)
{
    char at[SUGGEST_WORD_MAX + 1], past[SUGGEST_WORD_MAX + 2];
    (void)state;
    memset(at, 'x', sizeof at - 1);
    memset(past, 'x', sizeof past - 1);
    at[sizeof at - 1] = past[sizeof past - 1] = '\0';
    assert_int_equal(suggest_distance(at, at), 0);
    assert_int_equal(suggest_distance(past, past), 2 * (SUGGEST_WORD_MAX + 1));
}

static const char *nearest(const char *word)
{
    static const char *const names[] = {"build", "label", "select", "train", "quantize", "eval"};
    struct suggestion suggestion = {.word = word};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        suggest_consider(&suggestion, names[i], names[i]);
    return suggestion.answer;
}

static void test_nearest(void **state)
{
    (void)state;
    assert_string_equal(nearest("buidl"), "build");
    assert_string_equal(nearest("quantise"), "quantize");
    assert_string_equal(nearest("evl"), "eval");
    assert_string_equal(nearest("tran"), "train");
    assert_string_equal(nearest("qua"), "quantize");
    assert_null(nearest("qu"));
    assert_null(nearest("frobnicate"));
    assert_null(nearest("x"));
    assert_null(nearest(""));
}

static void test_first_of_equals(void **state)
{
    struct suggestion suggestion = {.word = "cat"};
    (void)state;
    suggest_consider(&suggestion, "car", "first");
    suggest_consider(&suggestion, "can", "second");
    assert_string_equal(suggestion.answer, "first");
    suggest_consider(&suggestion, "cat", "third");
    assert_string_equal(suggestion.answer, "third");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_longest_word),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_first_of_equals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
