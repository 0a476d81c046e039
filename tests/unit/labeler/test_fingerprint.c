/* SPDX-License-Identifier: MIT */
/*
 * Fingerprints: of the scripted engine in every part, and of a real Stockfish where there is one.
 */
#include "labeler/fingerprint.h"

#include <sys/stat.h>

#include "labeler/signature_positions.h"
#include "tests/unit/labeler/labeler_test.h"
#include "tests/unit/skip.h"

#define STOCKFISH "/usr/games/stockfish"

static void take(const char *arguments, const struct engine_option *options, size_t count,
                 struct fingerprint *fingerprint)
{
    struct error err = {0};
    struct engine_config config = config_of(fake_engine(arguments));
    config.options = options;
    config.option_count = count;
    assert_ok(fingerprint_take(&config, fingerprint, &err), &err);
}

/* "basename sha256" by another program. */
static void entry_by_hand(const char *path, char out[256])
{
    char command[512], hex[65] = "";
    snprintf(command, sizeof command, "sha256sum '%s'", path);
    FILE *pipe = popen(command, "r");
    assert_int_equal(fscanf(pipe, "%64s", hex), 1);
    pclose(pipe);
    snprintf(out, 256, "%s %s", strrchr(path, '/') + 1, hex);
}

static void write_file(const char *folder, const char *name, const char *text, char path[256])
{
    snprintf(path, 256, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_positions_are_the_shared_ones(void **state)
{
    (void)state;
    char *lines[32];
    size_t count = read_lines("tests/data/signature.fen", lines, 32);
    assert_int_equal(count, SIGNATURE_POSITIONS);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(lines[i], signature_positions[i]);
    }
    free_lines(lines, count);
}

static void test_name_net_and_options(void **state)
{
    (void)state;
    struct fingerprint fingerprint;
    take("--name 'Fake Fish 7'", NULL, 0, &fingerprint);
    assert_string_equal(fingerprint.name, "Fake Fish 7");
    assert_string_equal(fingerprint.net, "fake.nnue");
    assert_string_equal(fingerprint.options, "Threads=1;Hash=16;MultiPV=1");
    assert_int_equal(strlen(fingerprint.signature), 64);
    take("--no-options", NULL, 0, &fingerprint);
    assert_string_equal(fingerprint.options, "Threads=1");
    const struct engine_option options[] = {
        {"skill level", "3"}, {"Debug Log File", "a;b\\c"}, {"EvalFile", "other.nnue"}};
    take("", options, 3, &fingerprint);
    assert_string_equal(fingerprint.options,
                        "Threads=1;Hash=16;MultiPV=1;Skill Level=3;Debug Log File=a\\;b\\\\c;"
                        "EvalFile=other.nnue");
    assert_string_equal(fingerprint.net, "other.nnue");
}

static void test_signature_follows_the_labels(void **state)
{
    (void)state;
    struct fingerprint one, two;
    const struct engine_option skill = {"Skill Level", "3"};
    struct error err = {0};
    take("", NULL, 0, &one);
    take("--crlf --delay 1", NULL, 0, &two);
    assert_string_equal(one.signature, two.signature);
    assert_ok(fingerprint_compare(&one, &two, &err), &err);
    take("", &skill, 1, &two);
    assert_string_not_equal(one.signature, two.signature);
    assert_int_equal(fingerprint_compare(&one, &two, &err), -1);
    memcpy(two.options, one.options, sizeof two.options);
    assert_int_equal(fingerprint_compare(&one, &two, &err), -1);
    assert_int_equal(err.code, ERROR_FAILED);
    assert_contains(err.text, "signature");
    assert_contains(err.text, one.signature);
    assert_contains(err.text, two.signature);
}

static void test_compare_names_the_first_difference(void **state)
{
    (void)state;
    struct error err = {0};
    const struct fingerprint want = {"A 1", "n1", "o1", "f1", "s1", 0};
    struct fingerprint have = want;
    snprintf(have.files, sizeof have.files, "other"); /* files are noted and not compared */
    assert_ok(fingerprint_compare(&have, &want, &err), &err);
    snprintf(have.signature, sizeof have.signature, "s2");
    assert_int_equal(fingerprint_compare(&have, &want, &err), -1);
    assert_string_equal(err.text, "the engine's signature is \"s2\", and not \"s1\"");
    snprintf(have.options, sizeof have.options, "o2");
    assert_int_equal(fingerprint_compare(&have, &want, &err), -1);
    assert_contains(err.text, "options is \"o2\"");
    snprintf(have.net, sizeof have.net, "n2");
    assert_int_equal(fingerprint_compare(&have, &want, &err), -1);
    assert_contains(err.text, "net is \"n2\"");
    snprintf(have.name, sizeof have.name, "A 2");
    assert_int_equal(fingerprint_compare(&have, &want, &err), -1);
    assert_contains(err.text, "name is \"A 2\", and not \"A 1\"");
}

/* The program, files on the command line (a .js with its .wasm), and files in options. */
static void test_files_are_digested(void **state)
{
    (void)state;
    char folder[64], script[256], wasm[256], part[256], net[256], command[1024], text[4200];
    char entries[4][256], program[256];
    struct fingerprint fingerprint;
    struct error err = {0};
    make_folder(folder);
    write_file(folder, "x.wasm", "wasm", wasm);
    write_file(folder, "x-part-0.wasm", "part", part);
    write_file(folder, "nn-1.nnue", "net", net);
    snprintf(text, sizeof text, "exec %s\n", fake_engine(""));
    write_file(folder, "x.js", text, script);
    snprintf(program, sizeof program, "%s/run", folder);
    snprintf(command, sizeof command, "cp /bin/sh %s", program);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s %s", program, script);
    const struct engine_option options[] = {{"EvalFile", net}};
    struct engine_config config = config_of(command);
    config.options = options;
    config.option_count = 1;
    assert_ok(fingerprint_take(&config, &fingerprint, &err), &err);
    entry_by_hand(net, entries[0]);
    entry_by_hand(program, entries[1]);
    entry_by_hand(part, entries[2]);
    entry_by_hand(script, entries[3]);
    snprintf(text, sizeof text, "%s;%s;%s;%s;", entries[0], entries[1], entries[2], entries[3]);
    assert_int_equal(strncmp(fingerprint.files, text, strlen(text)), 0);
    entry_by_hand(wasm, entries[0]);
    assert_string_equal(fingerprint.files + strlen(text), entries[0]);
    assert_string_equal(fingerprint.net, "nn-1.nnue");
    assert_contains(fingerprint.options, ";EvalFile=nn-1.nnue");
    assert_null(strstr(fingerprint.options, folder));
    remove_folder(folder);
}

static void test_folders_are_refused(void **state)
{
    (void)state;
    struct fingerprint fingerprint;
    const struct engine_option tablebases = {"SyzygyPath", "tb a/x;tb value b"};
    const struct engine_option folder = {"Debug Log File", "tests"};
    struct error err = {0};
    struct engine_config config =
        config_of("sh tests/data/cases/037-option-names-with-spaces/input.engine.sh");
    config.options = &tablebases;
    config.option_count = 1;
    assert_int_equal(fingerprint_take(&config, &fingerprint, &err), -1);
    assert_contains(err.text, "SyzygyPath");
    config.options = &folder;
    assert_int_equal(fingerprint_take(&config, &fingerprint, &err), -1);
    assert_contains(err.text, "\"Debug Log File\" = tests is refused");
}

static void test_engine_that_cannot_label_has_no_fingerprint(void **state)
{
    (void)state;
    struct fingerprint fingerprint;
    struct error err = {0};
    struct engine_config config = config_of(fake_engine("--illegal-at 5"));
    assert_int_equal(fingerprint_take(&config, &fingerprint, &err), -1);
    assert_int_equal(err.code, ERROR_FAILED);
    assert_contains(err.text, signature_positions[4]);
    assert_contains(err.text, "impossible best move");
}

static void test_engine_is_found(void **state)
{
    (void)state;
    char folder[64], program[256], path[300];
    struct error err = {0};
    char *before = strdup(getenv("PATH"));
    make_folder(folder);
    write_file(folder, "stockfish", "#!/bin/sh\n", program);
    assert_int_equal(chmod(program, 0755), 0);
    unsetenv("PLYMILL_ENGINE");
    snprintf(path, sizeof path, "/nowhere:%s", folder);
    setenv("PATH", path, 1);
    char *found = engine_find(NULL, &err);
    assert_string_equal(found, "stockfish");
    free(found);
    setenv("PLYMILL_ENGINE", "other engine", 1);
    found = engine_find("", &err);
    assert_string_equal(found, "other engine");
    free(found);
    found = engine_find("given --x", &err);
    assert_string_equal(found, "given --x");
    free(found);
    unsetenv("PLYMILL_ENGINE");
    setenv("PATH", "/nowhere", 1);
    found = engine_find(NULL, &err);
    if (access(STOCKFISH, X_OK) == 0) {
        assert_string_equal(found, STOCKFISH);
    } else {
        assert_null(found);
        assert_contains(err.text, "--engine");
    }
    free(found);
    bool installed = access(STOCKFISH, X_OK) == 0;
    found = engine_find("stockfish --x", &err);
    assert_string_equal(found, installed ? STOCKFISH " --x" : "stockfish --x");
    free(found);
    found = engine_find("no-such-engine", &err);
    assert_string_equal(found, "no-such-engine");
    free(found);
    found = engine_find("'stockfish' --x", &err);
    assert_string_equal(found, "'stockfish' --x");
    free(found);
    setenv("PATH", before, 1);
    free(before);
    remove_folder(folder);
}

static void run_stockfish(struct list *list, unsigned workers)
{
    struct error err = {0};
    struct engine_config config = config_of(STOCKFISH);
    config.hash_mb = 4;
    config.deadline_ms = 0;
    assert_ok(list_run(list, &config, workers, &err), &err);
    assert_int_equal(list->stats.restarts, 0);
    assert_int_equal(list->stats.labels, list->count);
}

static void test_stockfish_labels_alike_in_any_order(void **state)
{
    (void)state;
    struct list one, two;
    if (access(STOCKFISH, X_OK) != 0) {
        SKIP_BECAUSE("no " STOCKFISH);
    }
    list_init(&one, signature_positions, SIGNATURE_POSITIONS, SIGNATURE_NODES);
    list_init(&two, signature_positions, SIGNATURE_POSITIONS, SIGNATURE_NODES);
    for (size_t i = 0; i < SIGNATURE_POSITIONS; i++) {
        two.order[i] = SIGNATURE_POSITIONS - 1 - i;
    }
    run_stockfish(&one, 1);
    run_stockfish(&two, 2);
    for (size_t i = 0; i < SIGNATURE_POSITIONS; i++) {
        assert_labels_equal(&one.labels[i], &two.labels[i]);
        assert_true(one.labels[i].nodes <= SIGNATURE_NODES + SIGNATURE_NODES / 100);
        assert_true(one.labels[i].depth > 0);
    }
}

static void test_stockfish_has_a_fingerprint(void **state)
{
    (void)state;
    struct fingerprint one, two;
    char entry[256];
    struct error err = {0};
    if (access(STOCKFISH, X_OK) != 0) {
        SKIP_BECAUSE("no " STOCKFISH);
    }
    struct engine_config config = config_of(STOCKFISH);
    config.deadline_ms = 0;
    config.hash_mb = 4;
    assert_ok(fingerprint_take(&config, &one, &err), &err);
    assert_true(strncmp(one.name, "Stockfish ", 10) == 0);
    assert_true(strncmp(one.net, "nn-", 3) == 0);
    assert_string_equal(one.options, "Threads=1;Hash=4;MultiPV=1");
    entry_by_hand(STOCKFISH, entry);
    assert_string_equal(one.files, entry);
    /* Up to 256 MB the size of the hash does not change labels. */
    config.hash_mb = 64;
    assert_ok(fingerprint_take(&config, &two, &err), &err);
    assert_string_equal(one.signature, two.signature);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions_are_the_shared_ones),
        cmocka_unit_test(test_name_net_and_options),
        cmocka_unit_test(test_signature_follows_the_labels),
        cmocka_unit_test(test_compare_names_the_first_difference),
        cmocka_unit_test(test_files_are_digested),
        cmocka_unit_test(test_folders_are_refused),
        cmocka_unit_test(test_engine_that_cannot_label_has_no_fingerprint),
        cmocka_unit_test(test_engine_is_found),
        cmocka_unit_test(test_stockfish_labels_alike_in_any_order),
        cmocka_unit_test(test_stockfish_has_a_fingerprint),
    };
    return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
