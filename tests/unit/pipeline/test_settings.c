/* SPDX-License-Identifier: MIT */
/* Recipes: types, ranges, lines in errors, canonical form, merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/io/buffer.h"
#include "formats/io/file.h"
#include "pipeline/recipe/difference.h"
#include "pipeline/recipe/settings.h"
#include "pipeline/recipe/toml.h"

/* Loads a recipe text; the status, with err filled. */
static int load(struct settings *settings, const char *text, struct error *err)
{
    char path[] = "/tmp/plymill-recipe-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    *err = (struct error){0};
    int status = settings_load(settings, path, err);
    unlink(path);
    return status;
}

static void expect_error(const char *text, const char *part)
{
    struct settings *settings = settings_new();
    struct error err;
    assert_int_equal(load(settings, text, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not hold \"%s\"", err.text, part);
    settings_free(settings);
}

static void test_defaults_are_those_of_the_design(void **state)
{
    (void)state;
    struct settings *s = settings_new();
    assert_int_equal(settings_integer(s, "build.shards"), 16);
    assert_int_equal(settings_integer(s, "sample.per_game"), 3);
    assert_int_equal(settings_integer(s, "sample.min_ply"), 10);
    assert_false(settings_boolean(s, "sample.in_check"));
    assert_false(settings_is_set(s, "sample.max_ply"));
    assert_int_equal(settings_integer(s, "label.nodes"), 10000);
    assert_int_equal(settings_integer(s, "label.hash"), 4);
    assert_string_equal(settings_string(s, "label.score"), "final");
    assert_string_equal(settings_string(s, "label.halfmove_clock"), "keep");
    assert_int_equal(settings_count(s, "split.shares"), 3);
    assert_int_equal(settings_integer_item(s, "split.shares", 0), 90);
    assert_string_equal(settings_string(s, "split.leaks"), "drop-from-held-out");
    assert_true(settings_has(s, "input.variants", "standard"));
    assert_true(settings_has(s, "input.variants", "from-position"));
    assert_false(settings_has(s, "input.variants", "chess960"));
    assert_int_equal(settings_count(s, "export.formats"), 0);
    assert_string_equal(settings_string(s, "input.known_bad"), "drop");
    assert_int_equal(settings_integer(s, "input.seed"), 0);
    assert_true(settings_real(s, "input.fraction") == 1);
    assert_false(settings_is_set(s, "input.max_games"));
    assert_false(settings_is_set(s, "input.min_elo"));
    assert_false(settings_is_set(s, "input.dates"));
    assert_int_equal(settings_count(s, "input.results"), 0);
    assert_string_equal(settings_string(s, "label.source"), "engine");
    assert_string_equal(settings_string(s, "filter.mate"), "drop");
    assert_string_equal(settings_string(s, "filter.capture"), "drop");
    assert_string_equal(settings_string(s, "filter.promotion"), "drop");
    assert_string_equal(settings_string(s, "filter.bounds"), "keep");
    assert_int_equal(settings_integer_item(s, "filter.pieces", 0), 2);
    assert_int_equal(settings_integer_item(s, "filter.pieces", 1), 32);
    assert_int_equal(settings_count(s, "filter.piece_weights"), 0);
    assert_false(settings_is_set(s, "filter.max_abs_score"));
    assert_false(settings_is_set(s, "filter.wdl_consistency"));
    assert_false(settings_is_set(s, "filter.per_opening"));
    assert_string_equal(settings_string(s, "shuffle.by"), "record");
    settings_free(s);
}

static void test_reads_every_type(void **state)
{
    (void)state;
    struct settings *s = settings_new();
    struct error err;
    const char *text = "\xef\xbb\xbf# a comment\n"
                       "[input]\r\n"
                       "files = ['a b.pgn', \"c\\\\d\\\"e.pgn\", ] # two\r\n"
                       "[sample]\nper_game = \"all\"\nin_check = true\n"
                       "[label]\nnodes = 1_000\n"
                       "[label.options]\n\"Skill Level\" = 3\nEvalFile = \"x.nnue\"\n"
                       "[export]\nscore_scale = 3.50\n";
    assert_int_equal(load(s, text, &err), 0);
    assert_int_equal(settings_count(s, "input.files"), 2);
    assert_string_equal(settings_item(s, "input.files", 0), "a b.pgn");
    assert_string_equal(settings_item(s, "input.files", 1), "c\\d\"e.pgn");
    assert_int_equal(settings_integer(s, "sample.per_game"), 0);
    assert_true(settings_boolean(s, "sample.in_check"));
    assert_int_equal(settings_integer(s, "label.nodes"), 1000);
    assert_true(settings_real(s, "export.score_scale") == 3.5);
    assert_int_equal(settings_uci_count(s), 2);
    assert_string_equal(settings_uci_name(s, 0), "EvalFile");
    assert_string_equal(settings_uci_name(s, 1), "Skill Level");
    assert_string_equal(settings_uci_value(s, 1), "3");
    settings_free(s);
}

static void test_errors_say_line_and_what_was_expected(void **state)
{
    (void)state;
    expect_error("[label]\nnode = 1\n",
                 "line 2: unknown key label.node; did you mean label.nodes? (see: plymill");
    expect_error("nodes = 1\n", "line 1: unknown key nodes; did you mean label.nodes?");
    expect_error("label.nodes = 1\n",
                 "line 1: label.nodes is written as nodes below a line [label]");
    expect_error("[label]\nnodes = 1\n\nnodes = 2\n",
                 "line 4: label.nodes is already set on line 2");
    expect_error("[label]\nnodes = 0\n", "expected a number from 1 to 1000000000000");
    expect_error("[label]\nnodes = 1.5\n", "label.nodes: expected a whole number");
    expect_error("[label]\nnodes = [1]\n", "label.nodes: expected a whole number");
    expect_error("[input]\nfiles = \"a\"\n", "input.files: expected an array of \"texts\"");
    expect_error("[input]\nvariants = [\"atomic\"]\n", "expected one of standard|");
    expect_error("[input]\ndates = \"2013-13\"\n", "input.dates: expected 2013, 2013-01,");
    expect_error("[input]\nresults = [\"1/2\"]\n", "expected one of 1-0|0-1|1/2-1/2|*");
    expect_error("[input]\nfraction = 1.5\n", "expected a number from 0 to 1");
    expect_error("[input]\nmax_games = 0\n", "expected a number from 1 to");
    expect_error("[label]\nsource = \"games\"\n", "expected one of engine|lichess-eval|");
    expect_error("[split]\nshares = [50, 50]\n", "expected three numbers");
    expect_error("[filter]\npieces = [6]\n", "line 2: filter.pieces: expected two numbers");
    expect_error("[filter]\npieces = [6, 5]\n", "expected two numbers, the fewest and the most");
    expect_error("[filter]\npieces = [1, 32]\n", "expected a number from 2 to 32");
    expect_error("[filter]\npieces = [2, 33]\n", "expected a number from 2 to 32");
    expect_error("[filter]\npiece_weights = [\"2-9:1\", \"9:1\"]\n",
                 "line 2: filter.piece_weights: "
                 "expected numbers of pieces from 2 to 32 that no other class has");
    expect_error("[filter]\nper_opening = 0\n", "expected a number from 1 to");
    expect_error("[filter]\nbounds = \"lower\"\n", "expected one of keep|drop");
    expect_error("[shuffle]\nby = \"ply\"\n", "expected one of record|game");
    expect_error("[sample]\nin_check = 1\n", "expected true or false");
    expect_error("[label\nnodes = 1\n", "line 1: expected ]");
    expect_error("[label]\nnodes 1\n", "line 2: expected =");
    expect_error("[label]\nnodes = 1 2\n", "line 2: expected the end of the line");
    expect_error("[label]\nengine = \"a\\q\"\n", "line 2: expected one of");
    expect_error("[input]\nfiles = [\"a\"\n", "line 2: expected , or ] in the array");
    expect_error("[label]\nnodes = ten\n", "line 2: expected a value");
    expect_error("[label.options]\nA = 1\nA = 2\n", "line 3: label.options.\"A\" is already set");
}

static char *canonical(const struct settings *settings)
{
    struct buffer out;
    buffer_init(&out, 1 << 20);
    assert_int_equal(settings_write(settings, ~0u, false, &out, NULL), 0);
    return out.data;
}

static void test_canonical_form_reads_back_to_itself(void **state)
{
    (void)state;
    struct settings *s = settings_new(), *again = settings_new();
    struct error err;
    assert_int_equal(settings_set(s, "input.files", "x.pgn,y \"z\".pgn", "command line", &err), 0);
    assert_int_equal(settings_set(s, "sample.per_game", "all", "command line", &err), 0);
    assert_int_equal(settings_set(s, "export.score_scale", "3.610", "command line", &err), 0);
    assert_int_equal(settings_set(s, "label.options.Skill Level", "3", "command line", &err), 0);
    char *first = canonical(s);
    assert_non_null(strstr(first, "per_game = \"all\"\n"));
    assert_non_null(strstr(first, "score_scale = 3.61\n"));
    assert_non_null(strstr(first, "\n[label.options]\n\"Skill Level\" = \"3\"\n"));
    assert_int_equal(load(again, first, &err), 0);
    char *second = canonical(again);
    assert_string_equal(first, second);
    free(first);
    free(second);
    settings_free(s);
    settings_free(again);
}

/* Line breaks would end a line of the recipe, or a command to the engine. */
static void test_text_that_cannot_be_kept_is_refused(void **state)
{
    (void)state;
    expect_error("[label.options]\n\"Debug Log File\" = \"x\\nquit\"\n", "line break");
    expect_error("[label.options]\n\"Skill\\rLevel\" = 3\n", "line break");
    expect_error("[input]\nfiles = [\"a\\nb\"]\n", "line break");
    struct settings *s = settings_new();
    char path[] = "/tmp/plymill-recipe-XXXXXX";
    struct error err = {0};
    assert_int_equal(close(mkstemp(path)), 0);
    assert_int_equal(file_write_all(path, "[sample]\n\0seed = 3\n", 20, &err), 0);
    assert_int_equal(settings_load(s, path, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    assert_non_null(strstr(err.text, "zero byte"));
    unlink(path);
    settings_free(s);
}

static void test_quotes_tabs_and_backslashes_are_kept(void **state)
{
    (void)state;
    const char *const text = "a\tb\\c\"d'e #=]";
    struct settings *s = settings_new(), *again = settings_new();
    struct error err;
    assert_int_equal(settings_set(s, "input.files", text, "command line", &err), 0);
    assert_int_equal(settings_set(s, "label.options.EvalFile", text, "command line", &err), 0);
    char *written = canonical(s);
    assert_int_equal(load(again, written, &err), 0);
    assert_string_equal(settings_item(again, "input.files", 0), text);
    assert_string_equal(settings_uci_value(again, 0), text);
    free(written);
    settings_free(s);
    settings_free(again);
}

static void test_command_line_goes_over_the_recipe(void **state)
{
    (void)state;
    struct settings *s = settings_new(), *over = settings_new();
    struct error err;
    assert_int_equal(load(s, "[label]\nnodes = 5\nhash = 8\n", &err), 0);
    assert_int_equal(settings_set(over, "nodes", "7", "command line", &err), 0);
    assert_int_equal(settings_set(over, "input", "a", "command line", &err), 0);
    assert_int_equal(settings_set(over, "input", "b", "command line", &err), 0);
    assert_int_equal(settings_merge(s, over, &err), 0);
    assert_int_equal(settings_integer(s, "label.nodes"), 7);
    assert_int_equal(settings_integer(s, "label.hash"), 8);
    assert_int_equal(settings_count(s, "input.files"), 2);
    assert_string_equal(settings_origin(s, "label.nodes"), "command line");
    settings_free(s);
    settings_free(over);
}

static int count_items(void *context, const struct toml_entry *entry, struct error *err)
{
    (void)err;
    *(size_t *)context = entry->count;
    return 0;
}

/* An array of n ones. */
static int parse_array(size_t n, size_t *count)
{
    struct buffer text;
    struct error err = {0};
    buffer_init(&text, n * 4 + 64);
    assert_int_equal(buffer_printf(&text, &err, "a = ["), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(buffer_printf(&text, &err, "1,"), 0);
    assert_int_equal(buffer_printf(&text, &err, "]\n"), 0);
    int status = toml_parse(text.data, count_items, count, &err);
    buffer_free(&text);
    return status;
}

/* What stands nearest in the table by the letters, or by the word in another section. */
static void test_suggestions(void **state)
{
    (void)state;
    expect_error("[sample]\n\nper_gmae = 3\n",
                 "line 3: unknown key sample.per_gmae; did you mean sample.per_game?");
    expect_error("[build]\nmin_ply = 3\n",
                 "line 2: unknown key build.min_ply; did you mean sample.min_ply?");
    expect_error("[split]\nsede = 3\n", "unknown key split.sede; did you mean split.seed?");
    expect_error("[label]\nbananas = 3\n",
                 "line 2: unknown key label.bananas (see: plymill help recipe)");
    expect_error("[build]\nshards = 2\n[lable]\n",
                 "line 3: unknown section [lable]; did you mean [label]? (see: plymill");
    expect_error("[labels.options]\n", "unknown section [labels.options]; did you mean [label.opt");
    expect_error("[bananas]\n", "line 1: unknown section [bananas] (see: plymill help recipe)");
    expect_error("[filter]\nmate = \"dorp\"\n",
                 "line 2: filter.mate: expected one of drop|keep, not \"dorp\"; did you mean "
                 "\"drop\"?");
    expect_error("[input]\nvariants = [\"standard\", \"ches960\"]\n",
                 "not \"ches960\"; did you mean \"chess960\"?");
    expect_error("[label]\nsource = \"bananas\"\n", "input, not \"bananas\"");
}

static void test_array_cap(void **state)
{
    (void)state;
    size_t count = 0;
    assert_int_equal(parse_array(TOML_ITEMS_MAX, &count), 0);
    assert_int_equal(count, TOML_ITEMS_MAX);
    assert_int_equal(parse_array(TOML_ITEMS_MAX + 1, &count), -1);
}

static void test_every_key_has_help_and_a_valid_default(void **state)
{
    (void)state;
    for (const struct settings_key *key = settings_table; key->name; key++) {
        assert_non_null(strchr(key->name, '.'));
        assert_non_null(key->help);
        assert_ptr_equal(settings_find(key->name), key);
        size_t length = strlen(settings_section_name(key->section));
        assert_true(length > 0);
        assert_memory_equal(settings_section_name(key->section), key->name, length);
    }
}

static void test_differences_are_named(void **state)
{
    (void)state;
    const char *was = "[label]\nnodes = 500\nhash = 4\n\n[split]\nseed = 0\n";
    char text[128];
    assert_false(difference_describe(was, was, text, sizeof text));
    assert_true(difference_describe(was, "[label]\nnodes = 500\nhash = 4\n\n[split]\nseed = 7\n",
                                    text, sizeof text));
    assert_string_equal(text, "split.seed was 0, now 7");
    assert_true(
        difference_describe(was, "[label]\nnodes = 500\n\n[split]\nseed = 0\n", text, sizeof text));
    assert_string_equal(text, "label.hash was 4, now not set");
    assert_true(difference_describe("[label]\nnodes = 500\n", was, text, sizeof text));
    assert_string_equal(text, "label.hash was not set, now 4");
}

/* Whole numbers are written out; the others as short as reads back. */
static void test_canonical_reals(void **state)
{
    static const char *const pairs[][2] = {{"400", "400.0"},  {"4e2", "400.0"},
                                           {"0", "0.0"},      {"10000", "10000.0"},
                                           {"3.610", "3.61"}, {"0.00001", "1e-05"}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct settings *settings = settings_new();
        struct error err;
        struct buffer text;
        char want[64];
        buffer_init(&text, 1u << 20);
        assert_int_equal(settings_set(settings, "train.scale", pairs[i][0], "test", &err), 0);
        assert_int_equal(settings_write(settings, 1u << STAGE_TRAIN, false, &text, &err), 0);
        (void)snprintf(want, sizeof want, "\nscale = %s\n", pairs[i][1]);
        assert_non_null(strstr(text.data, want));
        buffer_free(&text);
        settings_free(settings);
    }
}

/* What init writes says what the settings say, and so do its examples once they are uncommented. */
static void test_commented_recipe_reads_back(void **state)
{
    struct settings *before = settings_new(), *after = settings_new();
    struct error err = {0};
    struct buffer commented, have, want;
    (void)state;
    buffer_init(&commented, TOML_FILE_MAX);
    buffer_init(&have, TOML_FILE_MAX);
    buffer_init(&want, TOML_FILE_MAX);
    assert_int_equal(settings_set(before, "input.files", "a.pgn,b \"c\".pgn", "test", &err), 0);
    assert_int_equal(settings_set(before, "label.options.Skill Level", "3", "test", &err), 0);
    assert_int_equal(settings_write_commented(before, &commented, &err), 0);
    assert_int_equal(load(after, commented.data, &err), 0);
    assert_int_equal(settings_write(before, ~0u, false, &want, &err), 0);
    assert_int_equal(settings_write(after, ~0u, false, &have, &err), 0);
    assert_string_equal(have.data, want.data);
    for (const struct settings_key *key = settings_table; key->name; key++) {
        char example[96], value[128] = "";
        (void)snprintf(example, sizeof example, "\n# %s = ", strchr(key->name, '.') + 1);
        const char *at = strstr(commented.data, example);
        if (settings_is_set(before, key->name))
            continue;
        assert_non_null(at);
        (void)sscanf(at + strlen(example), "%127[^\n]", value);
        (void)snprintf(example, sizeof example, "[%s]\n%s = ", settings_section_name(key->section),
                       strchr(key->name, '.') + 1);
        char recipe[256];
        (void)snprintf(recipe, sizeof recipe, "%s%s\n", example, value);
        if (load(after, recipe, &err) < 0)
            fail_msg("%s: %s", key->name, err.text);
    }
    buffer_free(&commented);
    buffer_free(&have);
    buffer_free(&want);
    settings_free(before);
    settings_free(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical_reals),
        cmocka_unit_test(test_commented_recipe_reads_back),
        cmocka_unit_test(test_defaults_are_those_of_the_design),
        cmocka_unit_test(test_reads_every_type),
        cmocka_unit_test(test_errors_say_line_and_what_was_expected),
        cmocka_unit_test(test_canonical_form_reads_back_to_itself),
        cmocka_unit_test(test_text_that_cannot_be_kept_is_refused),
        cmocka_unit_test(test_quotes_tabs_and_backslashes_are_kept),
        cmocka_unit_test(test_command_line_goes_over_the_recipe),
        cmocka_unit_test(test_array_cap),
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_differences_are_named),
        cmocka_unit_test(test_every_key_has_help_and_a_valid_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
