/* SPDX-License-Identifier: MIT */
/*
 * Catalogues of other format versions are refused, whoever opens them, and are not written to; the
 * seal of a catalogue goes before anything is written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/io/file.h"
#include "pipeline/stages/catalogue.h"

static char folder[] = "/tmp/plymill-catalogue-XXXXXX";
static char path[64], seal[80];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/build.db", folder);
    (void)snprintf(seal, sizeof seal, "%s" CATALOGUE_SEAL, path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(seal);
    return rmdir(folder);
}

static void set_version(const char *version)
{
    char sql[128];
    sqlite3 *db;
    (void)snprintf(sql, sizeof sql, "UPDATE meta SET value = '%s' WHERE key = 'format_version'",
                   version);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DROP TABLE reject", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void make_catalogue(void)
{
    struct catalogue *catalogue;
    struct error err = {0};
    (void)unlink(path);
    assert_int_equal(catalogue_open(path, false, &catalogue, &err), 0);
    catalogue_close(catalogue);
}

static void assert_refused(const char *version, const char *word)
{
    for (int read_only = 0; read_only < 2; read_only++) {
        struct catalogue *catalogue = NULL;
        struct error err = {0};
        char before[DIGEST_HEX_SIZE], after[DIGEST_HEX_SIZE];
        make_catalogue();
        set_version(version);
        assert_int_equal(digest_file(path, before, NULL, &err), 0);
        assert_int_equal(catalogue_open(path, read_only, &catalogue, &err), -1);
        assert_int_equal(digest_file(path, after, NULL, NULL), 0);
        assert_string_equal(before, after);
        assert_int_equal(err.code, ERROR_FAILED);
        assert_non_null(strstr(err.text, word));
        assert_non_null(strstr(err.text, version));
        assert_non_null(strstr(err.text, "build into another directory"));
    }
}

static void other_versions_are_refused(void **state)
{
    char next[32], last[32];
    long version = strtol(CATALOGUE_VERSION, NULL, 10);
    (void)state;
    (void)snprintf(next, sizeof next, "%ld", version + 1);
    (void)snprintf(last, sizeof last, "%ld", version - 1);
    assert_refused(next, "a newer plymill");
    assert_refused(last, "an older plymill");
}

static void seal_goes_before_writing(void **state)
{
    struct catalogue *catalogue;
    struct error err = {0};
    (void)state;
    make_catalogue();
    assert_int_equal(catalogue_open(path, false, &catalogue, &err), 0);
    assert_int_equal(catalogue_set(catalogue, "key", "value", &err), 0);
    assert_int_equal(catalogue_seal(catalogue, &err), 0);
    assert_true(file_exists(seal));
    /* What is there already is not written. */
    assert_int_equal(catalogue_set(catalogue, "key", "value", &err), 0);
    assert_int_equal(catalogue_set(catalogue, "other", NULL, &err), 0);
    assert_true(file_exists(seal));
    assert_int_equal(catalogue_begin(catalogue, &err), 0);
    assert_false(file_exists(seal));
    assert_int_equal(catalogue_seal(catalogue, &err), 0);
    assert_false(file_exists(seal));
    assert_int_equal(catalogue_commit(catalogue, &err), 0);
    assert_int_equal(catalogue_seal(catalogue, &err), 0);
    assert_true(file_exists(seal));
    catalogue_close(catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(seal_goes_before_writing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
