/* SPDX-License-Identifier: MIT */
/*
 * What the table of keys says of a preset is what training takes: a recipe that gives each of these
 * values itself, over the other preset, trains as one that names the preset.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/cli/train_recipe.h"
#include "pipeline/recipe/settings_internal.h"

static void texts_of(struct settings *settings, struct train_texts *own,
                     struct text_out out[TRAIN_TEXTS], size_t *count)
{
    struct train_recipe recipe;
    struct error err = {0};
    assert_int_equal(train_recipe_from(settings, NULL, &recipe, &err), 0);
    *count = train_recipe_texts(&recipe, 0, own, out);
}

static struct settings *with_preset(const char *preset)
{
    struct error err = {0};
    struct settings *settings = settings_new();
    assert_non_null(settings);
    assert_int_equal(settings_set(settings, "train.preset", preset, "test", &err), 0);
    return settings;
}

/* Every key of training that the preset stands in for, set as a recipe would; how many. */
static unsigned set_each(struct settings *settings, const char *preset)
{
    unsigned count = 0;
    for (const struct settings_key *key = settings_table; key->name; key++) {
        const char *text;
        char value[64];
        struct error err = {0};
        size_t length = settings_preset_value(key, preset, &text);
        bool open = key->section == SECTION_TRAIN && !key->initial;
        assert_int_equal(length > 0, open);
        if (!open)
            continue;
        (void)snprintf(value, sizeof value, "%.*s", (int)length, text);
        if (settings_set(settings, key->name, value, "test", &err) < 0)
            fail_msg("%s", err.text);
        count++;
    }
    return count;
}

static void same_as_given(const char *preset, const char *other)
{
    struct train_texts own, own_given;
    struct text_out out[TRAIN_TEXTS], given[TRAIN_TEXTS];
    size_t count, count_given;
    struct settings *named = with_preset(preset), *spelled = with_preset(other);
    assert_true(set_each(spelled, preset) >= 12);
    texts_of(named, &own, out, &count);
    texts_of(spelled, &own_given, given, &count_given);
    assert_int_equal(count, count_given);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(out[i].key, given[i].key);
        if (strcmp(out[i].key, "train.preset") != 0)
            assert_string_equal(out[i].value, given[i].value);
    }
    settings_free(named);
    settings_free(spelled);
}

static void test_best(void **state)
{
    (void)state;
    same_as_given("best", "tinynnue");
}

static void test_tinynnue(void **state)
{
    (void)state;
    same_as_given("tinynnue", "best");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_best),
                                       cmocka_unit_test(test_tinynnue)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
